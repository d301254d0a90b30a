package ui

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// order lists the columns to sort rows by, most significant first.
type order struct {
	columns []orderColumn
}

type orderColumn struct {
	*results.Column
	descend bool
}

// newOrder parses column names. A "-" before a name sorts its largest values first. Without names, rows keep their
// order.
func newOrder(schema *results.Schema, names []string) (*order, error) {
	o := &order{}
	for _, name := range names {
		column, descend := strings.CutPrefix(name, "-")
		c := schema.Column(column)
		if c == nil {
			return nil, absent("the table %s has no column %q to sort by", schema.Name, column)
		}
		o.columns = append(o.columns, orderColumn{c, descend})
	}
	return o, nil
}

// keyOf returns a row's sort key: a string, int64, float64 or bool for each column.
func (o *order) keyOf(row reflect.Value) []any {
	key := make([]any, len(o.columns))
	for i, c := range o.columns {
		v := c.Field(row)
		switch c.Kind {
		case table.Int:
			key[i] = v.Int()
		case table.Float:
			key[i] = v.Float()
		case table.Bool:
			key[i] = v.Bool()
		default:
			key[i] = strings.Clone(results.Text(v)) // the row is reused
		}
	}
	return key
}

// sort sorts rows by their keys. Rows with equal keys keep their order.
func (o *order) sort(rows [][]string, keys [][]any) [][]string {
	if len(o.columns) == 0 {
		return rows
	}
	index := make([]int, len(rows))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(x, y int) int { return o.compare(keys[x], keys[y]) })
	sorted := make([][]string, len(rows))
	for i, k := range index {
		sorted[i] = rows[k]
	}
	return sorted
}

func (o *order) compare(x, y []any) int {
	for i, c := range o.columns {
		n := 0
		switch a := x[i].(type) {
		case int64:
			n = cmp.Compare(a, y[i].(int64))
		case float64:
			n = cmp.Compare(a, y[i].(float64))
		case bool:
			if a != y[i].(bool) {
				n = -1
				if a {
					n = 1
				}
			}
		case string:
			n = strings.Compare(a, y[i].(string))
		}
		if c.descend {
			n = -n
		}
		if n != 0 {
			return n
		}
	}
	return 0
}
