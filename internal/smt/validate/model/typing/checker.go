// Package typing is the sort checker for SMT-LIB scripts and models. It converts a command's terms to a term.Graph in
// which every name is resolved and every application is well-sorted, or reports where and why that is impossible.
//
// It supports Core, Ints, Reals, Reals_Ints, FixedSizeBitVectors with all of QF_BV, FloatingPoint, ArraysEx, the
// datatypes and Unicode strings of SMT-LIB 2.6 and 2.7, and a few additional functions of z3, cvc4 and cvc5. It accepts
// an Int instead of a Real, as the standard allows in logics with both and as solvers print it.
//
// Source: The SMT-LIB Standard 2.7, chapters 3 and 4, and the theory and logic declarations of smt-lib.org.
package typing

import (
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// Checker holds the declarations of a script so far. It first reads the benchmark's commands and then, after
// [Checker.Use], the model's commands, whose Syms and SortIDs have the same meaning. It is not safe for concurrent use.
type Checker struct {
	Sorts *sorts.Table
	Funcs []*term.Func // indexed by the number in Call nodes; 0 is unused
	// Cases holds the constructor of each case of a Match node, or -1 for a case that matches everything.
	Cases [][]int

	// Stop ends a long check with an error once it returns true. It may be nil.
	Stop func() bool

	// Irrational means that the terms so far contain algebraic numbers.
	Irrational bool

	// AbstractArrays means that (as @x (Array I E)) is an array with open elements.
	AbstractArrays bool

	// Abstract returns the value that an abstract constant represents, such as @x in (as @x U). The sort is AbstractID
	// if it is not written.
	Abstract func(name string, sort sorts.ID) value.Value

	script   *smtlib.Script
	model    bool
	names    []name     // indexed by Sym
	sortName []sortName // indexed by Sym
	closed   []sorts.ID // by the script's SortID, for sorts without parameters in scope
	since    []uint32   // by SortID: position of the last declaration on which the entry in closed depends
	newest   uint32     // position of the last declaration on which the current sort depends
	expanded int        // number of sort definitions expanded
	nesting  int        // nesting depth of the current sort
	trail    []change   // all declarations, to be undone from the end
	params   map[smtlib.Sym]sorts.ID
	literals map[smtlib.Sym]literal
	bound    []bound // by BindingID, for variables not bound by let
	graph    *term.Graph
	args     []sorts.ID
	use      use
	open     bool // a term of the model leaves its sort open

	arrays map[string]int32 // functions that represent abstract arrays
}

// nameKind is the kind of entity that a symbol names.
type nameKind uint8

const (
	nameUnseen nameKind = iota
	nameUnknown
	nameTheory
	nameFunc
	nameConstructor
	nameSelector
	nameTester // is-C of older versions
	nameAbstract
)

type name struct {
	kind  nameKind
	op    *operator // theory operator
	index int       // index in Funcs or Datatypes
	con   int       // index of the constructor
	field int       // index of the selector's field
	sort  sorts.ID  // sort of an abstract value
	pos   uint32    // offset of the declaration
	model bool      // declared by the model
}

// sortName is the meaning of a sort's name.
type sortName struct {
	kind   sorts.Kind // Uninterpreted, Datatype, or Param for a definition
	decl   int
	arity  int
	params []smtlib.Sym // parameters of a definition
	body   smtlib.SortID
	pos    uint32 // offset of the declaration
}

// change records what a declaration replaced.
type change struct {
	sym  smtlib.Sym
	name name
	sort sortName
}

type literal struct {
	sort sorts.ID
	val  value.Value
}

// bound is a bound variable of a function, lambda, quantifier or match case.
type bound struct {
	sort   sorts.ID
	owner  int32 // Owner of the function, for a parameter
	index  int32
	match  smtlib.TermID // match term, for a variable of its case
	caseNo int32
}

// New returns a Checker for a benchmark.
func New(s *smtlib.Script) *Checker {
	c := &Checker{
		Sorts:    sorts.NewTable(),
		Funcs:    make([]*term.Func, 1),
		script:   s,
		literals: map[smtlib.Sym]literal{},
	}
	c.grow()
	return c
}

// Use switches to the model m, which [smtlib.Script.ParseModel] created for the benchmark's script.
func (c *Checker) Use(m *smtlib.Script) {
	c.script, c.model = m, true
	c.grow()
	for i := range c.names { // the model may define names that are unknown in the benchmark
		if c.names[i].kind == nameUnknown {
			c.names[i] = name{}
		}
	}
}

// Back switches back to the benchmark after Use.
func (c *Checker) Back(s *smtlib.Script) {
	c.script, c.model = s, false
	c.grow()
}

func (c *Checker) grow() {
	c.names = append(c.names, make([]name, max(0, c.script.NumSyms()-len(c.names)))...)
	c.sortName = append(c.sortName, make([]sortName, max(0, c.script.NumSyms()-len(c.sortName)))...)
	c.closed = append(c.closed, make([]sorts.ID, max(0, c.script.NumSorts()-len(c.closed)))...)
	c.since = append(c.since, make([]uint32, max(0, c.script.NumSorts()-len(c.since)))...)
	c.bound = make([]bound, c.script.NumBindings())
}

// Error reports an ill-formed declaration or term. Pos is an offset in the current text.
type Error struct {
	Pos  uint32
	Text string
	// Unsupported means that the text may be well-formed but uses a feature that is not implemented.
	Unsupported bool
}

func (e *Error) Error() string { return e.Text }

func errorf(pos uint32, format string, args ...any) *Error {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = shorten(s)
		}
	}
	return &Error{Pos: pos, Text: fmt.Sprintf(format, args...)}
}

