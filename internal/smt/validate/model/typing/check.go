package typing

import (
	"math/big"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/algebraic"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/decimal"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/str"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// Step checks the next term of a command, number g.First + len(g.Nodes), and adds its node to g. Calling it for each
// term in order lets the caller compute each node immediately and stop early.
func (c *Checker) Step(g *term.Graph) {
	c.graph = g
	id := smtlib.TermID(int(g.First) + len(g.Nodes))
	t := c.script.Term(id)
	kids := c.script.Kids(t)
	first := len(g.Operands)
	bad := int32(-1)
	c.args = c.args[:0]
	for _, k := range kids {
		n := &g.Nodes[int32(k)-g.First]
		if n.Op == term.Bad && bad < 0 {
			bad = n.A
		}
		g.Operands = append(g.Operands, int32(k)-g.First)
		c.args = append(c.args, n.Sort)
	}
	node, err := c.node(id, t, bad >= 0)
	switch {
	case err != nil:
		node = c.fail(err)
	case bad >= 0 && node.Op != term.Const:
		node = term.Node{Op: term.Bad, A: bad}
	}
	node.First, node.Len = int32(first), int32(len(kids))
	if node.Op == term.Const { // the apparent operands are part of the syntax, such as the polynomial of a root-obj
		node.Len = 0
	}
	g.Nodes = append(g.Nodes, node)
}

// Start empties g for a command's terms and declares the variables that the terms bind.
func (c *Checker) Start(g *term.Graph, terms smtlib.Span) {
	g.Reset()
	g.Nodes = slices.Grow(g.Nodes, int(terms.Len))
	g.Operands = slices.Grow(g.Operands, int(terms.Len))
	g.First, g.Model = terms.First, c.model
	for id := terms.First; id < terms.End(); id++ {
		t := c.script.Term(smtlib.TermID(id))
		switch t.Kind {
		case smtlib.TermForall, smtlib.TermExists, smtlib.TermLambda:
			c.bindQuantified(t)
		case smtlib.TermMatch:
			for i, k := range c.script.Cases(t) {
				for v := k.Vars.First; v < k.Vars.End(); v++ {
					c.bound[v] = bound{match: smtlib.TermID(id), caseNo: int32(i), index: v - k.Vars.First}
				}
			}
		}
	}
}

// bindQuantified creates a function for a lambda or quantifier.
func (c *Checker) bindQuantified(t *smtlib.Term) {
	vars := t.Bindings()
	fn := &term.Func{Name: "lambda", Pos: t.Pos, Model: c.model}
	c.Extra(fn)
	for i := range vars.Len {
		b := c.script.Binding(smtlib.BindingID(vars.First + i))
		sort, err := c.Sort(b.Sort, b.Pos)
		if err != nil {
			sort = 0 // reported where the variable is used
		}
		fn.Params = append(fn.Params, sort)
		c.bound[vars.First+i] = bound{sort: sort, owner: fn.Owner, index: i}
	}
}

// Body checks all terms of a command and returns the node of root, and its error.
func (c *Checker) Body(g *term.Graph, terms smtlib.Span, root smtlib.TermID) (int32, error) {
	c.Terms(g, terms)
	n := int32(root) - g.First
	return n, c.RootError(g, n)
}

// Terms checks all terms of a command.
func (c *Checker) Terms(g *term.Graph, terms smtlib.Span) {
	c.Start(g, terms)
	for range terms.Len {
		c.Step(g)
	}
}

// RootError returns the error of a node, or nil if it is well-sorted.
func (c *Checker) RootError(g *term.Graph, n int32) error {
	if node := g.Nodes[n]; node.Op == term.Bad {
		e := g.Errors[node.A]
		return &Error{Pos: e.Pos, Text: e.Text}
	}
	return nil
}

// Positions records the offsets of a graph's nodes. It is needed only for graphs that are kept.
func (c *Checker) Positions(g *term.Graph) {
	g.Pos = make([]uint32, len(g.Nodes))
	for i := range g.Nodes {
		g.Pos[i] = c.script.Term(smtlib.TermID(g.First + int32(i))).Pos
	}
}

func (c *Checker) fail(err error) term.Node {
	e, ok := err.(*Error)
	if !ok {
		e = &Error{Text: err.Error()}
	}
	c.graph.Errors = append(c.graph.Errors, term.Error{Pos: e.Pos, Text: e.Text})
	return term.Node{Op: term.Bad, A: int32(len(c.graph.Errors) - 1)}
}

func (c *Checker) constant(sort sorts.ID, v value.Value) (term.Node, error) {
	c.graph.Consts = append(c.graph.Consts, v)
	return term.Node{Op: term.Const, Sort: sort, A: int32(len(c.graph.Consts) - 1)}, nil
}

// node returns the node of a term. bad means that an operand is ill-typed, which is allowed only in terms with a
// special syntax.
func (c *Checker) node(id smtlib.TermID, t *smtlib.Term, bad bool) (term.Node, error) {
	switch t.Kind {
	case smtlib.TermNumeral, smtlib.TermDecimal, smtlib.TermHex, smtlib.TermBinary, smtlib.TermString:
		return c.literal(t)
	case smtlib.TermIdent:
		return c.application(id, t)
	case smtlib.TermApply:
		if bad && !algebraic.IsName(c.script.Name(t.Sym)) {
			return term.Node{}, nil
		}
		return c.application(id, t)
	}
	if bad {
		return term.Node{}, nil
	}
	switch t.Kind {
	case smtlib.TermVar:
		return c.variable(t)
	case smtlib.TermLet, smtlib.TermAnnotated:
		body := int32(c.script.Body(t)) - c.graph.First
		return term.Node{Op: term.Alias, Sort: c.graph.Nodes[body].Sort, A: body}, nil
	case smtlib.TermForall, smtlib.TermExists:
		return c.quantifier(t)
	case smtlib.TermLambda:
		return c.lambda(t)
	case smtlib.TermMatch:
		return c.match(t)
	}
	return term.Node{}, errorf(t.Pos, "this form of term is not supported")
}

func (c *Checker) literal(t *smtlib.Term) (term.Node, error) {
	lit, ok := c.literals[t.Sym]
	if !ok {
		lit = c.readLiteral(t)
		c.literals[t.Sym] = lit
	}
	return c.constant(lit.sort, lit.val)
}

// tooLong is the value of numbers with too many digits to parse.
var tooLong = value.Value{P: &value.Unknown{Reason: "a number of so many digits is not read"}}

func (c *Checker) readLiteral(t *smtlib.Term) literal {
	text := c.script.Name(t.Sym)
	switch t.Kind {
	case smtlib.TermNumeral:
		if n, ok := decimal.Int(text); ok {
			return literal{sorts.IntID, value.Int(n)}
		}
		return literal{sorts.IntID, tooLong}
	case smtlib.TermDecimal:
		if r, ok := decimal.Rat(text); ok {
			return literal{sorts.RealID, value.Rat(r)}
		}
		return literal{sorts.RealID, tooLong}
	case smtlib.TermHex:
		n, _ := new(big.Int).SetString(text[2:], 16)
		return literal{c.Sorts.BitVec(4 * (len(text) - 2)), value.Bits(4*(len(text)-2), n)}
	case smtlib.TermBinary:
		n, _ := new(big.Int).SetString(text[2:], 2)
		return literal{c.Sorts.BitVec(len(text) - 2), value.Bits(len(text)-2, n)}
	}
	return literal{sorts.StringID, value.Value{P: value.Text(str.Decode(c.script.StringValue(t.Sym)))}}
}

func (c *Checker) variable(t *smtlib.Term) (term.Node, error) {
	b := c.script.Binding(t.Ref())
	if b.Value != 0 {
		n := int32(b.Value) - c.graph.First
		if c.graph.Nodes[n].Op == term.Bad {
			return term.Node{Op: term.Bad, A: c.graph.Nodes[n].A}, nil
		}
		return term.Node{Op: term.Alias, Sort: c.graph.Nodes[n].Sort, A: n}, nil
	}
	v := c.bound[t.Ref()]
	if v.match != 0 {
		return c.caseVariable(t, v)
	}
	if v.sort == 0 {
		return term.Node{}, errorf(t.Pos, "the sort of the variable %s is unknown", c.script.Name(b.Sym))
	}
	return term.Node{Op: term.Param, Sort: v.sort, A: v.index, B: v.owner}, nil
}

// caseVariable returns the sort of a variable in a match case. The scrutinee must have been checked.
func (c *Checker) caseVariable(t *smtlib.Term, v bound) (term.Node, error) {
	m := c.script.Term(v.match)
	k := c.script.Cases(m)[v.caseNo]
	scrutinee := int32(c.script.Kids(m)[0]) - c.graph.First
	sort := c.graph.Nodes[scrutinee].Sort
	if c.graph.Nodes[scrutinee].Op == term.Bad {
		return term.Node{Op: term.Bad, A: c.graph.Nodes[scrutinee].A}, nil
	}
	if k.Constructor == 0 {
		return term.Node{Op: term.CaseVar, Sort: sort, A: scrutinee, B: -1}, nil
	}
	number, con, err := c.caseConstructor(&k, sort)
	if err != nil {
		return term.Node{}, err
	}
	if int(v.index) >= len(con.Fields) {
		return term.Node{}, errorf(k.Pos, "constructor %s has %d arguments, not %d", con.Name, len(con.Fields),
			k.Vars.Len)
	}
	c.graph.Fields = append(c.graph.Fields, term.Field{Constructor: int32(number), Index: v.index})
	return term.Node{Op: term.CaseVar, Sort: con.Fields[v.index].Sort, A: scrutinee,
		B: int32(len(c.graph.Fields) - 1)}, nil
}

// caseConstructor returns the constructor of a match case, or -1 for a case that matches everything.
func (c *Checker) caseConstructor(k *smtlib.Case, sort sorts.ID) (int, sorts.Constructor, error) {
	sym := k.Constructor
	if sym == 0 { // a single symbol may be a constructor that the current text does not declare
		sym = c.script.Binding(smtlib.BindingID(k.Vars.First)).Sym
		if c.lookup(sym).kind != nameConstructor {
			return -1, sorts.Constructor{}, nil
		}
	}
	name := c.script.Name(sym)
	for i, con := range c.Sorts.Constructors(sort) {
		if con.Name == name {
			return i, con, nil
		}
	}
	return 0, sorts.Constructor{}, errorf(k.Pos, "%s is not a constructor of %s", name, c.Sorts.String(sort))
}

func (c *Checker) match(t *smtlib.Term) (term.Node, error) {
	if c.Sorts.Kind(c.args[0]) != sorts.Datatype {
		return term.Node{}, errorf(t.Pos, "match takes apart a value of sort %s, which is not a datatype",
			c.Sorts.String(c.args[0]))
	}
	var cases []int
	covered := map[int]bool{}
	for _, k := range c.script.Cases(t) {
		con, decl, err := c.caseConstructor(&k, c.args[0])
		if err != nil {
			return term.Node{}, err
		}
		if con >= 0 && k.Constructor != 0 && int(k.Vars.Len) != len(decl.Fields) {
			return term.Node{}, errorf(k.Pos, "constructor %s has %d arguments, not %d", decl.Name, len(decl.Fields),
				k.Vars.Len)
		}
		covered[con] = true
		cases = append(cases, con)
	}
	if all := c.Sorts.Constructors(c.args[0]); !covered[-1] && len(covered) < len(all) {
		return term.Node{}, errorf(t.Pos, "match does not cover all constructors of %s", c.Sorts.String(c.args[0]))
	}
	sort, err := c.join(t.Pos, "match", c.args[1:]...)
	if err != nil {
		return term.Node{}, err
	}
	c.Cases = append(c.Cases, cases)
	return term.Node{Op: term.Match, Sort: sort, A: int32(len(c.Cases) - 1)}, nil
}

// boundSorts returns an error for the first variable whose sort does not exist.
func (c *Checker) boundSorts(t *smtlib.Term) error {
	vars := t.Bindings()
	for i := range vars.Len {
		b := c.script.Binding(smtlib.BindingID(vars.First + i))
		if _, err := c.Sort(b.Sort, b.Pos); err != nil {
			return err
		}
	}
	return nil
}

// quantifier returns the node of a quantifier. The node's function holds the variables and the body.
func (c *Checker) quantifier(t *smtlib.Term) (term.Node, error) {
	if err := c.boundSorts(t); err != nil {
		return term.Node{}, err
	}
	if c.args[0] != sorts.BoolID {
		return term.Node{}, errorf(t.Pos, "the body of a quantifier has sort %s, not Bool", c.Sorts.String(c.args[0]))
	}
	owner := c.bound[t.Bindings().First].owner
	fn := c.Funcs[owner]
	fn.Body, fn.Root, fn.Result = c.graph, c.graph.Operands[len(c.graph.Operands)-1], sorts.BoolID
	node := term.Node{Op: term.Quantifier, Sort: sorts.BoolID, A: owner}
	if t.Kind == smtlib.TermExists {
		node.B = 1
	}
	return node, nil
}

// lambda returns the node of a lambda, which is an array. With several variables, it is an array of arrays, and the
// first variable is the outer index.
func (c *Checker) lambda(t *smtlib.Term) (term.Node, error) {
	vars := t.Bindings()
	owner := c.bound[vars.First].owner
	fn := c.Funcs[owner]
	if err := c.boundSorts(t); err != nil {
		return term.Node{}, err
	}
	fn.Body, fn.Root = c.graph, c.graph.Operands[len(c.graph.Operands)-1]
	fn.Result = c.args[0]
	sort := fn.Result
	for i := vars.Len - 1; i >= 0; i-- {
		sort = c.Sorts.Array(fn.Params[i], sort)
	}
	return term.Node{Op: term.Lambda, Sort: sort, A: owner}, nil
}

// join returns the common sort of one or more terms, joined from left to right.
func (c *Checker) join(pos uint32, what string, ids ...sorts.ID) (sorts.ID, error) {
	sort := ids[0]
	for _, id := range ids[1:] {
		var err error
		if sort, err = c.joinTwo(pos, what, sort, id); err != nil {
			return 0, err
		}
	}
	return sort, nil
}

func (c *Checker) joinTwo(pos uint32, what string, a, b sorts.ID) (sorts.ID, error) {
	switch {
	case a == b:
		return a, nil
	case c.Sorts.Open(a) || c.Sorts.Open(b):
		if s, ok := c.Sorts.Unify(a, b); ok {
			return s, nil
		}
	case c.Fits(sorts.RealID, a) && c.Fits(sorts.RealID, b):
		return sorts.RealID, nil
	case c.Fits(a, b):
		return a, nil
	case c.Fits(b, a):
		return b, nil
	}
	return 0, errorf(pos, "%s joins sorts %s and %s", what, c.Sorts.String(a), c.Sorts.String(b))
}

// sortsText returns a list of sorts for an error message.
func (c *Checker) sortsText(ids []sorts.ID) string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = c.Sorts.String(id)
	}
	return strings.Join(parts, " ")
}
