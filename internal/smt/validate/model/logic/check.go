package logic

import (
	"fmt"
	"maps"
	"math/big"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
)

// Finding is a term or declaration outside a logic. Pos is an offset in the script.
type Finding struct {
	Pos  uint32
	Text string
	More int // number of further findings with the same text
}

// Checker collects findings, one per text, at its first position. It is not safe for concurrent use.
type Checker struct {
	Logic *Logic
	Sorts *sorts.Table

	found  []Finding
	byText map[string]int
	sorts  map[sorts.ID]string // problem with each sort, or empty
	forms  []form              // forms of the terms in the current graph
}

// NewChecker returns a Checker.
func NewChecker(l *Logic, table *sorts.Table) *Checker {
	return &Checker{Logic: l, Sorts: table, byText: map[string]int{}, sorts: map[sorts.ID]string{}}
}

// Findings returns the findings in order of discovery.
func (c *Checker) Findings() []Finding { return c.found }

func (c *Checker) add(pos uint32, format string, args ...any) {
	text := fmt.Sprintf("%s: %s", c.Logic.Name, fmt.Sprintf(format, args...))
	if i, ok := c.byText[text]; ok {
		c.found[i].More++
		return
	}
	c.byText[text] = len(c.found)
	c.found = append(c.found, Finding{Pos: pos, Text: text})
}

// DeclareSort checks that the logic allows free sorts.
func (c *Checker) DeclareSort(name string, pos uint32) {
	if !c.Logic.FreeSorts && !c.Logic.All {
		c.add(pos, "the logic has no free sorts, as %s is", name)
	}
}

// DeclareDatatype checks that the logic includes datatypes.
func (c *Checker) DeclareDatatype(name string, pos uint32) {
	if !c.Logic.DT && !c.Logic.All {
		c.add(pos, "the logic has no datatypes, as %s is", name)
	}
}

// Declare checks a function that is declared without a definition.
func (c *Checker) Declare(fn *term.Func) {
	if c.Logic.All {
		return
	}
	if len(fn.Params) > 0 && !c.Logic.UF {
		c.add(fn.Pos, "the logic has no uninterpreted functions, as %s is", fn.Name)
	}
	for _, s := range append(fn.Params[:len(fn.Params):len(fn.Params)], fn.Result) {
		c.sort(s, fn.Pos)
	}
}

// sort reports a sort outside the logic.
func (c *Checker) sort(id sorts.ID, pos uint32) {
	problem, known := c.sorts[id]
	if !known {
		problem = c.problem(id)
		c.sorts[id] = problem
	}
	if problem != "" {
		c.add(pos, "%s", problem)
	}
}

// problem returns the reason why a sort is outside the logic, or "".
func (c *Checker) problem(id sorts.ID) string {
	l, s := c.Logic, c.Sorts.At(id)
	has := true
	switch s.Kind {
	case sorts.Int:
		has = l.Ints || l.Texts
	case sorts.Real:
		has = l.Reals || l.FP
	case sorts.String, sorts.RegLan, sorts.Seq:
		has = l.Texts
	case sorts.RoundingMode, sorts.Float:
		has = l.FP
	case sorts.BitVec:
		has = l.BV || l.FP
	case sorts.Datatype:
		has = l.DT
	case sorts.Array:
		if l.Arrays != NoArrays {
			return c.arrayProblem(id, s)
		}
		has = false
	}
	if has {
		return ""
	}
	return fmt.Sprintf("the logic does not have the sort %s", c.Sorts.String(id))
}

// arrayProblem returns the reason why an array sort is outside the logic, or "".
func (c *Checker) arrayProblem(id sorts.ID, s *sorts.Sort) string {
	index, elem := c.Sorts.Kind(s.Args[0]), c.Sorts.Kind(s.Args[1])
	switch c.Logic.Arrays {
	case BitVecArrays:
		if index != sorts.BitVec || elem != sorts.BitVec {
			return fmt.Sprintf("the arrays of the logic have bit-vectors as indices and elements, not %s",
				c.Sorts.String(id))
		}
	case IntArrays:
		if index != sorts.Int || elem != sorts.Int {
			return fmt.Sprintf("the arrays of the logic are (Array Int Int), not %s", c.Sorts.String(id))
		}
	case IntsRealArrays:
		inner := elem == sorts.Array && c.arrayProblem(s.Args[1], c.Sorts.At(s.Args[1])) == "" &&
			c.Sorts.Kind(c.Sorts.At(s.Args[1]).Args[1]) == sorts.Real
		if index != sorts.Int || (elem != sorts.Real && !inner) {
			return fmt.Sprintf("the arrays of the logic are (Array Int Real) and (Array Int (Array Int Real)), not %s",
				c.Sorts.String(id))
		}
	}
	return ""
}

