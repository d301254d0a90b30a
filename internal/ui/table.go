package ui

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// AbsentError reports that a table lacks a requested column or value.
type AbsentError struct{ text string }

func (e *AbsentError) Error() string { return e.text }

func absent(format string, args ...any) error { return &AbsentError{fmt.Sprintf(format, args...)} }

// TableOptions selects the part of a table to show. The zero value shows everything.
type TableOptions struct {
	Division string
	View     string
	Columns  []string
	// Sort lists the columns to sort by, with "-" before a name to sort its largest values first. If it is empty, the
	// table's order stays.
	Sort []string
	Top  int // number of leading rows to show; 0: all
	// Below returns lines to display about the solvers in the shown rows. Optional.
	Below func(solvers []string) string
}

// defaultColumns maps wide tables, by name without version, to the columns to show by default.
var defaultColumns = map[string][]string{
	"benchmarks": {"path", "status", "asserts", "check_sats", "size_bytes", "new", "problem"},
	"runs": {"benchmark", "solver", "ending", "exit_code", "wall_time_s", "cpu_time_s", "memory_bytes",
		"stdout"},
	"verdicts": {"benchmark", "solver", "status", "answer", "verdict", "wall_time_s", "cpu_time_s", "reason"},
	"scores": {"division", "logic", "view", "rank", "solver", "e", "n", "points", "w_s", "c_s", "solved_sat",
		"solved_unsat", "unsolved", "winner", "no_winner"},
	"scripts": {"benchmark", "track", "size_bytes", "script_sha256", "problem"},
	"solvers": {"solver", "track", "team", "competitive", "type", "base_solver", "command", "problem"},
}

