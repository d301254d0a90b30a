package regex

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var ctx = context.Background()

// lang is the reference implementation: the set of all strings over {a, b} up to length 4 in a language, computed from
// the definition.
type lang map[string]bool

const longest = 4

func universe() lang {
	all := lang{"": true}
	for range longest {
		for w := range all {
			if len(w) < longest {
				all[w+"a"], all[w+"b"] = true, true
			}
		}
	}
	return all
}

func (x lang) concat(y lang) lang {
	z := lang{}
	for v := range x {
		for w := range y {
			if len(v)+len(w) <= longest {
				z[v+w] = true
			}
		}
	}
	return z
}

func (x lang) power(n int) lang {
	z := lang{"": true}
	for range n {
		z = z.concat(x)
	}
	return z
}

func (x lang) filter(keep func(w string) bool) lang {
	z := lang{}
	for w := range x {
		if keep(w) {
			z[w] = true
		}
	}
	return z
}

// random returns a random expression and its reference language.
func random(r *rand.Rand, b *Builder, all lang, depth int) (*Regex, lang) {
	if depth == 0 {
		switch r.IntN(5) {
		case 0:
			return b.Empty(), lang{"": true}
		case 1:
			return b.Range('a', 'b'), lang{"a": true, "b": true}
		case 2:
			return b.Literal([]rune("ab")), lang{"ab": true}
		case 3:
			return b.Range('a', 'a'), lang{"a": true}
		}
		return b.None(), lang{}
	}
	x, lx := random(r, b, all, depth-1)
	y, ly := random(r, b, all, depth-1)
	switch r.IntN(8) {
	case 0:
		return b.Union(x, y), all.filter(func(w string) bool { return lx[w] || ly[w] })
	case 1:
		return b.Inter(x, y), all.filter(func(w string) bool { return lx[w] && ly[w] })
	case 2:
		return b.Complement(x), all.filter(func(w string) bool { return !lx[w] })
	case 3:
		return b.Diff(x, y), all.filter(func(w string) bool { return lx[w] && !ly[w] })
	case 4:
		lo, hi := r.IntN(4), r.IntN(4)
		z := lang{}
		for n := lo; n <= hi; n++ {
			for w := range lx.power(n) {
				z[w] = true
			}
		}
		return b.Loop(x, lo, hi), z
	case 5:
		z := lang{}
		for n := range longest + 1 {
			for w := range lx.power(n) {
				z[w] = true
			}
		}
		return b.Star(x), z
	}
	return b.Concat(x, y), lx.concat(ly)
}

func TestMatchAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	all := universe()
	for range 1500 {
		b := NewBuilder()
		re, want := random(r, b, all, 1+r.IntN(4))
		for w := range all {
			got, err := b.Match(ctx, re, []rune(w))
			if err != nil || got != want[w] {
				t.Fatalf("%q: got %v, want %v (%v)", w, got, want[w], err)
			}
		}
	}
}

func TestEqual(t *testing.T) {
	b := NewBuilder()
	lit := func(s string) *Regex { return b.Literal([]rune(s)) }
	a, ab := lit("a"), b.Range('a', 'b')
	for _, row := range []struct {
		name string
		x, y *Regex
		want bool
	}{
		{"nesting of concatenations", b.Concat(b.Concat(a, lit("b")), lit("c")), lit("abc"), true},
		{"(ab)* a = a (ba)*", b.Concat(b.Star(lit("ab")), a), b.Concat(a, b.Star(lit("ba"))), true},
		{"(a|b)* = (a* b*)*", b.Star(ab), b.Star(b.Concat(b.Star(a), b.Star(lit("b")))), true},
		{"De Morgan", b.Complement(b.Union(a, lit("b"))), b.Inter(b.Complement(a), b.Complement(lit("b"))), true},
		{"loop", b.Loop(a, 2, 3), b.Union(lit("aa"), lit("aaa")), true},
		{"loop too short", b.Loop(a, 2, 3), lit("aa"), false},
		{"range", b.Union(a, lit("b")), ab, true},
		{"one more character", b.Range('a', 'c'), ab, false},
		{"all but one word", b.Complement(lit("aaaa")), b.All(), false},
	} {
		if got, decided := b.Equal(ctx, row.x, row.y); !decided || got != row.want {
			t.Errorf("%s: got %v %v", row.name, got, decided)
		}
	}
}

