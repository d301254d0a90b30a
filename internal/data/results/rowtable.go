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
	return columnOf(&schema.Columns[field], r), nil
}

// columnOf returns a column of rows.
func columnOf[Row any](c *Column, rows []Row) table.Column {
	switch c.Kind {
	case table.String:
		return table.StringsOf(gather(rows, c, reflect.Value.String))
	case table.Int:
		return table.IntsOf(gather(rows, c, reflect.Value.Int))
	case table.Float:
		return table.FloatsOf(gather(rows, c, reflect.Value.Float))
	case table.Bool:
		return table.BoolsOf(gather(rows, c, reflect.Value.Bool))
	}
	return table.ListsOf(gather(rows, c, func(v reflect.Value) []string { return v.Interface().([]string) }))
}

// columnsOf returns the columns of rows of a schema.
func columnsOf[Row any](schema *Schema, rows []Row) []table.Column {
	columns := make([]table.Column, len(schema.Columns))
	for i := range columns {
		columns[i] = columnOf(&schema.Columns[i], rows)
	}
	return columns
}

// gather collects a field of all rows.
func gather[V, Row any](rows []Row, c *Column, get func(reflect.Value) V) []V {
	values := make([]V, len(rows))
	for i := range rows {
		values[i] = get(c.Field(reflect.ValueOf(&rows[i]).Elem()))
	}
	return values
}
