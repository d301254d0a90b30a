package lists

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// resultKey identifies a run in a year. anySolver represents all solvers.
type resultKey struct{ track, solver, benchmark string }

func (k resultKey) compare(other resultKey) int {
	return cmp.Or(cmp.Compare(k.track, other.track), cmp.Compare(k.solver, other.solver),
		cmp.Compare(k.benchmark, other.benchmark))
}

const anySolver = "(any)"

// outcome is a run's result.
type outcome struct {
	answer  string // sat, unsat or empty
	answers int64  // number of answered check-sats, or size of the core; -1 if not stated
	text    string // text as published
}

func readOutcomes(arg, track string) (map[resultKey]outcome, string, error) {
	rows, file, err := readResults(arg, track)
	if err != nil {
		return nil, "", err
	}
	all := make(map[resultKey]outcome, len(rows))
	for i := range rows {
		r := &rows[i]
		if r.Year != rows[0].Year {
			return nil, "", exit.With(exit.Usage, fmt.Errorf("%s has results of %d and %d; compare files of one year each",
				file, rows[0].Year, r.Year))
		}
		o, path := outcomeOf(r), comp.FromLogic(r.Benchmark)
		all[resultKey{r.Track, r.Solver, path}] = o
		of := resultKey{r.Track, anySolver, path}
		old, known := all[of]
		switch {
		case !known || old.answer == "" && o.answer != "":
			all[of] = outcome{o.answer, -1, cmp.Or(o.answer, "no answer")}
		case o.answer != "" && old.answer != o.answer:
			all[of] = outcome{"sat or unsat", -1, "sat and unsat"}
		}
	}
	return all, filepath.Base(file), nil
}

func outcomeOf(r *results.HistoryRow) outcome {
	o := outcome{answers: -1, text: cmp.Or(r.Result, r.Answer)}
	if r.Answer == string(comp.AnswerSat) || r.Answer == string(comp.AnswerUnsat) {
		o.answer = r.Answer
	}
	if r.Track == comp.Incremental.String() || r.Track == comp.UnsatCore.String() {
		o.answers = r.Answers
		o.text = fmt.Sprintf("%s, %d", o.text, o.answers)
	}
	return o
}

// How a result may differ from the earlier one.
const (
	same        = "same"
	gained      = "gained"
	lost        = "lost"
	contradicts = "contradicts"
)

// against compares an outcome with an earlier one in the same track.
func (o outcome) against(old outcome, track string) string {
	switch {
	case old.answer != "" && o.answer != "" && old.answer != o.answer:
		return contradicts
	case old.answer == "" && o.answer != "":
		return gained
	case old.answer != "" && o.answer == "":
		return lost
	case old.answers < 0 || o.answers < 0 || old.answers == o.answers:
		return same
	}
	more := o.answers > old.answers
	if track == comp.UnsatCore.String() && old.answers > 0 && o.answers > 0 {
		more = !more // a smaller core is better, and 0 means none
	}
	if more {
		return gained
	}
	return lost
}

var resultCounts = []string{"first", "second", "both", same, gained, lost, contradicts}

// CompareResults compares each year's results, given as [YEAR=]FILE, with those of the year before. track is that of
// files that do not name it, and selects the runs of other files. Solvers and benchmarks that only one of two files
// contains do not count as differences.
func CompareResults(args []string, track string) (*Changes, error) {
	out := &Changes{Counts: Table{Head: append([]string{"from", "to", "track", "solver"}, resultCounts...)},
		All: Table{Head: []string{"from", "to", "change", "track", "solver", "benchmark", "first", "second"}}}
	var first map[resultKey]outcome
	var firstName string
	for i, arg := range args {
		second, name, err := readOutcomes(arg, track)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.addResults(newTally(firstName, name, resultCounts), first, second)
		}
		first, firstName = second, name
	}
	return out, nil
}

func (c *Changes) addResults(t *tally, first, second map[resultKey]outcome) {
	for k, x := range diff.Pairs(first, second, resultKey.compare) {
		if x.InFrom {
			t.add("first", k.track, k.solver)
		}
		if x.InTo {
			t.add("second", k.track, k.solver)
		}
		if !x.InFrom || !x.InTo {
			continue
		}
		change := x.To.against(x.From, k.track)
		t.add("both", k.track, k.solver)
		t.add(change, k.track, k.solver)
		if change != same {
			c.All.Rows = append(c.All.Rows, cellsOf(t.names[0], t.names[1], change, k.track, k.solver, k.benchmark,
				x.From.text, x.To.text))
		}
	}
	c.Counts.Rows = append(c.Counts.Rows, t.rows(func([]int) bool { return true })...)
}

// readResults reads a year's results, given as [YEAR=]FILE, for one track, or for all tracks if track is empty. A table
// history/1 contains the years.
func readResults(arg, track string) (rows []results.HistoryRow, file string, err error) {
	year, file, noYear := intake.YearOf(arg)
	if noYear != nil {
		file = arg
	}
	source := intake.Source{Year: year}
	if track != "" {
		if source.Track, err = comp.ParseTrack(track); err != nil {
			return nil, "", exit.With(exit.Usage, fmt.Errorf("--track: %w", err))
		}
	}
	rows, err = intake.History(file, source)
	if errors.Is(err, intake.ErrNoTrack) {
		err = fmt.Errorf("%w (--track)", err)
	}
	if err != nil && noYear != nil {
		err = fmt.Errorf("%w (as YEAR=%s)", err, arg)
	}
	for i := range rows {
		if rows[i].Year == 0 {
			rows[i].Year = int64(year)
		}
	}
	return rows, file, err
}
