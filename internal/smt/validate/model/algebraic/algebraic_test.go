package algebraic

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// read parses a number.
func read(t *testing.T, text string) (value.Value, error) {
	t.Helper()
	s, err := smtlib.Parse([]byte("(assert " + text + ")"))
	if err != nil {
		t.Fatal(err)
	}
	return Read(s, s.Term(s.Commands[0].Term), func() bool { return false })
}

func mustRead(t *testing.T, text string) value.Value {
	t.Helper()
	v, err := read(t, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func op(o term.Op, a, b value.Value) value.Value {
	if n, ok := a.P.(*Number); ok {
		return n.Binary(o, b, false)
	}
	return b.P.(*Number).Binary(o, a, true)
}

const (
	sqrt2 = "(root-obj (+ (^ x 2) (- 2)) 2)"
	sqrt3 = "(root-of-with-interval (coeffs (- 3) 0 1) (/ 3 2) 2.0)"
	sqrt6 = "(root-of-with-ordering (coeffs (- 6) 0 1) 1)"
	phi   = "(root-obj (+ (^ x 2) (* (- 1) x) (- 1)) 2)" // (1+sqrt 5)/2
)

// TestIdentities uses equations that hold exactly, and near misses.
func TestIdentities(t *testing.T) {
	r2, r3, r6, g := mustRead(t, sqrt2), mustRead(t, sqrt3), mustRead(t, sqrt6), mustRead(t, phi)
	one := value.Int64(1)
	tiny := value.Rat(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 3000)))
	for _, row := range []struct {
		name string
		a, b value.Value
		want int
	}{
		{"sqrt 2 squared", op(term.Mul, r2, r2), value.Int64(2), 0},
		{"sqrt 2 sqrt 3 = sqrt 6", op(term.Mul, r2, r3), r6, 0},
		{"sqrt 2 + sqrt 3 and its square", op(term.Mul, op(term.Add, r2, r3), op(term.Add, r2, r3)),
			op(term.Add, op(term.Mul, r6, value.Int64(2)), value.Int64(5)), 0},
		{"golden ratio", op(term.Mul, g, g), op(term.Add, g, one), 0},
		{"its inverse", op(term.RealDiv, one, g), op(term.Sub, g, one), 0},
		{"two polynomials, one number", mustRead(t, "(root-obj (+ (^ x 4) (- 4)) 2)"), r2, 0},
		{"a near miss", op(term.Add, op(term.Mul, r2, r2), tiny), value.Int64(2), 1},
		{"order", r3, r2, 1},
		{"against a rational", r2, value.Rat(big.NewRat(141421356, 100000000)), 1},
		{"the other root", mustRead(t, "(root-obj (+ (^ x 2) (- 2)) 1)"), value.Int64(0), -1},
		{"a double root", mustRead(t, "(root-obj (+ (^ x 4) (* (- 4) (^ x 2)) 4) 2)"), r2, 0},
	} {
		n, ok := row.a.P.(*Number)
		if !ok {
			t.Errorf("%s: %v is rational", row.name, row.a)
			continue
		}
		if got, ok := n.Compare(row.b); !ok || got != row.want {
			t.Errorf("%s: got %d %v, want %d", row.name, got, ok, row.want)
		}
	}
}

func TestRationalRoots(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       *big.Rat
	}{
		{"linear", "(root-obj (+ (* 2 x) (- 3)) 1)", big.NewRat(3, 2)},
		{"at the end of the interval", "(root-of-with-interval (coeffs (- 4) 0 1) 0 2)", big.NewRat(2, 1)},
		{"at its beginning", "(root-of-with-interval (coeffs (- 4) 0 1) 2 5)", big.NewRat(2, 1)},
	} {
		v := mustRead(t, row.text)
		if _, irrational := v.P.(*Number); irrational {
			if c, ok := v.P.(*Number).Compare(value.Rat(row.want)); !ok || c != 0 {
				t.Errorf("%s: not %v", row.name, row.want)
			}
		} else if v.BigRat().Cmp(row.want) != 0 {
			t.Errorf("%s: got %v, want %v", row.name, v.BigRat(), row.want)
		}
	}
}

