// Package benchexec reads the result files of BenchExec (XML), on which the competitions run since 2024. Package
// compressed opens the .xml.bz2 and .xml.gz forms.
//
// A file has one element run per execution with a list of columns. The columns of the measurement become fields of Run
// with their units removed; all others are kept by name and none is dropped.
package benchexec

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
)

// Header is what a file says of all its runs.
type Header struct {
	Benchmark   string // benchmarkname
	Name        string // of the run definition; may be empty
	Tool        string
	ToolVersion string
	Options     string
	TimeLimit   string // as written, for example "1200 s"
	MemoryLimit string // as written, for example "30000000000 B"
	CPUCores    string
	Generator   string // with its version
	Date        string
	Error       string // why BenchExec did not finish the file, for example incomplete; empty: it did
	Others      []Column
}

// Column is a value of a run by its title, as written.
type Column struct{ Title, Value string }

// Run is one execution. Times are in seconds, -1 when the file has none; memory likewise in bytes.
type Run struct {
	Name        string
	Files       string // as written: [a, b]
	Options     string
	Properties  string
	Status      string // what the tool module made of the output: sat, unsat, unknown, TIMEOUT, OUT OF MEMORY, ...
	Category    string // correct, wrong, unknown, error or missing
	CPUTimeS    float64
	WallTimeS   float64
	MemoryBytes int64
	ExitCode    int    // -1: none
	Signal      int    // 0: none
	Termination string // terminationreason: why BenchExec ended it, for example walltime or memory; empty: it did not
	Others      []Column
}

// Read reads an unpacked file and calls fn with each run, in the file's order. An error of fn ends it and is returned.
// A file that ends early or is not a result file is an error.
func Read(r io.Reader, fn func(Run) error) (Header, error) {
	d := xml.NewDecoder(r)
	d.Strict = true
	var header Header
	for {
		token, err := d.Token()
		if err == io.EOF {
			return header, errors.New("BenchExec results: the file has no element <result>")
		}
		if err != nil {
			return header, fmt.Errorf("BenchExec results: %w", err)
		}
		if start, ok := token.(xml.StartElement); ok {
			if start.Name.Local != "result" {
				return header, fmt.Errorf("BenchExec results: the file begins with <%s>, not <result>",
					start.Name.Local)
			}
			header = headerOf(start)
			return header, readRuns(d, fn)
		}
	}
}

func headerOf(start xml.StartElement) Header {
	var h Header
	fields := map[string]*string{"benchmarkname": &h.Benchmark, "name": &h.Name, "tool": &h.Tool,
		"version": &h.ToolVersion,
		"options": &h.Options, "timelimit": &h.TimeLimit, "memlimit": &h.MemoryLimit, "cpuCores": &h.CPUCores,
		"generator": &h.Generator, "date": &h.Date, "error": &h.Error}
	for _, a := range start.Attr {
		if field, ok := fields[a.Name.Local]; ok {
			*field = a.Value
		} else {
			h.Others = append(h.Others, Column{Title: a.Name.Local, Value: a.Value})
		}
	}
	return h
}

func attribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readRuns reads what is inside <result>. Elements other than run describe columns, the machine and the run set.
func readRuns(d *xml.Decoder, fn func(Run) error) error {
	known := []string{"columns", "systeminfo", "column", "description"}
	for n := 0; ; {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("BenchExec results after %d runs: %w", n, err)
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			if t.Name.Local != "run" {
				if !slices.Contains(known, t.Name.Local) {
					return fmt.Errorf("BenchExec results after %d runs: unknown element <%s>", n, t.Name.Local)
				}
				if err := d.Skip(); err != nil {
					return fmt.Errorf("BenchExec results: %w", err)
				}
				continue
			}
			run, err := readRun(d, t)
			if err != nil {
				return fmt.Errorf("BenchExec results, run %d %q: %w", n, run.Name, err)
			}
			if err := fn(run); err != nil {
				return err
			}
			n++
		}
	}
}

func readRun(d *xml.Decoder, start xml.StartElement) (Run, error) {
	run := Run{CPUTimeS: -1, WallTimeS: -1, MemoryBytes: -1, ExitCode: -1}
	for _, a := range start.Attr {
		switch a.Name.Local {
		case "name":
			run.Name = a.Value
		case "files":
			run.Files = a.Value
		case "options":
			run.Options = a.Value
		case "properties":
			run.Properties = a.Value
		default:
			run.Others = append(run.Others, Column{Title: a.Name.Local, Value: a.Value})
		}
	}
	for {
		token, err := d.Token()
		if err != nil {
			return run, err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return run, nil
		case xml.StartElement:
			if t.Name.Local != "column" {
				return run, fmt.Errorf("unknown element <%s>", t.Name.Local)
			}
			if err := run.set(attribute(t, "title"), attribute(t, "value")); err != nil {
				return run, err
			}
			if err := d.Skip(); err != nil {
				return run, err
			}
		}
	}
}

