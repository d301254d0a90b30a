// Package starexec reads the job tables (CSV) of StarExec, which executed the competitions of 2014 to 2023.
//
// The columns are found by the header, since they changed over the years: ids, the stage number and the memory are
// optional, and the post-processors of the tracks added attributes after the result. Every column that is not one of
// StarExec's own is an attribute and is kept with the run; none is dropped. The table of 2014 has no header. Those of
// the cloud and parallel tracks of 2021, which StarExec did not execute, have only the wall time or a word for the
// status.
package starexec

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Run is one run, a job pair in StarExec's terms.
type Run struct {
	Benchmark     string // as in the table, for example "QF_BV/family/x.smt2"
	Solver        string
	SolverID      string // empty in a table without ids
	Configuration string
	Status        string // of the pair: complete, timeout (wallclock), timeout (cpu), memout, ...; empty: not said
	run.Usage            // WallTimeS is 0 if the table has a word in place of it
	Result        string // sat, unsat, starexec-unknown, --, ...
	Expected      string // the same; empty in a table without it
	Attributes    []string
}

// Header describes a table.
type Header struct {
	Attributes []string // names of the columns that Run.Attributes holds, in the table's order
}

// StarExec's own columns: the required ones and the optional ones; and the columns of the table of 2014.
var (
	required = []string{"benchmark", "solver", "wallclock time", "result"}
	optional = []string{"stage number", "pair id", "benchmark id", "solver id", "configuration", "configuration id",
		"status", "cpu time", "memory usage", "expected"}
	withoutHeader = []string{"pair id", "benchmark", "benchmark id", "solver", "solver id", "configuration",
		"configuration id", "status", "cpu time", "wallclock time", "result", "expected"}
)

// kilobyte is the unit of the column "memory usage" (kB of 1024 bytes, as in /proc).
const kilobyte = 1024

// Read reads an unpacked table and calls fn with each pair, in the table's order. An error of fn stops reading and is
// returned.
func Read(r io.Reader, fn func(Run) error) (Header, error) {
	rows := csv.NewReader(limits.Table.Reader(r))
	rows.ReuseRecord = true
	rows.LazyQuotes = true
	row, err := rows.Read()
	if err != nil {
		return Header{}, fmt.Errorf("StarExec table: %w", err)
	}
	names, isData := row, len(row) == len(withoutHeader) && isNumber(row[0])
	if isData {
		names = withoutHeader
	}
	t, err := newTable(names)
	if err != nil {
		return Header{}, err
	}
	for ; ; isData = false {
		if !isData {
			row, err = rows.Read()
		}
		if err == io.EOF {
			return t.header, nil
		}
		if err != nil {
			return t.header, fmt.Errorf("StarExec table: %w", err)
		}
		run, err := t.run(row)
		if err != nil {
			line, _ := rows.FieldPos(0)
			return t.header, &comp.LineError{Line: line, Err: err}
		}
		if err := fn(run); err != nil {
			return t.header, err
		}
	}
}

// isNumber reports whether a field is the number of a job pair, and so not the name of a column.
func isNumber(field string) bool {
	_, err := strconv.ParseUint(field, 10, 64)
	return err == nil
}

// table maps a header.
type table struct {
	header     Header
	index      map[string]int
	attributes []int
	strings    map[string]string // one copy of each of the few different strings
}

func newTable(names []string) (*table, error) {
	t := &table{index: map[string]int{}, strings: map[string]string{}}
	for i, name := range names {
		name = strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))
		if _, twice := t.index[name]; twice {
			return nil, fmt.Errorf("StarExec table has two columns %.100q", name)
		}
		t.index[name] = i
		if !slices.Contains(required, name) && !slices.Contains(optional, name) {
			t.header.Attributes = append(t.header.Attributes, name)
			t.attributes = append(t.attributes, i)
		}
	}
	for _, name := range required {
		if _, ok := t.index[name]; !ok {
			return nil, fmt.Errorf("StarExec table has no column %q; its columns are %.100q", name, names)
		}
	}
	return t, nil
}

