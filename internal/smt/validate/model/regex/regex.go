// Package regex decides membership in the regular languages of SMT-LIB's theory of strings by derivatives. It supports
// intersection, complement, difference and counted loops.
//
// Expressions are hash-consed by a Builder, so equal expressions are equal pointers, and every derivative is computed
// once per expression and character. In derivatives, concatenation distributes over a union on its left, and unions and
// intersections are sorted sets. A derivative of a plain expression therefore has at most as many parts as the
// expression has positions (Antimirov). Intersection and complement are derived part by part, so automata are never
// determinised or multiplied out.
//
// Source: Brzozowski, "Derivatives of Regular Expressions", JACM 1964; Antimirov, "Partial Derivatives of Regular
// Expressions", TCS 1996; SMT-LIB theory Strings.
package regex

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// MaxChar is the largest character.
const MaxChar = 0x2FFFF

type kind uint8

const (
	none   kind = iota // the empty language
	empty              // the empty string
	class              // one character from lo to hi
	concat             // a, then b
	union              // union of parts
	inter              // intersection of parts
	star
	comp
	loop // a, repeated lo to hi times
)

// Regex is an expression of a Builder. Equal expressions of one Builder are equal pointers.
type Regex struct {
	id       uint32
	kind     kind
	nullable bool
	lo, hi   int // for class, the range of characters; for loop, the counts
	a, b     *Regex
	parts    []*Regex // for union and inter, sorted by id
}

// ID returns a number that identifies the expression within its Builder.
func (r *Regex) ID() uint32 { return r.id }

// Builder creates expressions and caches derivatives. It is not safe for concurrent use.
type Builder struct {
	nodes  map[string]*Regex
	derivs map[derivKey]*Regex
	key    []byte
	none   *Regex
	empty  *Regex
	all    *Regex
	any    *Regex
	parts  int   // number of parts of all unions and intersections
	steps  int   // number of derivatives computed, for periodic checks of the context
	err    error // reason why derivatives are no longer computed, usually nil
}

type derivKey struct {
	id uint32
	c  rune
}

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder {
	b := &Builder{nodes: map[string]*Regex{}, derivs: map[derivKey]*Regex{}}
	b.none = b.intern(Regex{kind: none})
	b.empty = b.intern(Regex{kind: empty, nullable: true})
	b.any = b.Range(0, MaxChar)
	b.all = b.Star(b.any)
	return b
}

func (b *Builder) intern(r Regex) *Regex {
	k := append(b.key[:0], byte(r.kind))
	k = binary.AppendVarint(k, int64(r.lo))
	k = binary.AppendVarint(k, int64(r.hi))
	for _, p := range [2]*Regex{r.a, r.b} {
		if p != nil {
			k = binary.LittleEndian.AppendUint32(k, p.id)
		}
	}
	for _, p := range r.parts {
		k = binary.LittleEndian.AppendUint32(k, p.id)
	}
	b.key = k
	if old, ok := b.nodes[string(k)]; ok {
		return old
	}
	r.id = uint32(len(b.nodes))
	n := &r
	b.nodes[string(k)] = n
	b.parts += len(r.parts)
	return n
}

// MaxSize limits the number of different expressions in a Builder, and so its memory (about 200 bytes each).
const MaxSize = 1_500_000

// maxParts limits the memory of unions and intersections (12 bytes per part), whose parts are flattened.
const maxParts = 50_000_000

// Err returns an error if the expressions take too much memory, or if an earlier call ended early. Expressions are then
// no longer valid.
func (b *Builder) Err() error {
	switch {
	case b.err != nil:
	case len(b.nodes) > MaxSize:
		b.err = fmt.Errorf("a regular expression needs more than %d derivatives", MaxSize)
	case b.parts > maxParts:
		b.err = fmt.Errorf("unions and intersections of regular expressions have more than %d parts", maxParts)
	}
	return b.err
}

// None returns re.none, the empty language.
func (b *Builder) None() *Regex { return b.none }

// Empty returns the language of the empty string.
func (b *Builder) Empty() *Regex { return b.empty }

// All returns re.all, all strings.
func (b *Builder) All() *Regex { return b.all }

// AnyChar returns re.allchar.
func (b *Builder) AnyChar() *Regex { return b.any }

// Range returns the language of single characters from lo to hi, which is empty if lo > hi.
func (b *Builder) Range(lo, hi rune) *Regex {
	if lo > hi {
		return b.none
	}
	return b.intern(Regex{kind: class, lo: int(lo), hi: int(hi)})
}

