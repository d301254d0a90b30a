package typing

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// Close determines the sorts that terms below root leave open, such as that of a bare nil, given the sort of root.
// Other terms keep their sorts. Parents follow their operands, so one pass from the end visits each term after all of
// its parents have recorded their requirements.
func (c *Checker) Close(g *term.Graph, root int32, sort sorts.ID) error {
	if !c.open {
		return nil
	}
	w := wanted{c: c, g: g, sort: make([]sorts.ID, root+1), reached: make([]bool, root+1)}
	w.give(root, sort)
	for i := root; i >= 0; i-- {
		n := &g.Nodes[i]
		if !w.reached[i] {
			continue
		}
		if c.Sorts.Open(n.Sort) {
			s, ok := c.Sorts.Unify(n.Sort, w.sort[i])
			if !ok || c.Sorts.Open(s) {
				return ambiguous(g.Pos[i], "this term")
			}
			n.Sort = s
		}
		w.operands(n)
	}
	return nil
}

// wanted holds the sorts that parents require of their operands, or OpenID if no parent requires one.
type wanted struct {
	c       *Checker
	g       *term.Graph
	sort    []sorts.ID
	reached []bool
}

// give records a parent's requirement. Conflicting requirements cancel out, because a term that imposes one is
// ill-sorted.
func (w *wanted) give(node int32, sort sorts.ID) {
	if !w.reached[node] {
		w.reached[node], w.sort[node] = true, sort
		return
	}
	s, ok := w.c.Sorts.Unify(w.sort[node], sort)
	if !ok {
		s = 0
	}
	w.sort[node] = s
}

// operands records the sorts that a term requires of its operands. The term's own sort must be known.
func (w *wanted) operands(n *term.Node) {
	kids := w.g.Kids(n)
	if n.Op == term.Alias || n.Op == term.CaseVar {
		sort := sorts.OpenID
		if n.Op == term.Alias {
			sort = n.Sort
		}
		w.give(n.A, sort)
		if n.Op == term.Alias {
			return
		}
	}
	for i, k := range kids {
		w.give(k, w.operand(n, kids, i))
	}
}

func (w *wanted) operand(n *term.Node, kids []int32, i int) sorts.ID {
	table := w.c.Sorts
	switch n.Op {
	case term.Construct:
		return table.Constructors(n.Sort)[n.A].Fields[i].Sort
	case term.Call:
		return w.c.Funcs[n.A].Params[i]
	case term.Ite, term.Match:
		if i > 0 {
			return n.Sort
		}
	case term.ConstArray:
		return table.At(n.Sort).Args[1]
	case term.SeqUnit:
		return table.At(n.Sort).Args[0]
	case term.SeqText:
		if w.c.Sorts.Kind(n.Sort) == sorts.Seq && table.Kind(w.g.Nodes[kids[i]].Sort) == sorts.Seq {
			return n.Sort
		}
	case term.Store:
		return append([]sorts.ID{n.Sort}, table.At(n.Sort).Args...)[i]
	case term.Eq, term.Distinct:
		sort := sorts.OpenID
		for _, k := range kids {
			if s, ok := table.Unify(sort, w.g.Nodes[k].Sort); ok {
				sort = s
			}
		}
		return sort
	}
	return sorts.OpenID
}

// abstractArray returns the function that represents an abstract array. It has no value anywhere.
func (c *Checker) abstractArray(name string, sort sorts.ID) int32 {
	key := fmt.Sprint(sort, name)
	if f, ok := c.arrays[key]; ok {
		return f
	}
	parts := c.Sorts.At(sort).Args
	g := &term.Graph{Model: true}
	g.Consts = []value.Value{{P: &value.Unknown{Partial: true, Reason: "the abstract array " + name +
		" has no value where nothing is stored"}}}
	g.Nodes = []term.Node{{Op: term.Const, Sort: parts[1]}}
	f := int32(c.Extra(&term.Func{Name: name, Params: parts[:1], Result: parts[1], Model: true, Body: g,
		Abstract: true}))
	if c.arrays == nil {
		c.arrays = map[string]int32{}
	}
	c.arrays[key] = f
	return f
}
