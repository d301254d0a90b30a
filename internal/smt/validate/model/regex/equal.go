package regex

import (
	"context"
	"slices"
)

// Limits of Equal.
const (
	maxFactors = 100_000 // factors per concatenation
	maxPairs   = 20_000  // pairs of derivatives that are compared
)

// Equal reports whether two expressions have the same language. decided is false if that takes too long: the problem is
// PSPACE-complete without intersection and complement, and harder with them.
func (b *Builder) Equal(ctx context.Context, x, y *Regex) (equal, decided bool) {
	if x == y {
		return true, true
	}
	flat := map[*Regex]*Regex{}
	x, y = b.flatten(x, flat), b.flatten(y, flat)
	if x == y {
		return true, true
	}
	return b.bisimilar(ctx, x, y)
}

// flatten makes all concatenations right-associative, so that expressions that differ only in nesting become equal.
func (b *Builder) flatten(r *Regex, done map[*Regex]*Regex) *Regex {
	if f, ok := done[r]; ok {
		return f
	}
	f := r
	switch r.kind {
	case concat:
		f = b.flattenConcat(r, done)
	case star:
		f = b.Star(b.flatten(r.a, done))
	case comp:
		f = b.Complement(b.flatten(r.a, done))
	case loop:
		f = b.Loop(b.flatten(r.a, done), r.lo, r.hi)
	case union, inter:
		parts := make([]*Regex, len(r.parts))
		for i, p := range r.parts {
			parts[i] = b.flatten(p, done)
		}
		if f = b.Union(parts...); r.kind == inter {
			f = b.Inter(parts...)
		}
	}
	done[r] = f
	return f
}

// flattenConcat makes a concatenation right-associative, unless it has too many factors.
func (b *Builder) flattenConcat(r *Regex, done map[*Regex]*Regex) *Regex {
	var factors []*Regex
	stack := []*Regex{r}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case len(factors)+len(stack) > maxFactors:
			return r
		case top.kind == concat:
			stack = append(stack, top.b, top.a)
		default:
			factors = append(factors, b.flatten(top, done))
		}
	}
	f := b.empty
	for _, x := range slices.Backward(factors) {
		f = b.Concat(x, f)
	}
	return f
}

// bisimilar searches all pairs of derivatives for a word in only one of the languages.
func (b *Builder) bisimilar(ctx context.Context, x, y *Regex) (equal, decided bool) {
	letters := b.letters(x, y)
	type pair struct{ x, y *Regex }
	seen := map[pair]bool{{x, y}: true}
	queue := []pair{{x, y}}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		if p.x.nullable != p.y.nullable {
			return false, true
		}
		for _, c := range letters {
			next := pair{b.derive(ctx, p.x, c), b.derive(ctx, p.y, c)}
			if b.failure(ctx) != nil || len(seen) > maxPairs {
				return false, false
			}
			if next.x != next.y && !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return true, true
}

// letters returns one character from each set of characters that the expressions' classes do not distinguish.
func (b *Builder) letters(roots ...*Regex) []rune {
	bounds := []rune{0}
	seen := map[*Regex]bool{}
	stack := slices.Clone(roots)
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r == nil || seen[r] {
			continue
		}
		seen[r] = true
		if r.kind == class {
			bounds = append(bounds, rune(r.lo))
			if r.hi < MaxChar {
				bounds = append(bounds, rune(r.hi+1))
			}
		}
		stack = append(append(stack, r.a, r.b), r.parts...)
	}
	slices.Sort(bounds)
	return slices.Compact(bounds)
}
