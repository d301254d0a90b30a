package confidence

import (
	"strings"

	sure "github.com/smtpipe/smtpipe/internal/contest/confidence"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// run identifies a run across measurements.
type run struct{ track, benchmark, solver string }

// spreads returns how much the solvers' times vary between measurements, by clock and solver.
func (act *action) spreads(env *stages.Env) (map[string]map[string]sure.Spread, error) {
	second := map[run][2]float64{}
	note := func(r run, wall, cpu float64) {
		second[run{strings.Clone(r.track), strings.Clone(r.benchmark), strings.Clone(r.solver)}] = [2]float64{wall, cpu}
	}
	for _, art := range act.again {
		if err := finished(env, art, note); err != nil {
			return nil, err
		}
	}
	for _, art := range act.results {
		columns := append([]string{"answer", "result"}, runColumns...)
		err := artifact.EachRow(env.Store, art, columns, func(_ int64, c []table.Column, i int) {
			r, wall, cpu := runAt(c[2:], i)
			if cpu >= 0 && (c[0].StringAt(i) != "" || c[1].StringAt(i) == string(comp.Exited)) {
				note(r, wall, cpu)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if len(second) == 0 {
		return nil, nil
	}
	var all []sure.Again
	for _, art := range act.Verdicts {
		err := finished(env, art, func(r run, wall, cpu float64) {
			if t, ok := second[r]; ok {
				all = append(all, sure.Again{Solver: strings.Clone(r.solver), Wall: [2]float64{wall, t[0]},
					CPU: [2]float64{cpu, t[1]}})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return map[string]map[string]sure.Spread{"w": sure.Spreads(all, "w"), "c": sure.Spreads(all, "c")}, nil
}

// finished calls visit with the times of a table's runs that exited. The names are valid only during the call.
func finished(env *stages.Env, art stages.Artifact, visit func(r run, wall, cpu float64)) error {
	columns := append([]string{"ending"}, runColumns...)
	return artifact.EachRow(env.Store, art, columns, func(_ int64, c []table.Column, i int) {
		if c[0].StringAt(i) == string(comp.Exited) {
			visit(runAt(c[1:], i))
		}
	})
}

// runColumns are the columns that runAt reads.
var runColumns = []string{"track", "benchmark", "solver", "wall_time_s", "cpu_time_s"}

func runAt(c []table.Column, i int) (r run, wall, cpu float64) {
	return run{c[0].StringAt(i), c[1].StringAt(i), c[2].StringAt(i)}, c[3].FloatAt(i), c[4].FloatAt(i)
}

func noiseRows(p *score.Points, all []sure.Noise) []results.NoiseRow {
	rows := make([]results.NoiseRow, len(all))
	for i := range all {
		n := &all[i]
		rows[i] = results.NoiseRow{
			Track: p.Track, Division: p.Division.Name, View: p.Ranking.View, Solver: n.Solver, Winner: n.Winner,
			Clock: n.Clock, Decides: n.Decides, Again: int64(n.Spread.Runs), Spread: n.Spread.Part,
			WinnerAgain: int64(n.Best.Runs), WinnerSpread: n.Best.Part, DifferenceS: n.DifferenceS, NoiseS: n.NoiseS,
			Exceeds: n.Exceeds(),
		}
	}
	return rows
}
