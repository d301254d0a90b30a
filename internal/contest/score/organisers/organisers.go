// Package organisers converts the files that the organisers have published since 2024 into runs for scoring:
// results-TRACK-YEAR.json.gz, benchmarks-YEAR.json.gz and the submissions. It does not judge runs again: the recorded
// result of an answer, core or model is used unchanged.
package organisers

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Files holds a year's published files, and data that they lack.
type Files struct {
	Results     []string // paths of results-TRACK-YEAR.json, plain or compressed
	Benchmarks  string   // path of benchmarks-YEAR.json
	Submissions []*submission.Submission
	Entries     []submission.Entry // entries of the submissions
	Divide      func(track, logic string) string
	WallLimits  map[string]score.Time // T by track
	// AllCompete treats every solver as competing, as the organisers' tool did in 2024.
	AllCompete bool
}

// Read reads the files into runs. Every benchmark with a result by any solver counts. notes lists the results that are
// omitted, as in the organisers' tool: those of solvers without a submission, and those in logics that a submission
// does not enter.
func Read(f *Files) (runs *score.Runs, notes []string, err error) {
	r := reader{Files: f, solvers: map[string]*solver{}, left: map[string]int{}}
	r.enter()
	if r.benchmarks, err = readBenchmarks(f.Benchmarks); err != nil {
		return nil, nil, err
	}
	for _, path := range f.Results {
		if err := r.readResults(path); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := r.selectSeen(); err != nil {
		return nil, nil, err
	}
	r.enterMissing()
	for _, what := range slices.Sorted(maps.Keys(r.left)) {
		notes = append(notes, fmt.Sprintf("results of %s are left out (%d)", what, r.left[what]))
	}
	if r.builder.Runs().Len() == 0 {
		return nil, notes, errors.New("the results have no run of a solver that was submitted for its logic")
	}
	return r.builder.Runs(), notes, nil
}

// solver is a submitted solver with the logics that it enters, by track.
type solver struct {
	score.Solver
	logics map[string]map[string]bool
}

type reader struct {
	*Files
	solvers    map[string]*solver
	benchmarks map[string]results.BenchmarkRow
	builder    score.Builder
	seen       []place // benchmarks with a result, in file order
	known      map[place]bool
	left       map[string]int
}

// place identifies a track's benchmark.
type place struct{ track, path string }

// enter records which solvers enter which logics.
func (r *reader) enter() {
	r.known = map[place]bool{}
	teams := submission.TeamNames(r.Submissions, nil)
	for _, e := range r.Entries {
		s := e.Submission
		if r.solvers[s.Name] == nil {
			r.solvers[s.Name] = &solver{logics: map[string]map[string]bool{}, Solver: score.Solver{Name: s.Name,
				Entrant: run.Entrant{Team: teams[s], BaseSolver: submission.BaseName(s, r.Submissions)}}}
		}
		// Several files can use the same solver name; the solver competes if any of them does.
		r.solvers[s.Name].Competitive = r.solvers[s.Name].Competitive || s.Competitive || r.AllCompete
		logics := r.solvers[s.Name].logics
		if logics[e.Track] == nil {
			logics[e.Track] = map[string]bool{}
		}
		for _, p := range e.Places {
			logics[e.Track][string(p.Logic)] = true
		}
	}
}

func readBenchmarks(path string) (map[string]results.BenchmarkRow, error) {
	all := map[string]results.BenchmarkRow{}
	_, err := intake.Benchmarks(path, func(b *intake.Benchmark) error {
		if _, twice := all[b.Path]; twice {
			return fmt.Errorf("benchmark %s is listed twice", b.Path)
		}
		all[b.Path] = b.BenchmarkRow
		return nil
	})
	return all, err
}

func (r *reader) readResults(path string) error {
	in, err := compressed.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	return intake.ReadResults(in, 0, func(x *results.HistoryRow) error {
		if r.WallLimits[x.Track] == 0 {
			return fmt.Errorf("track %s is not scored", x.Track)
		}
		return r.add(x)
	})
}

// add adds a run. For a benchmark that is not in the list, it returns an error, because the list must be from another
// year. The organisers' tool ignores such a result.
func (r *reader) add(x *results.HistoryRow) error {
	b, ok := r.benchmarks[x.Benchmark]
	if !ok {
		return fmt.Errorf("benchmark %s is not in %s", x.Benchmark, r.Benchmarks)
	}
	if at := (place{x.Track, x.Benchmark}); !r.known[at] {
		r.known[at] = true
		r.seen = append(r.seen, at)
	}
	s := r.solvers[x.Solver]
	switch {
	case s == nil:
		r.left["solver "+x.Solver+", which is not submitted,"]++
		return nil
	case !s.logics[x.Track][x.Logic]:
		r.left[fmt.Sprintf("solver %s in logic %s of track %s, which it does not enter,", x.Solver, x.Logic, x.Track)]++
		return nil
	}
	run, err := r.run(x, &b, s)
	if err != nil {
		return err
	}
	return r.builder.Add(run)
}

// run converts a result to a scoring row.
func (r *reader) run(x *results.HistoryRow, b *results.BenchmarkRow, s *solver) (*score.Row, error) {
	wall, err := score.TimeOfSeconds(float64(x.WallTimeS))
	if err != nil {
		return nil, fmt.Errorf("benchmark %s, solver %s: wall time: %w", x.Benchmark, x.Solver, err)
	}
	cpu, err := score.TimeOfSeconds(float64(x.CPUTimeS))
	if err != nil {
		return nil, fmt.Errorf("benchmark %s, solver %s: CPU time: %w", x.Benchmark, x.Solver, err)
	}
	row := r.benchmark(x.Track, b)
	row.Solver, row.Entrant = s.Name, s.Entrant
	row.Answer, row.Wall, row.CPU = x.Result, wall, cpu
	record(row, x)
	return row, nil
}

// benchmark returns a row with its benchmark data set.
func (r *reader) benchmark(track string, b *results.BenchmarkRow) *score.Row {
	status := b.Status
	if b.Incremental {
		status = string(comp.StatusUnknown)
	}
	row := &score.Row{
		Identity: run.Identity{Track: track, Logic: b.Logic, Benchmark: b.Path},
		Subject:  run.Subject{Division: r.Divide(track, b.Logic), Status: status},
		Rest: score.Rest{Limit: r.WallLimits[track], Cores: 4, Judged: run.Unjudged(),
			Recorded: score.NoRecord},
	}
	switch track {
	case comp.Incremental.String():
		row.Checks = b.CheckSats
	case comp.UnsatCore.String():
		row.Assertions = b.Asserts
	}
	return row
}

// record sets a run's recorded data for its track: the number of answers, errors, and refused cores and models.
func record(row *score.Row, x *results.HistoryRow) {
	sat, unsat := x.Result == string(comp.AnswerSat), x.Result == string(comp.AnswerUnsat)
	rec, answers := &row.Recorded, max(x.Answers, 0)
	switch row.Track {
	case comp.Incremental.String():
		row.ChecksCorrect = answers
		rec.Correct, rec.Error = answers, flag(x.Result == "IncrementalError")
		row.ChecksWrong = rec.Error
	case comp.UnsatCore.String():
		rec.Error = flag(sat || x.Result == "UnsatCoreNotValidated")
		rec.Correct = 0
		if unsat {
			rec.Correct, row.CoreSize = row.Assertions-answers, answers
		}
	case comp.ModelValidation.String():
		rec.Error, rec.Correct = flag(unsat || x.Result == "ModelUnsat"), flag(sat)
		row.Validation = "UNKNOWN"
		switch {
		case sat:
			row.Validation = "VALID"
		case rec.Error > 0:
			row.Validation = "INVALID"
		}
	}
}

func flag(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// selectSeen adds the benchmarks that count although no submitted solver ran on them.
func (r *reader) selectSeen() error {
	for _, at := range r.seen {
		b := r.benchmarks[at.path]
		if err := r.builder.Select(r.benchmark(at.track, &b)); err != nil {
			return err
		}
	}
	return nil
}

// enterMissing adds the solvers that entered a logic without a run in it.
func (r *reader) enterMissing() {
	for _, name := range slices.Sorted(maps.Keys(r.solvers)) {
		s := r.solvers[name]
		for _, t := range r.builder.Runs().Tracks {
			track := t.Name
			for _, logic := range slices.Sorted(maps.Keys(s.logics[track])) {
				if division := r.Divide(track, logic); !r.builder.Has(track, division, logic, name) {
					r.builder.Enter(track, division, logic, s.Solver)
				}
			}
		}
	}
}
