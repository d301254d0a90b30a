package bv

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestSmallAgainstWide compares the two implementations on all pairs of values for small widths, and on random pairs
// for other widths.
func TestSmallAgainstWide(t *testing.T) {
	for w := 1; w <= 5; w++ {
		for a := range uint64(1) << w {
			for b := range uint64(1) << w {
				compareBoth(t, w, a, b)
			}
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		w := 6 + r.IntN(59)
		a, b := r.Uint64()&mask(w), r.Uint64()&mask(w)
		if r.IntN(3) == 0 {
			b = uint64(r.IntN(2*w)) & mask(w)
		}
		if r.IntN(8) == 0 {
			a = 1 << (w - 1)
		}
		if r.IntN(8) == 0 {
			b = mask(w)
		}
		compareBoth(t, w, a, b)
	}
}

func compareBoth(t *testing.T, w int, a, b uint64) {
	t.Helper()
	x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
	for op := And; op <= RotateRight; op++ {
		small, wide := Small(op, w, a, b), Wide(op, w, x, y)
		if !wide.IsUint64() || wide.Uint64() != small {
			t.Fatalf("op %d, width %d, %d and %d: small %d, wide %v", op, w, a, b, small, wide)
		}
	}
	for p := Ult; p <= Sdivo; p++ {
		if small, wide := SmallPred(p, w, a, b), WidePred(p, w, x, y); small != wide {
			t.Fatalf("pred %d, width %d, %d and %d: small %v, wide %v", p, w, a, b, small, wide)
		}
	}
	if x.Uint64() != a || y.Uint64() != b {
		t.Fatalf("an argument was changed")
	}
}

// TestByHand uses values computed by hand from the definitions of the logic QF_BV.
func TestByHand(t *testing.T) {
	for _, row := range []struct {
		name string
		op   Op
		w    int
		a, b uint64
		want uint64
	}{
		{"-7 sdiv 2 is -3", Sdiv, 4, 9, 2, 13},
		{"-7 srem 2 is -1", Srem, 4, 9, 2, 15},
		{"-7 smod 2 is 1", Smod, 4, 9, 2, 1},
		{"7 smod -2 is -1", Smod, 4, 7, 14, 15},
		{"-8 sdiv -1 wraps", Sdiv, 4, 8, 15, 8},
		{"udiv by zero", Udiv, 4, 5, 0, 15},
		{"urem by zero", Urem, 4, 5, 0, 5},
		{"5 sdiv 0 is -1", Sdiv, 4, 5, 0, 15},
		{"-5 sdiv 0 is 1", Sdiv, 4, 11, 0, 1},
		{"-5 srem 0 is -5", Srem, 4, 11, 0, 11},
		{"-5 smod 0 is -5", Smod, 4, 11, 0, 11},
		{"shift by width", Shl, 4, 15, 4, 0},
		{"arithmetic shift by more than width", Ashr, 4, 8, 9, 15},
		{"xnor", Xnor, 4, 0b1100, 0b1010, 0b1001},
		{"rotate", RotateLeft, 4, 0b1001, 5, 0b0011},
		{"64 bits", Mul, 64, 1 << 63, 3, 1 << 63},
	} {
		if got := Small(row.op, row.w, row.a, row.b); got != row.want {
			t.Errorf("%s: got %d, want %d", row.name, got, row.want)
		}
	}
	for _, row := range []struct {
		name string
		p    Pred
		a, b uint64
		want bool
	}{
		{"-8 / -1 overflows", Sdivo, 8, 15, true},
		{"-8 / 1 does not", Sdivo, 8, 1, false},
		{"7 + 1 overflows signed", Saddo, 7, 1, true},
		{"7 + 1 does not unsigned", Uaddo, 7, 1, false},
		{"-8 - 1 overflows", Ssubo, 8, 1, true},
		{"4 * 4 overflows unsigned", Umulo, 4, 4, true},
		{"-4 * 2 does not", Smulo, 12, 2, false},
		{"-4 * -2 does", Smulo, 12, 14, true},
		{"-1 < 0", Slt, 15, 0, true},
	} {
		if got := SmallPred(row.p, 4, row.a, row.b); got != row.want {
			t.Errorf("%s: got %v", row.name, got)
		}
	}
}

func TestExtractConcatExtend(t *testing.T) {
	a := big.NewInt(0b1011)
	if got := Extract(2, 1, a).Int64(); got != 0b01 {
		t.Errorf("extract: %b", got)
	}
	if got := Concat(a, big.NewInt(1), 3).Int64(); got != 0b1011001 {
		t.Errorf("concat: %b", got)
	}
	if got := SignExtend(4, 2, a).Int64(); got != 0b111011 {
		t.Errorf("sign_extend: %b", got)
	}
	if got := Repeat(5, 3, a).Int64(); got != 0b01011_01011_01011 {
		t.Errorf("repeat: %b", got)
	}
	if a.Int64() != 0b1011 {
		t.Error("argument changed")
	}
}

// TestOverflow compares the overflow predicates with their definitions over the integers (theory FixedSizeBitVectors of
// SMT-LIB 2.7), for narrow vectors including width 1.
func TestOverflow(t *testing.T) {
	for w := 1; w <= 4; w++ {
		most := int64(1)<<(w-1) - 1
		outside := func(v int64) bool { return v > most || v < -most-1 }
		for a := range int64(1) << w {
			for b := range int64(1) << w {
				x, y := a, b
				if x > most {
					x -= 1 << w
				}
				if y > most {
					y -= 1 << w
				}
				for p, want := range map[Pred]bool{
					Uaddo: a+b >= 1<<w, Umulo: a*b >= 1<<w, Usubo: a < b, Saddo: outside(x + y), Ssubo: outside(x - y),
					Smulo: outside(x * y), Sdivo: x == -most-1 && y == -1, Ult: a < b, Ule: a <= b, Slt: x < y,
					Sle: x <= y,
				} {
					if got := WidePred(p, w, big.NewInt(a), big.NewInt(b)); got != want {
						t.Errorf("predicate %d of %d and %d in %d bits: %v", p, a, b, w, got)
					}
					if got := SmallPred(p, w, uint64(a), uint64(b)); got != want {
						t.Errorf("predicate %d of %d and %d in %d bits, small: %v", p, a, b, w, got)
					}
				}
			}
		}
	}
}
