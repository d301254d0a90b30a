// Package eval computes typed terms.
//
// Terms without variables are computed in one pass over their graph (Machine.Ground). Function bodies are computed on
// demand, so that recursion ends, and on the Machine's own stacks, so that neither nesting nor recursion uses the call
// stack. A function's value for given arguments is computed once.
//
// If a term has no value (because of a quantifier, a partial function outside its domain, or a limit), its value is an
// Unknown. An Unknown propagates to every term that needs it: (and false U) is false, and (ite true a U) is a.
package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/regex"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/typing"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// Machine computes terms with the definitions of one model. It is not safe for concurrent use.
type Machine struct {
	Sorts  *sorts.Table
	Funcs  []*term.Func  // see typing.Checker
	Cases  [][]int       // see typing.Checker
	Consts []value.Value // indexed by function without parameters; P == Pending if not computed yet
	Store  *value.Store
	Regex  *regex.Builder

	// Partial maps partial functions to the model's functions that define their open values.
	Partial map[PartialKey]int
	// Extends contains the functions in Partial that have the theory function's name. They must agree with it wherever
	// the theory defines a value.
	Extends map[int]bool
	// Complete makes partial functions total where the model does not define them; see Completion.
	Complete *Completion

	// Universes holds the known values of uninterpreted sorts.
	Universes map[sorts.ID]Universe
	// Unsorted means that the model names values without their sort, so Universes may be incomplete.
	Unsorted bool

	// Search requests a search for values that decide quantifiers whose variables have too many values to list.
	Search bool

	// Memory is the maximum number of bytes for an evaluation; 0 means 2 GB.
	Memory int

	// Irrational means that the model contains algebraic numbers.
	Irrational bool

	ctx     context.Context
	steps   uint
	bytes   int // bytes of large values in the current term
	working int // bytes of the calls in progress; see outOfMemory
	nested  int // number of definitions of partial functions in progress; see refined

	remembered  int                        // bytes of the memo
	quantified  int                        // number of quantifiers in progress
	instances   int                        // number of quantifier bodies computed
	tried       int                        // number of them computed for chosen values
	worth       map[worthKey][]value.Value // cache of candidates
	zeros       map[zeroKey]value.Value    // cache of zeroData
	expanded    []int32                    // functions of quantifiers whose buffers are retained
	limit       *value.Unknown
	frames      []frame
	work        []entry
	buffers     map[int32][]*buffer // free buffers, by function
	memo        map[int32]map[string]value.Value
	key         []byte
	scratch     []value.Value
	domains     map[sorts.ID]*value.Domain
	openDomains map[sorts.ID]*value.Domain // domains of index sorts without an entry in domains
	arrays      map[int]value.Value        // arrays that functions define, by closure

	closures   []closure
	closureIDs map[string]int
	captures   map[int32][]variable
	reals      []value.Value // numbers in structures, ascending; see canonical
	openTerms  map[string]uint64
	compared   []value.Value // values compared with elsewhere; see tabulateCompared
}

// pending marks constants that have not been computed.
type pending struct{}

// Pending is the P of a constant that has not been computed.
var Pending any = pending{}

// New returns a machine whose computations end with an Unknown once ctx ends.
func New(ctx context.Context, c *typing.Checker) *Machine {
	return &Machine{
		Sorts: c.Sorts, Funcs: c.Funcs, Cases: c.Cases,
		Store: value.NewStore(), Regex: regex.NewBuilder(), Partial: map[PartialKey]int{},
		ctx: ctx, buffers: map[int32][]*buffer{}, memo: map[int32]map[string]value.Value{},
		domains: map[sorts.ID]*value.Domain{}, openDomains: map[sorts.ID]*value.Domain{}, arrays: map[int]value.Value{},
		closureIDs: map[string]int{}, captures: map[int32][]variable{}, Irrational: c.Irrational,
		openTerms: map[string]uint64{}, worth: map[worthKey][]value.Value{},
		zeros: map[zeroKey]value.Value{},
	}
}

// Refresh adopts new functions and tables from the checker.
func (m *Machine) Refresh(c *typing.Checker) {
	m.Funcs, m.Cases = c.Funcs, c.Cases
	for len(m.Consts) < len(m.Funcs) {
		m.Consts = append(m.Consts, value.Value{P: Pending})
	}
}

// expired checks the context periodically, and returns an Unknown once it has ended.
func (m *Machine) expired() *value.Unknown {
	m.steps++
	if m.limit == nil && m.steps&0xfff == 0 && m.ctx.Err() != nil {
		m.limit = &value.Unknown{Reason: "the time limit was reached", Cause: context.Cause(m.ctx)}
	}
	return m.limit
}

func unknown(u *value.Unknown) value.Value { return value.Value{P: u} }

func unknownf(format string, args ...any) value.Value {
	return unknown(&value.Unknown{Reason: fmt.Sprintf(format, args...)})
}

