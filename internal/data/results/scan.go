package results

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Rows iterates over a table's rows, keeping a few thousand of them in memory. Each range over the result reads the
// table again.
func Rows[Row any](r io.ReaderAt, size int64) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var row Row
		t, err := Open[Row](r, size)
		if err == nil {
			err = t.schema.scan(&Columns{file: t.stored.file, leaves: t.stored.leaves}, reflect.ValueOf(&row).Elem(),
				func() error {
					if !yield(row, nil) {
						return errStop
					}
					return nil
				})
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(row, err)
		}
	}
}

var errStop = errors.New("no more rows are needed")

// Select returns the rows of a table for which choose is true, given the texts of the named columns, which are valid
// only during the call. It decodes the other columns only in row groups with such rows.
func Select[Row any](r io.ReaderAt, size int64, names []string, choose func(texts []string) bool) ([]Row, error) {
	t, err := Open[Row](r, size)
	if err != nil {
		return nil, err
	}
	var of []leaf
	for _, name := range names {
		i := slices.IndexFunc(t.schema.Columns, func(c Column) bool { return c.Name == name })
		if i < 0 || t.schema.Columns[i].Kind != table.String {
			return nil, fmt.Errorf("table %s has no text column %s", t.schema.Name, name)
		}
		of = append(of, t.stored.leaves[i])
	}
	columns := &Columns{file: t.stored.file, leaves: t.stored.leaves}
	whole := columns.read(columns.leaves)
	row := fieldsOf[Row](t.schema)
	f := filler{fields: row.fields, words: make([]interned, len(t.schema.Columns))}
	texts := make([]string, len(names))
	var rows []Row
	for b, err := range columns.read(of).All() {
		if err != nil {
			return nil, fmt.Errorf("read table %s: %w", t.schema.Name, err)
		}
		var chosen []int
		for i := range b.Rows {
			for k := range texts {
				texts[k] = b.Columns[k].StringAt(i)
			}
			if choose(texts) {
				chosen = append(chosen, i)
			}
		}
		if len(chosen) == 0 {
			whole.skip(1)
			continue
		}
		if b, err = whole.Next(); err != nil {
			return nil, fmt.Errorf("read table %s: %w", t.schema.Name, err)
		}
		f.take(b.Columns)
		for _, i := range chosen {
			f.fill(i, -1)
			rows = append(rows, row.row)
		}
	}
	return rows, nil
}

// Each calls visit with every row of a stored table, as a struct of the schema's row type. The value is reused, and
// visit must not change it.
func Each(r io.ReaderAt, size int64, visit func(row reflect.Value) error) error {
	columns, schema, err := openOurs(r, size)
	if err != nil {
		return err
	}
	row := reflect.New(schema.row).Elem()
	return schema.scan(columns, row, func() error { return visit(row) })
}

// openOurs opens a table written by Write.
func openOurs(r io.ReaderAt, size int64) (*Columns, *Schema, error) {
	columns, err := OpenColumns(r, size)
	if err != nil {
		return nil, nil, err
	}
	schema, err := SchemaByName(schemaName(columns.file))
	if err == nil && columns.ours == nil {
		err = fmt.Errorf("read table %s: %w", schema.Name, errForeign)
	}
	return columns, schema, err
}

// stored returns the columns of the given kinds in both the schema and the table, and their reader.
func (c *Columns) stored(kinds ...table.Kind) (names []string, batches *BatchReader) {
	var leaves []leaf
	for i, at := range c.leaves {
		if !at.missing && (kinds == nil || slices.Contains(kinds, at.kind)) {
			names, leaves = append(names, c.ours.Columns[i].Name), append(leaves, at)
		}
	}
	return names, c.read(leaves)
}

// scan sets row to each row of a table and calls visit, which must not change the row.
func (s *Schema) scan(columns *Columns, row reflect.Value, visit func() error) error {
	f := filler{fields: s.fields(row), words: make([]interned, len(s.Columns))}
	for b, err := range columns.read(columns.leaves).All() {
		if err != nil {
			return fmt.Errorf("read table %s: %w", s.Name, err)
		}
		f.take(b.Columns)
		for i := range b.Rows {
			f.fill(i, i-1)
			if err := visit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// filler sets a row's fields to values in columns.
type filler struct {
	fields  []reflect.Value
	columns []table.Column
	varying []int      // columns that are not constant
	words   []interned // if nil, texts share the columns' memory
}

// take sets the columns.
func (f *filler) take(columns []table.Column) {
	f.columns, f.varying = columns, f.varying[:0]
	for k := range columns {
		if !columns[k].Constant() {
			f.varying = append(f.varying, k)
		}
	}
}

// fill sets the fields to the values of row i. They have the values of row last, or any values if last is negative.
func (f *filler) fill(i, last int) {
	if last < 0 {
		for k := range f.columns {
			f.set(k, &f.columns[k], i)
		}
		return
	}
	for _, k := range f.varying {
		if c := &f.columns[k]; !c.Alike(i, last) {
			f.set(k, c, i)
		}
	}
}

func (f *filler) set(k int, c *table.Column, i int) {
	switch field := f.fields[k]; c.Kind() {
	case table.String:
		text := c.StringAt(i)
		if f.words != nil {
			text = f.words[k].of(text)
		}
		field.SetString(text)
	case table.Int:
		field.SetInt(c.IntAt(i))
	case table.Float:
		field.SetFloat(c.FloatAt(i))
	case table.Bool:
		field.SetBool(c.BoolAt(i))
	default:
		field.Set(reflect.ValueOf(c.ListAt(i)))
	}
}

// maxInterned is the maximum number of a column's texts that rows share. A column with more texts has a different text
// in nearly every row, so sharing would gain nothing.
const maxInterned = 4096

// interned holds a column's texts seen so far. Keeping a text of a batch would keep the entire batch in memory.
type interned struct {
	last string
	all  map[string]string
}

func (n *interned) of(s string) string {
	if s == n.last {
		return n.last
	}
	if known, ok := n.all[s]; ok {
		n.last = known
		return known
	}
	if len(n.all) == maxInterned {
		return s
	}
	if n.all == nil {
		n.all = map[string]string{}
	}
	n.last = strings.Clone(s)
	n.all[n.last] = n.last
	return n.last
}
