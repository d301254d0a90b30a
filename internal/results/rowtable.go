package results

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/smtpipe/smtpipe/internal/table"
)

// TableOf returns rows as a table.
func TableOf[Row any](rows []Row) table.Table { return rowTable[Row](rows) }

type rowTable[Row any] []Row

// Len implements table.Table.
func (r rowTable[Row]) Len() int { return len(r) }

// Column implements table.Table. It gathers one field of all rows.
func (r rowTable[Row]) Column(name string) (table.Column, error) {
	schema := SchemaOf[Row]()
	field := slices.IndexFunc(schema.Columns, func(c Column) bool { return c.Name == name })
	if field < 0 {
		return table.Column{}, fmt.Errorf("table %s has no column %s", schema.Name, name)
	}
	switch schema.Columns[field].Kind {
	case table.String:
		return table.StringsOf(fieldOf[string](r, field)), nil
	case table.Int:
		return table.IntsOf(fieldOf[int64](r, field)), nil
	case table.Float:
		return table.FloatsOf(fieldOf[float64](r, field)), nil
	case table.Bool:
		return table.BoolsOf(fieldOf[bool](r, field)), nil
	}
	return table.ListsOf(fieldOf[[]string](r, field)), nil
}

// fieldOf gathers one field of all rows.
func fieldOf[V, Row any](rows []Row, field int) []V {
	values := make([]V, len(rows))
	for i := range rows {
		values[i] = *reflect.ValueOf(&rows[i]).Elem().Field(field).Addr().Interface().(*V)
	}
	return values
}
