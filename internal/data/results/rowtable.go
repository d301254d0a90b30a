package results

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// TableOf returns the rows as a table.Table.
func TableOf[Row any](rows []Row) table.Table { return rowTable[Row](rows) }

type rowTable[Row any] []Row

// Len implements table.Table.
func (r rowTable[Row]) Len() int { return len(r) }

// Column implements table.Table.
func (r rowTable[Row]) Column(name string) (table.Column, error) {
	schema := SchemaOf[Row]()
	field := slices.IndexFunc(schema.Columns, func(c Column) bool { return c.Name == name })
	if field < 0 {
		return table.Column{}, fmt.Errorf("table %s has no column %s", schema.Name, name)
	}
	c := &schema.Columns[field]
	switch c.Kind {
	case table.String:
		return table.StringsOf(gather(r, c, reflect.Value.String)), nil
	case table.Int:
		return table.IntsOf(gather(r, c, reflect.Value.Int)), nil
	case table.Float:
		return table.FloatsOf(gather(r, c, reflect.Value.Float)), nil
	case table.Bool:
		return table.BoolsOf(gather(r, c, reflect.Value.Bool)), nil
	}
	return table.ListsOf(gather(r, c, func(v reflect.Value) []string { return v.Interface().([]string) })), nil
}

// columnsOf returns the columns of rows of a schema.
func columnsOf[Row any](schema *Schema, rows []Row) ([]table.Column, error) {
	columns := make([]table.Column, len(schema.Columns))
	for i, c := range schema.Columns {
		var err error
		if columns[i], err = rowTable[Row](rows).Column(c.Name); err != nil {
			return nil, err
		}
	}
	return columns, nil
}

// gather collects a field of all rows.
func gather[V, Row any](rows []Row, c *Column, get func(reflect.Value) V) []V {
	values := make([]V, len(rows))
	for i := range rows {
		values[i] = get(c.Field(reflect.ValueOf(&rows[i]).Elem()))
	}
	return values
}
