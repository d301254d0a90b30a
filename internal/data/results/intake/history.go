package intake

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Source provides data that a results file does not contain.
type Source struct {
	Year int // the competition's year; required unless the file is a table history/1
	// Track is required for StarExec, and for BenchExec if no run definition names it. Otherwise, it restricts reading
	// to the track's runs; zero means all tracks.
	Track comp.Track
	// Solver is the solver of a BenchExec file, by default named by the run definition or the tool, or the solver of a
	// single-solver table, by default named by the file.
	Solver  string
	Mapping *Mapping // mapping for runs that are named by numbers; may be nil
}

// History returns all rows of EachRun.
func History(path string, source Source) (rows []results.HistoryRow, err error) {
	err = EachRun(path, source, func(r *results.HistoryRow) error {
		rows = append(rows, *r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// EachRun opens the results of an earlier competition: the organisers' results-TRACK-YYYY.json or parsed.feather (as
// CSV), a job table of StarExec, BenchExec's XML, or a table history/1 (Parquet, CSV, JSON lines). It calls fn with
// each row in file order; fn must not keep the pointer. If fn returns an error, EachRun stops and returns it. Repeated
// runs of a solver on a benchmark are distinguished by a number after the solver's name. EachRun rejects rows that
// contradict each other, blank names and bytes that are not UTF-8. It reports all such errors together; after the first
// one, fn receives no more rows.
func EachRun(path string, source Source, fn func(*results.HistoryRow) error) error {
	o, err := open(path)
	if err != nil {
		return err
	}
	defer o.Close()
	c := newChecker(source.Track)
	var stopped error
	err = o.history(path, source, func(r *results.HistoryRow) error {
		if c.take(r) {
			stopped = fn(r)
		}
		return stopped
	})
	if stopped != nil {
		return stopped
	}
	if err = cmp.Or(err, c.err()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// history calls keep with each row. keep may modify the row.
func (o *opened) history(path string, source Source, keep func(*results.HistoryRow) error) error {
	if o.form != emptyFile {
		if err := o.check(source); err != nil {
			return err
		}
	}
	ownColumns := func() map[string]setter[results.HistoryRow] {
		return rowColumns(results.SchemaOf[results.HistoryRow](), func(r *results.HistoryRow) reflect.Value {
			return reflect.ValueOf(r).Elem()
		})
	}
	fresh := results.HistoryRow{Answers: -1}
	var err error
	switch o.form {
	case emptyFile:
	case jsonObject:
		err = ReadResults(o, source.Year, keep)
	case xmlFile:
		_, err = o.executions(source, nil, func(x *Execution) error {
			if x.Core != nil {
				return nil
			}
			row := x.Row(source.Year)
			return keep(&row)
		})
	case parquetTable:
		err = eachParquet(path, keep)
	case jsonLines:
		_, err = readJSONLines(o, fresh, ownColumns(), keep)
	case csvTable:
		switch {
		case IsStarExec(o.header):
			if IsOfSolver(o.header) {
				source.Solver = cmp.Or(source.Solver, SolverOf(path))
			}
			err = ReadStarExec(o, source, keep)
		case isParsed(o.header):
			err = readParsed(o, source, keep)
		default:
			_, err = readCSV(o, fresh, ownColumns(), keep)
		}
	default:
		err = &comp.LineError{Line: 1, Err: errors.New("not a file of results that smtpipe knows: those are " +
			"results-TRACK-YEAR.json of the organisers, their parsed.feather as CSV, StarExec's job table, BenchExec's XML, " +
			"and a table history/1 as Parquet, CSV with commas, or JSON lines")}
	}
	return err
}

// SolverOf returns the solver that a single-solver table's file name contains, such as solver_659685_sq.csv or
// cvc5.csv.gz.
func SolverOf(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	if id, ok := strings.CutPrefix(name, "solver_"); ok {
		name, _, _ = strings.Cut(id, "_")
	}
	return name
}

// check reports what the source must specify because the file does not contain it.
func (o *opened) check(s Source) error {
	ofStarExec := o.form == csvTable && IsStarExec(o.header)
	parsed := o.form == csvTable && isParsed(o.header)
	switch {
	case (ofStarExec || parsed || o.form == jsonObject || o.form == xmlFile) && s.Year == 0:
		return errNoYear
	case ofStarExec && s.Track == 0:
		return ErrNoTrack
	}
	return nil
}

var (
	errNoYear = errors.New("the file does not say which year it belongs to; name the year")
	// ErrNoTrack means that neither the file nor the source names the track.
	ErrNoTrack = errors.New("the file does not say which track it belongs to; name the track")
)
