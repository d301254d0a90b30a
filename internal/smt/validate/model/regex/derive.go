package regex

import (
	"context"
	"errors"
)

// derive returns the language of all w with cw in r. If a limit is reached, it sets b.err and the result is invalid.
func (b *Builder) derive(ctx context.Context, r *Regex, c rune) *Regex {
	switch r.kind {
	case none, empty:
		return b.none
	case class:
		if int(c) >= r.lo && int(c) <= r.hi {
			return b.empty
		}
		return b.none
	}
	key := derivKey{r.id, c}
	if d, ok := b.derivs[key]; ok {
		return d
	}
	if b.stopped(ctx) {
		return b.none
	}
	d := b.compute(ctx, r, c)
	b.derivs[key] = d
	return d
}

// stopped reports whether a limit has been reached. It checks the context once per thousand steps.
func (b *Builder) stopped(ctx context.Context) bool {
	b.steps++
	if b.Err() == nil && b.steps%1024 == 0 && ctx.Err() != nil {
		b.err = context.Cause(ctx)
	}
	return b.err != nil
}

func (b *Builder) compute(ctx context.Context, r *Regex, c rune) *Regex {
	switch r.kind {
	case concat:
		d := b.before(b.derive(ctx, r.a, c), r.b)
		if r.a.nullable {
			d = b.Union(d, b.derive(ctx, r.b, c))
		}
		return d
	case star:
		return b.before(b.derive(ctx, r.a, c), r)
	case loop:
		return b.before(b.derive(ctx, r.a, c), b.Loop(r.a, max(r.lo-1, 0), r.hi-1))
	case comp:
		return b.Complement(b.derive(ctx, r.a, c))
	}
	parts := make([]*Regex, len(r.parts))
	for i, p := range r.parts {
		parts[i] = b.derive(ctx, p, c)
		if r.kind == inter && parts[i] == b.none {
			return b.none
		}
	}
	if r.kind == union {
		return b.Union(parts...)
	}
	return b.Inter(parts...)
}

// before concatenates a derivative with y, separately for each part of a union.
func (b *Builder) before(d, y *Regex) *Regex {
	if d.kind != union {
		return b.Concat(d, y)
	}
	parts := make([]*Regex, len(d.parts))
	for i, p := range d.parts {
		parts[i] = b.Concat(p, y)
	}
	return b.Union(parts...)
}

// Match reports whether s is in r. It ends early with the context's error.
func (b *Builder) Match(ctx context.Context, r *Regex, s []rune) (bool, error) {
	for i, c := range s {
		if b.err != nil || (i&255 == 0 && ctx.Err() != nil) {
			break
		}
		if r == b.none || r == b.all {
			break
		}
		r = b.derive(ctx, r, c)
	}
	return r.nullable, b.failure(ctx)
}

// failure returns the reason why a result is invalid, or nil.
func (b *Builder) failure(ctx context.Context) error {
	if b.err == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return b.err
}

// Find returns the shortest leftmost match s[start:end] of r in s that starts at from or later. If nonEmpty is set, the
// empty string does not count as a match. found is false if there is no match.
func (b *Builder) Find(ctx context.Context, r *Regex, s []rune, from int, nonEmpty bool) (start, end int, found bool,
	err error) {
	for start = from; start <= len(s); start++ {
		if r.nullable && !nonEmpty {
			return start, start, true, nil
		}
		if err := b.failure(ctx); err != nil {
			return 0, 0, false, err
		}
		d := r
		for end = start; end < len(s) && d != b.none; {
			d = b.derive(ctx, d, s[end])
			end++
			if d.nullable {
				return start, end, true, b.failure(ctx)
			}
		}
	}
	return 0, 0, false, b.failure(ctx)
}

// Replace computes str.replace_re: it replaces the shortest leftmost match of r in s by t.
func (b *Builder) Replace(ctx context.Context, s []rune, r *Regex, t []rune) ([]rune, error) {
	start, end, found, err := b.Find(ctx, r, s, 0, false)
	if err != nil || !found {
		return s, err
	}
	return append(append(append([]rune{}, s[:start]...), t...), s[end:]...), nil
}

// MaxLength limits the characters of a string that ReplaceAll returns.
const MaxLength = 1 << 25

// ErrTooLong reports that a result would have more than MaxLength characters.
var ErrTooLong = errors.New("a string is too long")

// ReplaceAll computes str.replace_re_all: from left to right, it replaces each shortest nonempty match of r in s by t.
func (b *Builder) ReplaceAll(ctx context.Context, s []rune, r *Regex, t []rune) ([]rune, error) {
	var out []rune
	from := 0
	for {
		start, end, found, err := b.Find(ctx, r, s, from, true)
		if err != nil {
			return nil, err
		}
		if len(out) > MaxLength {
			return nil, ErrTooLong
		}
		if !found {
			return append(out, s[from:]...), nil
		}
		out = append(append(out, s[from:start]...), t...)
		from = end
	}
}
