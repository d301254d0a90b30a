package score

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Compute scores runs by a rule set under the readings. It uses all cores; the result does not depend on their number
// or on the order of the runs. It returns an error for unknown readings and for row expressions that fail on a run.
func Compute(ctx context.Context, rs *RuleSet, runs *Runs, rd Readings) (*Result, error) {
	if err := rs.CheckReadings(rd); err != nil {
		return nil, err
	}
	out := &Result{Year: rs.Year, RuleSet: rs.Name}
	for _, r := range rs.Readings {
		out.Readings = append(out.Readings, ReadingValue{r.Name, rd.value(r)})
	}
	for _, p := range rs.Practices {
		if rd.Practice[p.ID] {
			out.Practice = append(out.Practice, p.ID)
		}
	}
	for _, t := range runs.Tracks {
		e, err := newScoring(rs, t, rd)
		if err != nil {
			return nil, err
		}
		res, err := e.compute(ctx)
		if err != nil {
			return nil, fmt.Errorf("track %s: %w", t.Name, err)
		}
		out.Tracks = append(out.Tracks, res)
	}
	return out, nil
}

// scoring computes the scores of one track.
type scoring struct {
	rs *RuleSet
	rd Readings
	t  *Track

	ctx context.Context // context of the computation

	score *ScoreRule
	views []*View

	field     admission.Field // the track's solvers
	divisions []string        // names of the divisions, sorted
	divOf     []int32         // division of each group
	logics    [][]int32       // groups of each division, sorted by logic

	program *program         // program of the score
	outer   *hcl.EvalContext // readings, practice switches and functions
	base    *scored
	marks   *marks
	removed []bool // whether each benchmark is removed
	// qualifiedOnly means that disqualified tools do not make a division competitive.
	qualifiedOnly bool
	sound         [][]bool // for each division and solver, whether the solver has no error on known statuses
	result        *TrackResult
	cells         [][]Cell // by view and group*solvers+solver
	vbss          []*viewScores
	counted       [][]bool // for each view and benchmark, whether the view counts it
}

// viewScores are a view's benchmark scores, kept for recognitions that use individual runs.
type viewScores struct {
	view *View
	s    *scored
}

func newScoring(rs *RuleSet, t *Track, rd Readings) (*scoring, error) {
	e := &scoring{rs: rs, rd: rd, t: t.regrouped(rs), score: rs.scoreOf(t.Name)}
	e.field = e.t.field(rs)
	if err := e.t.oneLimit(); err != nil {
		return nil, err
	}
	for _, v := range rs.Views {
		if slices.Contains(v.Tracks, t.Name) || rd.Practice["published_views"] && slices.Contains(v.Published, t.Name) {
			e.views = append(e.views, v)
		}
	}
	if e.score == nil || len(e.views) == 0 {
		return nil, fmt.Errorf("rule set %s has no score or no view for track %s", rs.Name, t.Name)
	}
	return e, nil
}

// kind returns the track whose scoring the track shares.
func (e *scoring) kind() comp.Track { return e.rs.Kinds.Of(e.t.Name) }

func (e *scoring) on(practice string) bool { return e.rd.Practice[practice] }

// reading returns the value of a reading, which must exist in the rule set.
func (e *scoring) reading(name string) string {
	for _, r := range e.rs.Readings {
		if r.Name == name {
			return e.rd.value(r)
		}
	}
	return ""
}

func (e *scoring) compute(ctx context.Context) (*TrackResult, error) {
	e.ctx = ctx
	if err := e.drop(); err != nil {
		return nil, err
	}
	e.result = &TrackResult{Name: e.t.Name, NoCPU: e.t.noCPU}
	e.layout()
	if err := e.scoreRuns(ctx); err != nil {
		return nil, err
	}
	e.disagreements()
	if err := e.divisionFrames(); err != nil {
		return nil, err
	}
	if err := e.scoreViews(ctx); err != nil {
		return nil, err
	}
	e.derive()
	e.rankAll()
	if err := e.recognise(); err != nil {
		return nil, err
	}
	return e.result, nil
}

