package intake

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// starexec is a job table, as CSV, of StarExec, which executed the competitions of 2014 to 2023.
//
// The header identifies the columns, which changed over the years: IDs, the stage number and the memory are optional,
// and the tracks' post-processors appended attributes after the result. The table of 2014 has no header. The tables of
// the cloud and parallel tracks of 2021, which StarExec did not execute, contain only the wall time or a word for the
// status. A single-solver table does not name the solver; if StarExec executed it, benchmarks are identified by
// numbers.
type starexec struct {
	index        map[string]int // column indexes by name
	row          []string
	milliseconds bool // the wall time is in milliseconds
}

// The columns that every table contains, and the columns of the 2014 table.
var (
	starexecNeeds = []string{"benchmark", "solver", "wallclock time", "result"}
	starexec2014  = []string{"pair id", "benchmark", "benchmark id", "solver", "solver id", "configuration",
		"configuration id", "status", "cpu time", "wallclock time", "result", "expected"}
)

// ofSolver maps the headers of single-solver tables to the names in other tables. It covers the single-query tracks of
// 2022 and 2023, and the cloud and parallel tracks of 2023, whose times are in milliseconds.
var ofSolver = map[string][]string{
	"benchmark_id,cpu_time,wallclock_time,result": {"benchmark id", "cpu time", "wallclock time", "result"},
	"name,time,result":                            {"benchmark", "wallclock time", "result"},
}

// IsOfSolver reports whether a line is the first line of a single-solver table from StarExec. Such a table does not
// name the solver.
func IsOfSolver(header []byte) bool {
	return ofSolver[joined(strings.Split(string(header), ","))] != nil
}

// joined returns a line without blanks around its fields.
func joined(fields []string) string {
	trimmed := make([]string, len(fields))
	for i, field := range fields {
		trimmed[i] = strings.TrimSpace(strings.TrimPrefix(field, "\ufeff"))
	}
	return strings.Join(trimmed, ",")
}

// kilobyte is the unit in the column "memory usage" (kB of 1024 bytes, as in /proc).
const kilobyte = 1024

// newStarexec locates a table's columns by its first line. isData means that this line is already a run.
func newStarexec(line []string) (t *starexec, isData bool, err error) {
	names := line
	if len(line) == len(starexec2014) {
		_, notNumber := strconv.ParseUint(line[0], 10, 64)
		isData = notNumber == nil
	}
	if isData {
		names = starexec2014
	}
	t = &starexec{index: map[string]int{}, row: line}
	needs := starexecNeeds
	if others := ofSolver[joined(line)]; others != nil {
		names, needs, t.milliseconds = others, nil, strings.TrimSpace(line[0]) == "name"
	}
	for i, name := range names {
		name = strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))
		if _, twice := t.index[name]; twice {
			return nil, false, fmt.Errorf("the StarExec table has two columns %.100q", name)
		}
		t.index[name] = i
	}
	for _, name := range needs {
		if _, ok := t.index[name]; !ok {
			return nil, false, fmt.Errorf("the StarExec table has no column %q; its columns are %.100q", name, names)
		}
	}
	return t, isData, nil
}

// IsStarExec reports whether a line is the first line of a StarExec table instead of a table history/1.
func IsStarExec(header []byte) bool {
	line, err := limits.Table.CSV(bytes.NewReader(header)).Read()
	if err == nil {
		_, _, err = newStarexec(line)
	}
	return err == nil
}

// ReadStarExec reads an unpacked table and calls fn with each pair in table order, as a row with the source's year and
// track. fn must not keep the pointer. If fn returns an error, ReadStarExec stops and returns it.
func ReadStarExec(r io.Reader, source Source, fn func(*results.HistoryRow) error) error {
	return StarExecColumns(r, source, func(row *results.HistoryRow, _ func(string) string) error { return fn(row) })
}

// StarExecColumns is like ReadStarExec, but fn also receives a function that returns the text of any column, or "" for
// a missing one: the tracks' post-processors added their own columns.
func StarExecColumns(r io.Reader, source Source,
	fn func(row *results.HistoryRow, column func(string) string) error) error {
	rows := limits.Table.CSV(r)
	rows.ReuseRecord = true
	rows.LazyQuotes = true
	rows.FieldsPerRecord = -1 // the last column may be a validator's message that contains commas
	line, err := rows.Read()
	if err != nil {
		return fmt.Errorf("StarExec table: %w", err)
	}
	t, isData, err := newStarexec(line)
	if err != nil {
		return err
	}
	width := len(line)
	for ; ; isData = false {
		last := t.row
		if !isData {
			t.row, err = rows.Read()
		}
		if err == io.EOF && strings.Contains(strings.Join(last, ""), "\n") { // with LazyQuotes, this is not an error
			return errors.New("StarExec table: its last row has several lines; a quote is not closed")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("StarExec table: %w", err)
		}
		if len(t.row) > width {
			t.row = append(t.row[:width-1], strings.Join(t.row[width-1:], ","))
		}
		if t.milliseconds && len(t.row) == width {
			t.row[1] = secondsOf(t.row[1])
		}
		var row results.HistoryRow
		if err = fmt.Errorf("it has %d fields, but the first line has %d", len(t.row), width); len(t.row) == width {
			row, err = t.run(source)
		}
		if err != nil {
			line, _ := rows.FieldPos(0)
			return &comp.LineError{Line: line, Err: err}
		}
		if err := fn(&row, t.text); err != nil {
			return err
		}
	}
}

