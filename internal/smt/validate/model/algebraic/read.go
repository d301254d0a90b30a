package algebraic

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/decimal"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// form is one way to write a number: its initial name, and its parser.
type form struct {
	arguments int
	read      func(r *reader, kids []smtlib.TermID, stop func() bool) (*root, *big.Rat, error)
}

var forms = map[string]form{
	"root-obj":               {2, readObject},
	"root-of-with-interval":  {3, readInterval},
	"root-of-with-enclosure": {3, readInterval},
	"root-of-with-ordering":  {2, readOrdering},
	"root-of-with-order":     {2, readOrdering},
}

// IsName reports whether a name begins an algebraic number.
func IsName(name string) bool {
	_, ok := forms[name]
	return ok
}

// Read parses an algebraic number in any form that solvers print:
//
//	(root-obj POLYNOMIAL i)                              z3: the i-th different real root, from 1
//	(root-of-with-interval (coeffs p0 p1 ... pn) lo hi)  the only root between lo and hi, both included
//	(root-of-with-ordering (coeffs p0 p1 ... pn) i)      the i-th real root, from 0; a double root counts twice
//
// root-of-with-enclosure and root-of-with-order are other names for the last two.
//
// A number that is too large to compute becomes an Unknown. Isolating a root of a polynomial of high degree may take
// minutes; Read returns an error soon after stop returns true.
//
// Source of the last two: the organisers' page, smt-comp.github.io/2026/model.html, "Algebraic numbers". It requires
// the minimal polynomial, for which multiplicities do not matter. It also defines how to count the roots of other
// polynomials, so Read accepts these as well.
func Read(s *smtlib.Script, t *smtlib.Term, stop func() bool) (value.Value, error) {
	name := s.Name(t.Sym)
	kids := s.Kids(t)
	f := forms[name]
	if len(kids) != f.arguments {
		return value.Value{}, fmt.Errorf("%s takes %d arguments", name, f.arguments)
	}
	r, q, err := f.read(&reader{script: s}, kids, stop)
	var limit limitError
	switch {
	case errors.As(err, &limit):
		return value.Value{P: &value.Unknown{Reason: string(limit)}}, nil
	case err != nil:
		return value.Value{}, err
	case q != nil:
		return value.Rat(q), nil
	}
	return value.Value{P: ofRoot(r)}, nil
}

// limitError reports a number that is too large to read.
type limitError string

func (e limitError) Error() string { return string(e) }

func highDegree() error {
	return limitError(fmt.Sprintf("polynomials of a degree above %d are not supported", maxDegree))
}

func readObject(r *reader, kids []smtlib.TermID, stop func() bool) (*root, *big.Rat, error) {
	p, err := r.polynomial(kids[0], 0)
	if err == nil {
		err = fits(p)
	}
	if err != nil {
		return nil, nil, err
	}
	i, err := r.rootNumber(kids[1])
	if err != nil {
		return nil, nil, err
	}
	return nth(p, i, false, stop)
}

func readOrdering(r *reader, kids []smtlib.TermID, stop func() bool) (*root, *big.Rat, error) {
	p, err := r.coefficients(kids[0])
	if err != nil {
		return nil, nil, err
	}
	i, err := r.rootNumber(kids[1])
	if err != nil {
		return nil, nil, err
	}
	return nth(p, i+1, true, stop)
}

func readInterval(r *reader, kids []smtlib.TermID, stop func() bool) (*root, *big.Rat, error) {
	p, err := r.coefficients(kids[0])
	if err != nil {
		return nil, nil, err
	}
	lo, err1 := r.number(kids[1])
	hi, err2 := r.number(kids[2])
	err = errors.Join(err1, err2)
	if err == nil {
		err = endsFit(p, poly{lo, hi})
	}
	if err != nil {
		return nil, nil, err
	}
	return within(p, lo, hi, stop)
}

// fits returns an error for polynomials whose roots would take too long to isolate.
func fits(p poly) error {
	d := p.degree()
	switch {
	case d > maxDegree:
		return highDegree()
	case p.bits() > maxCoefficients/max(1, d*d):
		const text = "coefficients of %d bits are not supported in a polynomial of degree %d"
		return limitError(fmt.Sprintf(text, p.bits(), d))
	}
	return nil
}

// endsFit returns an error for ends of an interval at which it would take too long to compute the polynomial.
func endsFit(p, ends poly) error {
	if ends.bits() > maxCoefficients/max(1, p.degree()) {
		const text = "intervals with ends of %d bits are not supported for a polynomial of degree %d"
		return limitError(fmt.Sprintf(text, ends.bits(), p.degree()))
	}
	return nil
}

