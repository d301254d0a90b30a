package intake

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/official"
	"github.com/smtpipe/smtpipe/internal/data/results/starexec"
)

// Source holds data that a file of results does not contain itself.
type Source struct {
	Year int // of the competition; needed unless the file is a table history/1
	// needed for StarExec, and for BenchExec if no run definition names it; otherwise only runs of this track are read,
	// or all if it is zero
	Track   comp.Track
	Solver  string   // for BenchExec; default: that of the run definition, or the tool's name
	Mapping *Mapping // of runs that are named by numbers; may be nil
}

// History opens the results of an earlier competition: results-TRACK-YYYY.json of the organisers, their parsed.feather
// as CSV, a job table of StarExec, BenchExec's XML, or a table history/1 (Parquet, CSV, JSON lines). The rows are in
// the file's order. Two runs of one solver on one benchmark are distinguished by a number after the solver's name. Rows
// that contradict each other, blank names and bytes that are not UTF-8 are errors, all of them at once.
func History(path string, source Source) ([]results.HistoryRow, error) {
	o, err := open(path)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	rows, err := o.history(path, source)
	if err == nil {
		err = check(rows, source.Track)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	rows = ofTrack(rows, source.Track)
	tellApart(rows)
	return rows, nil
}

func (o *opened) history(path string, source Source) ([]results.HistoryRow, error) {
	ownColumns := func() map[string]setter[results.HistoryRow] {
		return rowColumns(results.SchemaOf[results.HistoryRow](), func(r *results.HistoryRow) reflect.Value {
			return reflect.ValueOf(r).Elem()
		})
	}
	var rows []results.HistoryRow
	keep := func(r *results.HistoryRow) error {
		rows = append(rows, *r)
		return nil
	}
	var err error
	switch o.form {
	case emptyFile:
		return nil, nil
	case jsonObject:
		return o.officialRuns(source)
	case xmlFile:
		return o.benchexecRuns(source)
	case parquetTable:
		rows, err = readParquet(path, results.Read[results.HistoryRow])
	case jsonLines:
		_, err = readJSONLines(o, results.HistoryRow{Answers: -1}, ownColumns(), keep)
	case csvTable:
		switch {
		case isStarExec(o.header):
			return o.starexecRuns(source)
		case official.IsParsed(o.header):
			return o.parsedRuns(source)
		}
		_, err = readCSV(o, results.HistoryRow{Answers: -1}, ownColumns(), keep)
	default:
		err = &comp.LineError{Line: 1, Err: errors.New("not a file of results that smtpipe knows: those are " +
			"results-TRACK-YEAR.json of the organisers, their parsed.feather as CSV, StarExec's job table, BenchExec's XML, " +
			"and a table history/1 as Parquet, CSV with commas, or JSON lines")}
	}
	return rows, err
}

func ofTrack(rows []results.HistoryRow, track comp.Track) []results.HistoryRow {
	if track == 0 {
		return rows
	}
	kept := rows[:0]
	for _, r := range rows {
		if r.Track == track.String() {
			kept = append(kept, r)
		}
	}
	return kept
}

func (o *opened) officialRuns(source Source) ([]results.HistoryRow, error) {
	if source.Year == 0 {
		return nil, errNoYear
	}
	var rows []results.HistoryRow
	err := official.ReadResults(o, func(r official.Result) error {
		rows = append(rows, r.Row(source.Year))
		return nil
	})
	return rows, err
}

func (o *opened) starexecRuns(source Source) ([]results.HistoryRow, error) {
	if err := source.check(); err != nil {
		return nil, err
	}
	var rows []results.HistoryRow
	_, err := starexec.Read(o, func(r starexec.Run) error {
		row, err := r.Row(source.Year, source.Track)
		rows = append(rows, row)
		return err
	})
	return rows, err
}

func (o *opened) benchexecRuns(source Source) ([]results.HistoryRow, error) {
	if source.Year == 0 {
		return nil, errNoYear
	}
	var rows []results.HistoryRow
	_, err := o.executions(source, nil, func(x *Execution) error {
		if x.Core == nil {
			rows = append(rows, x.Row(source.Year))
		}
		return nil
	})
	return rows, err
}

func (o *opened) parsedRuns(source Source) ([]results.HistoryRow, error) {
	if source.Year == 0 {
		return nil, errNoYear
	}
	var rows []results.HistoryRow
	err := official.ReadParsed(o, func(r *official.Parsed) error {
		row := r.Row(source.Year)
		p, err := source.Mapping.ofTask(r.File, r.Task)
		row.Benchmark, row.Logic = p.Path, string(p.Logic)
		rows = append(rows, row)
		return err
	})
	return rows, err
}

var (
	errNoYear = errors.New("the file does not say of which year it is; name the year")
	// ErrNoTrack is the error of a file that does not name its track, where the source does not either.
	ErrNoTrack = errors.New("the file does not say of which track it is; name the track")
)

func (s Source) check() error {
	if s.Year == 0 {
		return errNoYear
	}
	if s.Track == 0 {
		return ErrNoTrack
	}
	return nil
}

// isStarExec reports whether a header is StarExec's and not that of a table history/1.
func isStarExec(header []byte) bool {
	_, err := starexec.Read(bytes.NewReader(header), func(starexec.Run) error { return nil })
	return err == nil
}

// tellApart numbers the second and later rows of one key.
func tellApart(rows []results.HistoryRow) {
	type key struct {
		benchmark, track, solver string
		year                     int64
	}
	seen := make(map[key]int, len(rows))
	for i, r := range rows {
		k := key{r.Benchmark, r.Track, r.Solver, r.Year}
		seen[k]++
		if n := seen[k]; n > 1 {
			rows[i].Solver = fmt.Sprintf("%s #%d", r.Solver, n)
		}
	}
}