// secondsOf converts a whole number of milliseconds to seconds. Any other text stays unchanged and is reported as an
// error of its column.
func secondsOf(milliseconds string) string {
	n, err := strconv.ParseUint(strings.TrimSpace(milliseconds), 10, 63)
	if err != nil {
		return milliseconds
	}
	return fmt.Sprintf("%d.%03d", n/1000, n%1000)
}

// none is StarExec's word for a run without a result.
const none = "--"

// run parses the run in a line. Its path is the library path: everything before the logic is removed ("Other
// Divisions/" in 2018), and the track determines the collection. run returns an error if no folder has a logic name.
func (t *starexec) run(source Source) (row results.HistoryRow, err error) {
	name, expected := t.text("benchmark"), t.text("expected")
	if _, named := t.index["benchmark"]; !named {
		if name, expected, err = source.Mapping.ofStarExec(t.text("benchmark id")); err != nil {
			return row, err
		}
	}
	logic, path, ok := comp.LibraryPath(name)
	if !ok {
		return row, fmt.Errorf("benchmark %q is not below a folder named like a logic", name)
	}
	path = comp.Collection(source.Track == comp.Incremental) + "/" + path
	status, result := t.text("status"), t.text("result")
	row = results.HistoryRow{Identity: run.Identity{Benchmark: path, Track: source.Track.String(),
		Solver: cmp.Or(t.text("solver"), source.Solver), Logic: string(logic)}, Year: int64(source.Year), Answers: -1}
	if row.CPUTimeS, err = t.cpuTime(); err != nil {
		return row, err
	}
	if word := t.statusWord(); word != "" {
		status, result = word, none
	} else {
		wall, err := t.number("wallclock time")
		if err != nil {
			return row, err
		}
		row.WallTimeS = run.Seconds(wall)
	}
	if t.text("memory usage") != "" {
		memory, err := t.number("memory usage")
		if err != nil {
			return row, err
		}
		row.MemoryBytes = int64(math.Round(memory * kilobyte))
	}
	if comp.Status(expected).Known() {
		row.Status = expected
	}
	row.Answer = string(starexecAnswer(result))
	row.Result = cmp.Or(status, row.Answer)
	return row, nil
}

// text returns a field, or "" if the table lacks the column.
func (t *starexec) text(column string) string {
	i, ok := t.index[column]
	if !ok {
		return ""
	}
	return strings.TrimSpace(t.row[i])
}

func (t *starexec) number(column string) (float64, error) {
	text := t.text(column)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n < 1<<53) { // kilobytes below this limit are an int64 of bytes
		return 0, fmt.Errorf("%s is %.100q; it must be a number of at least 0 and below 2^53", column, text)
	}
	return n, nil
}

// statusWord returns the status of a run whose wall time is a word; empty if the wall time is a time. The tables of the
// cloud and parallel tracks of 2021 have no status column. The organisers did not count the answer of such a run, even
// if its line contains one.
func (t *starexec) statusWord() string {
	if _, has := t.index["status"]; has {
		return ""
	}
	switch t.text("wallclock time") {
	case "TIMEOUT":
		return "timeout (wallclock)"
	case "CRASHED":
		return "crashed"
	case "PARSE_ERROR":
		return "parse error"
	}
	return ""
}

// cpuTime returns the CPU time; -1 if there is none, since the CPU time of runs on many machines was not always
// measured (the cloud and parallel tracks of 2021).
func (t *starexec) cpuTime() (run.Seconds, error) {
	switch t.text("cpu time") {
	case "", "-", "-1", "-1.0":
		return -1, nil
	}
	n, err := t.number("cpu time")
	return run.Seconds(n), err
}

// starexecAnswer returns the answer in a result: sat, unsat, unknown, or empty.
func starexecAnswer(result string) comp.Answer {
	switch result {
	case "SATISFIABLE":
		return comp.AnswerSat
	case "UNSATISFIABLE":
		return comp.AnswerUnsat
	case "starexec-unknown":
		return comp.AnswerUnknown
	}
	return comp.ReadAnswer(result)
}
