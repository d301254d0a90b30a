package results

import (
	"hash/crc32"
	"reflect"

	"github.com/smtpipe/smtpipe/internal/table"
)

// A table is cut into row groups where its keys say so, and not where so many rows are full: a row begins a group if the
// checksum of the texts of its key is a multiple of groupMean, and the row before has other texts. So the groups that
// a new row does not fall into keep their bytes, and equal rows give equal bytes whatever was there before.
const groupMean = 1 << 15

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// cutter says which rows begin a row group.
type cutter struct {
	last, key []byte
	started   bool
}

// add adds a text to the key of the next row.
func (c *cutter) add(text string) { c.key = append(append(c.key, text...), 0) }

// next ends the key of a row and reports whether the row begins a row group; the first row does in any case, and is not
// reported.
func (c *cutter) next() bool {
	begins := c.started && crc32.Checksum(c.key, castagnoli)%groupMean == 0 && string(c.key) != string(c.last)
	c.last, c.key, c.started = c.key, c.last[:0], true
	return begins
}

// cutRows returns a function that reports whether a row begins a row group. It is given the rows of a table in order.
func cutRows[Row any](schema *Schema) func(row *Row) bool {
	var fields []int
	for i, c := range schema.Columns {
		if c.Key && c.Kind == table.String {
			fields = append(fields, i)
		}
	}
	c := &cutter{}
	return func(row *Row) bool {
		v := reflect.ValueOf(row).Elem()
		for _, i := range fields {
			c.add(v.Field(i).String())
		}
		return c.next()
	}
}

// cutColumns returns the rows that begin a row group, but for the first.
func cutColumns(schema *Schema, columns []table.Column, n int) (cuts []int) {
	c := &cutter{}
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