func TestFloor(t *testing.T) {
	r2 := mustRead(t, sqrt2)
	for _, row := range []struct {
		name string
		v    value.Value
		want int64
	}{
		{"1.41", r2, 1},
		{"-1.41", op(term.Sub, value.Int64(0), r2), -2},
		{"exactly 2", op(term.Mul, r2, r2), 2},
		{"1414213.56", op(term.Mul, r2, value.Int64(1000000)), 1414213},
	} {
		if got, ok := row.v.P.(*Number).Floor(); !ok || got.Int64() != row.want {
			t.Errorf("%s: got %v %v, want %d", row.name, got, ok, row.want)
		}
	}
}

// TestRootNumbers checks the numbering of roots. root-of-with-ordering counts from 0 and with multiplicity, as on the
// organisers' page; root-obj counts distinct roots from 1, as in z3.
func TestRootNumbers(t *testing.T) {
	const (
		three  = "(coeffs 1 (- 3) 0 1)"         // x^3 - 3x + 1: -1.88, 0.35, 1.53
		double = "(coeffs 2 (- 3) 0 1)"         // (x + 2)(x - 1)^2
		square = "(coeffs 4 0 (- 4) 0 1)"       // (x^2 - 2)^2
		mixed  = "(coeffs 0 0 0 2 (- 3) 0 1)"   // x^3 (x + 2)(x - 1)^2
		thirds = "(coeffs 5 (- 16) 3)"          // (3x - 1)(x - 5)
		wide   = "(coeffs (- 1) 3 (- 30) 90 0)" // (3x - 1)(30x^2 + 1), with a leading zero
	)
	obj := strings.NewReplacer(three, "(+ (^ x 3) (* (- 3) x) 1)", square, "(+ (^ x 4) (* (- 4) (^ x 2)) 4)")
	for _, row := range []struct {
		poly   string
		number string
		near   float64
	}{
		{"(coeffs (- 2) 0 1)", "0", -1.414}, {"(coeffs (- 2) 0 1)", "1", 1.414}, {"(coeffs 2 0 (- 1))", "0", -1.414},
		{three, "0", -1.879}, {three, "1", 0.347}, {three, "2", 1.532}, {three, "002", 1.532},
		{"(coeffs (- 2) 0 0 1)", "0", 1.26}, // the other two roots are not real
		{double, "0", -2}, {double, "1", 1}, {double, "2", 1},
		{square, "0", -1.414}, {square, "1", -1.414}, {square, "2", 1.414}, {square, "3", 1.414},
		{mixed, "0", -2}, {mixed, "1", 0}, {mixed, "3", 0}, {mixed, "4", 1}, {mixed, "5", 1},
		{thirds, "0", 0.333}, {thirds, "1", 5}, {wide, "0", 0.333},
		{"(coeffs 0 1)", "0", 0}, {"(coeffs (/ (- 1) 2) 1.0)", "0", 0.5},
		{obj.Replace(three), "1", -1.879}, {obj.Replace(three), "3", 1.532},
		{obj.Replace(square), "1", -1.414}, {obj.Replace(square), "2", 1.414},
	} {
		name := "root-obj"
		if strings.HasPrefix(row.poly, "(coeffs") {
			name = "root-of-with-ordering"
		}
		v := mustRead(t, "("+name+" "+row.poly+" "+row.number+")")
		for _, side := range []struct {
			edge float64
			want int
		}{{row.near - 0.001, 1}, {row.near + 0.001, -1}} {
			edge := value.Rat(new(big.Rat).SetFloat64(side.edge))
			if c, ok := of(v).Compare(edge); !ok || c != side.want {
				t.Errorf("%s of %s is not near %v", row.number, row.poly, row.near)
			}
		}
	}
}