// set takes over one column.
func (r *Run) set(title, value string) error {
	var err error
	switch title {
	case "status":
		r.Status = value
	case "category":
		r.Category = value
	case "terminationreason":
		r.Termination = value
	case "cputime":
		r.CPUTimeS, err = quantity(value, "s")
	case "walltime":
		r.WallTimeS, err = quantity(value, "s")
	case "memory", "memUsage":
		var bytes float64
		bytes, err = quantity(value, "B")
		r.MemoryBytes = int64(math.Round(bytes))
	case "returnvalue":
		r.ExitCode, err = strconv.Atoi(value)
	case "exitsignal":
		r.Signal, err = strconv.Atoi(value)
	default:
		r.Others = append(r.Others, Column{Title: title, Value: value})
	}
	if err != nil {
		return fmt.Errorf("column %s is %q; it must be a number with its unit", title, value)
	}
	return nil
}

// quantity reads a number of at least 0 with an optional unit behind it.
func quantity(value, unit string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(value, unit)), 64)
	if err == nil && (n < 0 || math.IsNaN(n) || math.IsInf(n, 0)) {
		err = strconv.ErrRange
	}
	return n, err
}

// Answer returns what the solver answered: sat, unsat or unknown, or nothing. The organisers' tool modules say true for
// sat and false for unsat, as BenchExec's own do of properties; "TIMEOUT (true)" came too late and is no answer.
func (r Run) Answer() comp.Answer {
	switch r.Status {
	case "sat", "true":
		return comp.AnswerSat
	case "unsat", "false":
		return comp.AnswerUnsat
	case "unknown", "ERROR":
		return comp.AnswerUnknown
	}
	return comp.AnswerNone
}

// Entry splits the name of a run definition of the organisers, SOLVER,PARTICIPATION,TRACK, behind which may be a dot
// and the name of a set of tasks. ok is false for any other name.
func (h Header) Entry() (solver string, participation int, track comp.Track, ok bool) {
	parts := strings.Split(h.Name, ",")
	if len(parts) != 3 || parts[0] == "" {
		return "", 0, 0, false
	}
	participation, err := strconv.Atoi(parts[1])
	if err != nil || participation < 0 {
		return "", 0, 0, false
	}
	name, _, _ := strings.Cut(parts[2], ".")
	if track, err = comp.ParseTrack(name); err != nil {
		return "", 0, 0, false
	}
	return parts[0], participation, track, true
}

// scrambled is the name of a task that the organisers made of a scrambled script: its number, with or without what it
// was.
var scrambled = regexp.MustCompile(`^(?:scrambled)?[0-9]+(?:_.*)?\.yml$`)

// benchmark gives logic and path below the collection of the benchmark that a run is about. A task x.yml is about
// x.smt2.
func (r Run) benchmark() (comp.Logic, string, error) {
	logic, at, ok := comp.LibraryPath(r.Name)
	if !ok {
		return "", "", fmt.Errorf("run %q is below no folder that is named like a logic", r.Name)
	}
	if scrambled.MatchString(path.Base(at)) {
		return "", "", fmt.Errorf("run %q has the number of a scrambled script and not the path of its benchmark; "+
			"take the organisers' results-TRACK-YYYY.json of the year", r.Name)
	}
	if task, isTask := strings.CutSuffix(at, ".yml"); isTask {
		at = task + ".smt2"
	}
	return logic, at, nil
}

// Row returns the run as a row of history/1. The path is that of the library, cut from the run's name. It fails when no
// folder of the name is a logic, and when the name is that of a scrambled script.
func (r Run) Row(year int, track comp.Track, solver string) (results.HistoryRow, error) {
	logic, at, err := r.benchmark()
	if err != nil {
		return results.HistoryRow{}, err
	}
	collection := "non-incremental/"
	if track == comp.Incremental {
		collection = "incremental/"
	}
	return results.HistoryRow{
		Benchmark:   collection + at,
		Year:        int64(year),
		Track:       track.String(),
		Solver:      solver,
		Logic:       string(logic),
		Answer:      string(r.Answer()),
		Result:      r.Status,
		CPUTimeS:    max(r.CPUTimeS, 0),
		WallTimeS:   max(r.WallTimeS, 0),
		MemoryBytes: max(r.MemoryBytes, 0),
		Answers:     -1,
	}, nil
}