func (t *table) run(row []string) (Run, error) {
	r := Run{
		Benchmark:     strings.Clone(t.text(row, "benchmark")),
		Solver:        t.kept(row, "solver"),
		SolverID:      t.kept(row, "solver id"),
		Configuration: t.kept(row, "configuration"),
		Status:        t.kept(row, "status"),
		Result:        t.kept(row, "result"),
		Expected:      t.kept(row, "expected"),
		Usage:         run.Usage{MemoryBytes: -1},
	}
	var err error
	if r.CPUTimeS, err = t.cpuTime(row); err != nil {
		return r, err
	}
	if word := t.statusWord(row); word != "" {
		r.Status, r.Result = word, none
	} else {
		wall, err := t.number(row, "wallclock time")
		if err != nil {
			return r, err
		}
		r.WallTimeS = run.Seconds(wall)
	}
	if t.text(row, "memory usage") != "" {
		memory, err := t.number(row, "memory usage")
		if err != nil {
			return r, err
		}
		r.MemoryBytes = int64(math.Round(memory * kilobyte))
	}
	for _, i := range t.attributes {
		r.Attributes = append(r.Attributes, t.keep(strings.TrimSpace(row[i])))
	}
	return r, nil
}

// text returns a field, or nothing if the table has no such column.
func (t *table) text(row []string, column string) string {
	i, ok := t.index[column]
	if !ok {
		return ""
	}
	return strings.TrimSpace(row[i])
}

func (t *table) kept(row []string, column string) string { return t.keep(t.text(row, column)) }

func (t *table) keep(text string) string {
	if known, ok := t.strings[text]; ok {
		return known
	}
	own := strings.Clone(text)
	t.strings[own] = own
	return own
}

func (t *table) number(row []string, column string) (float64, error) {
	text := t.text(row, column)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
		return 0, fmt.Errorf("%s is %q; it must be a number of at least 0", column, text)
	}
	return n, nil
}

// statusWord returns the status of a run whose wall time is a word; nothing if it is a time. The tables of the cloud
// and parallel tracks of 2021 have no column for the status. The organisers counted no answer of such a run, even if
// its line has one.
func (t *table) statusWord(row []string) string {
	if _, has := t.index["status"]; has {
		return ""
	}
	switch t.text(row, "wallclock time") {
	case "TIMEOUT":
		return "timeout (wallclock)"
	case "CRASHED":
		return "crashed"
	case "PARSE_ERROR":
		return "parse error"
	}
	return ""
}

// cpuTime returns the CPU time, or -1 if there is none: it was not always measured for runs on many machines (the cloud
// and parallel tracks of 2021).
func (t *table) cpuTime(row []string) (run.Seconds, error) {
	switch t.text(row, "cpu time") {
	case "", "-", "-1", "-1.0":
		return -1, nil
	}
	n, err := t.number(row, "cpu time")
	return run.Seconds(n), err
}

// none is the result of a run without one.
const none = "--"

// Answer returns the answer of the solver: sat, unsat or unknown, or nothing.
func (r Run) Answer() comp.Answer {
	switch r.Result {
	case "SATISFIABLE":
		return comp.AnswerSat
	case "UNSATISFIABLE":
		return comp.AnswerUnsat
	case "starexec-unknown":
		return comp.AnswerUnknown
	}
	return comp.ReadAnswer(r.Result)
}

// Row returns the run as a row of history/1 of a year's track. The path is that of the library: everything before the
// logic is cut ("Other Divisions/" in 2018), and the collection is that of the track. It fails if no folder is a logic.
func (r Run) Row(year int, track comp.Track) (results.HistoryRow, error) {
	logic, path, ok := comp.LibraryPath(r.Benchmark)
	if !ok {
		return results.HistoryRow{}, fmt.Errorf("benchmark %q is below no folder that is named like a logic",
			r.Benchmark)
	}
	collection := "non-incremental/"
	if track == comp.Incremental {
		collection = "incremental/"
	}
	status := ""
	if comp.Status(r.Expected).Known() {
		status = r.Expected
	}
	usage := r.Usage
	usage.MemoryBytes = max(usage.MemoryBytes, 0)
	return results.HistoryRow{
		Identity: run.Identity{Benchmark: collection + path, Track: track.String(), Solver: r.Solver,
			Logic: string(logic)},
		Usage: usage,
		Year:  int64(year), Status: status, Answer: string(r.Answer()),
		Result: cmp.Or(r.Status, string(r.Answer())), Answers: -1,
	}, nil
}
