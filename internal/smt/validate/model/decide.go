package model

import (
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/eval"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// outcome is the result of evaluating all assertions under one choice of undefined values.
type outcome struct {
	false   *Result        // set if an assertion is false
	stuck   *value.Unknown // reason why an assertion has no value, or nil
	place   string         // position of that assertion
	partial bool           // the only obstacles were undefined values of partial functions
}

// decide evaluates the assertions with the model's bounds on uninterpreted sorts. A false assertion might be true with
// more values, and no rule states whether a model may bound a sort. decide therefore also evaluates without the bounds,
// and if the assertion is not false then, the verdict is UNKNOWN.
func (v *validation) decide() Result {
	r := v.decideBounded()
	if r.Kind != FalseAssert || len(v.bounds) == 0 {
		return r
	}
	clear(v.bounds)
	if v.decideBounded().Kind == FalseAssert {
		return r
	}
	return Result{Verdict: Unknown, Kind: Unsupported, Reason: r.Reason +
		"; but it may be true if an uninterpreted sort has more values than the model says (forall)"}
}

// decideBounded evaluates the assertions, first with undefined values unknown and then, if these matter, with some
// choices of them.
func (v *validation) decideBounded() Result {
	first := v.evaluate(nil, false)
	switch {
	case first.false != nil:
		return *first.false
	case first.stuck == nil:
		return v.satisfied()
	case first.stuck.Cause != nil:
		return Result{Verdict: Unknown, Kind: LimitReached, Reason: first.stuck.Reason}
	case first.stuck.Conflict:
		return v.malformed(Malformed, first.place+" has no value: "+first.stuck.Reason)
	case !first.partial:
		if found := v.evaluate(nil, true); found.false != nil {
			return *found.false
		} else if found.stuck == nil {
			return v.satisfied()
		}
		return Result{Verdict: Unknown, Kind: Unsupported, Reason: first.place + " has no value: " + first.stuck.Reason}
	}
	return v.decideOpen(first)
}

func (v *validation) satisfied() Result {
	return Result{Verdict: Valid, Kind: Satisfied, Reason: fmt.Sprintf("all %d assertions are true", len(v.goals))}
}

// decideOpen tries choices of undefined values. A model cannot define which zero fp.min returns for two different
// zeros, so a choice of these zeros that makes all assertions true makes the model VALID. The solver must define all
// other values.
func (v *validation) decideOpen(first outcome) Result {
	open := Result{Verdict: Unknown, Kind: OpenValue, Reason: first.place + " has no value: " + first.stuck.Reason}
	would := ""
	for choice := range 16 {
		c := &eval.Completion{
			MinNegative: [2]bool{choice&1 == 0, choice&2 == 0}, MaxNegative: [2]bool{choice&4 != 0, choice&8 != 0},
		}
		if o := v.evaluate(c, false); o.false == nil && o.stuck == nil {
			if !c.Used || v.opt.CompletePartial {
				return Result{Verdict: Valid, Kind: Satisfied, Reason: fmt.Sprintf(
					"all %d assertions are true, with a choice of values that the theories leave open", len(v.goals))}
			}
			would = "; with 0 or a similar value for it, all assertions would be true"
		}
		if !c.UsedMinMax {
			break
		}
	}
	open.Reason += would
	return open
}

// evaluate computes the assertions up to the first false one. If search is set, it searches for values that decide
// quantifiers over sorts whose values cannot be listed.
func (v *validation) evaluate(c *eval.Completion, search bool) outcome {
	m := eval.New(v.ctx, v.check)
	m.Partial, m.Extends, m.Complete, m.Universes = v.partial, v.extends, c, v.universes()
	m.Memory, m.Search = v.memory, search
	m.Unsorted = len(v.universe[sorts.AbstractID]) > 0
	m.Refresh(v.check)
	for _, f := range v.order {
		m.Consts[f] = v.constant(m, f)
	}
	out := outcome{partial: true, false: v.conflict(m)}
	if out.false != nil {
		return out
	}
	v.check.Back(v.script)
	g := &term.Graph{}
	var vals []value.Value
	for i := range v.goals {
		vals = v.evaluateGoal(m, g, i, vals, &out)
		if out.false != nil || (out.stuck != nil && out.stuck.Cause != nil) {
			return out
		}
	}
	return out
}

// conflict returns an error for a constant that the benchmark and the model define differently, or nil.
func (v *validation) conflict(m *eval.Machine) *Result {
	for _, a := range v.repeated {
		fn := m.Funcs[a.number]
		x, y := m.Consts[a.number], m.Consts[a.original]
		if len(fn.Params) > 0 || x.UnknownOf() != nil || y.UnknownOf() != nil || !m.Differ(x, y) {
			continue
		}
		return v.badModel(Duplicate, fn.Pos, "%s has another value than the benchmark defines (%s)", fn.Name,
			v.place(false, m.Funcs[a.original].Pos))
	}
	return nil
}

// constant computes a constant from its definition.
func (v *validation) constant(m *eval.Machine, f int32) value.Value {
	fn := m.Funcs[f]
	m.Begin()
	vals := make([]value.Value, fn.Root+1)
	for i := range vals {
		vals[i] = m.Ground(fn.Body, i, vals)
	}
	return vals[fn.Root]
}

// evaluateGoal computes assertion i, reusing the memory of g and vals.
func (v *validation) evaluateGoal(m *eval.Machine, g *term.Graph, i int, vals []value.Value,
	out *outcome) []value.Value {
	gl := v.goals[i]
	v.check.Start(g, gl.terms)
	m.Refresh(v.check)
	m.Begin()
	vals = slices.Grow(vals[:0], int(gl.terms.Len))
	root := int32(gl.root) - gl.terms.First
	for k := int32(0); k <= root; k++ {
		v.check.Step(g)
		if n := g.Nodes[k].Op; n == term.Match {
			m.Refresh(v.check)
		} else if n == term.Bad {
			break
		}
		vals = append(vals, value.Value{})
		vals[k] = m.Ground(g, int(k), vals)
	}
	place := fmt.Sprintf("assertion %d", i+1)
	if len(vals) <= int(root) {
		e := g.Errors[0]
		out.false = v.badBenchmark(e.Pos, e.Text)
		return vals
	}
	if g.Nodes[root].Sort != sorts.BoolID {
		out.false = v.badBenchmark(gl.pos, "an assertion has sort "+v.check.Sorts.String(g.Nodes[root].Sort)+
			", not Bool")
		return vals
	}
	result := vals[root]
	if u := result.UnknownOf(); u != nil {
		out.partial = out.partial && u.Partial
		if out.stuck == nil || (!u.Partial && out.stuck.Partial) || u.Conflict || u.Cause != nil {
			out.stuck = u
			out.place = fmt.Sprintf("%s: %s", v.place(false, gl.pos), place)
		}
		return vals
	}
	if !result.True() {
		part, because := v.explain(g, root, vals)
		out.false = &Result{Verdict: Invalid, Kind: FalseAssert, Atoms: v.atoms(g, part, vals),
			Reason: fmt.Sprintf("%s: %s is false%s", v.place(false, gl.pos), place, because)}
	}
	return vals
}

// explain finds the part that makes an assertion false, descending through conjunctions, and describes its position.
func (v *validation) explain(g *term.Graph, node int32, vals []value.Value) (part int32, because string) {
	start := node
	for {
		n := &g.Nodes[node]
		next := node
		switch n.Op {
		case term.Alias:
			next = n.A
		case term.And:
			for _, k := range g.Kids(n) {
				if vals[k].P == nil && !vals[k].True() {
					next = k
					break
				}
			}
		}
		if next == node {
			break
		}
		node = next
	}
	if node == start {
		return node, ""
	}
	pos := v.script.Term(smtlib.TermID(g.First + node)).Pos
	return node, fmt.Sprintf(", because its part at %v is", v.script.Position(pos))
}
