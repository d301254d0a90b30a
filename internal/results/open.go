package results

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Table reads single columns, and single rows, of a table that Write wrote. What nobody asks for is not decoded.
type Table[Row any] struct {
	file   *parquet.File
	schema *Schema
	leaves []parquet.LeafColumn // nil: the rows have lists, and are read as a whole
}

// Open reads the footer of a table.
func Open[Row any](r io.ReaderAt, size int64) (*Table[Row], error) {
	t := &Table[Row]{schema: SchemaOf[Row]()}
	var err error
	if t.file, err = open(r, size); err != nil {
		return nil, err
	}
	if got := schemaName(t.file); got != t.schema.Name {
		return nil, fmt.Errorf("the table has the schema %q, want %q", got, t.schema.Name)
	}
	// Each row has its own key, so many rows cannot take few bytes.
	if n := t.file.NumRows(); n < 0 || n > maxRowsPerByte*size {
		return nil, fmt.Errorf("read table %s: %d bytes cannot have %d rows; the file is damaged", t.schema.Name, size, n)
	}
	t.leaves, _ = plainLeaves(t.file, t.schema)
	return t, nil
}

// Len is the number of rows.
func (t *Table[Row]) Len() int { return int(t.file.NumRows()) }

// Strings gives the values of a column, by row.
func (t *Table[Row]) Strings(name string) ([]string, error) {
	return columnOf[Row, string](t, name, String)
}

// Ints is Strings for whole numbers.
func (t *Table[Row]) Ints(name string) ([]int64, error) { return columnOf[Row, int64](t, name, Int) }

// Floats is Strings for other numbers.
func (t *Table[Row]) Floats(name string) ([]float64, error) {
	return columnOf[Row, float64](t, name, Float)
}

// Bools is Strings for truth values.
func (t *Table[Row]) Bools(name string) ([]bool, error) { return columnOf[Row, bool](t, name, Bool) }

func columnOf[Row, V any](t *Table[Row], name string, kind Kind) (values []V, err error) {
	defer recoverDamage(&err)
	for i, c := range t.schema.Columns {
		if c.Name == name && c.Kind == kind && t.leaves != nil {
			if values, err = vector[V](t.file, t.leaves[i], kind); err != nil {
				return nil, fmt.Errorf("read table %s: column %s: %w", t.schema.Name, name, err)
			}
			return values, nil
		}
	}
	return nil, fmt.Errorf("table %s has no column %s of this type that can be read alone", t.schema.Name, name)
}

// Pick gives the rows for which keep holds; nil keeps all. The row type must have no lists.
func (t *Table[Row]) Pick(keep []bool) (rows []Row, err error) {
	defer recoverDamage(&err)
	if t.leaves == nil {
		return nil, fmt.Errorf("table %s has columns that cannot be read alone", t.schema.Name)
	}
	n := t.Len()
	if keep != nil {
		if len(keep) != n {
			return nil, fmt.Errorf("table %s has %d rows, and %d of them are to be kept or not", t.schema.Name, n, len(keep))
		}
		n = 0
		for _, k := range keep {
			if k {
				n++
			}
		}
	}
	rows = make([]Row, n)
	if err := fill(t.file, t.leaves, t.schema, rows, keep); err != nil {
		return nil, fmt.Errorf("read table %s: %w", t.schema.Name, err)
	}
	return rows, nil
}
