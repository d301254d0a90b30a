package results

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Changes lists the differences between two stored tables with the same schema, by primary key. It ignores columns that
// only one table has because an earlier version wrote the other table.
func Changes(from, to []byte) ([]diff.Difference, error) {
	a, err := openTexts(from)
	if err != nil {
		return nil, err
	}
	defer a.stop()
	b, err := openTexts(to)
	if err != nil {
		return nil, err
	}
	defer b.stop()
	if a.schema != b.schema {
		return nil, fmt.Errorf("tables of %s and %s cannot be compared", a.schema.Name, b.schema.Name)
	}
	same := slices.Equal(a.names, b.names)
	for a.row != nil || b.row != nil {
		switch order := compareKeys(a, b); {
		case same && slices.Equal(a.row, b.row): // most rows of two large tables are equal
			err = errors.Join(a.next(), b.next())
		case order < 0:
			err = a.keep()
		case order > 0:
			err = b.keep()
		default:
			err = errors.Join(a.keep(), b.keep())
		}
		if err != nil {
			return nil, err
		}
	}
	return diff.Tables(a.kept, b.kept), nil
}

// texts reads a stored table's rows as texts, and keeps some of them.
type texts struct {
	schema *Schema
	names  []string
	keys   []int    // indexes of the key's columns
	row    []string // the next row; nil after the last one
	pull   func() ([]string, error, bool)
	stop   func()
	kept   *diff.Table
}

func openTexts(stored []byte) (*texts, error) {
	r := bytes.NewReader(stored)
	columns, schema, err := openOurs(r, r.Size())
	if err != nil {
		return nil, err
	}
	names, batches := columns.stored()
	t := &texts{schema: schema, names: names, kept: &diff.Table{Columns: names, Rows: map[string][]string{}}}
	for i, name := range names {
		if schema.Column(name).Key {
			t.keys = append(t.keys, i)
		}
	}
	t.pull, t.stop = iter.Pull2(batches.texts())
	if err := t.next(); err != nil {
		t.stop()
		return nil, err
	}
	return t, nil
}

// next advances to the next row.
func (t *texts) next() (err error) {
	t.row, err, _ = t.pull()
	return err
}

// keep keeps the row and advances to the next one.
func (t *texts) keep() error {
	row := make([]string, len(t.row))
	for i, text := range t.row {
		row[i] = strings.Clone(Escaped(text))
	}
	var key []string
	for _, i := range t.keys {
		key = append(key, row[i])
	}
	t.kept.Rows[strings.Join(key, diff.KeyEnd)] = row
	return t.next()
}

// compareKeys compares the keys of two tables' next rows, in the order of the tables. No row comes last.
func compareKeys(a, b *texts) int {
	switch {
	case a.row == nil:
		return 1
	case b.row == nil:
		return -1
	}
	for k := range min(len(a.keys), len(b.keys)) { // an earlier version may not have had all
		x, y := a.row[a.keys[k]], b.row[b.keys[k]]
		if x == y {
			continue
		}
		if a.schema.Column(a.names[a.keys[k]]).Kind == table.Int {
			i, _ := strconv.ParseInt(x, 10, 64)
			j, _ := strconv.ParseInt(y, 10, 64)
			return cmp.Compare(i, j)
		}
		return strings.Compare(x, y)
	}
	return 0
}

// SchemaOfCSV returns the schema with the fewest columns that includes all columns of a header and whose key is in the
// header. Without one, its error names the columns that the nearest schema does not have.
func SchemaOfCSV(text []byte) (*Schema, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	header, err := csv.NewReader(bytes.NewReader(line)).Read()
	if err != nil {
		return nil, fmt.Errorf("its first line does not name columns")
	}
	var best *Schema
	var unknown []string
	for _, s := range Schemas() {
		if slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Key && !slices.Contains(header, c.Name) }) {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(header), func(name string) bool { return s.Column(name) != nil })
		if best == nil || len(left) < len(unknown) || len(left) == len(unknown) && len(s.Columns) < len(best.Columns) {
			best, unknown = s, left
		}
	}
	switch {
	case best == nil:
		return nil, fmt.Errorf("its first line does not have the key columns of any table (docs/stages/tables.md)")
	case len(unknown) > 0:
		return nil, fmt.Errorf("its key columns are those of %s, which has no column %s (docs/stages/tables.md)",
			best.Name, strings.Join(unknown, ", "))
	}
	return best, nil
}
