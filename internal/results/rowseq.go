package results

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"

	"github.com/smtpipe/smtpipe/internal/table"
)

// Rows returns the rows of a table one by one, with a few thousand of them in memory at a time. It is for row types
// without lists. Each range over the result reads the table again.
func Rows[Row any](r io.ReaderAt, size int64) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var row Row
		t, err := Open[Row](r, size)
		if err == nil && t.stored.leaves == nil {
			err = fmt.Errorf("table %s cannot be read row by row", t.schema.Name)
		}
		if err != nil {
			yield(row, err)
			return
		}
		names := make([]string, len(t.schema.Columns))
		for i, c := range t.schema.Columns {
			names[i] = c.Name
		}
		batches, err := (&Columns{file: t.stored.file}).Read(names...)
		if err != nil {
			yield(row, err)
			return
		}
		defer batches.Close()
		fields := reflect.ValueOf(&row).Elem()
		words := make([]interned, len(names))
		for {
			b, err := batches.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(row, fmt.Errorf("read table %s: %w", t.schema.Name, err))
				return
			}
			for i := range b.Rows {
				for k := range b.Columns {
					setValue(t.schema.Columns[k].Field(fields), &b.Columns[k], i, &words[k])
				}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

func setValue(field reflect.Value, c *table.Column, i int, words *interned) {
	switch c.Kind() {
	case table.String:
		field.SetString(words.of(c.StringAt(i)))
	case table.Int:
		field.SetInt(c.IntAt(i))
	case table.Float:
		field.SetFloat(c.FloatAt(i))
	case table.Bool:
		field.SetBool(c.BoolAt(i))
	}
}

// maxInterned is the largest number of texts of a column that are shared between rows. A column with more has a
// different text in nearly every row, so sharing gains nothing.
const maxInterned = 4096

// interned holds the texts of a column so far. A text of a batch would keep the whole batch in memory.
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