// TestRationalIsRational checks that a rational root is represented as a fraction, for any polynomial.
func TestRationalIsRational(t *testing.T) {
	big3 := "1" + strings.Repeat("0", 300)
	for _, row := range []struct {
		text string
		want *big.Rat
	}{
		{"(root-of-with-ordering (coeffs 5 (- 16) 3) 0)", big.NewRat(1, 3)},
		{"(root-of-with-ordering (coeffs (- 1) 0 49) 0)", big.NewRat(-1, 7)},
		{"(root-of-with-interval (coeffs 5 (- 16) 3) 0.0 (/ 1.0 2.0))", big.NewRat(1, 3)},
		{"(root-of-with-interval (coeffs 5 (- 16) 3) (- 1) (/ 1 3))", big.NewRat(1, 3)},
		{"(root-obj (+ (* 15 (^ x 2)) (* (- 8) x) 1) 1)", big.NewRat(1, 5)},
		{"(root-of-with-ordering (coeffs (- 6) 11 (- 6) 1) 1)", big.NewRat(2, 1)},
		{"(root-of-with-ordering (coeffs 2 (- (+ " + big3 + " 2)) " + big3 + ") 1)", big.NewRat(1, 1)},
	} {
		if v := mustRead(t, row.text); v.P != nil && v.P != any(v.BigRat()) || v.BigRat().Cmp(row.want) != 0 {
			t.Errorf("%s: got %v, want %v", row.text, v, row.want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"no root", "(root-obj (+ (^ x 2) 2) 1)", "no such root"},
		{"no third root", "(root-obj (+ (^ x 2) (- 2)) 3)", "no such root"},
		{"root-obj counts from 1", "(root-obj (+ (^ x 2) (- 2)) 0)", "no such root"},
		{"no third root, from 0", "(root-of-with-ordering (coeffs (- 2) 0 1) 2)", "no such root"},
		{"a double root is two, not three", "(root-of-with-ordering (coeffs 2 (- 3) 0 1) 3)", "no such root"},
		{"different roots", "(root-obj (+ (^ x 4) (* (- 4) (^ x 2)) 4) 3)", "no such root"},
		{"only complex roots", "(root-of-with-ordering (coeffs 2 0 1) 0)", "no such root"},
		{"a number of many digits", "(root-of-with-ordering (coeffs (- 2) 0 1) 1" + strings.Repeat("0", 99) + ")",
			"no such root"},
		{"negative", "(root-of-with-ordering (coeffs (- 2) 0 1) (- 1))", "must be a numeral"},
		{"negative, as a symbol", "(root-of-with-ordering (coeffs (- 2) 0 1) -1)", "must be a numeral"},
		{"a decimal", "(root-of-with-ordering (coeffs (- 2) 0 1) 1.0)", "must be a numeral"},
		{"a symbol of digits", "(root-of-with-ordering (coeffs (- 2) 0 1) |1|)", "must be a numeral"},
		{"two arguments for an interval", "(root-of-with-interval (coeffs (- 2) 0 1) 1)", "takes 3 arguments"},
		{"the same by its other name", "(root-of-with-enclosure (coeffs (- 2) 0 1) 1)", "takes 3 arguments"},
		{"three for a number", "(root-of-with-order (coeffs (- 2) 0 1) 1 2)", "takes 2 arguments"},
		{"two roots", "(root-of-with-interval (coeffs (- 2) 0 1) (- 2) 2)", "exactly one root"},
		{"no root between", "(root-of-with-interval (coeffs (- 2) 0 1) 2 3)", "exactly one root"},
		{"ends exchanged", "(root-of-with-interval (coeffs (- 2) 0 1) 2 1)", "is empty"},
		{"an end that is no number", "(root-of-with-interval (coeffs (- 2) 0 1) 1 x)", "a number is expected"},
		{"an end divided by zero", "(root-of-with-interval (coeffs (- 2) 0 1) 1 (/ 2 0))", "not expected"},
		{"a constant", "(root-obj 5 1)", "no such root"},
		{"zero", "(root-obj 0 1)", "no such root"},
		{"all coefficients zero", "(root-of-with-ordering (coeffs 0 0) 0)", "no such root"},
		{"no coefficients", "(root-of-with-ordering coeffs 0)", "(coeffs p0 p1 ... pn)"},
		{"another head", "(root-of-with-ordering (coefs (- 2) 0 1) 0)", "(coeffs p0 p1 ... pn)"},
		{"a variable as a coefficient", "(root-of-with-ordering (coeffs (- 2) x 1) 0)", "a number is expected"},
		{"no polynomial", "(root-obj (sin x) 1)", "not expected"},
		{"two variables", "(root-obj (+ (^ x 2) (* (- 2) y)) 1)", "one variable"},
	} {
		v, err := read(t, row.text)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v and error %v, want %q", row.name, v, err, row.want)
		}
	}
}

