package score

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestParseTime(t *testing.T) {
	for _, test := range []struct {
		in   string
		want Time
		bad  bool
	}{
		{in: "0", want: 0},
		{in: "1", want: Second},
		{in: "0.0334769", want: 33_476_900_000},
		{in: "1200.02", want: 1_200_020_000_000_000},
		{in: ".5", want: Second / 2},
		{in: "5.", want: 5 * Second},
		{in: "1.5e-3", want: 1_500_000_000},
		{in: "2E2", want: 200 * Second},
		{in: "1e-05", want: 10_000_000},
		// Round half to even after the twelfth digit.
		{in: "0.0000000000005", want: 0},
		{in: "0.0000000000015", want: 2},
		{in: "0.0000000000025", want: 2},
		{in: "0.00000000000250001", want: 3},
		{in: "1201.0083175292239", want: 1_201_008_317_529_224},
		{in: "0e400", want: 0},
		{in: "0e-400", want: 0},
		{in: "0e401", bad: true},
		{in: "0e-401", bad: true},
		{in: "e5", bad: true},
		{in: "", bad: true},
		{in: ".", bad: true},
		{in: "-1", bad: true},
		{in: "+1", bad: true},
		{in: "nan", bad: true},
		{in: "inf", bad: true},
		{in: "1.2.3", bad: true},
		{in: "1e999", bad: true},
		{in: "9158400", want: 9_158_400 * Second}, // 106 days
		{in: "9158400.000000000001", bad: true},
		{in: "99999999", bad: true},
		{in: "1 ", bad: true},
	} {
		got, err := ParseTime(test.in)
		if (err != nil) != test.bad || got != test.want {
			t.Errorf("ParseTime(%q) = %d, %v; want %d, error %v", test.in, got, err, test.want, test.bad)
		}
	}
	for _, in := range []string{"e5", "", "1e", "1e999"} {
		if _, err := ParseTime(in); err == nil || err.Error() != strconv.Quote(in)+" is not a number of seconds" {
			t.Errorf("ParseTime(%q): %v", in, err)
		}
	}
}

func TestTimeString(t *testing.T) {
	for _, s := range []string{"0", "1", "0.1", "0.3", "413.9886", "0.000000000001", "2400.01"} {
		v, err := ParseTime(s)
		if err != nil || v.String() != s {
			t.Errorf("ParseTime(%q).String() = %q, %v", s, v.String(), err)
		}
	}
}

// TestSumIsExact checks that ten times 0.1 is 1, unlike with doubles, and that no sum overflows.
func TestSumIsExact(t *testing.T) {
	tenth, _ := ParseTime("0.1")
	var s Sum
	for range 10 {
		s = s.Add(tenth)
	}
	if s != sumOf(Second) {
		t.Errorf("ten times 0.1 is %s", s)
	}
	big128 := maxScore
	for range 31 {
		big128 = big128.Plus(big128) // the maximum number of runs in a track, each with the highest possible cost
	}
	want := new(big.Int).Lsh(new(big.Int).Exp(big.NewInt(10), big.NewInt(28), nil), 31)
	if big128.big().Cmp(want) != 0 {
		t.Errorf("the sum is %v, want %v", big128.big(), want)
	}
	if got := big128.Minus(big128); !got.IsZero() {
		t.Errorf("s - s = %s", got)
	}
	if sumOf(1).Compare(sumOf(2)) >= 0 || sumOf(2).Compare(big128) >= 0 || big128.Compare(big128) != 0 {
		t.Error("sums do not compare")
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"0", "1.5", "0.1e3", "12.0000000000005", "9e-13", "1200.02"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseTime(s)
		if err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(s)
		if !ok || strings.ContainsAny(s, "/_xXpP") {
			t.Skip()
		}
		// The error is at most half a picosecond.
		diff := new(big.Rat).Sub(sumOf(got).rat(), want)
		if diff.Abs(diff).Cmp(big.NewRat(1, 2*int64(Second))) > 0 {
			t.Errorf("ParseTime(%q) = %s", s, got)
		}
	})
}

// TestTimeOfSecondsIsThatOfTheText checks that TimeOfSeconds' fast path returns the same time as the shortest decimal
// form.
func TestTimeOfSecondsIsThatOfTheText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	for range 200_000 {
		for _, s := range []float64{
			rnd.Float64() * 1300, float64(rnd.IntN(2_000_000_000)) / 1e6, float64(rnd.IntN(2_000_000)) / 1e3,
			float64(rnd.Int64N(2_000_000_000_000)) / 1e9, float64(rnd.IntN(9_158_400)), rnd.ExpFloat64() * 1e5,
			rnd.Float64() * 1e-5, float64(rnd.IntN(1 << 22)), float64(84_000_000_000_000+rnd.Int64N(6e12)) / 1e7,
		} {
			got, err := TimeOfSeconds(s)
			want, err2 := ParseTime(strconv.FormatFloat(s, 'f', -1, 64))
			if got != want || err != nil || err2 != nil {
				t.Fatalf("%v: got %d (%v), want %d (%v)", s, got, err, want, err2)
			}
		}
	}
}

