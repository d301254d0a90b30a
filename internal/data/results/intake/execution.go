package intake

import (
	"errors"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Kind is the source of a results file.
type Kind string

// The kinds, with the names that pipelines use.
const (
	BenchExec  Kind = "benchexec"
	StarExec   Kind = "starexec"
	Organisers Kind = "organisers" // the organisers' JSON, or their parsed.feather as CSV
	Table      Kind = "table"      // smtpipe's history/1
)

// Kinds lists all kinds.
var Kinds = []Kind{BenchExec, StarExec, Organisers, Table}

// KindOf returns a results file's kind, according to its bytes. An empty file or a file of an unknown kind counts as a
// table.
func KindOf(path string) (Kind, error) {
	o, err := open(path)
	if err != nil {
		return "", err
	}
	defer o.Close()
	switch {
	case o.form == xmlFile:
		return BenchExec, nil
	case o.form == jsonObject, o.form == csvTable && isParsed(o.header):
		return Organisers, nil
	case o.form == csvTable && IsStarExec(o.header):
		return StarExec, nil
	}
	return Table, nil
}

// Execution is a BenchExec run with all known data.
type Execution struct {
	Place
	Run           benchexec.Run
	Header        *benchexec.Header
	Solver        string
	Participation int
	Track         comp.Track
	Outcome       benchexec.Outcome
	Log           *benchexec.Log // nil if no logs were requested
}

// Row returns the run as a row of history/1.
func (x *Execution) Row(year int) results.HistoryRow {
	return results.HistoryRow{
		Identity: run.Identity{Benchmark: x.Path, Track: x.Track.String(), Solver: x.Solver, Logic: string(x.Logic)},
		Usage:    x.Run.Known(),
		Year:     int64(year), Answer: string(x.Run.Answer()), Result: x.Run.Status, Answers: -1,
	}
}

// Source identifies the BenchExec execution and the run definition that the run belongs to. A run is in several files
// of the same source if there is a file for each task set and a file for all of them.
func (x *Execution) Source() string {
	return fmt.Sprintf("%s of %s, %s", x.Header.Definition(), x.Header.Benchmark, x.Header.Started)
}

// Executions opens a result file of BenchExec and calls fn, in file order, with each run that was executed and belongs
// to the source's track. logs may be nil. absent is the number of runs that were not executed, for example because a
// node was lost.
func Executions(path string, source Source, logs *benchexec.Logs, fn func(*Execution) error) (absent int, err error) {
	o, err := open(path)
	if err != nil {
		return 0, err
	}
	defer o.Close()
	return o.executions(source, logs, fn)
}

func (o *opened) executions(source Source, logs *benchexec.Logs, fn func(*Execution) error) (absent int, err error) {
	var entry *benchexec.Entry
	var noLogs missingLogs
	h, err := benchexec.Read(o, func(h *benchexec.Header, r benchexec.Run) error {
		if entry == nil {
			e, err := source.entry(h)
			if err != nil {
				return err
			}
			entry = &e
		}
		if source.Track != 0 && entry.Track != source.Track {
			return nil
		}
		if !r.Executed() {
			absent++
			return nil
		}
		x := &Execution{Run: r, Header: h, Solver: entry.Solver, Participation: entry.Participation, Track: entry.Track}
		err := x.complete(source, entry.OfCores, logs)
		if errors.Is(err, benchexec.ErrNoLog) {
			noLogs.add(err)
			return nil
		}
		if err != nil {
			return fmt.Errorf("run %q: %w", r.Name, err)
		}
		return fn(x)
	})
	if err == nil && entry == nil {
		_, err = source.entry(&h)
	}
	if err != nil {
		return 0, err
	}
	return absent, noLogs.err()
}

// entry determines which solver, participation and track a file's runs belong to.
func (s Source) entry(h *benchexec.Header) (benchexec.Entry, error) {
	if h.Error != "" {
		return benchexec.Entry{}, fmt.Errorf("BenchExec did not finish this file (error %q), so runs may be missing; "+
			"take a complete one", h.Error)
	}
	e, ok := h.Entry()
	if !ok {
		e = benchexec.Entry{Solver: h.Tool, Track: s.Track}
	}
	if s.Solver != "" {
		e.Solver = s.Solver
	}
	if e.Track == 0 {
		return e, ErrNoTrack
	}
	return e, nil
}

// complete sets a run's data that its file lacks.
func (x *Execution) complete(source Source, ofCores bool, logs *benchexec.Logs) error {
	var err error
	if x.Place, err = source.Mapping.Place(x.Run.Name, x.Track); err != nil {
		return err
	}
	if ofCores && x.Core == nil {
		return errors.New("the run definition validates unsat cores, but no mapping says of which core the run is; " +
			"give the mapping.json that lies beside the scripts")
	}
	if logs != nil {
		log, err := logs.Read(x.Header, &x.Run)
		if err != nil {
			return err
		}
		x.Log = &log
	}
	x.Outcome, err = x.Run.Outcome(x.Header, x.Log)
	return err
}

// missingLogs counts runs without a log.
type missingLogs struct {
	first error
	n     int
}

func (m *missingLogs) add(err error) {
	if m.n++; m.first == nil {
		m.first = err
	}
}

func (m *missingLogs) err() error {
	if m.n == 0 {
		return nil
	}
	return fmt.Errorf("%d runs have no log: %w; add the log archive or folder that BenchExec wrote with this file",
		m.n, m.first)
}
