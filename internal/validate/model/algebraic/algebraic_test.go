package algebraic

import (
	"math/big"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/smtlib"
	"github.com/smtpipe/smtpipe/internal/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/validate/model/value"
)

// read reads a number from text.
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
	sqrt6 = "(root-of-with-ordering (coeffs (- 6) 0 1) 2)"
	phi   = "(root-obj (+ (^ x 2) (* (- 1) x) (- 1)) 2)" // (1+sqrt 5)/2
)

// TestIdentities has equations that hold exactly and near misses that do not.
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
		{"sqrt 2 + sqrt 3 and its square", op(term.Mul, op(term.Add, r2, r3), op(term.Add, r2, r3)), op(term.Add, op(term.Mul, r6, value.Int64(2)), value.Int64(5)), 0},
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

func TestReadErrors(t *testing.T) {
	for _, row := range []struct{ name, text string }{
		{"no root", "(root-obj (+ (^ x 2) 2) 1)"},
		{"no third root", "(root-obj (+ (^ x 2) (- 2)) 3)"},
		{"two roots", "(root-of-with-interval (coeffs (- 2) 0 1) (- 2) 2)"},
		{"a constant", "(root-obj 5 1)"},
		{"zero", "(root-obj 0 1)"},
		{"no polynomial", "(root-obj (sin x) 1)"},
		{"huge degree", "(root-obj (^ x 1000) 1)"},
	} {
		if v, err := read(t, row.text); err == nil {
			t.Errorf("%s: got %v", row.name, v)
		}
	}
}

// TestStops has numbers that would take minutes: isolating a root ends with the time limit, and comparisons give up.
func TestStops(t *testing.T) {
	s, err := smtlib.Parse([]byte("(assert (root-obj (+ (^ x 190) (* (- 3) x) 1) 1))"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(s, s.Term(s.Commands[0].Term), func() bool { return true }); err == nil || !strings.Contains(err.Error(), "time limit") {
		t.Errorf("got %v, want an error about the time limit", err)
	}
	x, y := mustRead(t, "(root-obj (+ (^ x 50) (* (- 3) x) 1) 1)"), mustRead(t, "(root-obj (+ (^ x 51) (* (- 3) x) 1) 1)")
	sum := x.P.(*Number).Binary(term.Add, y, false).P.(*Number).Binary(term.Sub, y, false).P.(*Number)
	if c, ok := sum.Compare(x); ok && c != 0 {
		t.Errorf("x + y - y is not x: %d", c)
	}
	if c, ok := sum.Compare(y); !ok || c == 0 {
		t.Errorf("different roots compare as %d, %v", c, ok)
	}
}