// Literal returns str.to_re.
func (b *Builder) Literal(s []rune) *Regex {
	r := b.empty
	for _, c := range slices.Backward(s) {
		if b.Err() != nil {
			break
		}
		r = b.Concat(b.Range(c, c), r)
	}
	return r
}

// Concat returns re.++ of two expressions. It takes constant time, so an expression that shares parts stays as small as
// written.
func (b *Builder) Concat(x, y *Regex) *Regex {
	switch {
	case x == b.none || y == b.none:
		return b.none
	case x == b.empty:
		return y
	case y == b.empty:
		return x
	case x.kind == star && (x == y || y.kind == concat && y.a == x): // r* r* = r*
		return y
	}
	return b.intern(Regex{kind: concat, a: x, b: y, nullable: x.nullable && y.nullable})
}

// Union returns re.union of any number of expressions.
func (b *Builder) Union(xs ...*Regex) *Regex {
	parts, absorbed := b.gather(union, xs, b.none, b.all)
	if absorbed {
		return b.all
	}
	return b.collect(union, parts, b.none, func(x, y bool) bool { return x || y })
}

// Inter returns re.inter of any number of expressions.
func (b *Builder) Inter(xs ...*Regex) *Regex {
	parts, absorbed := b.gather(inter, xs, b.all, b.none)
	if absorbed {
		return b.none
	}
	return b.collect(inter, parts, b.all, func(x, y bool) bool { return x && y })
}

// gather flattens nested operands, drops the neutral element, sorts, and removes duplicates. absorbed means that the
// operands include the zero element, or an expression and its complement.
func (b *Builder) gather(k kind, xs []*Regex, neutral, zero *Regex) (parts []*Regex, absorbed bool) {
	for _, x := range xs {
		switch {
		case x == zero:
			return nil, true
		case x == neutral:
		case x.kind == k:
			parts = append(parts, x.parts...)
		default:
			parts = append(parts, x)
		}
	}
	slices.SortFunc(parts, func(x, y *Regex) int { return int(x.id) - int(y.id) })
	parts = slices.Compact(parts)
	for _, p := range parts {
		if p.kind == comp && contains(parts, p.a) {
			return nil, true
		}
	}
	return parts, false
}

func contains(sorted []*Regex, x *Regex) bool {
	_, found := slices.BinarySearchFunc(sorted, x, func(p, x *Regex) int { return int(p.id) - int(x.id) })
	return found
}

func (b *Builder) collect(k kind, parts []*Regex, neutral *Regex, join func(x, y bool) bool) *Regex {
	switch len(parts) {
	case 0:
		return neutral
	case 1:
		return parts[0]
	}
	nullable := parts[0].nullable
	for _, p := range parts[1:] {
		nullable = join(nullable, p.nullable)
	}
	return b.intern(Regex{kind: k, parts: parts, nullable: nullable})
}

// Star returns re.*.
func (b *Builder) Star(x *Regex) *Regex {
	switch {
	case x == b.none || x == b.empty:
		return b.empty
	case x.kind == star:
		return x
	}
	return b.intern(Regex{kind: star, a: x, nullable: true})
}

// Complement returns re.comp.
func (b *Builder) Complement(x *Regex) *Regex {
	switch {
	case x.kind == comp:
		return x.a
	case x == b.none:
		return b.all
	case x == b.all:
		return b.none
	}
	return b.intern(Regex{kind: comp, a: x, nullable: !x.nullable})
}

// Diff returns re.diff of two expressions.
func (b *Builder) Diff(x, y *Regex) *Regex { return b.Inter(x, b.Complement(y)) }

// Loop returns ((_ re.loop lo hi) x), which is empty if lo > hi.
func (b *Builder) Loop(x *Regex, lo, hi int) *Regex {
	switch {
	case lo > hi:
		return b.none
	case hi == 0:
		return b.empty
	case x == b.none && lo > 0:
		return b.none
	case x == b.none || x == b.empty:
		return b.empty
	case lo == 1 && hi == 1:
		return x
	}
	if x.nullable {
		lo = 0 // x matches the empty string, so fewer repetitions are also possible
	}
	return b.intern(Regex{kind: loop, a: x, lo: lo, hi: hi, nullable: lo == 0})
}

// AtLeast returns lo or more repetitions of x. For lo = 1, that is re.+.
func (b *Builder) AtLeast(x *Regex, lo int) *Regex {
	return b.Concat(b.Loop(x, lo, lo), b.Star(x))
}
