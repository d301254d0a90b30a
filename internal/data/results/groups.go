package results

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// A table's keys, not the number of its rows, determine where it is cut into row groups: a row begins a group if the
// checksum of its key's texts is a multiple of groupMore and the previous group has at least groupLeast different keys.
// Rows with equal texts stay together. Therefore, groups without new rows keep their bytes, except sometimes one or two
// groups after a new row. Equal rows produce equal bytes regardless of earlier tables.
const (
	groupLeast = 1 << 14
	groupMore  = 1 << 14
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Cutter determines which rows begin a row group. The zero Cutter is positioned before the first row.
type Cutter struct {
	last, key []byte
	keys      int // number of different keys in the current row group
}

// Next receives the texts of the next row's primary key and reports whether the row begins a new row group. It reports
// false for the first row.
func (c *Cutter) Next(texts ...string) bool {
	for _, text := range texts {
		c.add(text)
	}
	return c.next()
}

// add adds a text to the next row's key.
func (c *Cutter) add(text string) { c.key = append(append(c.key, text...), 0) }

// next ends a row's key and reports whether the row begins a row group.
func (c *Cutter) next() bool {
	if c.keys > 0 && string(c.key) == string(c.last) {
		c.key = c.key[:0]
		return false
	}
	begins := c.keys >= groupLeast && crc32.Checksum(c.key, castagnoli)%groupMore == 0
	if begins {
		c.keys = 0
	}
	c.keys++
	c.last, c.key = c.key, c.last[:0]
	return begins
}

// cutRows returns a function that reports whether a row begins a row group. The function must be called with the
// table's rows in order.
func cutRows[Row any](schema *Schema) func(row *Row) bool {
	var keys []Column
	for _, c := range schema.Columns {
		if c.Key && c.Kind == table.String {
			keys = append(keys, c)
		}
	}
	c := &Cutter{}
	return func(row *Row) bool {
		v := reflect.ValueOf(row).Elem()
		for i := range keys {
			c.add(keys[i].Field(v).String())
		}
		return c.next()
	}
}

// cutColumns returns the rows that begin a row group, except the first row.
func cutColumns(schema *Schema, columns []table.Column, n int) (cuts []int) {
	c := &Cutter{}
	keys := keyColumns(schema, columns)
	for i := range n {
		for _, k := range keys {
			if k.Kind() == table.String {
				c.add(k.StringAt(i))
			}
		}
		if c.next() {
			cuts = append(cuts, i)
		}
	}
	return cuts
}

// GroupWriter writes a table row group by row group. Each group is either written from rows or copied from a table that
// already contains it.
type GroupWriter[Row any] struct {
	schema *Schema
	out    *encoder
	rows   int64
	last   *Row // last row of the previous group; nil if unknown
}

// WriteGroups begins a table. The groups must be cut by a Cutter and be in primary key order.
func WriteGroups[Row any](w io.Writer) (*GroupWriter[Row], error) {
	schema := SchemaOf[Row]()
	f, err := formOf(schema)
	if err != nil {
		return nil, err
	}
	return &GroupWriter[Row]{schema: schema, out: f.Begin(w)}, nil
}

// Rows writes a group's rows, which must follow the previous group's in primary key order. The caller must not change
// them afterwards.
func (g *GroupWriter[Row]) Rows(rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	if g.last != nil {
		if _, err := g.ordered([]Row{*g.last, rows[0]}); err != nil {
			return err
		}
	}
	columns, err := g.ordered(rows)
	if err != nil {
		return err
	}
	g.last = &rows[len(rows)-1]
	g.rows += int64(len(rows))
	if !g.schema.lists() {
		g.out.Group(columns, 0, len(rows))
		return nil
	}
	var b bytes.Buffer
	if err := writeRows(&b, g.schema, len(rows), func(i int) any { return &rows[i] }); err != nil {
		return err
	}
	r := bytes.NewReader(b.Bytes())
	f, err := open(r, r.Size())
	if err != nil {
		return fmt.Errorf("write table %s: %w", g.schema.Name, err)
	}
	g.out.Mix(f, r, 0, columns, 0, len(rows))
	return nil
}

// ordered returns the columns of rows, which must be in primary key order.
func (g *GroupWriter[Row]) ordered(rows []Row) ([]table.Column, error) {
	columns := columnsOf(g.schema, rows)
	return columns, checkOrder(g.schema, columns, len(rows))
}

// Take copies the row group with the given number from another table.
func (g *GroupWriter[Row]) Take(t *Groups, number int) error {
	if number < 0 || number >= len(t.file.Metadata().RowGroups) {
		return fmt.Errorf("table %s has no row group %d", g.schema.Name, number)
	}
	g.out.Take(t.file, t.r, number)
	g.last = nil
	g.rows += t.file.Metadata().RowGroups[number].NumRows
	return nil
}

// Len returns the number of row groups written so far.
func (g *GroupWriter[Row]) Len() int { return g.out.Len() }

// End ends the table and returns its number of rows.
func (g *GroupWriter[Row]) End() (int64, error) {
	if err := g.out.End(); err != nil {
		return g.rows, fmt.Errorf("write table %s: %w", g.schema.Name, err)
	}
	return g.rows, nil
}

// Groups holds a table's row groups in their stored form.
type Groups struct {
	file *parquet.File
	r    io.ReaderAt
}

// Len returns the number of row groups.
func (g *Groups) Len() int { return len(g.file.Metadata().RowGroups) }

// OpenGroups reads a table's footer.
func OpenGroups[Row any](r io.ReaderAt, size int64) (*Groups, error) {
	f, err := open(r, size)
	if err == nil && schemaName(f) != SchemaOf[Row]().Name {
		err = fmt.Errorf("the table has the schema %q, want %q", schemaName(f), SchemaOf[Row]().Name)
	}
	return &Groups{f, r}, err
}
