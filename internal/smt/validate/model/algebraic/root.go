package algebraic

import (
	"errors"
	"math/big"
)

// root is the only root of p in the open interval (lo, hi). p has different signs at the two ends.
type root struct {
	p      poly // square-free, with integer coefficients
	lo, hi *big.Rat
	fine   int // hi-lo <= 2^-fine
}

var errStopped = errors.New("the time limit was reached")

var errNoRoot = errors.New("the polynomial has no such root")

// maxDegree limits the degree of polynomials.
const maxDegree = 200

// maxCoefficients limits the coefficients' bit length times the square of the degree, which determines the size of
// Sturm's chain.
const maxCoefficients = 1 << 20

// nth returns the i-th smallest real root of p, counting from 1, as a root or a rational number. If multiplicity is
// set, a double root counts twice.
func nth(p poly, i int, multiplicity bool, stop func() bool) (*root, *big.Rat, error) {
	if p.degree() < 1 || i < 1 {
		return nil, nil, errNoRoot
	}
	q, chain, rest, err := p.sturm(stop)
	if err != nil {
		return nil, nil, err
	}
	chains := [][]poly{chain}
	for multiplicity && rest.degree() > 0 {
		var more []poly
		if _, more, rest, err = rest.sturm(stop); err != nil {
			return nil, nil, err
		}
		chains = append(chains, more)
	}
	return counted(q, chains, i, stop)
}

// counted returns root number i of q. Each root counts once for every chain of a polynomial with that root. The first
// chain must be q's.
func counted(q poly, chains [][]poly, i int, stop func() bool) (*root, *big.Rat, error) {
	count := func(x *big.Rat) (n int) { // decreases by one at each counted root
		for _, c := range chains {
			n += changes(c, x)
		}
		return n
	}
	hi := q.bound()
	lo := new(big.Rat).Neg(hi)
	left := count(lo)
	if left-count(hi) < i {
		return nil, nil, errNoRoot
	}
	// Bisect until the interval (lo, hi] contains only this root.
	for changes(chains[0], lo)-changes(chains[0], hi) > 1 {
		if stop() {
			return nil, nil, errStopped
		}
		mid := middle(lo, hi)
		if left-count(mid) >= i {
			hi = mid
		} else {
			lo = mid
		}
	}
	return isolate(q, lo, hi)
}

// within returns the only real root of p between lo and hi, inclusive.
func within(p poly, lo, hi *big.Rat, stop func() bool) (*root, *big.Rat, error) {
	switch {
	case p.degree() < 1:
		return nil, nil, errNoRoot
	case lo.Cmp(hi) > 0:
		return nil, nil, errors.New("the interval is empty: its lower end exceeds its upper end")
	}
	q, chain, _, err := p.sturm(stop)
	if err != nil {
		return nil, nil, err
	}
	n := changes(chain, lo) - changes(chain, hi) // number of roots in (lo, hi]
	if q.sign(lo) == 0 {
		if n == 0 {
			return nil, lo, nil
		}
		n++
	}
	if n != 1 {
		return nil, nil, errors.New("the interval does not contain exactly one root of the polynomial")
	}
	return isolate(q, lo, hi)
}

// isolate returns the only root of q in (lo, hi].
func isolate(q poly, lo, hi *big.Rat) (*root, *big.Rat, error) {
	if q.sign(hi) == 0 {
		return nil, hi, nil
	}
	if q.degree() == 1 {
		r := new(big.Rat).Quo(q[0], q[1])
		return nil, r.Neg(r), nil
	}
	for q.sign(lo) == 0 || q.sign(lo) == q.sign(hi) { // lo may be another root
		mid := middle(lo, hi)
		switch q.sign(mid) {
		case 0:
			return nil, mid, nil
		case q.sign(hi):
			hi = mid
		default:
			lo = mid
		}
	}
	r := &root{p: q, lo: lo, hi: hi, fine: -1 << 30}
	if f := r.fraction(); f != nil {
		return nil, f, nil
	}
	return r, nil, nil
}

