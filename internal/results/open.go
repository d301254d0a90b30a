package results

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go"
)

// Table is a table by its columns. Of one that is opened, what nobody asks for is not decoded, and nothing is decoded twice. It
// can be used by several goroutines at one time.
type Table[Row any] struct {
	schema *Schema
	n      int
	rows   []int32 // of the columns; nil: all
	stored *stored // the columns; shared by the tables that Where gives
	memo   memo    // of the column that is the key
}

// stored are the columns of a table, those of a file when they are asked for.
type stored struct {
	mu      sync.Mutex
	columns []Vector // without values: not decoded yet
	n       int
	file    *parquet.File
	leaves  []parquet.LeafColumn // nil: the rows have lists, and are read as a whole
}

// Open reads the footer of a table.
func Open[Row any](r io.ReaderAt, size int64) (*Table[Row], error) {
	schema := SchemaOf[Row]()
	f, err := open(r, size)
	if err != nil {
		return nil, err
	}
	if got := schemaName(f); got != schema.Name {
		return nil, fmt.Errorf("the table has the schema %q, want %q", got, schema.Name)
	}
	// Each row has its own key, so many rows cannot take few bytes.
	n := f.NumRows()
	if n < 0 || n > maxRowsPerByte*size {
		return nil, fmt.Errorf("read table %s: %d bytes cannot have %d rows; the file is damaged", schema.Name, size, n)
	}
	s := &stored{file: f, n: int(n), columns: make([]Vector, len(schema.Columns))}
	s.leaves, _ = plainLeaves(f, schema)
	return &Table[Row]{schema: schema, n: int(n), stored: s}, nil
}

// Assemble makes a table of n rows of its columns, in the order of the row type's fields.
func Assemble[Row any](n int, columns ...Vector) (*Table[Row], error) {
	schema := SchemaOf[Row]()
	if len(columns) != len(schema.Columns) {
		return nil, fmt.Errorf("a table %s of %d columns; this is a bug in smtpipe", schema.Name, len(columns))
	}
	for i, c := range schema.Columns {
		if columns[i].values == nil || columns[i].kind != c.Kind || columns[i].Len() != n {
			return nil, fmt.Errorf("a table %s of %d rows with another column %s; this is a bug in smtpipe", schema.Name, n, c.Name)
		}
	}
	return &Table[Row]{schema: schema, n: n, stored: &stored{n: n, columns: columns}}, nil
}

// Len is the number of rows.
func (t *Table[Row]) Len() int { return t.n }

// Where gives the table of the rows for which keep holds. It shares the columns of t.
func (t *Table[Row]) Where(keep []bool) (*Table[Row], error) {
	if len(keep) != t.n {
		return nil, fmt.Errorf("table %s has %d rows, and %d of them are to be kept or not", t.schema.Name, t.n, len(keep))
	}
	rows := Rows(keep)
	n := len(rows)
	if t.rows != nil {
		rows = gather(t.rows, rows)
	}
	return &Table[Row]{schema: t.schema, n: n, rows: rows, stored: t.stored}, nil
}

// With gives the table with another column in the place of one.
func (t *Table[Row]) With(name string, column Vector) (*Table[Row], error) {
	columns := make([]Vector, len(t.schema.Columns))
	for i, c := range t.schema.Columns {
		columns[i] = column
		if c.Name != name {
			var err error
			if columns[i], err = t.vector(i); err != nil {
				return nil, err
			}
		}
	}
	return Assemble[Row](t.n, columns...)
}

// Rows gives the numbers of the rows for which keep holds; never nil.
func Rows(keep []bool) []int32 {
	n := 0
	for _, k := range keep {
		if k {
			n++
		}
	}
	rows := make([]int32, 0, n)
	for i, k := range keep {
		if k {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// Vector gives a column.
func (t *Table[Row]) Vector(name string) (Vector, error) {
	for i, c := range t.schema.Columns {
		if c.Name == name {
			return t.vector(i)
		}
	}
	return Vector{}, fmt.Errorf("table %s has no column %s", t.schema.Name, name)
}

func (t *Table[Row]) vector(i int) (Vector, error) {
	v, err := t.stored.column(t.schema, i)
	if err != nil {
		return Vector{}, fmt.Errorf("read table %s: column %s: %w", t.schema.Name, t.schema.Columns[i].Name, err)
	}
	if t.rows != nil {
		v = v.Where(t.rows)
	}
	if v.ascending {
		v.memo = &t.memo
	}
	return v, nil
}

// column gives a column of all rows.
func (s *stored) column(schema *Schema, i int) (v Vector, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.columns[i].values != nil {
		return s.columns[i], nil
	}
	if s.leaves == nil {
		return Vector{}, errors.New("it cannot be read alone")
	}
	defer recoverDamage(&err)
	decoded, err := readValues(s.file, s.leaves[i], schema.Columns[i].Kind, s.n)
	if err != nil {
		return Vector{}, err
	}
	// What Write wrote is in the order of the key.
	s.columns[i] = Vector{values: decoded, ascending: schema.keys() == 1 && schema.Columns[i].Key}
	return s.columns[i], nil
}

// ofKind gives a column that is of a kind.
func (t *Table[Row]) ofKind(name string, kind Kind) (Vector, error) {
	if c := t.schema.Column(name); c == nil || c.Kind != kind {
		return Vector{}, fmt.Errorf("table %s has no column %s of this type", t.schema.Name, name)
	}
	return t.Vector(name)
}

// Strings gives the values of a column, by row.
func (t *Table[Row]) Strings(name string) ([]string, error) {
	v, err := t.ofKind(name, String)
	if err != nil {
		return nil, err
	}
	return v.Strings(), nil
}

// Ints is Strings for whole numbers. The caller does not change them.
func (t *Table[Row]) Ints(name string) ([]int64, error) {
	v, err := t.ofKind(name, Int)
	if err != nil {
		return nil, err
	}
	return gather(v.ints, v.rows), nil
}

// Floats is Ints for other numbers.
func (t *Table[Row]) Floats(name string) ([]float64, error) {
	v, err := t.ofKind(name, Float)
	if err != nil {
		return nil, err
	}
	return gather(v.floats, v.rows), nil
}

// Bools is Ints for truth values.
func (t *Table[Row]) Bools(name string) ([]bool, error) {
	v, err := t.ofKind(name, Bool)
	if err != nil {
		return nil, err
	}
	return gather(v.bools, v.rows), nil
}

// Write writes the table as Write writes its rows: the same rows give the same bytes. They must be in the order of the
// primary key.
func (t *Table[Row]) Write(w io.Writer) error {
	columns := make([]Vector, len(t.schema.Columns))
	for i := range columns {
		var err error
		if columns[i], err = t.vector(i); err != nil {
			return err
		}
	}
	if err := checkOrder(t.schema, columns, t.n); err != nil {
		return err
	}
	if err := encode(w, t.schema, columns, t.n); err != nil {
		return fmt.Errorf("write table %s: %w", t.schema.Name, err)
	}
	return nil
}
