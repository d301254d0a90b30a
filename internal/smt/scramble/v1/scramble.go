// Package v1 scrambles benchmarks in SMT-LIB 1.2, the format of the competitions until 2009.
//
// The rules require that solvers cannot recognise a benchmark by its syntax. The scrambler therefore removes all
// information about a benchmark (source, status, difficulty, category, notes, comments, and annotations other than
// patterns), renames declared symbols and variables, and reorders declarations, assumptions and the arguments of
// commutative functions.
//
// The scrambler of 2008 is not available, so the output differs from that year's. The random numbers come from
// random(), as for the selection. They determine first the permutation of the names, in order of first occurrence in
// declarations and formulas, then the orders of sorts, functions, predicates and assumptions, and finally the orders of
// arguments, from left to right.
//
// Sources: The SMT-LIB Standard, version 1.2; SMT-COMP 2008 rules, §4 "Pseudo-random numbers".
package v1

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/random"
)

// Options configures how a benchmark is scrambled. The zero value keeps names, order and patterns.
type Options struct {
	Seed       uint32 // 0 keeps names and order
	NoPatterns bool   // remove patterns, as in the divisions AUFLIA-p and AUFLIRA-p
}

// Is reports whether a text looks like a benchmark in SMT-LIB 1.2, judging by its beginning.
func Is(src []byte) bool {
	r := &reader{src: string(src[:min(len(src), 1<<16)])} // to skip comments
	if r.peek() != '(' {
		return false
	}
	r.pos++
	return r.peek() != 0 && strings.HasPrefix(r.src[r.pos:], "benchmark")
}

// Append appends the scrambled benchmark to dst. If src is not a valid benchmark, the error is a *scramble.Rejection.
func Append(dst, src []byte, opt Options) ([]byte, error) {
	b, err := read(string(src))
	if err != nil {
		return dst, err
	}
	s := &scrambler{benchmark: b, names: map[string]string{}}
	s.clean(opt.NoPatterns)
	if opt.Seed != 0 {
		g := random.NewGlibc(opt.Seed)
		s.rename(g)
		s.reorder(g)
	}
	return s.print(dst), nil
}

type scrambler struct {
	*benchmark
	names map[string]string // new names of renamed symbols
}

// formulaRoots returns the assumptions and formulas.
func (s *scrambler) formulaRoots() []*node {
	return slices.Concat(s.assumptions, s.formulas)
}

// walk calls visit for a node and all its descendants, from left to right.
func walk(roots []*node, visit func(*node)) {
	stack := make([]*node, 0, len(roots))
	push := func(list []*node) {
		for _, n := range slices.Backward(list) {
			stack = append(stack, n)
		}
	}
	push(roots)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		visit(n)
		push(n.list)
	}
}

// clean removes all annotations from the formulas, or all except patterns.
func (s *scrambler) clean(patterns bool) {
	walk(s.formulaRoots(), func(n *node) {
		var kept []*node
		for i := 0; i < len(n.list); i++ {
			c := n.list[i]
			if !strings.HasPrefix(c.word, ":") {
				kept = append(kept, c)
				continue
			}
			pattern := i+1 < len(n.list) && n.list[i+1].brace
			switch {
			case pattern && patterns:
				i++
			case pattern:
				kept = append(kept, c, n.list[i+1])
				i++
			}
		}
		n.list = kept
	})
}

// rename assigns new names to declared symbols and variables.
func (s *scrambler) rename(g *random.Glibc) {
	var old []string
	enter := func(word string) {
		if _, known := s.names[word]; !known && word != "" {
			s.names[word] = ""
			old = append(old, word)
		}
	}
	for _, declarations := range [][]*node{s.sorts, s.funs, s.preds} {
		for _, d := range declarations {
			if d.word == "" && len(d.list) > 0 {
				d = d.list[0]
			}
			enter(d.word)
		}
	}
	walk(s.formulaRoots(), func(n *node) {
		if strings.HasPrefix(n.word, "?") || strings.HasPrefix(n.word, "$") {
			enter(n.word)
		}
	})
	numbers := make([]int, len(old))
	for i := range numbers {
		numbers[i] = i + 1
	}
	shuffle(g, numbers)
	for i, word := range old {
		prefix := ""
		if word[0] == '?' || word[0] == '$' {
			prefix = word[:1]
		}
		s.names[word] = prefix + "x" + strconv.Itoa(numbers[i])
	}
}

// commutative lists the functions whose arguments may be reordered.
var commutative = map[string]bool{
	"and": true, "or": true, "xor": true, "iff": true, "=": true, "distinct": true, "+": true, "*": true,
	"bvadd": true, "bvmul": true, "bvand": true, "bvor": true, "bvxor": true, "bvnand": true, "bvnor": true,
	"bvxnor": true,
}

// reorder shuffles everything whose order does not matter.
func (s *scrambler) reorder(g *random.Glibc) {
	shuffle(g, s.sorts)
	shuffle(g, s.funs)
	shuffle(g, s.preds)
	shuffle(g, s.assumptions)
	walk(s.formulaRoots(), func(n *node) {
		if len(n.list) < 3 || !commutative[n.list[0].word] {
			return
		}
		end := 1
		for end < len(n.list) && !strings.HasPrefix(n.list[end].word, ":") {
			end++
		}
		shuffle(g, n.list[1:end])
	})
}

// shuffle permutes s. From the last element to the second, it swaps each with one drawn from the elements up to it.
func shuffle[T any](g *random.Glibc, s []T) {
	for i := len(s) - 1; i > 0; i-- {
		j := g.Below(i + 1)
		s[i], s[j] = s[j], s[i]
	}
}

// print writes the benchmark with one attribute per line.
func (s *scrambler) print(dst []byte) []byte {
	dst = append(dst, "(benchmark scrambled\n:logic "+s.logic+"\n:status unknown\n"...)
	for _, d := range []struct {
		key  string
		list []*node
	}{{":extrasorts", s.sorts}, {":extrafuns", s.funs}, {":extrapreds", s.preds}} {
		if len(d.list) > 0 {
			dst = append(s.value(append(dst, d.key+" "...), &node{list: d.list}), '\n')
		}
	}
	for _, a := range s.assumptions {
		dst = append(s.value(append(dst, ":assumption "...), a), '\n')
	}
	for _, f := range s.formulas {
		dst = append(s.value(append(dst, ":formula "...), f), '\n')
	}
	return append(dst, ")\n"...)
}

// value writes a node and its descendants.
func (s *scrambler) value(dst []byte, root *node) []byte {
	type frame struct {
		n    *node
		next int
	}
	stack := []frame{{n: &node{list: []*node{root}}}}
	for {
		top := &stack[len(stack)-1]
		if top.next == len(top.n.list) {
			if len(stack) == 1 {
				return dst
			}
			dst = append(dst, brackets(top.n)[1])
			stack = stack[:len(stack)-1]
			continue
		}
		n := top.n.list[top.next]
		if top.next > 0 {
			dst = append(dst, ' ')
		}
		top.next++
		switch name, renamed := s.names[n.word]; {
		case n.word == "":
			dst = append(dst, brackets(n)[0])
			stack = append(stack, frame{n: n})
		case renamed:
			dst = append(dst, name...)
		default:
			dst = append(dst, n.word...)
		}
	}
}

func brackets(n *node) string {
	if n.brace {
		return "{}"
	}
	return "()"
}
