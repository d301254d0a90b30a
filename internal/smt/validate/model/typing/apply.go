package typing

import (
	"strings"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/algebraic"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
)

// use is one application of a theory function, as passed to its signature.
type use struct {
	c    *Checker
	t    *smtlib.Term
	name string
	args []sorts.ID
	idx  []int // indices, for operators that take them
	op   *operator
}

// application returns the node of an identifier or application.
func (c *Checker) application(id smtlib.TermID, t *smtlib.Term) (term.Node, error) {
	n := c.lookup(t.Sym)
	switch {
	case c.model:
	case n.model:
		return term.Node{}, errorf(t.Pos, "%s is not declared; only the model defines it", c.script.Name(t.Sym))
	case n.pos > t.Pos:
		return term.Node{}, errorf(t.Pos, "%s is used before its declaration", c.script.Name(t.Sym))
	}
	if t.As() != 0 {
		return c.qualified(t, n)
	}
	if t.Index() != 0 && (n.kind == nameUnknown || n.kind == nameTheory) {
		return c.indexed(t, n)
	}
	switch n.kind {
	case nameFunc:
		return c.call(t, n)
	case nameConstructor:
		return c.construct(t, n, 0)
	case nameSelector:
		return c.selector(t, n)
	case nameTester:
		return c.tester(t, n.index, n.con)
	case nameAbstract:
		return c.constant(n.sort, c.Abstract(c.script.Name(t.Sym), n.sort))
	case nameTheory:
		if n.op.indices != 0 {
			return term.Node{}, errorf(t.Pos, "%s needs indices, as in (_ %s ...)", n.op.name, n.op.name)
		}
		return c.theoryUse(t, n.op, nil)
	}
	return c.unknownName(t)
}

func (c *Checker) theoryUse(t *smtlib.Term, op *operator, idx []int) (term.Node, error) {
	u := &c.use // reused, because signatures do not apply other signatures
	*u = use{c: c, t: t, name: op.name, args: c.args, idx: idx, op: op}
	node, err := op.sig(u)
	if node.Op == 0 {
		node.Op = op.op
	}
	return node, err
}

// unknownName returns the node of a name with a special syntax, and an error for any other name.
func (c *Checker) unknownName(t *smtlib.Term) (term.Node, error) {
	text := c.script.Name(t.Sym)
	switch {
	case c.model && algebraic.IsName(text):
		v, err := algebraic.Read(c.script, t, func() bool { return c.Stop != nil && c.Stop() })
		if err != nil {
			return term.Node{}, errorf(t.Pos, "%v", err)
		}
		c.Irrational = true
		return c.constant(sorts.RealID, v)
	case c.declaredBehind(t):
		return term.Node{}, errorf(t.Pos, "%s is used before its declaration", text)
	case len(c.args) > 0:
		return term.Node{}, errorf(t.Pos, "unknown function %s%s", text, c.suggestion(text))
	case c.model && strings.HasPrefix(text, "@"): // cvc4 omits the sort if the context determines it
		return c.constant(sorts.AbstractID, c.Abstract(text, sorts.AbstractID))
	}
	hint := c.suggestion(text)
	if sort, _, ok := strings.Cut(text, "!val!"); ok && c.model {
		hint = "; declare it in the model, or print (as @" + text + " " + sort + ")"
	}
	return term.Node{}, errorf(t.Pos, "unknown constant %s%s", text, hint)
}

// declaredBehind reports whether the script declares or defines a term's name after the term.
func (c *Checker) declaredBehind(t *smtlib.Term) bool {
	for i := range c.script.Commands {
		cmd := &c.script.Commands[i]
		if cmd.Pos <= t.Pos {
			continue
		}
		switch cmd.Kind {
		case smtlib.CmdDeclareFun, smtlib.CmdDeclareConst:
			if cmd.Sym == t.Sym {
				return true
			}
		case smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes:
			for _, d := range c.script.Datatypes(cmd) {
				for _, con := range c.script.Constructors(&d) {
					if con.Sym == t.Sym {
						return true
					}
				}
			}
		}
		for _, f := range c.script.Functions(cmd) {
			if f.Sym == t.Sym {
				return true
			}
		}
	}
	return false
}

// suggestion returns a hint about a declared name that differs only in case, or "".
func (c *Checker) suggestion(text string) string {
	for _, f := range c.Funcs[1:] {
		if f.Name != text && strings.EqualFold(f.Name, text) {
			return "; did you mean " + f.Name + "?"
		}
	}
	return ""
}

