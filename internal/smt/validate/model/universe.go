package model

import (
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/eval"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// named is an abstract value of a sort.
type named struct {
	sort   sorts.ID
	number uint64
}

// universes returns the known values of uninterpreted sorts, and sets the bounded sorts' sizes in the sort table.
func (v *validation) universes() map[sorts.ID]eval.Universe {
	all := map[sorts.ID]eval.Universe{}
	sizes := map[sorts.ID]uint64{}
	for sort, values := range v.universe {
		all[sort] = eval.Universe{Named: values, Whole: v.bounds[sort]}
		if v.bounds[sort] {
			sizes[sort] = uint64(len(values))
		}
	}
	v.check.Sorts.Bound(sizes)
	return all
}

// readBounds reads z3's formulas (forall ((x U)) (or (= x v) ...)), which list all values v of a sort.
func (v *validation) readBounds() {
	for _, id := range v.definitions.Bounds {
		sort, ok := v.bound(id)
		if !ok {
			v.warn(v.definitions.SExpr(id).Pos, "a formula in a model is ignored that does not list the values of a sort")
			continue
		}
		v.bounds[sort] = true
	}
}

// bound returns the sort whose values a formula lists. ok is false if the formula has a different form or omits a
// value.
func (v *validation) bound(id smtlib.SExprID) (sort sorts.ID, ok bool) {
	m := v.definitions
	parts := v.list(id, 3)
	if parts == nil || v.list(parts[1], 1) == nil {
		return 0, false
	}
	variable := v.list(v.list(parts[1], 1)[0], 2)
	if variable == nil {
		return 0, false
	}
	x := m.SExpr(variable[0]).Sym
	equations := []smtlib.SExprID{parts[2]}
	if body := m.SExprs(parts[2]); len(body) > 1 && m.Name(m.SExpr(body[0]).Sym) == "or" {
		equations = body[1:]
	}
	listed := map[value.Value]bool{}
	for _, e := range equations {
		eq := v.list(e, 3)
		if eq == nil || m.Name(m.SExpr(eq[0]).Sym) != "=" || m.SExpr(eq[1]).Sym != x {
			return 0, false
		}
		sym := m.SExpr(eq[2]).Sym
		s, known := v.check.AbstractSort(sym)
		if !known || (sort != 0 && s != sort) {
			return 0, false
		}
		sort = s
		listed[v.abstract(m.Name(sym), s)] = true
	}
	return sort, len(listed) == len(v.universe[sort])
}

// list returns the elements of a list of length n, or nil if id is not such a list.
func (v *validation) list(id smtlib.SExprID, n int) []smtlib.SExprID {
	if kids := v.definitions.SExprs(id); len(kids) == n {
		return kids
	}
	return nil
}