// layout finds the divisions and their logics, in byte order.
func (e *scoring) layout() {
	ids := map[string]int32{}
	for _, g := range e.t.groups {
		ids[g.division] = 0
	}
	e.divisions = sortedKeys(ids)
	for i, d := range e.divisions {
		ids[d] = int32(i)
	}
	e.divOf = make([]int32, len(e.t.groups))
	e.logics = make([][]int32, len(e.divisions))
	for g, gr := range e.t.groups {
		d := ids[gr.division]
		e.divOf[g] = d
		e.logics[d] = append(e.logics[d], int32(g))
	}
	for _, groups := range e.logics {
		slices.SortFunc(groups, func(a, b int32) int {
			return strings.Compare(e.t.groups[a].logic,
				e.t.groups[b].logic)
		})
	}
}

// scoreRuns computes the parallel benchmark scores, finds the sound solvers and collects their answers.
func (e *scoring) scoreRuns(ctx context.Context) error {
	p, diags := e.rs.compileScore(e.score, e.rd)
	if diags.HasErrors() {
		return diags
	}
	e.program, e.outer = p, e.rs.outer(e.rd)
	if dq := e.rs.Disqualify; dq != nil && dq.QualifiedOnly != nil {
		var err error
		if e.qualifiedOnly, err = e.ofDivision(dq.QualifiedOnly, "", ""); err != nil {
			return err
		}
	}
	first, err := job{t: e.t, p: p}.evaluate(ctx)
	if err != nil {
		return err
	}
	e.base = first
	e.findSound()
	e.findMarks()
	if slices.ContainsFunc(p.uses, func(name string) bool {
		return strings.HasPrefix(name, "b.any_") || strings.HasPrefix(name, "b.sound_") || name == "b.settled"
	}) {
		e.base, err = job{t: e.t, p: p, marks: e.marks}.evaluate(ctx)
	}
	return err
}

// findSound finds the solvers without an error in a division (SMT-COMP 2026 rules, §7.2 "Sound Solver").
func (e *scoring) findSound() {
	e.sound = make([][]bool, len(e.divisions))
	for d := range e.sound {
		e.sound[d] = make([]bool, len(e.t.Solvers))
		for s := range e.sound[d] {
			e.sound[d][s] = true
		}
	}
	if e.on("soundness_by_track") {
		for s := range e.unsoundInTrack() {
			for d := range e.sound {
				e.sound[d][s] = false
			}
		}
		return
	}
	for i, wrong := range e.base.err {
		if wrong {
			e.sound[e.division(e.t.benchmark[i])][e.t.solver[i]] = false
		}
	}
}

func (e *scoring) division(benchmark int32) int32 { return e.divOf[e.t.Benchmarks[benchmark].group] }

func (e *scoring) findMarks() {
	n := len(e.t.Benchmarks)
	e.marks = &marks{make([]bool, n), make([]bool, n), make([]bool, n), make([]bool, n)}
	for i, c := range e.base.claim {
		b := e.t.benchmark[i]
		sound := e.sound[e.division(b)][e.t.solver[i]]
		switch c {
		case claimSat:
			e.marks.anySat[b] = true
			e.marks.soundSat[b] = e.marks.soundSat[b] || sound
		case claimUnsat:
			e.marks.anyUnsat[b] = true
			e.marks.soundUnsat[b] = e.marks.soundUnsat[b] || sound
		}
	}
}

// disagreements reports the benchmarks of unknown status on which sound solvers disagree, and removes them in tracks
// that require it (SMT-COMP 2026 rules, §7.2 "Removal of Disagreements").
func (e *scoring) disagreements() {
	e.removed = make([]bool, len(e.t.Benchmarks))
	remove := slices.Contains(e.rs.Removal.Remove, e.t.Name) || e.on("disagreements_in_all_tracks") &&
		e.kind() != comp.Incremental
	report := remove || slices.Contains(e.rs.Removal.Report, e.t.Name)
	if len(e.rs.Removal.Remove)+len(e.rs.Removal.Report) == 0 {
		return
	}
	saysSat, saysUnsat := e.marks.soundSat, e.marks.soundUnsat
	if e.on("disagreements_by_raw_answers") {
		saysSat, saysUnsat = e.soundAnswers()
	}
	byDivision := make([][]string, len(e.divisions))
	for i := range e.t.Benchmarks {
		b := &e.t.Benchmarks[i]
		if report && !comp.Status(b.Status).Known() && saysSat[i] && saysUnsat[i] {
			e.removed[i] = remove
			d := e.division(int32(i))
			byDivision[d] = append(byDivision[d], b.Name)
		}
	}
	if e.on("namesakes_removed") {
		e.removeNamesakes()
	}
	for d, name := range e.divisions {
		slices.Sort(byDivision[d])
		e.result.Disagreements = append(e.result.Disagreements, NamedList{name, byDivision[d]})
		var unsound []string
		for s, ok := range e.sound[d] {
			if !ok {
				unsound = append(unsound, e.t.Solvers[s].Name)
			}
		}
		slices.Sort(unsound)
		e.result.Unsound = append(e.result.Unsound, NamedList{name, unsound})
	}
}

