package score

import (
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
		// Half to even after the twelfth digit.
		{in: "0.0000000000005", want: 0},
		{in: "0.0000000000015", want: 2},
		{in: "0.0000000000025", want: 2},
		{in: "0.00000000000250001", want: 3},
		{in: "1201.0083175292239", want: 1_201_008_317_529_224},
		{in: "", bad: true},
		{in: ".", bad: true},
		{in: "-1", bad: true},
		{in: "+1", bad: true},
		{in: "nan", bad: true},
		{in: "inf", bad: true},
		{in: "1.2.3", bad: true},
		{in: "1e999", bad: true},
		{in: "99999999", bad: true}, // more than 53 days
		{in: "1 ", bad: true},
	} {
		got, err := ParseTime(test.in)
		if (err != nil) != test.bad || got != test.want {
			t.Errorf("ParseTime(%q) = %d, %v; want %d, error %v", test.in, got, err, test.want, test.bad)
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

// Ten times 0.1 is 1, which it is not in doubles; and no sum overflows.
func TestSumIsExact(t *testing.T) {
	tenth, _ := ParseTime("0.1")
	var s Sum
	for range 10 {
		s = s.Add(tenth)
	}
	if s != sumOf(Second) {
		t.Errorf("ten times 0.1 is %s", s)
	}
	big128 := sumOf(maxTime)
	for range 20 {
		big128 = big128.Plus(big128) // 2^20 times 53 days
	}
	want := new(big.Int).Lsh(big.NewInt(maxTime), 20)
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

// The short way of TimeOfSeconds must give what the shortest decimal form gives.
func TestTimeOfSecondsIsThatOfTheText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	for range 200_000 {
		for _, s := range []float64{
			rnd.Float64() * 1300, float64(rnd.IntN(2_000_000_000)) / 1e6, float64(rnd.IntN(2_000_000)) / 1e3,
			float64(rnd.Int64N(2_000_000_000_000)) / 1e9, rnd.ExpFloat64() * 1e5, rnd.Float64() * 1e-5, float64(rnd.IntN(1 << 22)),
		} {
			got, err := TimeOfSeconds(s)
			want, err2 := ParseTime(strconv.FormatFloat(s, 'f', -1, 64))
			if got != want || err != nil || err2 != nil {
				t.Fatalf("%v: got %d (%v), want %d (%v)", s, got, err, want, err2)
			}
		}
	}
}