// TestLimits uses numbers that are too large to compute. They are well-formed, so they become unknown values. None may
// take long.
func TestLimits(t *testing.T) {
	tower := "10"
	for range 8 {
		tower = "(^ " + tower + " 200)"
	}
	long := strings.Repeat("7", 400_000)
	for _, row := range []struct{ name, text string }{
		{"huge degree", "(root-obj (^ x 1000) 1)"},
		{"degree of many digits", "(root-obj (^ x 1" + strings.Repeat("0", 99) + ") 1)"},
		{"coefficients of huge degree", "(root-of-with-ordering (coeffs" + strings.Repeat(" 1", 5000) + ") 0)"},
		{"powers of powers", "(root-obj (+ x " + tower + ") 1)"},
		{"powers of polynomials", "(root-obj (^ (^ (+ x 1) 20) 20) 1)"},
		{"long coefficients", "(root-of-with-ordering (coeffs " + long + " 1 " + long + ") 0)"},
		{"an interval with a long end", "(root-of-with-interval (coeffs (- 3)" + strings.Repeat(" 1", 30) + ") 0." +
			long[:90_000] + " 5.0)"},
		{"long product", "(root-obj (+ (^ x 2) (* " + long + " " + long + " " + long + ")) 1)"},
	} {
		v, err := read(t, row.text)
		if err != nil || v.UnknownOf() == nil {
			t.Errorf("%s: got %v and error %v, want a value that is unknown", row.name, v, err)
		}
	}
}

// TestStopsAnywhere stops the reading of a root of degree 200 at different steps. A partial result must not be used,
// because dividing by it takes minutes.
func TestStopsAnywhere(t *testing.T) {
	var text strings.Builder
	for i := range 201 {
		fmt.Fprintf(&text, " %d", (i*i*7919+i*104729)%97+1)
	}
	s, err := smtlib.Parse([]byte("(assert (root-of-with-ordering (coeffs" + text.String() + ") 0))"))
	if err != nil {
		t.Fatal(err)
	}
	for _, steps := range []int{0, 40, 80} {
		start := time.Now()
		calls := 0
		_, err := Read(s, s.Term(s.Commands[0].Term), func() bool { calls++; return calls > steps })
		if err == nil || !strings.Contains(err.Error(), "time limit") {
			t.Errorf("after %d calls: got %v, want an error about the time limit", steps, err)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Fatalf("after %d calls it took %v", steps, d)
		}
	}
}

// TestStops uses numbers that would take minutes. Isolating a root must end at the time limit, and comparisons must
// give up.
func TestStops(t *testing.T) {
	s, err := smtlib.Parse([]byte("(assert (root-obj (+ (^ x 190) (* (- 3) x) 1) 1))"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(s, s.Term(s.Commands[0].Term), func() bool { return true }); err == nil ||
		!strings.Contains(err.Error(), "time limit") {
		t.Errorf("got %v, want an error about the time limit", err)
	}
	x, y := mustRead(t, "(root-obj (+ (^ x 50) (* (- 3) x) 1) 1)"),
		mustRead(t, "(root-obj (+ (^ x 51) (* (- 3) x) 1) 1)")
	sum := x.P.(*Number).Binary(term.Add, y, false).P.(*Number).Binary(term.Sub, y, false).P.(*Number)
	if c, ok := sum.Compare(x); ok && c != 0 {
		t.Errorf("x + y - y is not x: %d", c)
	}
	if c, ok := sum.Compare(y); !ok || c == 0 {
		t.Errorf("different roots compare as %d, %v", c, ok)
	}
}
