package results

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// maxRowsPerByte is the maximum number of rows per byte that a file's footer may claim.
const maxRowsPerByte = 64

// schemaKey is the Parquet metadata key for a table's schema name.
const schemaKey = "smtpipe.schema"

// Write writes rows as a Parquet table, sorted by primary key. It sorts the rows in place and rejects duplicate keys.
// Equal rows, in any order, produce equal bytes.
func Write[Row any](w io.Writer, rows []Row) error {
	schema := SchemaOf[Row]()
	var keys []*table.Column
	for _, c := range schema.Columns {
		if c.Key {
			column := columnOf(&c, rows)
			keys = append(keys, &column)
		}
	}
	permute(rows, orderOf(keys, len(rows)))
	return WriteSeq(w, func(yield func(Row, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	})
}

// permute moves the row from[i] to place i, for each i. It changes from. A nil from moves nothing.
func permute[Row any](rows []Row, from []int32) {
	for i := range from {
		first, at := rows[i], i
		for from[at] >= 0 {
			next := int(from[at])
			from[at] = -1 // done
			if next == i {
				rows[at] = first
				break
			}
			rows[at] = rows[next]
			at = next
		}
	}
}

// Read reads an entire table written by Write.
func Read[Row any](r io.ReaderAt, size int64) ([]Row, error) {
	rows := []Row{}
	for row, err := range Rows[Row](r, size) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// SchemaIn returns a stored table's schema and number of rows.
func SchemaIn(r io.ReaderAt, size int64) (*Schema, int64, error) {
	f, err := open(r, size)
	if err != nil {
		return nil, 0, err
	}
	schema, err := SchemaByName(schemaName(f))
	if err != nil {
		return nil, 0, err
	}
	return schema, f.NumRows(), nil
}

func open(r io.ReaderAt, size int64) (f *parquet.File, err error) {
	defer recoverDamage(&err)
	f, err = parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("not a readable table: %w", err)
	}
	return f, nil
}

// recoverDamage turns a panic into an error, since the Parquet library's decoders use values from the file as indexes.
func recoverDamage(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the file is damaged: %v", p)
	}
}

func schemaName(f *parquet.File) string {
	name, _ := f.Lookup(schemaKey)
	return name
}
