package validate

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// judged collects the stage's outputs. Verdicts may be added concurrently.
type judged struct {
	*judging
	mu            sync.Mutex
	verdicts      *results.Builder[results.VerdictRow]
	wrong         map[place]bool // solvers with a wrong answer in a division
	disagreements []results.VerdictRow
}

type place struct{ track, division, solver string }

func newJudged(j *judging) *judged {
	return &judged{judging: j, verdicts: results.NewBuilder[results.VerdictRow](), wrong: map[place]bool{}}
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
		if len(o.differing(v)) > 0 {
			o.disagreements = append(o.disagreements, *v)
		}
	}
}

// set sets the outputs.
func (o *judged) set(ctx context.Context, env *stages.Env) error {
	verdicts, err := o.verdicts.Table()
	if err != nil {
		return fmt.Errorf("output verdicts: %w", err)
	}
	return env.SetAll(ctx,
		func() error { return stages.SetColumns(env, "verdicts", verdicts) },
		func() error {
			history, sound, err := o.histories(verdicts)
			if err != nil {
				return err
			}
			return cmp.Or(stages.SetColumns(env, "history", history), stages.SetColumns(env, "sound", sound))
		},
		func() error { return stages.SetTable(env, "disagreements", o.disagreements) })
}

// histories returns two tables in the form of an earlier competition's runs. The first has all runs, solved or not. The
// second has the answers sat and unsat by solvers without a wrong answer in the division. These answers determine which
// benchmarks of unknown status the unsat-core, model-validation and proof tracks may use (SMT-COMP 2022 and 2026 rules,
// §6, "Benchmark selection", step 3). Both share the columns of the verdicts.
func (o *judged) histories(verdicts *results.Table[results.VerdictRow]) (all, sound *historyTable, err error) {
	constant := func(x int64) table.Column { return table.IntsOf([]int64{x}).Same(make([]int32, verdicts.Len())) }
	read := func(name string) (c table.Column) {
		if err == nil {
			c, err = verdicts.Column(name)
		}
		return c
	}
	answer, track, division, solver := read("answer"), read("track"), read("division"), read("solver")
	if err != nil {
		return nil, nil, err
	}
	var decided table.Dictionary
	keep := make([]bool, verdicts.Len())
	for i := range keep {
		text := answer.StringAt(i)
		if !comp.Answer(text).Decides() {
			text = ""
		} else if at := (place{track.StringAt(i), division.StringAt(i), solver.StringAt(i)}); !o.wrong[at] {
			keep[i] = true
		}
		decided.Append(text)
	}
	own := map[string]table.Column{"year": constant(int64(o.year)), "answer": decided.Column(), "result": answer,
		"answers": constant(-1)}
	var columns, kept []table.Column
	rows := table.Rows(keep)
	for _, c := range results.SchemaOf[results.HistoryRow]().Columns {
		column, ok := own[c.Name]
		if !ok {
			column = read(c.Name)
		}
		if err != nil {
			return nil, nil, err
		}
		columns, kept = append(columns, column), append(kept, column.Where(rows))
	}
	all, err = results.Sorted[results.HistoryRow](verdicts.Len(), columns...)
	if err == nil {
		sound, err = results.Sorted[results.HistoryRow](len(rows), kept...)
	}
	return all, sound, err
}

type historyTable = results.Table[results.HistoryRow]