// TestSecondsAreNearest checks that Seconds returns the nearest double, even if doubles cannot represent that many
// whole nanoseconds.
func TestSecondsAreNearest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	for range 20_000 {
		for _, lo := range []uint64{
			rnd.Uint64(), rnd.Uint64N(1 << 54), rnd.Uint64N(18_000_000_000_000_000) * 1000, rnd.Uint64N(1<<53) * 1000,
		} {
			want, _ := new(big.Rat).SetFrac(new(big.Int).SetUint64(lo), big.NewInt(1_000_000_000_000)).Float64()
			if got := (Sum{lo: lo}).Seconds(); got != want {
				t.Fatalf("%d picoseconds are %v, want %v", lo, got, want)
			}
		}
	}
}

// TestMostThatARunCosts checks that a product can be a run's highest cost, but that one picosecond more is rejected.
func TestMostThatARunCosts(t *testing.T) {
	if got, ok := maxScore.Times(1); !ok || got != maxScore {
		t.Errorf("once: %s, %v", got, ok)
	}
	more := maxScore.Add(1)
	if got, ok := more.Times(1); ok {
		t.Errorf("a picosecond more is %s", got)
	}
	if got, ok := more.Times(0); ok {
		t.Errorf("a picosecond more, not once, is %s", got)
	}
	half := Sum{hi: maxScore.hi / 2, lo: maxScore.lo / 2} // both halves are even
	if got, ok := half.Times(2); !ok || got != maxScore {
		t.Errorf("twice the half: %s, %v", got, ok)
	}
}

// TestSumsAgainstBig checks that products, minima and maxima equal those of integers, or that the product is rejected.
func TestSumsAgainstBig(t *testing.T) {
	bound := new(big.Int).Exp(big.NewInt(10), big.NewInt(28), nil)
	if maxScore.big().Cmp(bound) != 0 {
		t.Fatalf("maxScore is %s", maxScore)
	}
	rnd := rand.New(rand.NewPCG(16, 1))
	random := func() Sum {
		s := Sum{hi: rnd.Int64() >> 34 >> rnd.IntN(64), lo: rnd.Uint64() >> rnd.IntN(64)}
		if rnd.IntN(2) == 0 {
			s = Sum{}.Minus(s)
		}
		return s
	}
	for range 200_000 {
		a, b, n := random(), random(), rnd.Int64()>>rnd.IntN(64)
		want := new(big.Int).Mul(a.big(), big.NewInt(n))
		got, ok := a.Times(n)
		fits := new(big.Int).Abs(want).Cmp(bound) <= 0 && new(big.Int).Abs(a.big()).Cmp(bound) <= 0
		if ok != fits || ok && got.big().Cmp(want) != 0 {
			t.Fatalf("%v * %d = %v, %v; want %v", a.big(), n, got.big(), ok, want)
		}
		if a.big().Cmp(b.big()) != a.Compare(b) {
			t.Fatalf("%v and %v do not compare", a.big(), b.big())
		}
		within := new(big.Int).Abs(a.big()).Cmp(bound) <= 0
		if got, ok := sumOfBig(a.big()); ok != within || ok && got != a {
			t.Fatalf("%v is read as %v, %v", a.big(), got.big(), ok)
		}
		if want, _ := a.rat().Float64(); a.Seconds() != want {
			t.Fatalf("%s s is %v, want %v", a, a.Seconds(), want)
		}
	}
}

// TestSumColumn checks that a column returns the stored values, including those that do not fit in 64 bits.
func TestSumColumn(t *testing.T) {
	c := newSumColumn(6)
	all := []Sum{{}, sumOf(-1), sumOf(Time(maxTime)), maxScore, sumOf(large), {hi: 1}}
	c.set(0, &sumColumn{small: []int64{0, -1, maxTime}})
	c.set(3, &sumColumn{small: make([]int64, 3), wide: map[int]Sum{0: all[3], 1: all[4], 2: all[5]}})
	small, wide := c.slice(2, 6)
	for i, want := range all {
		if got := c.at(i); got != want {
			t.Errorf("value %d is %s, want %s", i, got, want)
		}
		if i > 2 && wide[i-2].Cmp(want.big()) != 0 {
			t.Errorf("value %d is %s for a frame, want %s", i, wide[i-2], want)
		}
	}
	if small[0] != maxTime || len(small) != 4 || len(wide) != 3 {
		t.Errorf("for a frame %v and %v", small, wide)
	}
}

// TestTimeOfSecondsIsBounded checks that a double beyond the range of times is rejected instead of wrapping around.
func TestTimeOfSecondsIsBounded(t *testing.T) {
	for _, s := range []float64{9_158_401, 1e7, 123456789.5, 9.99e8, 1e300} {
		if got, err := TimeOfSeconds(s); err == nil {
			t.Errorf("%v seconds are read as %s", s, got)
		}
	}
}

// TestNanoseconds converts sums beyond 64 bits: 2^64 ps are 18,446,744,073,709,551.6 ns. Larger values are capped at
// 2^63 ns.
func TestNanoseconds(t *testing.T) {
	for _, test := range []struct {
		sum  Sum
		want int64
	}{
		{Sum{}, 0}, {Sum{lo: 1999}, 1}, {Sum{lo: math.MaxInt64}, 9_223_372_036_854_775},
		{Sum{lo: math.MaxInt64 + 1}, 9_223_372_036_854_775}, {Sum{hi: 1}, 18_446_744_073_709_551},
		{Sum{hi: 1 << 40}, math.MaxInt64},
	} {
		if got := test.sum.nanoseconds(); got != test.want {
			t.Errorf("%+v: %d, want %d", test.sum, got, test.want)
		}
	}
}