// form holds the properties of a term that matter for restrictions on arithmetic.
type form struct {
	closed bool          // the term contains no variables, free symbols or parameters
	sum    map[int32]int // coefficients of a sum of variables and a constant, by node; nil for other terms
	num    *big.Rat      // value of a number, otherwise nil
}

// Terms checks the nodes of a graph. pos returns the offset of a node.
func (c *Checker) Terms(g *term.Graph, pos func(node int) uint32) {
	if c.Logic.All && c.Logic.Quantifiers {
		return
	}
	c.forms = append(c.forms[:0], make([]form, len(g.Nodes))...)
	for i := range g.Nodes {
		n := &g.Nodes[i]
		c.forms[i] = c.formOf(g, i)
		if n.Op == term.Quantifier && !c.Logic.Quantifiers {
			c.add(pos(i), "the logic has no quantifiers")
		}
		if c.Logic.All || n.Op == term.Bad || n.Op == term.Alias {
			continue
		}
		if !c.number(i, n) {
			c.sort(n.Sort, pos(i))
		}
		c.operator(g, i, pos)
	}
}

// number reports whether a node is a term over numerals. Numerals have the sort Real if the logic has no Int, and
// literals may occur wherever one of the logic's functions requires them, such as the Real in to_fp.
func (c *Checker) number(i int, n *term.Node) bool {
	if n.Sort != sorts.IntID && n.Sort != sorts.RealID {
		return false
	}
	if c.Logic.Reals && (n.Op == term.Ite || n.Op >= term.Neg && n.Op <= term.Mul) {
		return true // its operands are checked separately
	}
	return n.Op == term.Const || (c.forms[i].closed && c.Logic.Reals)
}

// operator checks a node's operator.
func (c *Checker) operator(g *term.Graph, i int, pos func(int) uint32) {
	n, l := &g.Nodes[i], c.Logic
	kids := g.Kids(n)
	open := c.open(kids)
	switch n.Op {
	case term.Mul:
		if open > 1 && l.Arithmetic < Nonlinear && l.Arithmetic != NoArithmetic {
			c.add(pos(i), "a product of two terms with variables is not linear")
		}
	case term.RealDiv, term.IntDiv, term.Mod, term.Rem:
		if len(kids) > 1 && l.Arithmetic < Nonlinear && l.Arithmetic != NoArithmetic && c.open(kids[1:]) > 0 {
			c.add(pos(i), "a division by a term with variables is not linear")
		}
	case term.Pow, term.Pow2, term.Log2, term.IntAnd:
		if open > 0 && l.Arithmetic < Exponential {
			c.add(pos(i), "the function is not one of the standard's theories")
		}
	case term.Lambda:
		c.add(pos(i), "the logic has no lambda")
	}
	if n.Op >= term.Neg && n.Op <= term.Log2 && l.Arithmetic == NoArithmetic && open > 0 && !l.Texts {
		c.add(pos(i), "the logic has no arithmetic")
	}
	if l.Arithmetic == Difference {
		c.difference(g, i, pos)
	}
}

// open returns the number of terms with variables.
func (c *Checker) open(kids []int32) (n int) {
	for _, k := range kids {
		if !c.forms[k].closed {
			n++
		}
	}
	return n
}