func (c *Checker) call(t *smtlib.Term, n *name) (term.Node, error) {
	f := c.Funcs[n.index]
	if len(c.args) != len(f.Params) {
		return term.Node{}, errorf(t.Pos, "%s takes arguments of sorts (%s), not (%s)", f.Name, c.sortsText(f.Params),
			c.sortsText(c.args))
	}
	for i := range c.args {
		if !c.Fits(f.Params[i], c.args[i]) {
			return term.Node{}, c.argumentError(t, f.Name, i, f.Params[i])
		}
	}
	return term.Node{Op: term.Call, Sort: f.Result, A: int32(n.index)}, nil
}

// construct applies a constructor. as is the sort in its (as ...) qualification, or 0.
func (c *Checker) construct(t *smtlib.Term, n *name, as sorts.ID) (term.Node, error) {
	decl := c.Sorts.Datatypes[n.index]
	con := decl.Constructors[n.con]
	if len(con.Fields) != len(c.args) {
		return term.Node{}, errorf(t.Pos, "constructor %s takes %d arguments, not %d", con.Name, len(con.Fields),
			len(c.args))
	}
	params := make([]sorts.ID, decl.Arity)
	if as != 0 {
		s := c.Sorts.At(as)
		if s.Kind != sorts.Datatype || s.Decl != n.index {
			return term.Node{}, errorf(t.Pos, "%s is not a constructor of %s", con.Name, c.Sorts.String(as))
		}
		copy(params, s.Args)
	}
	for i, f := range con.Fields {
		if !c.Sorts.Match(f.Sort, c.args[i], params) {
			return term.Node{}, errorf(t.Pos, "argument %d of constructor %s has sort %s", i+1, con.Name,
				c.Sorts.String(c.args[i]))
		}
	}
	for i, p := range params {
		switch {
		case p != 0:
		case c.model:
			params[i], c.open = sorts.OpenID, true
		default:
			return term.Node{}, ambiguous(t.Pos, con.Name)
		}
	}
	sort := c.Sorts.Subst(c.generic(n.index), params)
	if c.Sorts.Depth(sort) > maxSortDepth {
		return term.Node{}, tooDeep(t.Pos)
	}
	return term.Node{Op: term.Construct, Sort: sort, A: int32(n.con)}, nil
}

func ambiguous(pos uint32, name string) *Error {
	return errorf(pos, "the sort of %s is ambiguous; write (as %s SORT)", name, name)
}

// instance returns the constructors of the first argument's sort, which must be an instance of the datatype decl.
func (c *Checker) instance(t *smtlib.Term, decl, arity int) ([]sorts.Constructor, error) {
	text := c.script.Name(t.Sym)
	if len(c.args) != arity {
		return nil, errorf(t.Pos, "%s takes %d arguments, not %d", text, arity, len(c.args))
	}
	if s := c.Sorts.At(c.args[0]); s.Kind != sorts.Datatype || s.Decl != decl {
		return nil, errorf(t.Pos, "%s takes a value of %s, not %s", text, c.Sorts.Datatypes[decl].Name,
			c.Sorts.String(c.args[0]))
	}
	return c.Sorts.Constructors(c.args[0]), nil
}

func (c *Checker) selector(t *smtlib.Term, n *name) (term.Node, error) {
	all, err := c.instance(t, n.index, 1)
	if err != nil {
		return term.Node{}, err
	}
	return term.Node{Op: term.Selector, Sort: all[n.con].Fields[n.field].Sort, A: int32(n.con), B: int32(n.field)}, nil
}

func (c *Checker) tester(t *smtlib.Term, decl, con int) (term.Node, error) {
	_, err := c.instance(t, decl, 1)
	return term.Node{Op: term.Tester, Sort: sorts.BoolID, A: int32(con)}, err
}

