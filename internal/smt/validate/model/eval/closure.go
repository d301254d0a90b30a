package eval

import (
	"encoding/binary"
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// environment holds the arguments of a call that encloses a lambda, and the next outer environment.
type environment struct {
	owner int32
	args  []value.Value
	outer *environment
}

// closure is an array defined by a function or lambda. It holds the values that the function captures and, if the
// function has several variables, the arguments for the first ones.
type closure struct {
	fn      int32
	outer   *environment
	given   []value.Value
	memoKey []byte // distinguishes the function's closures; nil if it captures nothing
}

// variable is a parameter of a function.
type variable struct{ owner, index int32 }

// lambda returns the array that the lambda or function f defines inside env.
func (m *Machine) lambda(f int32, env *environment) value.Value {
	captured := m.captured(f)
	if len(captured) == 0 {
		return m.ruled(m.closure(closure{fn: f}))
	}
	c := closure{fn: f, outer: env}
	for _, v := range captured {
		x := env.lookup(v.owner, v.index)
		if x.UnknownOf() != nil {
			return anonymous(x)
		}
		c.memoKey = x.AppendKey(c.memoKey)
	}
	return m.ruled(m.closure(c))
}

// lookup returns the value of a variable outside the current call.
func (e *environment) lookup(owner, index int32) value.Value {
	for ; e != nil; e = e.outer {
		if e.owner == owner {
			return e.args[index]
		}
	}
	return unknown(boundVariable)
}

// closureBytes is the estimated memory of a closure without its key.
const closureBytes = 200

// closure returns the number of a closure. Equal closures have the same number.
func (m *Machine) closure(c closure) int {
	k := binary.AppendVarint(nil, int64(c.fn))
	k = binary.AppendUvarint(k, uint64(len(c.memoKey)))
	k = append(k, c.memoKey...)
	for _, v := range c.given {
		k = v.AppendKey(k)
	}
	if n, ok := m.closureIDs[string(k)]; ok {
		return n
	}
	n := len(m.closures)
	m.closures = append(m.closures, c)
	m.closureIDs[string(k)] = n
	m.working += closureBytes + 2*len(k)
	return n
}

// element begins to compute the element at index of closure n. If the closure's function has further variables, the
// element is an array over the next one.
func (m *Machine) element(n int, index value.Value) (value.Value, bool) {
	c := &m.closures[n]
	args := append(slices.Clone(c.given), index)
	if len(args) < len(m.Funcs[c.fn].Params) {
		next := *c
		next.given = args
		return m.Store.Ruled(&value.Rule{Function: m.closure(next)}), true
	}
	return m.enterClosure(c.fn, c.outer, c.memoKey, args)
}

// elementAt computes the element at index of closure n.
func (m *Machine) elementAt(n int, index value.Value) value.Value {
	base := len(m.frames)
	if v, done := m.element(n, index); done {
		return v
	}
	return m.run(base)
}

// captured returns the variables of enclosing functions and lambdas that the body of f uses.
func (m *Machine) captured(f int32) []variable {
	if list, ok := m.captures[f]; ok {
		return list
	}
	var list []variable
	if fn := m.Funcs[f]; fn.Body != nil {
		list = capturedIn(fn)
	}
	m.captures[f] = list
	return list
}

func capturedIn(fn *term.Func) (list []variable) {
	own := map[int32]bool{fn.Owner: true}
	needed := make([]bool, fn.Root+1)
	needed[fn.Root] = true
	for i := fn.Root; i >= 0; i-- {
		if !needed[i] {
			continue
		}
		n := &fn.Body.Nodes[i]
		for _, k := range fn.Body.Kids(n) {
			needed[k] = true
		}
		switch n.Op {
		case term.Alias, term.CaseVar:
			needed[n.A] = true
		case term.Lambda, term.Quantifier:
			own[n.A] = true
		case term.Param:
			v := variable{n.B, n.A}
			if !own[n.B] && !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}