// difference checks an atom of IDL or RDL. It must compare two variables, or their difference (in RDL, of n times each)
// with a number.
func (c *Checker) difference(g *term.Graph, i int, pos func(int) uint32) {
	n := &g.Nodes[i]
	switch n.Op {
	case term.Le, term.Lt, term.Ge, term.Gt, term.Eq, term.Distinct:
	default:
		return
	}
	kids := g.Kids(n)
	if s := g.Nodes[kids[0]].Sort; s != sorts.IntID && s != sorts.RealID {
		return
	}
	for k := 1; k < len(kids); k++ {
		sum := combine(c.forms[kids[0]].sum, c.forms[kids[k]].sum, -1)
		if sum == nil || !isDifference(sum, c.Logic.Reals) {
			c.add(pos(i), "an atom of the logic compares the difference of two variables with a number")
			return
		}
	}
}

// isDifference reports whether a sum has at most two variables, with coefficients c and -c. Unless scaled is set, c
// must be 1.
func isDifference(sum map[int32]int, scaled bool) bool {
	total := 0
	for _, c := range sum {
		total += c
		if !scaled && c != 1 && c != -1 {
			return false
		}
	}
	return len(sum) == 0 || (len(sum) == 2 && total == 0)
}

// formOf derives a node's form from those of its operands.
func (c *Checker) formOf(g *term.Graph, i int) form {
	n := &g.Nodes[i]
	kids := g.Kids(n)
	switch n.Op {
	case term.Const:
		return constantForm(g, n)
	case term.Alias:
		return c.forms[n.A]
	case term.Param, term.CaseVar, term.Bad, term.Lambda, term.Quantifier:
		return variable(i)
	case term.Call:
		if len(kids) == 0 {
			return variable(-1 - int(n.A)) // every occurrence of a constant is the same variable
		}
		return variable(i)
	}
	f := form{closed: c.open(kids) == 0}
	if c.Logic.Arithmetic != Difference {
		return f
	}
	return c.sumOf(g, i, f)
}

func constantForm(g *term.Graph, n *term.Node) form {
	f := form{closed: true, sum: map[int32]int{}}
	if v := g.Consts[n.A]; n.Sort == sorts.IntID || n.Sort == sorts.RealID {
		switch v.P.(type) {
		case nil, *big.Int, *big.Rat:
			f.num = v.BigRat()
		}
	}
	return f
}

func variable(id int) form { return form{sum: map[int32]int{int32(id): 1}} }

// sumOf returns the form f with the sum of variables that a term represents in a difference logic.
func (c *Checker) sumOf(g *term.Graph, i int, f form) form {
	n := &g.Nodes[i]
	kids := g.Kids(n)
	switch n.Op {
	case term.Neg:
		f.sum = combine(map[int32]int{}, c.forms[kids[0]].sum, -1)
	case term.Add, term.Sub:
		sign := 1
		if n.Op == term.Sub {
			sign = -1
		}
		f.sum = c.forms[kids[0]].sum
		for _, k := range kids[1:] {
			f.sum = combine(f.sum, c.forms[k].sum, sign)
		}
	case term.Mul:
		f.sum = c.multiple(kids)
	case term.ToReal:
		f = c.forms[kids[0]]
	default:
		f.sum = map[int32]int{}
		if !f.closed {
			f.sum = map[int32]int{int32(i): 1}
		}
	}
	return f
}

// multiple returns the product of a sum and integers as a sum, or nil for other operands.
func (c *Checker) multiple(kids []int32) map[int32]int {
	factor, sum := 1, map[int32]int{}
	const most = 1 << 20
	for _, k := range kids {
		f := c.forms[k]
		switch {
		case f.num != nil && f.num.IsInt() && f.num.Num().IsInt64() && f.num.Num().Int64() < most &&
			f.num.Num().Int64() > -most && factor < most:
			factor *= int(f.num.Num().Int64())
		case len(sum) == 0 && f.sum != nil:
			sum = f.sum
		default:
			return nil
		}
	}
	return combine(map[int32]int{}, sum, factor)
}

// combine returns a + factor*b, or nil if either is nil or the result has too many variables for a difference.
func combine(a, b map[int32]int, factor int) map[int32]int {
	const most = 8
	if a == nil || b == nil || len(a)+len(b) > 2*most {
		return nil
	}
	sum := maps.Clone(a)
	for v, c := range b {
		if sum[v] += factor * c; sum[v] == 0 {
			delete(sum, v)
		}
	}
	if len(sum) > most {
		return nil
	}
	return sum
}