// shorten omits the middle of a long name or list.
func shorten(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most/2], "") + "..." + strings.ToValidUTF8(s[len(s)-most/2:], "")
}

func unsupported(pos uint32, format string, args ...any) *Error {
	err := errorf(pos, format, args...)
	err.Unsupported = true
	return err
}

// lookup returns the meaning of a symbol. It consults the theories at the symbol's first use.
func (c *Checker) lookup(sym smtlib.Sym) *name {
	n := &c.names[sym]
	if n.kind != nameUnseen {
		return n
	}
	n.kind = nameUnknown
	text := c.script.Name(sym)
	if op, ok := theory()[text]; ok {
		n.kind, n.op = nameTheory, op
		return n
	}
	if len(text) > 3 && text[:3] == "is-" {
		if con := c.script.Lookup(text[3:]); con != 0 && c.names[con].kind == nameConstructor {
			n.kind, n.index, n.con = nameTester, c.names[con].index, c.names[con].con
		}
	}
	return n
}

// Func returns the number of the declared function with this name.
func (c *Checker) Func(sym smtlib.Sym) (number int, ok bool) {
	n := c.lookup(sym)
	return n.index, n.kind == nameFunc
}

// TheoryName reports whether the symbol is a theory function or a selector.
func (c *Checker) TheoryName(sym smtlib.Sym) bool {
	n := c.lookup(sym)
	return n.kind == nameTheory || n.kind == nameSelector
}

// Name assigns the name sym to function number.
func (c *Checker) Name(sym smtlib.Sym, number int) error {
	n := c.lookup(sym)
	pos := c.Funcs[number].Pos
	if n.declared() {
		return errorf(pos, "%s is declared twice", c.script.Name(sym))
	}
	c.declare(sym, name{kind: nameFunc, index: number, pos: pos, model: c.model})
	return nil
}

// declared reports whether a script declares or defines the name.
func (n *name) declared() bool {
	return n.kind == nameFunc || n.kind == nameConstructor || n.kind == nameSelector
}

func (c *Checker) declare(sym smtlib.Sym, n name) {
	c.trail = append(c.trail, change{sym, c.names[sym], c.sortName[sym]})
	c.names[sym] = n
}

// Mark returns a mark of the current declarations for Undo.
func (c *Checker) Mark() int { return len(c.trail) }

// Undo reverts all declarations since a mark.
func (c *Checker) Undo(mark int) {
	for i := len(c.trail) - 1; i >= mark; i-- {
		ch := &c.trail[i]
		if c.sortName[ch.sym].kind != ch.sort.kind {
			clear(c.closed)
		}
		c.names[ch.sym], c.sortName[ch.sym] = ch.name, ch.sort
	}
	c.trail = c.trail[:mark]
}