// TestNoBlowUp uses expressions whose deterministic automata would be exponentially large.
func TestNoBlowUp(t *testing.T) {
	for _, row := range []struct {
		name  string
		build func(b *Builder) *Regex
		word  string
		want  bool
	}{
		{"the 202nd letter from the end", func(b *Builder) *Regex {
			return b.Concat(b.All(), b.Concat(b.Range('a', 'a'), b.Loop(b.AnyChar(), 201, 201)))
		}, strings.Repeat("ab", 400), true},
		{"nested stars", func(b *Builder) *Regex {
			x := b.Range('a', 'a')
			for range 30 {
				x = b.Star(b.Concat(x, b.Star(x)))
			}
			return b.Concat(x, b.Range('b', 'b'))
		}, strings.Repeat("a", 3000), false},
		{"product of counters", func(b *Builder) *Regex {
			var parts []*Regex
			for _, p := range []int{2, 3, 5, 7, 11, 13, 17, 19, 23} {
				parts = append(parts, b.Complement(b.Star(b.Loop(b.AnyChar(), p, p))))
			}
			return b.Inter(parts...)
		}, strings.Repeat("a", 2*3*5*7*11+1), true},
		{"large loop", func(b *Builder) *Regex { return b.Loop(b.Range('a', 'b'), 0, 1000000) },
			strings.Repeat("a", 5000), true},
		{"complement under concatenation", func(b *Builder) *Regex {
			x := b.Complement(b.Concat(b.All(), b.Concat(b.Literal([]rune("aa")), b.All())))
			return b.Concat(x, b.Concat(b.Range('b', 'b'), b.Complement(x)))
		}, strings.Repeat("ab", 300) + "aa", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			b := NewBuilder()
			got, err := b.Match(ctx, row.build(b), []rune(row.word))
			if err != nil || got != row.want {
				t.Errorf("got %v (%v), want %v", got, err, row.want)
			}
			if len(b.nodes) > 400000 {
				t.Errorf("%d expressions were made", len(b.nodes))
			}
		})
	}
}

func TestReplace(t *testing.T) {
	b := NewBuilder()
	as := b.AtLeast(b.Range('a', 'a'), 1)
	for _, row := range []struct {
		name, s  string
		r        *Regex
		one, all string
	}{
		{"shortest leftmost", "baab", as, "bxab", "bxxb"},
		{"no match", "bbb", as, "bbb", "bbb"},
		{"empty match comes first", "ba", b.Star(b.Range('a', 'a')), "xba", "bx"},
		{"longer only", "abab", b.Literal([]rune("ba")), "axb", "axb"},
	} {
		one, _ := b.Replace(ctx, []rune(row.s), row.r, []rune("x"))
		all, _ := b.ReplaceAll(ctx, []rune(row.s), row.r, []rune("x"))
		if string(one) != row.one || string(all) != row.all {
			t.Errorf("%s: got %q and %q, want %q and %q", row.name, string(one), string(all), row.one, row.all)
		}
	}
}

// TestLimits builds expressions and strings that must not take unlimited memory.
func TestLimits(t *testing.T) {
	b := NewBuilder()
	if b.Literal(make([]rune, 2*MaxSize)); b.Err() == nil || len(b.nodes) > MaxSize+10 {
		t.Errorf("a long literal: %d expressions, error %v", len(b.nodes), b.Err())
	}
	b = NewBuilder()
	b.parts = maxParts - 1
	if b.Union(b.Range('a', 'a'), b.Range('c', 'c')); b.Err() == nil {
		t.Error("a union of many parts has no error")
	}
	b = NewBuilder()
	long := []rune(strings.Repeat("a", 6000))
	if out, err := b.ReplaceAll(ctx, long, b.Range('a', 'a'), long); !errors.Is(err, ErrTooLong) {
		t.Errorf("a replacement of %d characters: %v", len(out), err)
	}
}
