package stages

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/rowexpr"
)

// Columns puts the columns of rows that the expressions use into a frame, under the name of a row variable: the field
// logic of the variable b is the column b.logic. Nil expressions are passed over.
func Columns[Row any](frame *rowexpr.Frame, variable string, rows []Row, exprs ...*rowexpr.Expr) {
	schema := results.SchemaOf[Row]()
	for _, name := range usedFields(variable, exprs) {
		for i, c := range schema.Columns {
			if c.Name == name {
				setColumn(frame, variable+"."+name, c.Kind, rows, i)
			}
		}
	}
}

// usedFields lists the fields of a variable that any of the expressions uses.
func usedFields(variable string, exprs []*rowexpr.Expr) []string {
	seen := map[string]bool{}
	var fields []string
	for _, e := range exprs {
		if e == nil {
			continue
		}
		for _, use := range e.Uses() {
			if v, field, ok := strings.Cut(use, "."); ok && v == variable && !seen[field] {
				seen[field] = true
				fields = append(fields, field)
			}
		}
	}
	return fields
}

func setColumn[Row any](frame *rowexpr.Frame, name string, kind results.Kind, rows []Row, field int) {
	switch kind {
	case results.String:
		frame.Strings(name, column[Row, string](rows, field), nil)
	case results.Int:
		frame.Ints(name, column[Row, int64](rows, field), nil)
	case results.Float:
		frame.Floats(name, column[Row, float64](rows, field), nil)
	case results.Bool:
		frame.Bools(name, column[Row, bool](rows, field), nil)
	case results.Strings:
		frame.StringLists(name, column[Row, []string](rows, field), nil)
	}
}

// column gathers one field of all rows.
func column[Row, T any](rows []Row, field int) []T {
	values := make([]T, len(rows))
	for i := range rows {
		values[i] = *reflect.ValueOf(&rows[i]).Elem().Field(field).Addr().Interface().(*T)
	}
	return values
}

// MarkNew sets the column new of benchmarks by a row expression over b; nil leaves it.
func MarkNew(rows []results.BenchmarkRow, expr *rowexpr.Expr) error {
	if expr == nil {
		return nil
	}
	frame := rowexpr.NewFrame(len(rows))
	Columns(frame, "b", rows, expr)
	isNew, err := expr.Bools(frame)
	if err != nil {
		return fmt.Errorf("new: %w", err)
	}
	for i := range rows {
		rows[i].New = isNew[i]
	}
	return nil
}
