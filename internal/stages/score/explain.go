package score

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	scoring "github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// ExplainItem implements stages.ItemExplainer: it returns a solver's sums in a view, over a division or a logic, and
// the runs that contribute to them. The item is NAME/VIEW/SOLVER, such as QF_BV/par/cvc5, or TRACK/NAME/VIEW/SOLVER if
// there are several tracks.
func (act *action) ExplainItem(store *cache.Store, _ map[string]cty.Value, item string) ([]cache.Component, error) {
	runs, readings, err := act.Load(store, nil)
	if err != nil {
		return nil, err
	}
	at, err := CellAt(runs, item)
	if err != nil {
		return nil, err
	}
	x, err := scoring.Explain(context.Background(), act.Rules, runs, readings, at)
	if err != nil {
		return nil, err
	}
	kept, err := act.evidence(store, at)
	if err != nil {
		return nil, err
	}
	return explained(act.Rules, x, kept), nil
}

// CellAt parses the name of a cell in the scores of runs; see ExplainItem.
func CellAt(runs *scoring.Runs, item string) (scoring.Place, error) {
	var at scoring.Place
	first, rest, ok := strings.Cut(item, "/")
	for _, t := range runs.Tracks {
		if len(runs.Tracks) == 1 || ok && t.Name == first {
			at.Track = t.Name
		}
		if ok && t.Name == first {
			item = rest
		}
	}
	if at.Track == "" {
		return at, fmt.Errorf("the stage scores %d tracks; name one, as in TRACK/QF_BV/par/cvc5", len(runs.Tracks))
	}
	parts := strings.SplitN(item, "/", 3)
	if len(parts) != 3 {
		return at, errors.New("name a sum as DIVISION/VIEW/SOLVER or LOGIC/VIEW/SOLVER, such as QF_BV/par/cvc5")
	}
	at.Division, at.View, at.Solver = parts[0], parts[1], parts[2]
	var ofLogic string
	for _, t := range runs.Tracks {
		for i := range t.Benchmarks {
			switch b := &t.Benchmarks[i]; {
			case t.Name != at.Track:
			case b.Division == parts[0]:
				return at, nil
			case b.Logic == parts[0]:
				ofLogic = b.Division
			}
		}
	}
	if ofLogic != "" {
		at.Division, at.Logic = ofLogic, parts[0]
	}
	return at, nil
}

// evidence returns, for each benchmark, the key of the run and the digests of its script and output, if the run was
// executed here.
func (act *action) evidence(store *cache.Store, at scoring.Place) (map[string]string, error) {
	names := []string{"track", "benchmark", "solver", "run_key", "script_sha256", "stdout_sha256", "stdout"}
	all := map[string]string{}
	add := func(_ int64, columns []table.Column, i int) {
		text := func(column int) string { return columns[column].Text(i) }
		if text(0) != at.Track || text(2) != at.Solver || text(3) == "" {
			return // another solver's run, or a run that was not executed here
		}
		output := text(5)
		if output == "" {
			output = cache.DigestOf([]byte(text(6))).String()
		}
		all[strings.Clone(text(1))] = fmt.Sprintf("; run %s, script sha256:%s, output sha256:%s, log %s@%s", text(3),
			text(4), output, text(1), at.Solver)
	}
	for _, v := range act.Verdicts {
		if err := artifact.EachRow(store, v, names, add); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// explained lists the sums and then all of the solver's runs, ordered by logic and benchmark.
func explained(rs *scoring.RuleSet, x *scoring.Explanation, evidence map[string]string) []cache.Component {
	c := &x.Cell
	rule := cmp.Or(rs.Title, rs.Name)
	if x.Rule != "" {
		rule += ", score of a run: " + x.Rule
	}
	if x.ViewRule != "" {
		rule += ", view: " + x.ViewRule
	}
	all := []cache.Component{
		{Name: "track", Value: x.Track}, {Name: "division", Value: x.Division}, {Name: "logic", Value: x.Logic},
		{Name: "view", Value: x.View}, {Name: "solver", Value: x.Solver},
		{Name: "rule", Value: rule},
		{Name: "errors", Value: fmt.Sprint(c.Errors)}, {Name: "correct", Value: fmt.Sprint(c.Correct)},
		{Name: "wall_time_s", Value: c.Wall.String()}, {Name: "cpu_time_s", Value: c.CPU.String()},
		{Name: "actual_wall_time_s", Value: c.ActualWall.String()}, {Name: "actual_cpu_time_s",
			Value: c.ActualCPU.String()},
		{Name: "runs", Value: fmt.Sprintf("%d, of which the view counts %d", c.Runs, c.Counted)},
	}
	if !x.AbsentWall.IsZero() || !x.AbsentCPU.IsZero() {
		all = append(all, cache.Component{Name: "absent", Value: fmt.Sprintf("%s s wall time and %s s CPU time are "+
			"charged for "+
			"benchmarks without a run", x.AbsentWall, x.AbsentCPU)})
	}
	for i := range x.Terms {
		all = append(all, cache.Component{Name: x.Terms[i].Benchmark, Value: termText(&x.Terms[i]) +
			evidence[x.Terms[i].Benchmark]})
	}
	return all
}

// termText formats a run's contribution to the sums.
func termText(t *scoring.Term) string {
	said := t.Answer
	if said == "" {
		said = "no answer"
	}
	said += ", status " + t.Status
	switch {
	case t.Removed:
		return said + ": not counted, because sound solvers disagree on the benchmark"
	case !t.Counted:
		return said + ": not counted in this view"
	}
	e := 0
	if t.Error {
		e = 1
	}
	text := fmt.Sprintf("%s: e=%d n=%d w=%s c=%s aw=%s ac=%s", said, e, t.N, t.Wall, t.CPU, t.ActualWall, t.ActualCPU)
	if t.Points != 0 {
		text += fmt.Sprintf(" points=%d", t.Points)
	}
	return text
}
