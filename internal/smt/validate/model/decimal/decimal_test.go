package decimal

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestInt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 19, 1999, 2000, 2001, 3999, 4000, 4001, 7777, 16001, 33333} {
		digits := make([]byte, n)
		for i := range digits {
			digits[i] = byte('0' + r.IntN(10))
		}
		want, _ := new(big.Int).SetString(string(digits), 10)
		if got, ok := Int(string(digits)); !ok || got.Cmp(want) != 0 {
			t.Errorf("%d digits: got another number", n)
		}
	}
	for _, bad := range []string{"", "-1", "+1", "1.0", " 1", "1_0", strings.Repeat("1", MaxDigits+1)} {
		if n, ok := Int(bad); ok {
			t.Errorf("%.20q: got %v", bad, n)
		}
	}
}

func TestRat(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"0.0", "0"}, {"1.50", "3/2"}, {"007.000", "7"}, {"12", "12"}, {"0.125", "1/8"},
		{strings.Repeat("9", 150_000) + ".000", strings.Repeat("9", 150_000)},
	} {
		if r, ok := Rat(row.text); !ok || r.RatString() != row.want {
			t.Errorf("%.20s: got %v", row.text, ok)
		}
	}
	for _, bad := range []string{"", ".5", "1.-5", "0." + strings.Repeat("3", maxFraction)} {
		if r, ok := Rat(bad); ok {
			t.Errorf("%.20q: got %v", bad, r)
		}
	}
}

func BenchmarkInt(b *testing.B) {
	digits := strings.Repeat("123456789", 50_000)
	for b.Loop() {
		Int(digits)
	}
}
