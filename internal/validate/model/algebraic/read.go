package algebraic

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/smtlib"
	"github.com/smtpipe/smtpipe/internal/validate/model/value"
)

// Read reads an algebraic number as solvers write it:
//
//	(root-obj POLYNOMIAL i)                                        z3: the i-th real root, from 1; the variable is a symbol
//	(root-of-with-interval (coeffs p0 p1 ... pn) lo hi)            the root between lo and hi
//	(root-of-with-ordering (coeffs p0 p1 ... pn) i)                the i-th real root
//
// Isolating the root of a polynomial of high degree may take minutes; Read gives an error soon after stop has become true.
//
// Source of the last two: the organisers' proposal, smt-comp.github.io/2026/model.html.
func Read(s *smtlib.Script, t *smtlib.Term, stop func() bool) (value.Value, error) {
	kids := s.Kids(t)
	name := s.Name(t.Sym)
	want := 2
	if name == "root-of-with-interval" {
		want = 3
	}
	if len(kids) != want {
		return value.Value{}, fmt.Errorf("%s takes %d arguments", name, want)
	}
	read := coefficients
	if name == "root-obj" {
		read = polynomial
	}
	p, err := read(s, kids[0], 0)
	if err != nil {
		return value.Value{}, err
	}
	if p.degree() > maxDegree {
		return value.Value{}, fmt.Errorf("polynomials of degree %d are not supported", p.degree())
	}
	if p.bits() > maxCoefficients/max(1, p.degree()*p.degree()) {
		return value.Value{}, fmt.Errorf("coefficients of %d bits are not supported in a polynomial of degree %d", p.bits(), p.degree())
	}
	var (
		r *root
		q *big.Rat
	)
	if name == "root-of-with-interval" {
		lo, err1 := number(s, kids[1])
		hi, err2 := number(s, kids[2])
		if err := errors.Join(err1, err2); err != nil {
			return value.Value{}, err
		}
		r, q, err = within(p, lo, hi, stop)
	} else {
		i, ok := s.Uint(s.Term(kids[1]).Sym)
		if !ok || i > maxDegree {
			return value.Value{}, errors.New("the number of the root must be a numeral")
		}
		r, q, err = nth(p, int(i), stop)
	}
	switch {
	case err != nil:
		return value.Value{}, err
	case q != nil:
		return value.Rat(q), nil
	}
	return value.Value{P: ofRoot(r)}, nil
}

func coefficients(s *smtlib.Script, id smtlib.TermID, _ int) (poly, error) {
	t := s.Term(id)
	if t.Kind != smtlib.TermApply || s.Name(t.Sym) != "coeffs" {
		return nil, errors.New("coefficients must be written (coeffs p0 p1 ... pn)")
	}
	var p poly
	for _, k := range s.Kids(t) {
		c, err := number(s, k)
		if err != nil {
			return nil, err
		}
		p = append(p, c)
	}
	return p.trim(), nil
}

// number reads a rational number.
func number(s *smtlib.Script, id smtlib.TermID) (*big.Rat, error) {
	p, err := polynomial(s, id, 0)
	switch {
	case err != nil:
		return nil, err
	case len(p) > 1:
		return nil, errors.New("a number is expected, not a variable")
	case len(p) == 0:
		return new(big.Rat), nil
	}
	return p[0], nil
}

// polynomial reads sums, products and powers of one variable.
func polynomial(s *smtlib.Script, id smtlib.TermID, depth int) (poly, error) {
	const maxDepth = 1000
	t := s.Term(id)
	name := s.Name(t.Sym)
	switch t.Kind {
	case smtlib.TermNumeral, smtlib.TermDecimal:
		r, ok := new(big.Rat).SetString(name)
		if !ok {
			return nil, fmt.Errorf("%s is no number", name)
		}
		return poly{r}.trim(), nil
	case smtlib.TermIdent:
		return poly{new(big.Rat), big.NewRat(1, 1)}, nil
	}
	if t.Kind != smtlib.TermApply || depth > maxDepth {
		return nil, errors.New("a polynomial in one variable is expected")
	}
	kids := s.Kids(t)
	first, err := polynomial(s, kids[0], depth+1)
	if err != nil {
		return nil, err
	}
	if name == "^" && len(kids) == 2 {
		return power(s, first, kids[1])
	}
	if name == "-" && len(kids) == 1 {
		return first.scale(big.NewRat(-1, 1)), nil
	}
	if len(kids) == 1 && name != "+" && name != "*" {
		return nil, fmt.Errorf("%s is not expected in a polynomial", name)
	}
	for _, k := range kids[1:] {
		next, err := polynomial(s, k, depth+1)
		if err != nil {
			return nil, err
		}
		switch {
		case name == "+":
			first = first.add(next)
		case name == "-":
			first = first.add(next.scale(big.NewRat(-1, 1)))
		case name == "*" && first.degree()+next.degree() <= maxDegree:
			first = first.mul(next)
		case name == "/" && len(next) == 1:
			first = first.scale(new(big.Rat).Inv(next[0]))
		default:
			return nil, fmt.Errorf("%s is not expected in a polynomial", name)
		}
	}
	return first, nil
}

func power(s *smtlib.Script, base poly, id smtlib.TermID) (poly, error) {
	n, err := strconv.Atoi(s.Name(s.Term(id).Sym))
	if err != nil || n < 0 || n*max(1, base.degree()) > maxDegree {
		return nil, fmt.Errorf("powers of polynomials up to degree %d are supported", maxDegree)
	}
	out := poly{big.NewRat(1, 1)}
	for range n {
		out = out.mul(base)
	}
	return out, nil
}
