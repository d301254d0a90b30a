package choices

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// WarnOfNone warns that no benchmark is left. It lists the number of benchmarks dropped for each reason, and the values
// of the columns that the expressions use. Nil expressions are skipped.
func WarnOfNone(env *stages.Env, b *Benchmarks, reasons map[string]int64, exprs ...*rowexpr.Expr) error {
	counts := make([]string, 0, len(reasons))
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		counts = append(counts, fmt.Sprintf("%d: %s", reasons[reason], reason))
	}
	text := fmt.Sprintf("0 of %d benchmarks are left (%s)", b.Len(), firstOf(counts, "; "))
	values, err := Values(b, exprs...)
	if err != nil {
		return err
	}
	if values != "" {
		text += "; the benchmarks have " + values
	}
	env.Log.Warn(text)
	return nil
}

// ComparesTexts reports whether all columns of b that an expression uses are texts.
func ComparesTexts(b *Benchmarks, e *rowexpr.Expr) (bool, error) {
	for _, use := range e.Uses() {
		field, ok := strings.CutPrefix(use, "b.")
		if !ok {
			return false, nil
		}
		column, err := b.Table.Column(field)
		if err != nil || column.Kind() != table.String {
			return false, err
		}
	}
	return len(e.Uses()) > 0, nil
}

// Values describes the values of b's columns that the expressions use, such as b.status = "sat", "unknown". It is empty
// if the expressions use no column.
func Values(b *Benchmarks, exprs ...*rowexpr.Expr) (string, error) {
	fields := map[string]bool{}
	for _, e := range exprs {
		if e == nil {
			continue
		}
		for _, use := range e.Uses() {
			if field, ok := strings.CutPrefix(use, "b."); ok {
				fields[field] = true
			}
		}
	}
	var all []string
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		column, err := b.Table.Column(field)
		if err != nil {
			return "", err
		}
		all = append(all, "b."+field+" "+describe(&column))
	}
	return strings.Join(all, ", and "), nil
}

// describe lists a column's first values, or returns the range of its numbers.
func describe(c *table.Column) string {
	if c.Kind() == table.Int {
		least, most := c.IntAt(0), c.IntAt(0)
		for i := range c.Len() {
			least, most = min(least, c.IntAt(i)), max(most, c.IntAt(i))
		}
		if least == most {
			return fmt.Sprintf("= %d", least)
		}
		return fmt.Sprintf("from %d to %d", least, most)
	}
	seen := map[string]bool{}
	for i := range c.Len() {
		switch text := c.Text(i); {
		case c.IsNull(i):
			seen["null"] = true
		case c.Kind() == table.String:
			seen[strconv.Quote(text)] = true
		default:
			seen[text] = true
		}
	}
	return "= " + firstOf(slices.Sorted(maps.Keys(seen)), ", ")
}

// mostShown is the maximum number of values listed.
const mostShown = 5

// firstOf joins the first texts and appends the number of the remaining ones.
func firstOf(texts []string, separator string) string {
	if len(texts) <= mostShown {
		return strings.Join(texts, separator)
	}
	return fmt.Sprintf("%s%sand %d more", strings.Join(texts[:mostShown], separator), separator, len(texts)-mostShown)
}
