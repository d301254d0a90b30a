package algebraic

import (
	"math/big"
	"slices"
)

// poly holds the coefficients of a polynomial in one variable, from the constant term upwards, without trailing zeros.
type poly []*big.Rat

func (p poly) trim() poly {
	for len(p) > 0 && p[len(p)-1].Sign() == 0 {
		p = p[:len(p)-1]
	}
	return p
}

// bits returns the bit length of the largest coefficient.
func (p poly) bits() int {
	most := 0
	for _, c := range p {
		most = max(most, c.Num().BitLen(), c.Denom().BitLen())
	}
	return most
}

func (p poly) degree() int { return len(p) - 1 }

func (p poly) add(q poly) poly {
	out := make(poly, max(len(p), len(q)))
	for i := range out {
		out[i] = new(big.Rat)
		if i < len(p) {
			out[i].Add(out[i], p[i])
		}
		if i < len(q) {
			out[i].Add(out[i], q[i])
		}
	}
	return out.trim()
}

func (p poly) scale(c *big.Rat) poly {
	out := make(poly, len(p))
	for i := range p {
		out[i] = new(big.Rat).Mul(p[i], c)
	}
	return out.trim()
}

func (p poly) mul(q poly) poly {
	if len(p) == 0 || len(q) == 0 {
		return nil
	}
	out := make(poly, len(p)+len(q)-1)
	for i := range out {
		out[i] = new(big.Rat)
	}
	for i := range p {
		for j := range q {
			out[i+j].Add(out[i+j], new(big.Rat).Mul(p[i], q[j]))
		}
	}
	return out.trim()
}

func (p poly) derivative() poly {
	var out poly
	for i := 1; i < len(p); i++ {
		out = append(out, new(big.Rat).Mul(p[i], big.NewRat(int64(i), 1)))
	}
	return out.trim()
}

// divide returns the quotient and remainder. q must be nonzero.
func (p poly) divide(q poly) (quo, rem poly) {
	rem = slices.Clone(p)
	quo = make(poly, max(0, len(p)-len(q)+1))
	for i := range quo {
		quo[i] = new(big.Rat)
	}
	for len(rem) >= len(q) {
		shift := len(rem) - len(q)
		c := new(big.Rat).Quo(rem[len(rem)-1], q[len(q)-1])
		quo[shift] = c
		next := slices.Clone(rem)
		for i := range q {
			next[shift+i] = new(big.Rat).Sub(rem[shift+i], new(big.Rat).Mul(c, q[i]))
		}
		rem = next[:len(next)-1].trim() // the leading terms cancel
	}
	return quo.trim(), rem
}

// monic returns the polynomial divided by its leading coefficient.
func (p poly) monic() poly {
	if len(p) == 0 {
		return p
	}
	return p.scale(new(big.Rat).Inv(p[len(p)-1]))
}

// repeated returns the greatest common divisor of p and its derivative. Its roots are the multiple roots of p, each
// with its multiplicity reduced by one.
func (p poly) repeated(stop func() bool) (poly, error) {
	a, b := p, p.derivative()
	for len(b) > 0 {
		if stop() {
			return nil, errStopped
		}
		_, r := a.divide(b)
		a, b = b, r.monic()
	}
	return a, nil
}

// sign returns the sign of p(x). p must have integer coefficients.
func (p poly) sign(x *big.Rat) int { return p.homogeneous(x).Sign() }

// homogeneous returns p(x) times d^degree for x = n/d: the sum of a_i n^i d^(degree-i), by Horner's rule. p must have
// integer coefficients.
func (p poly) homogeneous(x *big.Rat) *big.Int {
	sum := new(big.Int)
	power := big.NewInt(1)
	for i := len(p) - 1; i >= 0; i-- {
		sum.Mul(sum, x.Num())
		sum.Add(sum, new(big.Int).Mul(p[i].Num(), power))
		power.Mul(power, x.Denom())
	}
	return sum
}

// integer returns the polynomial multiplied by the common denominator of its coefficients.
func (p poly) integer() poly {
	lcm := big.NewInt(1)
	for _, c := range p {
		g := new(big.Int).GCD(nil, nil, lcm, c.Denom())
		lcm.Mul(lcm, new(big.Int).Quo(c.Denom(), g))
	}
	return p.scale(new(big.Rat).SetInt(lcm))
}

// bound returns a number that exceeds the absolute values of all complex roots (Cauchy).
func (p poly) bound() *big.Rat {
	top := p[len(p)-1]
	most := new(big.Rat)
	for _, c := range p[:len(p)-1] {
		q := new(big.Rat).Quo(c, top)
		if q.Abs(q).Cmp(most) > 0 {
			most = q
		}
	}
	return most.Add(most, big.NewRat(1, 1))
}

// sturm returns a square-free polynomial q with the roots of p and integer coefficients, the Sturm chain of q, and
// p.repeated().
func (p poly) sturm(stop func() bool) (q poly, chain []poly, rest poly, err error) {
	if rest, err = p.repeated(stop); err != nil {
		return nil, nil, nil, err
	}
	q, _ = p.divide(rest)
	q = q.integer()
	chain = []poly{q, q.derivative()}
	for {
		if stop() {
			return nil, nil, nil, errStopped
		}
		n := len(chain)
		_, r := chain[n-2].divide(chain[n-1])
		if len(r) == 0 {
			return q, chain, rest, nil
		}
		// A positive factor preserves the signs and keeps the numbers small.
		c := new(big.Rat).Inv(r[len(r)-1])
		chain = append(chain, r.scale(c.Neg(c.Abs(c))).integer())
	}
}

// changes returns the number of sign changes of the chain at x. The difference between the results at two points is the
// number of roots between them.
func changes(chain []poly, x *big.Rat) int {
	n, last := 0, 0
	for _, p := range chain {
		s := p.sign(x)
		if s != 0 && last != 0 && s != last {
			n++
		}
		if s != 0 {
			last = s
		}
	}
	return n
}
