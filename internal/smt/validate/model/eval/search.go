package eval

import (
	"math"
	"math/big"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// Quantifiers over sorts whose values cannot be listed are decided in easy cases. Either the body shows which values of
// a variable matter, as in (=> (and (<= 0 x) (< x 9)) ...), or one of a few values is a counterexample or a witness.
// Otherwise, trying values proves nothing.

// Limits of the search.
const (
	maxTried      = 1 << 16 // maximum number of bodies computed for chosen values, for all assertions together
	maxTriedOnce  = 256     // maximum per quantifier
	maxCandidates = 64      // maximum number of values per sort
)

// guarded returns the values of variable i that matter. For all others, an equation or an integer's bounds make the
// body true (forall) or false (exists). The other sides of these comparisons must have values.
func (x *expansion) guarded(i int) ([]value.Value, bool) {
	fn := x.m.Funcs[x.fn]
	g := fn.Body
	var low, high *big.Int
	var equal []value.Value
	found := false
	literal := func(op term.Op, a, b int32) {
		if found || !x.is(b, i) {
			return
		}
		v := x.compute(a)
		if v.UnknownOf() != nil || v.Loose() {
			return
		}
		if op == term.Eq {
			equal, found = []value.Value{v}, true
			return
		}
		if g.Nodes[a].Sort != sorts.IntID || g.Nodes[b].Sort != sorts.IntID {
			return
		}
		n := new(big.Int).Set(v.BigInt())
		switch op {
		case term.Lt:
			n.Add(n, big.NewInt(1))
		case term.Gt:
			n.Sub(n, big.NewInt(1))
		}
		if lower := op == term.Le || op == term.Lt; lower && (low == nil || n.Cmp(low) > 0) {
			low = n
		} else if !lower && (high == nil || n.Cmp(high) < 0) {
			high = n
		}
	}
	x.literals(func(op term.Op, a, b int32) {
		literal(op, a, b)
		literal(mirrored[op], b, a)
	})
	if found || low == nil || high == nil {
		return equal, found
	}
	count := new(big.Int).Sub(high, low)
	if count.Cmp(big.NewInt(maxDomain)) >= 0 {
		return nil, false
	}
	var list []value.Value
	for n := low; n.Cmp(high) <= 0; n = new(big.Int).Add(n, big.NewInt(1)) {
		list = append(list, value.Int(n))
	}
	return list, true
}

var (
	mirrored = map[term.Op]term.Op{
		term.Eq: term.Eq, term.Le: term.Ge, term.Ge: term.Le, term.Lt: term.Gt, term.Gt: term.Lt,
	}
	negated = map[term.Op]term.Op{term.Le: term.Gt, term.Gt: term.Le, term.Lt: term.Ge, term.Ge: term.Lt}
)

// literals visits the comparisons a op b that hold wherever the body decides the quantifier: where it is true for
// exists, and where it is false for forall.
func (x *expansion) literals(visit func(op term.Op, a, b int32)) {
	type wanted struct {
		node int32
		yes  bool
	}
	fn := x.m.Funcs[x.fn]
	g := fn.Body
	work := []wanted{{fn.Root, x.exists}}
	seen := map[wanted]bool{}
	for len(work) > 0 {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[w] {
			continue
		}
		seen[w] = true
		n := &g.Nodes[w.node]
		kids := g.Kids(n)
		switch {
		case n.Op == term.Alias:
			work = append(work, wanted{n.A, w.yes})
		case n.Op == term.Not:
			work = append(work, wanted{kids[0], !w.yes})
		case n.Op == term.And && w.yes, n.Op == term.Or && !w.yes, n.Op == term.Implies && !w.yes:
			for j, k := range kids {
				work = append(work, wanted{k, w.yes || n.Op == term.Implies && j < len(kids)-1})
			}
		case mirrored[n.Op] != 0 && w.yes:
			for j := 1; j < len(kids); j++ {
				visit(n.Op, kids[j-1], kids[j])
			}
		case negated[n.Op] != 0 && len(kids) == 2:
			visit(negated[n.Op], kids[0], kids[1])
		}
	}
}

// is reports whether a node is variable i.
func (x *expansion) is(node int32, i int) bool {
	fn := x.m.Funcs[x.fn]
	n := &fn.Body.Nodes[node]
	for n.Op == term.Alias {
		n = &fn.Body.Nodes[n.A]
	}
	return n.Op == term.Param && n.B == fn.Owner && int(n.A) == i
}

// search tries values for the variables without values. decided means that one of them decides the quantifier.
func (x *expansion) search() (v value.Value, decided bool) {
	n := 0
	for _, a := range x.args {
		if a.UnknownOf() != nil {
			n++
		}
	}
	if n == 0 || !x.m.Search || x.m.tried > maxTried {
		return value.Value{}, false
	}
	return x.try(0, int(math.Pow(maxTriedOnce, 1/float64(n))))
}

// try computes the body for at most the given number of values of each variable without a value, from number i on.
func (x *expansion) try(i, most int) (v value.Value, decided bool) {
	for i < len(x.args) && x.args[i].UnknownOf() == nil {
		i++
	}
	if i == len(x.args) {
		if x.m.tried++; x.m.tried > maxTried {
			return value.Value{}, false
		}
		v = x.body()
		return v, v.UnknownOf() == nil && v.True() == x.exists || x.m.limit != nil
	}
	before := x.args[i]
	defer func() { x.args[i] = before }()
	list := x.candidates(x.m.Funcs[x.fn].Params[i])
	for _, w := range list[:min(most, len(list))] {
		x.args[i] = w
		if v, decided = x.try(i+1, most); decided {
			return v, true
		}
	}
	return value.Value{}, false
}

// worthKey identifies a quantifier and the sort of a variable.
type worthKey struct {
	fn   int32
	sort sorts.ID
}

// candidates returns values of a sort that are worth trying: a zero-like one, those that the assertion and the model
// name, and the neighbours of numbers. It returns none for uninterpreted sorts.
func (x *expansion) candidates(sort sorts.ID) []value.Value {
	m := x.m
	key := worthKey{x.fn, sort}
	if list, ok := m.worth[key]; ok {
		return list
	}
	var list []value.Value
	seen := map[string]bool{}
	add := func(v value.Value) {
		if k := string(v.AppendKey(nil)); !seen[k] && len(list) < maxCandidates {
			seen[k] = true
			list = append(list, v)
		}
	}
	near := func(v value.Value) {
		if v.P == Pending || v.UnknownOf() != nil {
			return
		}
		add(v)
		if (sort == sorts.IntID || sort == sorts.RealID) && rational(v) {
			add(combine(term.Add, v, value.Int64(1)))
			add(combine(term.Sub, v, value.Int64(1)))
		}
	}
	seenGraphs := map[*term.Graph]bool{}
	constants := func(g *term.Graph) {
		if g == nil || seenGraphs[g] {
			return
		}
		seenGraphs[g] = true
		for i := range g.Nodes {
			if n := &g.Nodes[i]; n.Op == term.Const && n.Sort == sort && len(list) < maxCandidates {
				near(g.Consts[n.A])
			}
		}
	}
	if zero, ok := m.zero(sort, 0); ok {
		near(zero)
		constants(m.Funcs[x.fn].Body)
		for f, fn := range m.Funcs {
			if fn == nil { // function number 0 is unused
				continue
			}
			if len(fn.Params) == 0 && fn.Result == sort && !fn.Gone && f < len(m.Consts) {
				near(m.Consts[f])
			}
			constants(fn.Body)
		}
	}
	m.worth[key] = list
	return list
}
