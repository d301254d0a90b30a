package rowexpr

import (
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// SetColumns adds the columns of a table that the expressions use to a frame, under the name of a row variable: the
// field logic of the variable b is the column b.logic. Nil expressions are skipped. Rows get their names from the
// table.
func SetColumns(frame *table.Frame, variable string, t table.Table, exprs ...*Expr) error {
	for _, name := range usedFields(variable, exprs) {
		c, err := t.Column(name)
		if err != nil {
			return err
		}
		frame.Set(variable+"."+name, c)
	}
	setNames(frame, t)
	return nil
}

// usedFields lists a variable's fields that the expressions use.
func usedFields(variable string, exprs []*Expr) []string {
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

// EvaluateTable evaluates an expression over a variable for a table's rows. eval evaluates the expression for a frame
// with the variable's columns, and may be called again with another frame.
func EvaluateTable[V any](variable string, t table.Table, expr *Expr, eval func(*table.Frame) ([]V, error)) ([]V,
	error) {
	fields := usedFields(variable, []*Expr{expr})
	columns := make([]table.Column, len(fields))
	for i, name := range fields {
		var err error
		if columns[i], err = t.Column(name); err != nil {
			return nil, err
		}
	}
	if c, ok := table.CombinationsOf(t.Len(), columns...); ok {
		frame := table.NewFrame(len(c.Firsts))
		for i, name := range fields {
			frame.Set(variable+"."+name, columns[i].Where(c.Firsts))
		}
		// On error, evaluate row by row, because the error must name a row instead of a combination.
		if values, err := eval(frame); err == nil {
			return table.Spread(c, values), nil
		}
	}
	frame := table.NewFrame(t.Len())
	for i, name := range fields {
		frame.Set(variable+"."+name, columns[i])
	}
	setNames(frame, t)
	return eval(frame)
}

// setNames sets the names of a frame's rows for error messages: for a table of benchmarks, their paths.
func setNames(frame *table.Frame, t table.Table) {
	frame.SetNames(func(row int) string {
		if paths, err := t.Column("path"); err == nil && paths.Kind() == table.String {
			return paths.Strings()[row]
		}
		return ""
	})
}