// Declare processes a command that declares or defines sorts, or that declares a function. It ignores other commands.
func (c *Checker) Declare(cmd *smtlib.Command) error {
	s := c.script
	switch cmd.Kind {
	case smtlib.CmdDeclareSort:
		return c.newSort(cmd.Sym, cmd.Pos, sortName{kind: sorts.Uninterpreted, decl: len(c.Sorts.Names),
			arity: int(cmd.N), pos: cmd.Pos})
	case smtlib.CmdDefineSort:
		def := sortName{kind: sorts.Param, params: s.SortParams(cmd), arity: len(s.SortParams(cmd)), body: cmd.Sort,
			pos: cmd.Pos}
		return c.newSort(cmd.Sym, cmd.Pos, def)
	case smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes:
		return c.declareDatatypes(cmd)
	case smtlib.CmdDeclareConst, smtlib.CmdDeclareFun:
		f := &term.Func{Name: s.Name(cmd.Sym), Pos: cmd.Pos, Model: c.model}
		var err error
		if f.Params, err = c.sortList(s.ArgSorts(cmd), cmd.Pos); err != nil {
			return err
		}
		if f.Result, err = c.Sort(cmd.Sort, cmd.Pos); err != nil {
			return err
		}
		return c.Name(cmd.Sym, c.Extra(f))
	case smtlib.CmdDeclareSortParameter:
		return unsupported(cmd.Pos, "declare-sort-parameter is not supported")
	}
	return nil
}

// NewAbstract declares sym as an abstract value of an uninterpreted sort, such as U!val!0 in z3's models.
func (c *Checker) NewAbstract(sym smtlib.Sym, sort sorts.ID) {
	c.names[sym] = name{kind: nameAbstract, sort: sort, model: true}
}

// AbstractSort returns the sort of a name that NewAbstract has declared.
func (c *Checker) AbstractSort(sym smtlib.Sym) (sorts.ID, bool) {
	n := c.lookup(sym)
	return n.sort, n.kind == nameAbstract
}

// Header returns a function with the name, parameters and result of a definition, but without a number or body.
func (c *Checker) Header(f *smtlib.Function) (*term.Func, error) {
	fn := &term.Func{Name: c.script.Name(f.Sym), Pos: f.Pos, Model: c.model}
	for id := f.Params.First; id < f.Params.End(); id++ {
		sort, err := c.Sort(c.script.Binding(smtlib.BindingID(id)).Sort, f.Pos)
		if err != nil {
			return nil, err
		}
		fn.Params = append(fn.Params, sort)
	}
	var err error
	fn.Result, err = c.Sort(f.Sort, f.Pos)
	return fn, err
}

// BindParams binds the parameters of f to those of the function fn, whose Owner must be set.
func (c *Checker) BindParams(f *smtlib.Function, fn *term.Func) {
	for i := range fn.Params {
		c.bound[int(f.Params.First)+i] = bound{sort: fn.Params[i], owner: fn.Owner, index: int32(i)}
	}
}

// Extra assigns a number to a function without a name.
func (c *Checker) Extra(fn *term.Func) int {
	fn.Owner = int32(len(c.Funcs))
	c.Funcs = append(c.Funcs, fn)
	return int(fn.Owner)
}

// Fits reports whether a term of sort got is allowed where a term of sort want is expected.
func (c *Checker) Fits(want, got sorts.ID) bool {
	switch {
	case want == got, want == sorts.RealID && got == sorts.IntID:
		return true
	case got == sorts.AbstractID:
		return c.Sorts.Kind(want) == sorts.Uninterpreted
	}
	_, ok := c.Sorts.Unify(want, got)
	return ok
}

// SelectorOf returns the constructor and field that a selector reads.
func (c *Checker) SelectorOf(sym smtlib.Sym) (con, field int, ok bool) {
	n := c.lookup(sym)
	return n.con, n.field, n.kind == nameSelector
}

// SelectorFits reports whether a selector reads a field of sort field from a value of sort from.
func (c *Checker) SelectorFits(sym smtlib.Sym, from, field sorts.ID) bool {
	n := c.lookup(sym)
	s := c.Sorts.At(from)
	return n.kind == nameSelector && s.Kind == sorts.Datatype && s.Decl == n.index &&
		c.Sorts.Constructors(from)[n.con].Fields[n.field].Sort == field
}