// WriteTable displays a stored table: aligned columns, cut to the width of the terminal.
func WriteTable(w io.Writer, r io.ReaderAt, size int64, opt TableOptions) error {
	schema, total, err := results.SchemaIn(r, size)
	if err != nil {
		return err
	}
	columns := opt.Columns
	if len(columns) == 0 {
		name, _, _ := strings.Cut(schema.Name, "/")
		columns = defaultColumns[name]
	}
	fields, rows, err := pick(schema, r, size, columns, opt, cellText)
	if err != nil {
		return err
	}
	i := slices.Index(rows[0], "points") // only a few rule sets use points
	if i > 0 && len(opt.Columns) == 0 && !slices.ContainsFunc(rows[1:], func(r []string) bool { return r[i] != "0" }) {
		fields = slices.Delete(fields, i, i+1)
		for j := range rows {
			rows[j] = slices.Delete(rows[j], i, i+1)
		}
	}
	wholeNumbers(rows)
	if err := writeRows(w, schema, fields, rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d of %d rows of %s\n%s", len(rows)-1, total, schema.Name, opt.below(rows))
	return err
}

// below returns the lines about the solvers in a table whose first row is its header.
func (o *TableOptions) below(rows [][]string) string {
	i := slices.Index(rows[0], "solver")
	if i < 0 || o.Below == nil {
		return ""
	}
	var solvers []string
	for _, r := range rows[1:] {
		solvers = append(solvers, r[i])
	}
	slices.Sort(solvers)
	return o.Below(slices.Compact(solvers))
}

// WriteCSV writes a stored table, or the part selected by the options, as CSV. It writes all columns if none are named.
func WriteCSV(w io.Writer, r io.ReaderAt, size int64, opt TableOptions) error {
	if !opt.Choose() {
		return results.Export(w, r, size, results.CSV)
	}
	schema, _, err := results.SchemaIn(r, size)
	if err != nil {
		return err
	}
	text := func(v reflect.Value) string { return results.Escaped(results.Text(v)) }
	_, rows, err := pick(schema, r, size, opt.Columns, opt, text)
	if err != nil {
		return err
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// Choose reports whether the options omit or reorder anything.
func (opt TableOptions) Choose() bool {
	return opt.Division != "" || opt.View != "" || len(opt.Columns) > 0 || len(opt.Sort) > 0 || opt.Top > 0
}

// pick returns the selected columns (all if none are named) and the selected rows, below a header of column names.
func pick(schema *results.Schema, r io.ReaderAt, size int64, columns []string, opt TableOptions,
	text func(reflect.Value) string) (fields []int, rows [][]string, err error) {
	if fields, err = chooseColumns(schema, columns); err != nil {
		return nil, nil, err
	}
	order, err := newOrder(schema, opt.Sort)
	if err != nil {
		return nil, nil, err
	}
	header := make([]string, len(fields))
	for i, f := range fields {
		header[i] = schema.Columns[f].Name
	}
	filters := []*filter{{column: "division", want: opt.Division}, {column: "view", want: opt.View}}
	for _, f := range filters {
		if f.want != "" && schema.Column(f.column) == nil {
			return nil, nil, absent("the table %s has no column %q to choose rows by", schema.Name, f.column)
		}
	}
	var keys [][]any
	err = results.Each(r, size, func(v reflect.Value) error {
		full := opt.Top > 0 && len(rows) >= opt.Top && len(opt.Sort) == 0
		if full || slices.ContainsFunc(filters, func(f *filter) bool { return !f.matches(schema, v) }) {
			return nil
		}
		row := make([]string, len(fields))
		for i, f := range fields {
			row[i] = text(schema.Columns[f].Field(v))
		}
		rows = append(rows, row)
		keys = append(keys, order.keyOf(v))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, f := range filters {
		if err := f.unmatched(schema); err != nil {
			return nil, nil, err
		}
	}
	rows = order.sort(rows, keys)
	if opt.Top > 0 {
		rows = rows[:min(opt.Top, len(rows))]
	}
	return fields, append([][]string{header}, rows...), nil
}

func chooseColumns(schema *results.Schema, names []string) ([]int, error) {
	var fields []int
	for i, c := range schema.Columns {
		if len(names) == 0 || slices.Contains(names, c.Name) {
			fields = append(fields, i)
		}
	}
	for _, n := range names {
		if schema.Column(n) == nil {
			return nil, absent("the table %s has no column %q.%s Its columns are %s", schema.Name, n,
				nearest.Question(n, columnNames(schema)), strings.Join(columnNames(schema), ", "))
		}
	}
	return fields, nil
}

func columnNames(schema *results.Schema) (names []string) {
	for _, c := range schema.Columns {
		names = append(names, c.Name)
	}
	return names
}

// filter selects the rows with a given value in a column. An empty value selects all rows.
type filter struct {
	column, want string
	found        bool
	others       []string // other values found in the column, while the wanted one was not found
}

func (f *filter) matches(schema *results.Schema, v reflect.Value) bool {
	if f.want == "" {
		return true
	}
	value := schema.Column(f.column).Field(v).String()
	if value == f.want {
		f.found = true
	} else if !f.found && !slices.Contains(f.others, value) {
		f.others = append(f.others, value)
	}
	return value == f.want
}

// unmatched returns an error if no row contains the value.
func (f *filter) unmatched(schema *results.Schema) error {
	if f.want == "" || f.found || len(f.others) == 0 {
		return nil
	}
	return absent("the table %s has no %s %q.%s It has %s", schema.Name, f.column, f.want,
		nearest.Question(f.want, f.others), strings.Join(f.others, ", "))
}

// cellText formats a value: times with milliseconds, control characters escaped.
func cellText(v reflect.Value) string {
	if v.Kind() == reflect.Float64 {
		return strconv.FormatFloat(v.Float(), 'f', 3, 64)
	}
	s := strings.TrimSpace(results.Text(v))
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }) {
		s = strings.Trim(strconv.Quote(s), `"`)
	}
	return s
}

// wholeNumbers drops the decimals in columns of whole numbers, such as counts that a rule could have turned into
// fractions.
func wholeNumbers(rows [][]string) {
	const none = ".000"
	for i := range rows[0] {
		fraction := func(r []string) bool { return r[i] != "" && !strings.HasSuffix(r[i], none) }
		if slices.ContainsFunc(rows[1:], fraction) {
			continue
		}
		for _, r := range rows[1:] {
			r[i] = strings.TrimSuffix(r[i], none)
		}
	}
}

// writeRows aligns the rows, with numbers on the right.
func writeRows(w io.Writer, schema *results.Schema, fields []int, rows [][]string) error {
	const widest = 64
	lines, _ := align(rows, widest, func(i int) bool {
		kind := schema.Columns[fields[i]].Kind
		return kind == table.Int || kind == table.Float
	})
	most := lineWidth(w)
	for _, line := range lines {
		if most > 0 {
			line = cut(line, most)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// align returns rows as lines of the given total width, with aligned columns two spaces apart. It cuts cells to widest
// characters; right selects the columns that are aligned on the right.
func align(rows [][]string, widest int, right func(column int) bool) (lines []string, width int) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = min(max(widths[i], utf8.RuneCountInString(cell)), widest)
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(pad(cut(cell, widest), widths[i], right(i)) + "  ")
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	for _, w := range widths {
		width += w + 2
	}
	return lines, width - 2
}

func pad(s string, width int, right bool) string {
	fill := strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0))
	if right {
		return fill + s
	}
	return s + fill
}
