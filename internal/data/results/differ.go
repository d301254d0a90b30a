package results

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Change is a cell that differs between two tables. For a row that only one table contains, Column is empty and From or
// To is NoRow.
type Change struct {
	Key              []string
	Column, From, To string
}

// NoRow stands for a row missing from a table.
const NoRow = "nothing"

// Row identifies the row by its key.
func (c *Change) Row(between string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(c.Key), func(part string) bool { return part == "" }), between)
}

// Changes lists the differences between two stored tables with the same schema, by primary key. It ignores columns that
// only one table has because an earlier version wrote the other table.
func Changes(from, to []byte) ([]Change, error) {
	first, err := readTexts(from)
	if err != nil {
		return nil, err
	}
	second, err := readTexts(to)
	if err != nil {
		return nil, err
	}
	if first.schema != second.schema {
		return nil, fmt.Errorf("tables of %s and %s cannot be compared", first.schema.Name, second.schema.Name)
	}
	keys := maps.Clone(first.rows)
	maps.Copy(keys, second.rows)
	var all []Change
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		a, b := first.rows[key], second.rows[key]
		switch {
		case a == nil:
			all = append(all, Change{Key: strings.Split(key, keyEnd), From: NoRow, To: "a row"})
		case b == nil:
			all = append(all, Change{Key: strings.Split(key, keyEnd), From: "a row", To: NoRow})
		}
		if a == nil || b == nil {
			continue
		}
		for i, name := range first.names {
			if k := slices.Index(second.names, name); k >= 0 && a[i] != b[k] {
				all = append(all, Change{strings.Split(key, keyEnd), name, a[i], b[k]})
			}
		}
	}
	return all, nil
}

// keyEnd separates a key's columns. It sorts before any character in a name.
const keyEnd = "\x00"

// texts is a table with all values as text.
type texts struct {
	schema *Schema
	names  []string
	rows   map[string][]string // rows by their key columns, joined with keyEnd
}

func readTexts(stored []byte) (*texts, error) {
	r, t := bytes.NewReader(stored), &texts{rows: map[string][]string{}}
	var err error
	if t.schema, _, err = SchemaIn(r, r.Size()); err != nil {
		return nil, err
	}
	err = EachWhole(r, r.Size(), func(names, row []string) {
		t.names, row = names, slices.Clone(row)
		var key []string
		for i, name := range names {
			row[i] = strings.Clone(Escaped(row[i]))
			if c := t.schema.Column(name); c != nil && c.Key {
				key = append(key, row[i])
			}
		}
		t.rows[strings.Join(key, keyEnd)] = row
	})
	return t, err
}

// SchemaOfCSV returns the schema with the fewest columns that includes all columns of a header and whose key is in the
// header; nil if there is none.
func SchemaOfCSV(text []byte) *Schema {
	header, err := csv.NewReader(bytes.NewReader(text[:max(bytes.IndexByte(text, '\n'), 0)])).Read()
	if err != nil {
		return nil
	}
	var best *Schema
	for _, s := range schemas() {
		fits := !slices.ContainsFunc(header, func(name string) bool { return s.Column(name) == nil }) &&
			!slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Key && !slices.Contains(header, c.Name) })
		if fits && (best == nil || len(s.Columns) < len(best.Columns)) {
			best = s
		}
	}
	return best
}