// withoutLogic returns a benchmark's path below its logic.
func withoutLogic(name string) string {
	if _, rest, ok := strings.Cut(name, "/"); ok {
		return rest
	}
	return name
}

// divisionFrames initialises the divisions and logics: their sizes, their teams, and whether they are competitive.
func (e *scoring) divisionFrames() error {
	ran := make([]bool, len(e.t.groups)*len(e.t.Solvers))
	for i, b := range e.t.benchmark {
		ran[int(e.t.Benchmarks[b].group)*len(e.t.Solvers)+int(e.t.solver[i])] = true
	}
	for _, x := range e.t.entered {
		ran[int(x.group)*len(e.t.Solvers)+int(x.solver)] = true
	}
	sizes, gone := make([]int, len(e.t.groups)), make([]int, len(e.t.groups))
	for i := range e.t.Benchmarks {
		if e.removed[i] {
			gone[e.t.Benchmarks[i].group]++
		} else {
			sizes[e.t.Benchmarks[i].group]++
		}
	}
	for d, name := range e.divisions {
		div := &DivisionResult{Name: name, div: int32(d)}
		if err := e.contest(div, e.logics[d], ran); err != nil {
			return err
		}
		div.contest = div.Competitive
		for _, g := range e.logics[d] {
			logic := &DivisionResult{Name: e.t.groups[g].logic, Benchmarks: sizes[g], Removed: gone[g], group: g,
				div: int32(d)}
			div.Benchmarks += sizes[g]
			div.Removed += gone[g]
			if err := e.contest(logic, []int32{g}, ran); err != nil {
				return err
			}
			logic.contest = logic.Competitive
			div.Logics = append(div.Logics, logic)
		}
		e.result.Divisions = append(e.result.Divisions, div)
	}
	return nil
}

// contest determines who is admitted to a division or logic, which teams compete in it, and whether it is competitive.
func (e *scoring) contest(d *DivisionResult, groups []int32, ran []bool) error {
	entered := func(s int) bool {
		return slices.ContainsFunc(groups, func(g int32) bool { return ran[int(g)*len(e.t.Solvers)+s] })
	}
	teams := map[string]bool{}
	d.admitted = make([]admission.Admission, len(e.t.Solvers))
	for s := range e.t.Solvers {
		if !entered(s) {
			continue
		}
		d.admitted[s] = e.field.Admitted(s, entered)
		if d.admitted[s].Competes {
			teams[e.t.Solvers[s].Team] = true
		}
	}
	d.Teams = sortedKeys(teams)
	d.Competitive = len(d.Teams) >= e.rs.Contest.Teams
	if e.rs.Contest.When == nil || !d.Competitive {
		return nil
	}
	var err error
	d.Competitive, err = e.ofDivision(e.rs.Contest.When, d.Name, e.divisions[d.div])
	return err
}

// ofDivision evaluates a condition on a division, or on a logic treated as a division; part is the actual division.
func (e *scoring) ofDivision(expr hcl.Expression, division, part string) (bool, error) {
	ctx := e.outer.NewChild()
	ctx.Variables = map[string]cty.Value{"division": cty.StringVal(division), "track": cty.StringVal(e.t.Name),
		"experimental": cty.BoolVal(e.rs.Divisions.Experimental(e.t.Name, comp.Division(part)))}
	v, diags := expr.Value(ctx)
	if !diags.HasErrors() && (v.Type() != cty.Bool || v.IsNull() || !v.IsKnown()) {
		at := expr.Range()
		diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Unsuitable value",
			Detail: "This must be true or false.", Subject: &at})
	}
	if diags.HasErrors() {
		return false, diags
	}
	return v.True(), nil
}

