package eval

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// Quantifiers are expanded: their bodies are computed for all values of their variables. Evaluation is three-valued, so
// a body whose truth does not depend on an Int variable decides a quantifier over it.
//
// An uninterpreted sort contains the values that the model names, and possibly further values. Nothing in a model
// distinguishes these further values, except that an outer variable may stand for one of them. One additional value
// therefore represents all of them. If only that value decides a quantifier, the result is unknown, because further
// values need not exist.

// Universe holds the known values of an uninterpreted sort.
type Universe struct {
	Named []value.Value // values that the model names
	Whole bool          // the sort contains no other values
}

// firstUnnamed is the lowest number of a value that represents the values without a name.
const firstUnnamed = 1 << 62

// Limits of quantifiers.
const (
	maxInstances  = 1 << 22 // maximum number of bodies computed for all assertions together
	maxQuantified = 100     // maximum number of nested quantifiers
)

var (
	unnamedDecides = &value.Unknown{Reason: "a quantifier depends on whether an uninterpreted sort has more values than " +
		"the model names"}
	unnamedEqual = &value.Unknown{Reason: "the equality of two arrays depends on whether an uninterpreted sort has more " +
		"values than the model names"}
	tooManyInstances = &value.Unknown{Reason: "quantifiers over finite sorts have too many instances"}
	quantifiedDeep   = &value.Unknown{Reason: "quantifiers are nested too deep"}
)

// groundQuantifier computes a quantifier outside calls. A nested quantifier is computed with its outer one.
func (m *Machine) groundQuantifier(n *term.Node) value.Value {
	if len(m.captured(n.A)) > 0 {
		return unknown(boundVariable)
	}
	return m.quantify(n.A, n.B == 1, nil)
}

// expansion is a quantifier in progress.
type expansion struct {
	m      *Machine
	fn     int32
	exists bool
	outer  *environment
	args   []value.Value
	used   []boundValue // values of the outer variables that the body uses
}

// boundValue is the value of a variable, with its sort.
type boundValue struct {
	sort sorts.ID
	val  value.Value
}

// quantify computes a quantifier inside env. Function f holds its variables and body.
func (m *Machine) quantify(f int32, exists bool, env *environment) value.Value {
	if m.quantified >= maxQuantified {
		return unknown(quantifiedDeep)
	}
	x := expansion{m: m, fn: f, exists: exists, outer: env, args: make([]value.Value, len(m.Funcs[f].Params))}
	for i := range x.args {
		x.args[i] = unknown(boundVariable)
	}
	for _, c := range m.captured(f) {
		v := env.lookup(c.owner, c.index)
		if v.UnknownOf() == elsewhere { // an argument that represents many values
			return unknown(boundVariable)
		}
		x.used = append(x.used, boundValue{m.Funcs[c.owner].Params[c.index], v})
	}
	m.quantified++
	v := x.from(0)
	m.quantified--
	m.expanded = append(m.expanded, f)
	if m.quantified == 0 {
		m.dropExpanded()
	}
	if v.UnknownOf() != nil {
		return anonymous(v)
	}
	return v
}

// dropExpanded frees the buffers of quantifiers, which are as large as the terms that contain them.
func (m *Machine) dropExpanded() {
	for _, f := range m.expanded {
		for _, b := range m.buffers[f] {
			m.working -= bufferBytes(len(b.vals))
		}
		delete(m.buffers, f)
	}
	m.expanded = m.expanded[:0]
}

// from enumerates the values of the variables from number i on. Variables whose values cannot be listed stay unknown.
func (x *expansion) from(i int) value.Value {
	v := x.body()
	if u := v.UnknownOf(); u == nil || u.Cause != nil || u == tooManyInstances {
		return v
	}
	var values []value.Value
	certain, listed := 0, false
	for ; i < len(x.args) && !listed; i++ {
		values, certain, listed = x.values(i)
	}
	if !listed {
		if w, decided := x.search(); decided {
			return w
		}
		return x.open(v)
	}
	i--
	var stuck value.Value
	for j, w := range values {
		x.args[i] = w
		v := x.from(i + 1)
		u := v.UnknownOf()
		switch {
		case u == nil && v.True() != x.exists:
			continue
		case u == nil && j < certain, u != nil && (u.Cause != nil || u == tooManyInstances):
			x.args[i] = unknown(boundVariable)
			return v
		case u == nil:
			v = unknown(unnamedDecides)
		}
		if w := stuck.UnknownOf(); w == nil || w.Partial {
			stuck = v
		}
	}
	x.args[i] = unknown(boundVariable)
	if stuck.P != nil {
		return stuck
	}
	return value.Bool(!x.exists)
}

// open explains why a body has no value. If a variable is the cause, it returns an Unknown that names the variable's
// sort, and otherwise v.
func (x *expansion) open(v value.Value) value.Value {
	if v.UnknownOf() != boundVariable {
		return v
	}
	for i, a := range x.args {
		if a.UnknownOf() != nil {
			return unknownf("quantifiers over %s are not evaluated", x.m.Sorts.String(x.m.Funcs[x.fn].Params[i]))
		}
	}
	return v
}

// values returns the values of variable i. In an uninterpreted sort, the values from number certain on may not exist.
func (x *expansion) values(i int) (list []value.Value, certain int, listed bool) {
	sort := x.m.Funcs[x.fn].Params[i]
	if x.m.Sorts.Kind(sort) != sorts.Uninterpreted {
		d := x.m.domain(sort)
		if d == nil {
			if x.m.Search {
				list, listed = x.guarded(i)
			}
			return list, len(list), listed
		}
		return d.Values, len(d.Values), true
	}
	u := x.m.Universes[sort]
	switch {
	case x.m.Unsorted:
		return nil, 0, false
	case u.Whole:
		return u.Named, len(u.Named), true
	}
	list = slices.Clone(u.Named)
	around := slices.Clone(x.used)
	for j, a := range x.args[:i] {
		around = append(around, boundValue{x.m.Funcs[x.fn].Params[j], a})
	}
	for _, b := range around {
		switch {
		case b.val.UnknownOf() != nil:
		case !x.m.simple(b.sort): // it may contain such values
			return nil, 0, false
		case b.sort == sort && !slices.ContainsFunc(list, func(v value.Value) bool { return v.N == b.val.N }):
			list = append(list, b.val)
		}
	}
	certain = max(len(list), 1) // no sort is empty
	other := uint64(firstUnnamed)
	for slices.ContainsFunc(list, func(v value.Value) bool { return v.N == other }) {
		other++
	}
	return append(list, value.Value{N: other}), certain, true
}

// simple reports whether no proper part of a sort's values can belong to an uninterpreted sort.
func (m *Machine) simple(sort sorts.ID) bool {
	switch m.Sorts.Kind(sort) {
	case sorts.Array, sorts.Seq, sorts.Datatype, sorts.Func:
		return false
	}
	return true
}

// body computes the body for the current values of the variables.
func (x *expansion) body() value.Value { return x.compute(x.m.Funcs[x.fn].Root) }

// compute computes a node in the body's graph.
func (x *expansion) compute(node int32) value.Value {
	m := x.m
	if m.instances++; m.instances > maxInstances {
		return unknown(tooManyInstances)
	}
	if u := m.outOfMemory(); u != nil {
		return unknown(u)
	}
	return m.computeNode(x.fn, node, slices.Clone(x.args), x.outer)
}