// fraction returns the root if it is rational, otherwise nil. The denominator of a rational root divides the leading
// coefficient, so a small enough interval contains only one candidate.
func (r *root) fraction() *big.Rat {
	const most = 1 << 14 // maximum bits of the denominator
	lead := r.p[len(r.p)-1].Num()
	if lead.BitLen() > most {
		return nil
	}
	r.refine(lead.BitLen() + 1)
	n := middle(r.lo, r.hi)
	n.Mul(n, new(big.Rat).SetInt(lead)).Add(n, big.NewRat(1, 2))
	f := new(big.Rat).SetFrac(floorScaled(n, 0), lead)
	if f.Cmp(r.lo) < 0 || f.Cmp(r.hi) > 0 || r.p.sign(f) != 0 {
		return nil
	}
	return f
}

func middle(a, b *big.Rat) *big.Rat {
	m := new(big.Rat).Add(a, b)
	return m.Mul(m, big.NewRat(1, 2))
}

// refine narrows the interval to a width of at most 2^-k. If it finds the root exactly, it sets both ends to the root.
func (r *root) refine(k int) {
	if r.fine >= k {
		return
	}
	const slow = 40 // bits to obtain by bisection, before Newton's method converges well
	width := new(big.Rat)
	goal := pow2(-min(k, slow))
	signHi := r.p.sign(r.hi)
	for width.Sub(r.hi, r.lo).Cmp(goal) > 0 {
		mid := middle(r.lo, r.hi)
		if !r.cut(mid, signHi) {
			return
		}
	}
	r.fine = max(r.fine, min(k, slow))
	for r.fine < k {
		r.newton(min(k, 2*r.fine-4), signHi)
	}
}

// cut replaces one end of the interval by x. It returns false if x is the root.
func (r *root) cut(x *big.Rat, signHi int) bool {
	switch r.p.sign(x) {
	case 0:
		r.lo, r.hi, r.fine = x, x, 1<<62
		return false
	case signHi:
		r.hi = x
	default:
		r.lo = x
	}
	return true
}

// newton narrows the interval to 2^-k by a step of Newton's method, which the signs at the new ends must confirm.
// Otherwise it halves the interval by bisection.
func (r *root) newton(k, signHi int) {
	mid := roundTo(middle(r.lo, r.hi), k+2)
	// mid - p(mid)/p'(mid) in integers, because reducing fractions would compute slow greatest common divisors.
	slope := r.p.derivative().homogeneous(mid)
	if slope.Sign() != 0 {
		num := new(big.Int).Mul(mid.Num(), slope)
		num.Sub(num, r.p.homogeneous(mid))
		num.Lsh(num, uint(k+2))
		x := new(big.Rat).SetFrac(floorDiv(num, slope.Mul(slope, mid.Denom())), new(big.Int).Lsh(big.NewInt(1),
			uint(k+2)))
		radius := pow2(-k - 1)
		a, b := new(big.Rat).Sub(x, radius), new(big.Rat).Add(x, radius)
		if a.Cmp(r.lo) > 0 && b.Cmp(r.hi) < 0 && r.p.sign(a) == -signHi && r.p.sign(b) == signHi {
			r.lo, r.hi, r.fine = a, b, k
			return
		}
	}
	goal := pow2(-r.fine - 1)
	for width := new(big.Rat); width.Sub(r.hi, r.lo).Cmp(goal) > 0; {
		if !r.cut(roundTo(middle(r.lo, r.hi), r.fine+8), signHi) {
			return
		}
	}
	r.fine++
}

func pow2(k int) *big.Rat {
	one := big.NewInt(1)
	if k < 0 {
		return new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, uint(-k)))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(one, uint(k)))
}

// roundTo rounds x down to a multiple of 2^-k.
func roundTo(x *big.Rat, k int) *big.Rat {
	return new(big.Rat).SetFrac(floorScaled(x, k), new(big.Int).Lsh(big.NewInt(1), uint(k)))
}

// floorScaled returns the floor of x * 2^k for k >= 0.
func floorScaled(x *big.Rat, k int) *big.Int {
	n := new(big.Int).Lsh(x.Num(), uint(k))
	q, _ := new(big.Int).DivMod(n, x.Denom(), new(big.Int))
	return q
}
