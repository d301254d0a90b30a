package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Place identifies a cell in a result.
type Place struct {
	Track, Division string
	Logic           string // logic; empty: the whole division
	View, Solver    string
}

// Term is one run's contribution to a cell.
type Term struct {
	Benchmark, Logic string
	Answer           string // recorded answer, as in the runs
	Status           string
	Counted          bool // whether the view includes the run
	Removed          bool // whether the benchmark was removed because of a disagreement
	Error            bool
	N                int64
	Wall, CPU        Sum
	ActualWall       Sum
	ActualCPU        Sum
	Points           int64
	MeasuredWall     Time
	MeasuredCPU      Time
	Row              int // index of the run in its track, in input order
}

// Explanation is a cell with its terms.
type Explanation struct {
	Place
	// Rule and ViewRule cite the rules document for a run's score and for the view; empty without a citation in the
	// rule set.
	Rule, ViewRule string

	Cell  Cell
	Terms []Term // terms of all runs, sorted by logic and benchmark
	// AbsentWall and AbsentCPU are the view's charges for benchmarks without a run of the solver.
	AbsentWall, AbsentCPU Sum
	NoCPU                 bool // whether CPU times were not recorded, which makes c meaningless
}

// Explain returns the runs that contribute to a cell, with their terms. The cell equals the counted runs' terms plus
// the charges for absent runs.
func Explain(ctx context.Context, rs *RuleSet, runs *Runs, rd Readings, at Place) (*Explanation, error) {
	t := runs.byName[at.Track]
	if t == nil {
		return nil, fmt.Errorf("there are no runs of track %q", at.Track)
	}
	e, err := newScoring(rs, t, rd)
	if err != nil {
		return nil, err
	}
	if _, err := e.compute(ctx); err != nil {
		return nil, err
	}
	return e.explain(at)
}

func (e *scoring) explain(at Place) (*Explanation, error) {
	view := slices.IndexFunc(e.views, func(v *View) bool { return v.Name == at.View })
	if view < 0 {
		return nil, fmt.Errorf("there is no view %q of track %s", at.View, at.Track)
	}
	d := slices.Index(e.divisions, at.Division)
	if d < 0 {
		return nil, fmt.Errorf("there is no division %q in track %s", at.Division, at.Track)
	}
	groups := e.logics[d]
	if at.Logic != "" {
		groups = slices.DeleteFunc(slices.Clone(groups), func(g int32) bool { return e.t.groups[g].logic != at.Logic })
		if len(groups) == 0 {
			return nil, fmt.Errorf("there is no logic %q in division %s", at.Logic, at.Division)
		}
	}
	solver := slices.IndexFunc(e.t.Solvers, func(s Solver) bool { return s.Name == at.Solver })
	if solver < 0 {
		return nil, fmt.Errorf("there is no solver %q in track %s", at.Solver, at.Track)
	}
	out := &Explanation{Place: at, Rule: e.score.Cite, ViewRule: e.views[view].Cite, NoCPU: e.t.noCPU,
		Cell: e.cellOf(view, groups, solver)}
	s := e.vbss[view].s
	out.AbsentWall, out.AbsentCPU = out.Cell.Wall, out.Cell.CPU
	for i, b := range e.t.benchmark {
		if int(e.t.solver[i]) == solver && slices.Contains(groups, e.t.Benchmarks[b].group) {
			term := e.termOf(s, i)
			if term.Counted {
				out.AbsentWall, out.AbsentCPU = out.AbsentWall.Minus(term.Wall), out.AbsentCPU.Minus(term.CPU)
			}
			out.Terms = append(out.Terms, term)
		}
	}
	slices.SortFunc(out.Terms, func(a, b Term) int {
		return cmp.Or(strings.Compare(a.Logic, b.Logic), strings.Compare(a.Benchmark, b.Benchmark),
			cmp.Compare(a.Row, b.Row))
	})
	return out, nil
}

func (e *scoring) termOf(s *scored, i int) Term {
	b := &e.t.Benchmarks[e.t.benchmark[i]]
	term := Term{
		Benchmark: b.Name, Logic: b.Logic, Status: b.Status, Answer: e.t.answer.At(i), Row: i,
		Removed: e.removed[e.t.benchmark[i]], Error: s.err[i], N: s.count[i], Wall: s.wall.at(i), CPU: s.cpu.at(i),
		ActualWall: s.actualWall.at(i), ActualCPU: s.actualCPU.at(i),
		MeasuredWall: e.t.wall[i], MeasuredCPU: e.t.cpu[i],
	}
	term.Counted = !term.Removed && (s.keep == nil || s.keep[i])
	if s.points != nil {
		term.Points = s.points[i]
	}
	return term
}