// qualified returns the node of (as f SORT), alone or applied.
func (c *Checker) qualified(t *smtlib.Term, n *name) (term.Node, error) {
	sort, err := c.Sort(t.As(), t.Pos)
	if err != nil {
		return term.Node{}, err
	}
	text := c.script.Name(t.Sym)
	switch {
	case n.kind == nameConstructor:
		return c.construct(t, n, sort)
	case text == "const" && c.Sorts.Kind(sort) == sorts.Array && len(c.args) == 1:
		if want := c.Sorts.At(sort).Args[1]; !c.Fits(want, c.args[0]) {
			return term.Node{}, errorf(t.Pos, "the element of the constant array has sort %s, not %s",
				c.Sorts.String(c.args[0]), c.Sorts.String(want))
		}
		return term.Node{Op: term.ConstArray, Sort: sort}, nil
	case text == "seq.empty" && c.Sorts.Kind(sort) == sorts.Seq && len(c.args) == 0:
		return term.Node{Op: term.SeqEmpty, Sort: sort}, nil
	case n.kind == nameFunc:
		node, err := c.call(t, n)
		if err == nil && node.Sort != sort {
			err = errorf(t.Pos, "%s has sort %s, not %s", text, c.Sorts.String(node.Sort), c.Sorts.String(sort))
		}
		return node, err
	case c.model && len(c.args) == 0 && c.Sorts.Kind(sort) == sorts.Uninterpreted:
		return c.constant(sort, c.Abstract(text, sort))
	case c.model && c.AbstractArrays && strings.HasPrefix(text, "@") && len(c.args) == 0 &&
		c.Sorts.Kind(sort) == sorts.Array:
		return term.Node{Op: term.Lambda, Sort: sort, A: c.abstractArray(text, sort)}, nil
	case c.model && strings.HasPrefix(text, "@"):
		hint := ""
		if c.Sorts.Kind(sort) == sorts.Array {
			hint = ": by store and ((as const SORT) element)"
		}
		return term.Node{}, errorf(t.Pos, "the abstract value %s has sort %s, whose values can be written%s", text,
			c.Sorts.String(sort), hint)
	case n.kind == nameTheory:
		return c.theoryUse(t, n.op, nil)
	}
	return term.Node{}, errorf(t.Pos, "unknown identifier (as %s %s)", text, c.Sorts.String(sort))
}

// indexed returns the node of (_ f i...), alone or applied.
func (c *Checker) indexed(t *smtlib.Term, n *name) (term.Node, error) {
	text := c.script.Name(t.Sym)
	list := c.script.Indices(t.Index())
	switch {
	case (text == "is" || text == "update") && len(list) == 1:
		return c.indexedByName(t, text, c.lookup(list[0].Sym))
	case text == "as-array" && len(list) == 1:
		return c.asArray(t, list[0].Sym)
	case strings.HasPrefix(text, "bv") && len(text) > 2 && n.kind == nameUnknown && len(list) == 1:
		return c.bitVectorLiteral(t, text[2:])
	case (text == "char" || text == "Char") && len(list) == 1:
		return c.charLiteral(t, list[0])
	}
	idx, ok := c.numerals(t.Index())
	if !ok || n.kind != nameTheory || n.op.indices != len(idx) {
		if n.kind == nameTheory && n.op.alt != nil && ok && n.op.alt.indices == len(idx) {
			return c.theoryUse(t, n.op.alt, idx)
		}
		return term.Node{}, errorf(t.Pos, "unknown identifier (_ %s ...) with %d indices", text, len(list))
	}
	return c.theoryUse(t, n.op, idx)
}

func (c *Checker) indexedByName(t *smtlib.Term, text string, n *name) (term.Node, error) {
	if text == "is" && n.kind == nameConstructor {
		return c.tester(t, n.index, n.con)
	}
	if text == "update" && n.kind == nameSelector {
		all, err := c.instance(t, n.index, 2)
		if err == nil && !c.Fits(all[n.con].Fields[n.field].Sort, c.args[1]) {
			err = errorf(t.Pos, "the new value has sort %s, not %s", c.Sorts.String(c.args[1]),
				c.Sorts.String(all[n.con].Fields[n.field].Sort))
		}
		if err != nil {
			return term.Node{}, err
		}
		return term.Node{Op: term.Update, Sort: c.args[0], A: int32(n.con), B: int32(n.field)}, nil
	}
	return term.Node{}, errorf(t.Pos, "(_ %s ...) needs the name of a constructor or selector", text)
}

// asArray returns the node of z3's (_ as-array f).
func (c *Checker) asArray(t *smtlib.Term, sym smtlib.Sym) (term.Node, error) {
	n := c.lookup(sym)
	if n.kind != nameFunc || len(c.Funcs[n.index].Params) != 1 {
		return term.Node{}, errorf(t.Pos, "(_ as-array %s) needs a function of one argument", c.script.Name(sym))
	}
	f := c.Funcs[n.index]
	return term.Node{Op: term.Lambda, Sort: c.Sorts.Array(f.Params[0], f.Result), A: int32(n.index)}, nil
}

// Operator returns the operator of the theory function with this name, or 0 if there is none.
func Operator(name string) term.Op {
	if o := theory()[name]; o != nil {
		return o.op
	}
	return 0
}
