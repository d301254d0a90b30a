package results

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/diff"
)

// Changes lists the differences between two stored tables with the same schema, by primary key. It ignores columns that
// only one table has because an earlier version wrote the other table.
func Changes(from, to []byte) ([]diff.Difference, error) {
	a, first, err := readTexts(from)
	if err != nil {
		return nil, err
	}
	b, second, err := readTexts(to)
	if err != nil {
		return nil, err
	}
	if a != b {
		return nil, fmt.Errorf("tables of %s and %s cannot be compared", a.Name, b.Name)
	}
	return diff.Tables(first, second), nil
}

func readTexts(stored []byte) (*Schema, *diff.Table, error) {
	r, t := bytes.NewReader(stored), &diff.Table{Rows: map[string][]string{}}
	schema, _, err := SchemaIn(r, r.Size())
	if err != nil {
		return nil, nil, err
	}
	err = EachWhole(r, r.Size(), func(names, row []string) {
		t.Columns, row = names, slices.Clone(row)
		var key []string
		for i, name := range names {
			row[i] = strings.Clone(Escaped(row[i]))
			if c := schema.Column(name); c != nil && c.Key {
				key = append(key, row[i])
			}
		}
		t.Rows[strings.Join(key, diff.KeyEnd)] = row
	})
	return schema, t, err
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