// reader parses the parts of one number.
type reader struct {
	script   *smtlib.Script
	variable smtlib.Sym // variable of the polynomial, or 0 before its first occurrence
}

// rootNumber reads a root's number. It returns at most maxDegree+1, a number that no root has.
func (r *reader) rootNumber(id smtlib.TermID) (int, error) {
	t := r.script.Term(id)
	if t.Kind != smtlib.TermNumeral {
		return 0, errors.New("the number of the root must be a numeral")
	}
	if i, ok := r.script.Uint(t.Sym); ok && i <= maxDegree {
		return int(i), nil
	}
	return maxDegree + 1, nil
}

func (r *reader) coefficients(id smtlib.TermID) (poly, error) {
	t := r.script.Term(id)
	if t.Kind != smtlib.TermApply || r.script.Name(t.Sym) != "coeffs" {
		return nil, errors.New("coefficients must be written (coeffs p0 p1 ... pn)")
	}
	var p poly
	for _, k := range r.script.Kids(t) {
		c, err := r.number(k)
		if err != nil {
			return nil, err
		}
		p = append(p, c)
	}
	p = p.trim()
	return p, fits(p)
}

// number reads a rational number.
func (r *reader) number(id smtlib.TermID) (*big.Rat, error) {
	p, err := r.polynomial(id, 0)
	switch {
	case err != nil:
		return nil, err
	case r.variable != 0:
		return nil, errors.New("a number is expected, not a variable")
	case len(p) == 0:
		return new(big.Rat), nil
	}
	return p[0], nil
}

// polynomial reads sums, products and powers of one variable.
func (r *reader) polynomial(id smtlib.TermID, depth int) (poly, error) {
	const maxDepth = 1000
	t := r.script.Term(id)
	switch t.Kind {
	case smtlib.TermNumeral, smtlib.TermDecimal:
		c, ok := decimal.Rat(r.script.Name(t.Sym))
		if !ok {
			return nil, limitError("a number of so many digits is not read")
		}
		return small(poly{c}.trim())
	case smtlib.TermIdent:
		if r.variable != 0 && r.variable != t.Sym {
			return nil, errors.New("expected a polynomial in one variable")
		}
		r.variable = t.Sym
		return poly{new(big.Rat), big.NewRat(1, 1)}, nil
	case smtlib.TermApply:
		if depth < maxDepth {
			return r.operation(r.script.Name(t.Sym), r.script.Kids(t), depth)
		}
		return nil, limitError("a polynomial that nests so deep is not read")
	}
	return nil, errors.New("expected a polynomial in one variable")
}

func (r *reader) operation(name string, kids []smtlib.TermID, depth int) (poly, error) {
	first, err := r.polynomial(kids[0], depth+1)
	if err != nil {
		return nil, err
	}
	switch {
	case name == "^" && len(kids) == 2:
		return r.power(first, kids[1])
	case name == "-" && len(kids) == 1:
		return first.scale(big.NewRat(-1, 1)), nil
	case len(kids) == 1 && name != "+" && name != "*":
		return nil, fmt.Errorf("%s is not expected in a polynomial", name)
	}
	for _, k := range kids[1:] {
		next, err := r.polynomial(k, depth+1)
		if err == nil {
			first, err = combine(name, first, next)
		}
		if err != nil {
			return nil, err
		}
	}
	return first, nil
}

func combine(name string, a, b poly) (poly, error) {
	switch {
	case name == "+":
		return small(a.add(b))
	case name == "-":
		return small(a.add(b.scale(big.NewRat(-1, 1))))
	case name == "*" && a.degree()+b.degree() > maxDegree:
		return nil, highDegree()
	case name == "*":
		return small(a.mul(b))
	case name == "/" && len(b) == 1:
		return small(a.scale(new(big.Rat).Inv(b[0])))
	}
	return nil, fmt.Errorf("%s is not expected in a polynomial", name)
}

func (r *reader) power(base poly, id smtlib.TermID) (poly, error) {
	t := r.script.Term(id)
	if t.Kind != smtlib.TermNumeral {
		return nil, errors.New("the exponent in a polynomial must be a numeral")
	}
	n, ok := r.script.Uint(t.Sym)
	if !ok || n > maxDegree || int(n)*max(1, base.degree()) > maxDegree {
		return nil, highDegree()
	}
	out, err := poly{big.NewRat(1, 1)}, error(nil)
	for i := uint64(0); i < n && err == nil; i++ {
		out, err = small(out.mul(base))
	}
	return out, err
}

// small returns p, or an error if its coefficients are too large to continue.
func small(p poly) (poly, error) {
	if p.bits() > maxCoefficients {
		return nil, limitError(fmt.Sprintf("coefficients of %d bits are not supported", p.bits()))
	}
	return p, nil
}
