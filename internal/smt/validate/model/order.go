package model

import (
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/eval"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
)

// visit is a function whose dependencies are being followed.
type visit struct {
	fn   int32
	deps []int32 // dependencies that have not been followed yet
	// Numbers of constants, and of definitions of theory functions, on the path to fn, including fn itself.
	constants, refinements int
}

// sorting holds the state of sortDefinitions.
type sorting struct {
	v     *validation
	stack []visit
	place []int32 // by function: 0 before its visit, then its position in stack counted from 1, then done
}

const done = -1

// sortDefinitions orders constants so that each follows the constants that it depends on. It returns an error for a
// circular definition.
func (v *validation) sortDefinitions() *Result {
	s := sorting{v: v, place: make([]int32, len(v.check.Funcs))}
	for first := 1; first < len(v.check.Funcs); first++ {
		if s.place[first] != 0 {
			continue
		}
		s.push(int32(first))
		for len(s.stack) > 0 {
			if r := s.step(); r != nil {
				return r
			}
		}
	}
	return nil
}

func (s *sorting) push(f int32) {
	fn := s.v.check.Funcs[f]
	next := visit{fn: f, deps: s.v.dependencies(f)}
	if n := len(s.stack); n > 0 {
		next.constants, next.refinements = s.stack[n-1].constants, s.stack[n-1].refinements
	}
	if len(fn.Params) == 0 {
		next.constants++
	}
	if fn.Refines {
		next.refinements++
	}
	s.stack = append(s.stack, next)
	s.place[f] = int32(len(s.stack))
}

// step follows one dependency of the function at the top of the stack, or pops the function.
func (s *sorting) step() *Result {
	v, top := s.v, &s.stack[len(s.stack)-1]
	if len(top.deps) == 0 {
		s.place[top.fn] = done
		v.sequence = append(v.sequence, top.fn)
		if fn := v.check.Funcs[top.fn]; len(fn.Params) == 0 && fn.Body != nil {
			v.order = append(v.order, top.fn)
		}
		s.stack = s.stack[:len(s.stack)-1]
		return nil
	}
	next := top.deps[0]
	top.deps = top.deps[1:]
	switch place := s.place[next]; {
	case place == 0:
		s.push(next)
	case place > 0 && s.circular(next):
		fn := v.check.Funcs[next]
		at := v.place(fn.Model, fn.Pos)
		r := v.malformed(Cyclic, fmt.Sprintf("%s: the definition of %s depends on itself", at, fn.Name))
		return &r
	}
	return nil
}

// circular reports whether the cycle from next to the top of the stack is invalid. Functions may be recursive if they
// are defined as such. Functions that refine theory functions may depend on each other, because each applies only where
// the theory defines no value.
func (s *sorting) circular(next int32) bool {
	before := visit{}
	if place := s.place[next]; place > 1 {
		before = s.stack[place-2]
	}
	top := &s.stack[len(s.stack)-1]
	switch {
	case top.constants > before.constants:
		return true
	case top.refinements > before.refinements:
		return false
	}
	return !s.v.mayRecur(next)
}

// mayRecur reports whether a function may be recursive: it is defined as recursive and is not a constant.
func (v *validation) mayRecur(f int32) bool {
	fn := v.check.Funcs[f]
	return fn.Rec && len(fn.Params) > 0
}

// dependencies returns the functions that the body of f may use, without duplicates.
func (v *validation) dependencies(f int32) []int32 {
	fn := v.check.Funcs[f]
	if fn.Body == nil {
		return nil
	}
	g := fn.Body
	needed := make([]bool, fn.Root+1)
	needed[fn.Root] = true
	var out []int32
	for i := fn.Root; i >= 0; i-- {
		if !needed[i] {
			continue
		}
		n := &g.Nodes[i]
		for _, k := range g.Kids(n) {
			needed[k] = true
		}
		switch n.Op {
		case term.Alias, term.CaseVar:
			needed[n.A] = true
		case term.Lambda:
			out = append(out, n.A)
		case term.Call:
			if n.A != f || !v.mayRecur(f) {
				out = append(out, n.A)
			}
		default:
			if refinement, ok := v.refinement(g, n); ok {
				out = append(out, refinement)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// refinement returns the model's definition of the partial function that a node applies, except inside that
// definition's own body.
func (v *validation) refinement(g *term.Graph, n *term.Node) (int32, bool) {
	key, ok := eval.KeyOf(g, n)
	f := int32(v.partial[key])
	return f, ok && f != 0 && f != g.Refines
}
