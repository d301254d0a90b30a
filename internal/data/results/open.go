package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Table is a table stored in columns. An opened table decodes each column on demand, and only once. It is safe for
// concurrent use.
type Table[Row any] struct {
	schema *Schema
	n      int
	rows   []int32 // row indexes in the stored columns; nil means all rows
	stored *stored // the columns, shared with tables that Where returns
}

// stored holds a table's columns. Columns from a file are decoded on demand.
type stored struct {
	mu      sync.Mutex
	columns []table.Column // a column without values is not decoded yet
	n       int
	file    *parquet.File
	r       io.ReaderAt
	leaves  []leaf
	zeros   zeros
}

// Open reads a table's footer.
func Open[Row any](r io.ReaderAt, size int64) (*Table[Row], error) {
	schema := SchemaOf[Row]()
	f, err := open(r, size)
	if err != nil {
		return nil, err
	}
	if got := schemaName(f); !schema.Reads(got) {
		return nil, fmt.Errorf("the table has the schema %q, want %q", got, schema.Name)
	}
	// Each row has a unique key, so many rows cannot fit into few bytes.
	n := f.NumRows()
	if n < 0 || n > maxRowsPerByte*size {
		return nil, fmt.Errorf("read table %s: %d bytes cannot contain %d rows; the file is "+
			"damaged", schema.Name, size, n)
	}
	s := &stored{file: f, r: r, n: int(n), columns: make([]table.Column, len(schema.Columns))}
	var ours bool
	if s.leaves, ours = schema.leaves(f); !ours {
		return nil, fmt.Errorf("read table %s: %w", schema.Name, errForeign)
	}
	return &Table[Row]{schema: schema, n: int(n), stored: s}, nil
}

var errForeign = errors.New("a column does not use smtpipe's encoding")

// Assemble returns a table of n rows from its columns, in the order of the row type's fields.
func Assemble[Row any](n int, columns ...table.Column) (*Table[Row], error) {
	schema := SchemaOf[Row]()
	if len(columns) != len(schema.Columns) {
		return nil, fmt.Errorf("bug in smtpipe: table %s has %d columns", schema.Name, len(columns))
	}
	for i, c := range schema.Columns {
		if columns[i].Kind() != c.Kind || columns[i].Len() != n {
			return nil, fmt.Errorf("table %s of %d rows has a column %s of another kind or length; this is a bug in smtpipe",
				schema.Name, n, c.Name)
		}
	}
	return &Table[Row]{schema: schema, n: n, stored: &stored{n: n, columns: columns}}, nil
}

// Len returns the number of rows.
func (t *Table[Row]) Len() int { return t.n }

// Where returns a table with the rows for which keep is true. It shares t's columns.
func (t *Table[Row]) Where(keep []bool) (*Table[Row], error) {
	if len(keep) != t.n {
		return nil, fmt.Errorf("table %s has %d rows, but the row filter has %d", t.schema.Name, t.n,
			len(keep))
	}
	rows := table.Rows(keep)
	if t.rows != nil {
		for i, r := range rows {
			rows[i] = t.rows[r]
		}
	}
	return &Table[Row]{schema: t.schema, n: len(rows), rows: rows, stored: t.stored}, nil
}

// With returns the table with one column replaced.
func (t *Table[Row]) With(name string, column table.Column) (*Table[Row], error) {
	at := slices.IndexFunc(t.schema.Columns, func(c Column) bool { return c.Name == name })
	if at < 0 || column.Kind() != t.schema.Columns[at].Kind || column.Len() != t.n {
		return nil, fmt.Errorf("bug in smtpipe: table %s of %d rows has no such column %s", t.schema.Name, t.n, name)
	}
	s := &stored{n: t.n, columns: make([]table.Column, len(t.schema.Columns))}
	if t.rows == nil {
		s = t.stored.clone()
	} else {
		for i := range s.columns {
			var err error
			if s.columns[i], err = t.column(i); err != nil {
				return nil, err
			}
		}
	}
	if s.columns[at] = column; s.leaves != nil {
		s.leaves[at].missing = true
	}
	return &Table[Row]{schema: t.schema, n: t.n, stored: s}, nil
}

// Column returns the column with a name.
func (t *Table[Row]) Column(name string) (table.Column, error) {
	for i, c := range t.schema.Columns {
		if c.Name == name {
			return t.column(i)
		}
	}
	return table.Column{}, fmt.Errorf("table %s has no column %s", t.schema.Name, name)
}

func (t *Table[Row]) column(i int) (table.Column, error) {
	v, err := t.stored.column(t.schema, i)
	if err == nil && t.rows != nil {
		v = v.Where(t.rows)
	}
	return v, err
}

func (s *stored) clone() *stored {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &stored{columns: slices.Clone(s.columns), n: s.n, file: s.file, r: s.r, leaves: slices.Clone(s.leaves)}
}

// isCut reports whether the file has the form and begins row groups at the cuts, so that its columns can be copied.
func (s *stored) isCut(f *form, cuts []int) bool {
	if s.file == nil || s.file.Metadata().CreatedBy != f.meta.CreatedBy {
		return false
	}
	for i := range s.leaves {
		if !s.leaves[i].missing && s.leaves[i].ColumnIndex != f.leaves[i].ColumnIndex {
			return false
		}
	}
	begins, at := []int{}, 0
	for _, g := range s.file.RowGroups() {
		begins = append(begins, at)
		at += int(g.NumRows())
	}
	return len(begins) > 0 && slices.Equal(begins[1:], cuts)
}

