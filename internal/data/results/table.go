package results

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// maxRowsPerByte is the maximum number of rows per byte that a file's footer may claim.
const maxRowsPerByte = 64

// schemaKey is the Parquet metadata key for a table's schema name.
const schemaKey = "smtpipe.schema"

// Write writes rows as a Parquet table, sorted by primary key. It sorts the rows in place and rejects duplicate keys.
// Equal rows, in any order, produce equal bytes.
func Write[Row any](w io.Writer, rows []Row) error { return write(w, SchemaOf[Row](), rows) }

func write[Row any](w io.Writer, schema *Schema, rows []Row) error {
	if err := sortByKey(schema, rows); err != nil {
		return err
	}
	g, err := writeGroups[Row](w, schema)
	if err != nil {
		return err
	}
	begins, from := cutRows[Row](schema), 0
	for i := range rows {
		if begins(&rows[i]) {
			if err := g.group(rows[from:i]); err != nil {
				return err
			}
			from = i
		}
	}
	if err := g.group(rows[from:]); err != nil {
		return err
	}
	_, err = g.End()
	return err
}

// Read reads an entire table written by Write.
func Read[Row any](r io.ReaderAt, size int64) (rows []Row, err error) {
	defer recoverDamage(&err)
	t, err := Open[Row](r, size)
	if err != nil {
		return nil, err
	}
	rows = make([]Row, t.Len())
	all := reflect.ValueOf(rows)
	for i := range t.schema.Columns {
		column := &t.schema.Columns[i]
		values, err := decodeColumn(t.stored.file.RowGroups(), t.stored.leaves[i], t.n)
		if err != nil {
			return nil, fmt.Errorf("read table %s: column %s: %w", t.schema.Name, column.Name, err)
		}
		for k := range rows {
			setValue(column.Field(all.Index(k)), &values, k, nil)
		}
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

// sortByKey sorts rows by the columns of the primary key, in field order, comparing bytes and numbers. It returns an
// error if two rows have the same key.
func sortByKey[Row any](schema *Schema, rows []Row) error {
	order := keyOrder[Row](schema)
	sorted := true
	for i := 1; i < len(rows) && sorted; i++ {
		sorted = order(&rows[i-1], &rows[i]) < 0
	}
	if sorted {
		return nil
	}
	at := make([]int32, len(rows)) // rows are large, so sort their indexes and then move each row once
	for i := range at {
		at[i] = int32(i)
	}
	slices.SortFunc(at, func(i, j int32) int { return order(&rows[i], &rows[j]) })
	permute(rows, at)
	for i := 1; i < len(rows); i++ {
		if order(&rows[i-1], &rows[i]) == 0 {
			return fmt.Errorf("table %s has two rows with the key %s", schema.Name, keyText(schema, rows[i]))
		}
	}
	return nil
}

// permute moves row at[i] to position i, for all i, along the cycles of at, which it overwrites.
func permute[Row any](rows []Row, at []int32) {
	for i := range at {
		if at[i] == int32(i) {
			continue
		}
		first, place := rows[i], int32(i)
		for at[place] != int32(i) {
			from := at[place]
			rows[place], at[place] = rows[from], place
			place = from
		}
		rows[place], at[place] = first, place
	}
}

// keyOrder compares rows by their primary keys.
func keyOrder[Row any](schema *Schema) func(a, b *Row) int {
	var keys []Column
	for _, c := range schema.Columns {
		if c.Key {
			keys = append(keys, c)
		}
	}
	return func(a, b *Row) int {
		rowA, rowB := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
		for i := range keys {
			fa, fb := keys[i].Field(rowA), keys[i].Field(rowB)
			c := 0
			if keys[i].Kind == table.String {
				c = strings.Compare(fa.String(), fb.String())
			} else {
				c = cmp.Compare(fa.Int(), fb.Int())
			}
			if c != 0 {
				return c
			}
		}
		return 0
	}
}

func keyText[Row any](schema *Schema, row Row) string {
	v := reflect.ValueOf(row)
	var parts []string
	for _, c := range schema.Columns {
		if c.Key {
			parts = append(parts, fmt.Sprintf("%s=%v", c.Name, c.Field(v)))
		}
	}
	return strings.Join(parts, " ")
}
