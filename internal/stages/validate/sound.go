package validate

import (
	"sync"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// judged collects the stage's outputs. Verdicts may be added concurrently.
type judged struct {
	year     int
	mu       sync.Mutex
	verdicts *results.Builder[results.VerdictRow]
	wrong    map[place]bool // solvers with a wrong answer in a division

	// sound contains the answers sat and unsat by solvers without a wrong answer in the division. These answers
	// determine which benchmarks of unknown status the unsat-core, model-validation and proof tracks may use (SMT-COMP
	// 2022 and 2026 rules, §6, "Benchmark selection", step 3). history contains all runs, solved or not, in the form of
	// an earlier competition's runs.
	sound, history *results.Builder[results.HistoryRow]
}

type place struct{ track, division, solver string }

func newJudged(year int) *judged {
	return &judged{year: year, verdicts: results.NewBuilder[results.VerdictRow](), wrong: map[place]bool{},
		sound: results.NewBuilder[results.HistoryRow](), history: results.NewBuilder[results.HistoryRow]()}
}

func (o *judged) add(rows []results.VerdictRow) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range rows {
		v := &rows[i]
		o.verdicts.Append(v)
		if v.Verdict == string(comp.Wrong) {
			o.wrong[place{v.Track, v.Division, v.Solver}] = true
		}
	}
}

// tell sets the other outputs, given the verdicts. It returns the rows that have a differing second opinion.
func (o *judged) tell(verdicts *results.Table[results.VerdictRow],
	differing func(*results.VerdictRow) []string) (disagreements []results.VerdictRow, err error) {
	err = verdicts.Each(func(v *results.VerdictRow) {
		h := results.HistoryRow{Identity: v.Identity, Usage: v.Usage, Year: int64(o.year), Status: v.Status,
			Answer: v.Answer, Result: v.Answer, Answers: -1}
		if !comp.Answer(v.Answer).Decides() {
			h.Answer = ""
		} else if !o.wrong[place{v.Track, v.Division, v.Solver}] {
			o.sound.Append(&h)
		}
		o.history.Append(&h)
		if len(differing(v)) > 0 {
			disagreements = append(disagreements, *v)
		}
	})
	return disagreements, err
}