// column returns a stored column with all its rows. It decodes the column on first use.
func (s *stored) column(schema *Schema, i int) (v table.Column, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.columns[i].Kind() != 0 {
		return s.columns[i], nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("read table %s: column %s: %w", schema.Name, schema.Columns[i].Name, err)
		}
	}()
	defer recoverDamage(&err)
	if v, err = decodeColumn(s.file, 0, len(s.file.RowGroups()), s.leaves[i], s.n, &s.zeros); err != nil {
		return table.Column{}, err
	}
	// Write sorts by the key, so a single key column is ascending.
	v.Ascending = schema.keys() == 1 && schema.Columns[i].Key
	s.columns[i] = v
	return v, nil
}

// Strings returns a text column's values, by row.
func (t *Table[Row]) Strings(name string) ([]string, error) {
	c, err := t.Column(name)
	if err == nil && c.Kind() != table.String {
		err = fmt.Errorf("column %s of table %s is not text", name, t.schema.Name)
	}
	if err != nil {
		return nil, err
	}
	return c.Strings(), nil
}

// Each calls visit with every row, which visit must not change. The row is reused, and its texts are shared with the
// table.
func (t *Table[Row]) Each(visit func(*Row)) error {
	return t.Range(0, t.n, func(_ int, row *Row) error {
		visit(row)
		return nil
	})
}

// Range is like Each for the rows in [from, to), with their indexes. It ends at the first error.
func (t *Table[Row]) Range(from, to int, visit func(i int, row *Row) error) error {
	row := fieldsOf[Row](t.schema)
	columns := make([]table.Column, len(t.schema.Columns))
	for k := range columns {
		var err error
		if columns[k], err = t.stored.column(t.schema, k); err != nil {
			return err
		}
	}
	f := filler{fields: row.fields}
	f.take(columns)
	last := -1
	for i := from; i < to; i++ {
		at := i
		if t.rows != nil {
			at = int(t.rows[i])
		}
		f.fill(at, last)
		if err := visit(i, &row.row); err != nil {
			return err
		}
		last = at
	}
	return nil
}

// Write writes the table as the function Write writes rows: equal rows produce equal bytes. The rows must be in primary
// key order. Columns of a stored table with the same row groups are copied.
func (t *Table[Row]) Write(w io.Writer) error {
	if t.schema.lists() {
		return fmt.Errorf("table %s has list columns; write it row by row", t.schema.Name)
	}
	columns := make([]table.Column, len(t.schema.Columns))
	decode := func(needed func(i int) bool) error {
		for i := range columns {
			var err error
			if columns[i] = (table.Column{}); needed(i) {
				columns[i], err = t.column(i)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := decode(func(i int) bool { return t.schema.Columns[i].Key }); err != nil {
		return err
	}
	if err := checkOrder(t.schema, columns, t.n); err != nil {
		return err
	}
	f, err := formOf(t.schema)
	if err != nil {
		return err
	}
	cuts := cutColumns(t.schema, columns, t.n)
	copies := t.rows == nil && t.stored.isCut(f, cuts)
	if err := decode(func(i int) bool { return !copies || t.stored.leaves[i].missing }); err != nil {
		return err
	}
	e, from := f.Begin(w), 0
	for g, end := range append(cuts, t.n) {
		if copies {
			e.Mix(t.stored.file, t.stored.r, g, columns, from, end)
		} else {
			e.Group(columns, from, end)
		}
		from = end
	}
	if err := e.End(); err != nil {
		return fmt.Errorf("write table %s: %w", t.schema.Name, err)
	}
	return nil
}

// forms holds the tables' forms, by schema.
var forms sync.Map

func formOf(schema *Schema) (*form, error) {
	if f, ok := forms.Load(schema); ok {
		return f.(*form), nil
	}
	var b bytes.Buffer
	if err := writeRows(&b, schema, 1, func(int) any { return reflect.New(schema.stored).Interface() }); err != nil {
		return nil, err
	}
	file, err := open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return nil, err
	}
	leaves := make([]parquet.LeafColumn, len(schema.Columns))
	for i, c := range schema.Columns {
		leaves[i], _ = file.Schema().Lookup(c.Name) // there is no leaf if the schema has lists
	}
	f := &form{meta: *file.Metadata(), leaves: leaves}
	forms.Store(schema, f)
	return f, nil
}

// checkOrder checks that rows are in primary key order, without duplicates.
func checkOrder(schema *Schema, columns []table.Column, n int) error {
	keys := keyColumns(schema, columns)
	if len(keys) == 1 && keys[0].Ascending {
		return nil
	}
	for i := 1; i < n; i++ {
		order := compareRows(keys, i-1, i)
		if order < 0 {
			continue
		}
		var parts []string
		for j, c := range schema.Columns {
			if c.Key {
				parts = append(parts, c.Name+"="+columns[j].Text(i))
			}
		}
		key := strings.Join(parts, " ")
		if order == 0 {
			return fmt.Errorf("table %s has two rows with the key %s", schema.Name, key)
		}
		return fmt.Errorf("the row of table %s with the key %s is out of order; this is a bug in smtpipe", schema.Name,
			key)
	}
	return nil
}

// keyColumns returns the columns in the primary key.
func keyColumns(schema *Schema, columns []table.Column) []*table.Column {
	var keys []*table.Column
	for i, c := range schema.Columns {
		if c.Key {
			keys = append(keys, &columns[i])
		}
	}
	return keys
}

// compareRows compares two rows by their keys.
func compareRows(keys []*table.Column, i, j int) int {
	for _, k := range keys {
		if c := k.Compare(i, j); c != 0 {
			return c
		}
	}
	return 0
}