// Limits of values. Beyond them, the result is an Unknown.
const (
	maxBits = 1 << 24 // bits of an integer

	maxRationalBits = 1 << 19         // bits of the numerator and the denominator
	maxString       = regex.MaxLength // characters of a string
)

// Begin resets the size of the values computed so far, which the caller no longer keeps.
func (m *Machine) Begin() { m.bytes = 0 }

// Ground computes node i of g, a term without variables, from the values of the previous nodes.
func (m *Machine) Ground(g *term.Graph, i int, vals []value.Value) value.Value {
	v := m.ground(g, i, vals)
	if v.P != nil && g.Nodes[i].Op > term.CaseVar {
		m.bytes += v.Size()
		if u := m.outOfMemory(); u != nil {
			return unknown(u)
		}
	}
	return v
}

var tooMuch = &value.Unknown{Reason: "the values need more memory than is allowed",
	Cause: errors.New("values too large")}

func (m *Machine) ground(g *term.Graph, i int, vals []value.Value) value.Value {
	n := &g.Nodes[i]
	if u := m.expired(); u != nil {
		return unknown(u)
	}
	switch n.Op {
	case term.Const:
		return g.Consts[n.A]
	case term.Alias:
		return vals[n.A]
	case term.Param:
		return unknown(boundVariable)
	case term.CaseVar:
		return caseVariable(g, n, vals[n.A])
	case term.Lambda, term.Quantifier: // their operands contain bound variables
		return m.compute(g, n, nil)
	}
	args := m.operands(vals, g.Kids(n))
	switch n.Op {
	case term.And, term.Or:
		return m.derived(g, n, args, connect(args, n.Op == term.Or))
	case term.Implies:
		return m.derived(g, n, args, implies(args))
	case term.Ite:
		return m.derived(g, n, args, ite(args))
	case term.Match:
		return m.match(n, args)
	}
	if v, stuck := firstUnknown(args); stuck {
		return m.strict(g, n, args, v)
	}
	if n.Op == term.Call {
		return m.Apply(n.A, slices.Clone(args))
	}
	if isChain(n, args) {
		return m.divisions(g, n, slices.Clone(args))
	}
	v := m.settle(g, n, args, m.derived(g, n, args, m.compute(g, n, args)))
	if r, ok := v.P.(*rulePending); ok {
		return m.elementAt(r.closure, r.index)
	}
	return v
}

var boundVariable = &value.Unknown{Reason: "a bound variable has no value"}

func firstUnknown(args []value.Value) (value.Value, bool) {
	for i := range args {
		if args[i].P != nil && args[i].UnknownOf() != nil {
			return args[i], true
		}
	}
	return value.Value{}, false
}

// connect computes "and" (if zero is false) or "or" (if zero is true).
func connect(args []value.Value, zero bool) value.Value {
	var stuck value.Value
	for _, a := range args {
		switch {
		case a.P != nil:
			if stuck.P == nil {
				stuck = a
			}
		case a.True() == zero:
			return a
		}
	}
	if stuck.P != nil {
		return stuck
	}
	return value.Bool(!zero)
}

// implies computes a right-associative chain. It is false if and only if the last operand is false and all others are
// true.
func implies(args []value.Value) value.Value {
	last := len(args) - 1
	premises := connect(args[:last], false)
	switch {
	case premises.P == nil && !premises.True():
		return value.Bool(true)
	case args[last].P == nil && args[last].True():
		return args[last]
	case premises.P != nil:
		return premises
	}
	return args[last]
}

func ite(args []value.Value) value.Value {
	switch {
	case args[0].P != nil:
		if args[1].P == nil && args[2].P == nil && args[1].N == args[2].N {
			return args[1]
		}
		return args[0]
	case args[0].True():
		return args[1]
	}
	return args[2]
}

// match returns the value of the first case that matches the scrutinee's constructor.
func (m *Machine) match(n *term.Node, args []value.Value) value.Value {
	if args[0].UnknownOf() != nil {
		return anonymous(args[0])
	}
	return args[1+m.caseOf(n, args[0])]
}

func (m *Machine) caseOf(n *term.Node, scrutinee value.Value) int {
	d, _ := scrutinee.P.(*value.Data)
	for i, con := range m.Cases[n.A] {
		if con < 0 || con == d.Constructor {
			return i
		}
	}
	return 0 // the checker ensures that the cases are exhaustive
}

func caseVariable(g *term.Graph, n *term.Node, scrutinee value.Value) value.Value {
	switch {
	case n.B < 0:
		return scrutinee
	case scrutinee.UnknownOf() != nil:
		return anonymous(scrutinee)
	}
	d, field := scrutinee.P.(*value.Data), g.Fields[n.B]
	if d.Constructor != int(field.Constructor) {
		return unknown(boundVariable) // this case does not apply
	}
	return d.Args[field.Index]
}
