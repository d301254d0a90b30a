package rowexpr

import (
	"math"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

const (
	// ulp bounds the relative error of rounding to float64 once. It is twice IEEE 754's bound, which leaves room for
	// HCL's own rounding (at 64 bits or more) and for the rounding of the bounds.
	ulp = 0x1p-52
	// tiny is the magnitude below which float64 may lose bits to the subnormal range in a product or a residue.
	tiny = 0x1p-900
	// maxExact is the magnitude up to which float64 represents every integer.
	maxExact = 1 << 53
)

// floatsOf returns a vector of numbers as floats, with their error bounds.
func floatsOf(v *vec, tmp *[]float64, etmp *[]float64, n int) (floats, errs []float64) {
	if v.kind == table.Float {
		return v.floats, v.errs
	}
	floats = grow(tmp, n)
	for i, x := range v.ints {
		floats[i] = float64(x)
		if x > maxExact || x < -maxExact {
			errs = grow(etmp, n)
		}
	}
	if errs != nil {
		for i, x := range v.ints {
			errs[i] = 0
			if x > maxExact || x < -maxExact {
				errs[i] = math.Abs(floats[i]) * ulp
			}
		}
	}
	return floats, errs
}

func at(errs []float64, i int) float64 {
	if errs == nil {
		return 0
	}
	return errs[i]
}

func (c *compiler) unary(n *node) closure {
	arg := c.node(n.args[0])
	if arg == nil {
		return nil
	}
	slot := c.slot()
	switch {
	case n.name == "!" && n.args[0].typ == cty.Bool:
		return func(ev *evaluation) *vec {
			b, a := &ev.bufs[slot], arg(ev)
			out := grow(&b.bools, ev.n)
			for i, x := range a.bools {
				out[i] = !x
			}
			b.out = vec{kind: table.Bool, bools: out, doubt: merge(&b.doubt, ev.n, a.null, a.doubt)}
			return &b.out
		}
	case n.name == "-" && n.args[0].typ == cty.Number:
		return func(ev *evaluation) *vec { return negate(ev, &ev.bufs[slot], arg(ev)) }
	}
	return nil
}

func negate(ev *evaluation, b *buffers, a *vec) *vec {
	b.out = vec{kind: a.kind, errs: a.errs, doubt: merge(&b.doubt, ev.n, a.null, a.doubt)}
	if a.kind == table.Float {
		b.out.floats = grow(&b.floats, ev.n)
		for i, x := range a.floats {
			b.out.floats[i] = -x
		}
		return &b.out
	}
	b.out.ints = grow(&b.ints, ev.n)
	for i, x := range a.ints {
		b.out.ints[i] = -x
		if x == math.MinInt64 {
			b.out.doubt = doubtful(b, b.out.doubt, i, ev.n)
		}
	}
	return &b.out
}

// doubtful marks a row as doubtful, creating the mask if necessary.
func doubtful(b *buffers, mask []bool, i, n int) []bool {
	if mask == nil {
		mask = cleared(&b.doubt, n)
	}
	mask[i] = true
	return mask
}

// arithmetic compiles + - * / and %.
func (c *compiler) arithmetic(n *node) closure {
	if n.args[0].typ != cty.Number || n.args[1].typ != cty.Number {
		return nil
	}
	args := c.all(n.args)
	if args == nil {
		return nil
	}
	slot, name := c.slot(), n.name
	return func(ev *evaluation) *vec {
		b, x, y := &ev.bufs[slot], args[0](ev), args[1](ev)
		b.out = vec{doubt: merge(&b.doubt, ev.n, x.null, y.null, x.doubt, y.doubt)}
		if x.kind == table.Int && y.kind == table.Int && name != "/" {
			return intArithmetic(ev, b, name, x.ints, y.ints)
		}
		if name == "/" && x.kind == table.Int && y.kind == table.Int && wholeQuotients(ev, b, x.ints, y.ints) {
			return &b.out
		}
		if name == "%" {
			return remainder(ev, b)
		}
		xf, xe := floatsOf(x, &b.tmp[0], &b.etmp[0], ev.n)
		yf, ye := floatsOf(y, &b.tmp[1], &b.etmp[1], ev.n)
		return floatArithmetic(ev, b, name, xf, xe, yf, ye)
	}
}

// intArithmetic marks rows as doubtful if they overflow int64 or compute a remainder by zero.
func intArithmetic(ev *evaluation, b *buffers, name string, x, y []int64) *vec {
	out := grow(&b.ints, ev.n)
	b.out.kind, b.out.ints = table.Int, out
	for i := range out {
		var r int64
		ok := true
		switch name {
		case "+":
			r = x[i] + y[i]
			ok = (r > x[i]) == (y[i] > 0)
		case "-":
			r = x[i] - y[i]
			ok = (r < x[i]) == (y[i] > 0)
		case "*":
			r, ok = product(x[i], y[i])
		case "%":
			ok = y[i] != 0 && x[i] != math.MinInt64
			if ok {
				r = x[i] % y[i]
			}
		}
		out[i] = r
		if !ok {
			b.out.doubt = doubtful(b, b.out.doubt, i, ev.n)
		}
	}
	return &b.out
}

func product(x, y int64) (int64, bool) {
	const small = 1 << 31
	if x > -small && x < small && y > -small && y < small {
		return x * y, true
	}
	if x == 0 || y == 0 {
		return 0, true
	}
	if x == math.MinInt64 || y == math.MinInt64 {
		return 0, false
	}
	r := x * y
	return r, r/y == x
}

// wholeQuotients divides if all of the batch's quotients are integers.
func wholeQuotients(ev *evaluation, b *buffers, x, y []int64) bool {
	out := grow(&b.ints, ev.n)
	for i := range out {
		if y[i] == 0 || x[i] == math.MinInt64 || x[i]%y[i] != 0 {
			return false
		}
		out[i] = x[i] / y[i]
	}
	b.out.kind, b.out.ints = table.Int, out
	return true
}

// remainder leaves all remainders to HCL unless both numbers are integers.
func remainder(ev *evaluation, b *buffers) *vec {
	b.out.kind, b.out.floats = table.Float, grow(&b.floats, ev.n)
	b.out.doubt = grow(&b.doubt, ev.n)
	for i := range b.out.doubt {
		b.out.doubt[i] = true
	}
	return &b.out
}

// floatArithmetic computes sums, differences, products and quotients with error bounds. An exact result has bound zero,
// so that chains of exact operations remain exact.
func floatArithmetic(ev *evaluation, b *buffers, name string, x, xe, y, ye []float64) *vec {
	out, errs := grow(&b.floats, ev.n), grow(&b.errs, ev.n)
	b.out.kind, b.out.floats = table.Float, out
	inexact := false
	for i := range out {
		r, e := 0.0, 0.0
		switch name {
		case "+":
			r, e = sum(x[i], at(xe, i), y[i], at(ye, i))
		case "-":
			r, e = sum(x[i], at(xe, i), -y[i], at(ye, i))
		case "*":
			r, e = multiplied(x[i], at(xe, i), y[i], at(ye, i))
		case "/":
			r, e = quotient(x[i], at(xe, i), y[i], at(ye, i))
		}
		out[i], errs[i] = r, e
		inexact = inexact || e != 0
		if math.IsInf(r, 0) || math.IsNaN(r) || math.IsNaN(e) || math.IsInf(e, 0) {
			b.out.doubt = doubtful(b, b.out.doubt, i, ev.n)
		}
	}
	if inexact {
		b.out.errs = errs
	}
	return &b.out
}

// sum returns x+y. The residue of Knuth's two-sum algorithm is zero if and only if the rounded sum is exact.
func sum(x, xe, y, ye float64) (r, e float64) {
	r = x + y
	z := r - x
	residue := (x - (r - z)) + (y - z)
	e = xe + ye
	if residue != 0 {
		e += math.Abs(r)*ulp + math.Abs(residue)
	}
	return r, widened(e)
}

// multiplied returns x*y, using a fused multiply-add to compute the residue.
func multiplied(x, xe, y, ye float64) (r, e float64) {
	r = x * y
	e = math.Abs(x)*ye + math.Abs(y)*xe + xe*ye
	switch {
	case x == 0 || y == 0:
	case math.Abs(r) < tiny:
		return r, math.Inf(1)
	case math.FMA(x, y, -r) != 0:
		e += math.Abs(r) * ulp
	}
	return r, widened(e)
}

// quotient returns x/y. If the divisor may be zero, the bound is infinite.
func quotient(x, xe, y, ye float64) (r, e float64) {
	room := math.Abs(y) - ye
	if room <= 0 {
		return 0, math.Inf(1)
	}
	r = x / y
	e = (xe + math.Abs(r)*ye) / room
	switch {
	case x == 0:
	case math.Abs(r) < tiny:
		return r, math.Inf(1)
	case math.FMA(-r, y, x) != 0:
		e += math.Abs(r) * ulp
	}
	return r, widened(e)
}

// widened enlarges a bound to cover the bound's own rounding.
func widened(e float64) float64 {
	if e == 0 {
		return 0
	}
	return e*(1+0x1p-40) + 0x1p-1000
}