// scoreViews computes every view's cells.
func (e *scoring) scoreViews(ctx context.Context) error {
	e.cells = make([][]Cell, len(e.views))
	e.vbss = make([]*viewScores, len(e.views))
	e.counted = make([][]bool, len(e.views))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	for i := range e.views {
		group.Go(func() error { return e.scoreView(ctx, i) })
	}
	return group.Wait()
}

func (e *scoring) scoreView(ctx context.Context, i int) error {
	v := e.views[i]
	s, err := e.viewScores(ctx, v)
	if err != nil {
		return err
	}
	if e.counted[i], err = e.countBenchmarks(v, s); err != nil {
		return err
	}
	e.cells[i] = e.addUp(i, s)
	if err := e.addAbsent(v, e.cells[i]); err != nil {
		return err
	}
	e.countMissing(i)
	e.vbss[i] = &viewScores{v, s}
	return nil
}

// viewScores computes a view's benchmark scores: the track's scores under the view's limit, where the view's own
// definitions take precedence.
func (e *scoring) viewScores(ctx context.Context, v *View) (*scored, error) {
	base := e.base
	if v.Limit != nil || v.Sequential && slices.Contains(e.program.uses, "sequential") {
		var err error
		if base, err = (job{t: e.t, p: e.program, limit: v.Limit, sequential: v.Sequential, marks: e.marks}).evaluate(
			ctx); err != nil {
			return nil, err
		}
	}
	p, diags := e.rs.compileView(v, e.rd)
	if diags.HasErrors() {
		return nil, diags
	}
	return job{t: e.t, p: p, limit: v.Limit, sequential: v.Sequential, marks: e.marks, base: base}.evaluate(ctx)
}

// addUp sums benchmark scores by logic and solver.
func (e *scoring) addUp(view int, s *scored) []Cell {
	solvers := len(e.t.Solvers)
	cells := make([]Cell, len(e.t.groups)*solvers)
	for _, x := range e.t.entered {
		cells[int(x.group)*solvers+int(x.solver)].Entered++
	}
	for i := range e.t.Len() {
		b := e.t.benchmark[i]
		c := &cells[int(e.t.Benchmarks[b].group)*solvers+int(e.t.solver[i])]
		c.Runs++
		if e.removed[b] {
			continue
		}
		c.Kept++
		if e.counted[view][b] {
			c.InView++
		}
		c.Checks += e.t.restAt(i).Checks
		keep := s.keep == nil || s.keep[i]
		if s.timeout != nil && s.timeout[i] {
			c.Timeouts++
			if keep {
				c.CountedTimeouts++
			}
		}
		if s.memout != nil && s.memout[i] {
			c.Memouts++
			if keep {
				c.CountedMemouts++
			}
		}
		if keep {
			c.add(s, i)
		}
	}
	return cells
}

// add adds run i's benchmark score.
func (c *Cell) add(s *scored, i int) {
	c.Counted++
	if s.err[i] {
		c.Errors++
	}
	if s.claim[i] != claimNone {
		c.Decided++
		if s.claim[i] == claimSat {
			c.DecidedSat++
		}
	}
	c.Correct += s.count[i]
	if s.count[i] > 0 {
		c.Solved++
		c.CorrectCPU = c.CorrectCPU.Plus(s.cpu.at(i))
		switch s.claim[i] {
		case claimSat:
			c.SolvedSat++
		case claimUnsat:
			c.SolvedUnsat++
		}
	}
	c.Wall = c.Wall.Plus(s.wall.at(i))
	c.CPU = c.CPU.Plus(s.cpu.at(i))
	if s.actualWall != nil {
		c.ActualWall = c.ActualWall.Plus(s.actualWall.at(i))
	}
	if s.actualCPU != nil {
		c.ActualCPU = c.ActualCPU.Plus(s.actualCPU.at(i))
	}
	if s.points != nil {
		c.Points += s.points[i]
	}
}
