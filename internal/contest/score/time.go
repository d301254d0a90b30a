package score

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Time is a measured duration or a limit, in picoseconds. It is decimal, so values from files are compared and added
// exactly. Its maximum is comp.LongestTime, 106 days. Values computed from times are Sums.
type Time int64

// timeDigits is the number of decimal places of a second that a Time stores.
const timeDigits = 12

// Second is one second.
const Second Time = 1_000_000_000_000

// maxTime is the largest Time that can be read.
const maxTime = int64(comp.LongestTime) * 1000

const maxDays = maxTime / int64(Second) / 86400

// maxScore is the largest time that a rule set can compute for one run, in picoseconds: 10^16 seconds. The sum over the
// largest possible number of runs in a track (2^31) is then below 2^127, so no sum overflows.
var maxScore = Sum{hi: 542_101_086, lo: 4_477_988_020_393_345_024}

// ParseTime parses a decimal number of seconds, such as "0.0334769" or "1.5e-3". Digits after the twelfth are rounded
// half to even. Signs, infinities and NaN are errors.
func ParseTime(s string) (Time, error) {
	mantissa, exponent, err := splitExponent(s)
	if err != nil {
		return 0, err
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	if whole == "" && frac == "" {
		return 0, fmt.Errorf("%q is not a number of seconds", s)
	}
	t, ok := fixedPoint(whole, frac, timeDigits+exponent)
	if !ok {
		if strings.Trim(whole+frac, "0123456789") != "" {
			return 0, fmt.Errorf("%q is not a number of seconds of at least 0", s)
		}
		return 0, fmt.Errorf("%s seconds exceeds the maximum of %d days", s, maxDays)
	}
	return t, nil
}

func splitExponent(s string) (mantissa string, exponent int, err error) {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return s, 0, nil
	}
	exponent, err = strconv.Atoi(s[i+1:])
	if err != nil || exponent < -400 || exponent > 400 {
		return "", 0, fmt.Errorf("%q is not a number of seconds", s)
	}
	return s[:i], exponent, nil
}

// fixedPoint returns the digits whole.frac times 10^shift as an integer, rounded half to even.
func fixedPoint(whole, frac string, shift int) (Time, bool) {
	digits := whole + frac
	point := len(whole) + shift // position of the result's decimal point in digits
	var v uint64
	for i := 0; i < len(digits) || i < point; i++ {
		var d byte
		if i < len(digits) {
			d = digits[i] - '0'
			if d > 9 {
				return 0, false
			}
		}
		if i >= point {
			continue // rounded away below, but still checked to be a digit
		}
		if v > uint64(maxTime)/10 {
			return 0, false
		}
		v = v*10 + uint64(d)
	}
	if point < len(digits) && point >= 0 {
		v += roundUp(digits[point:], v)
	}
	return Time(v), v <= uint64(maxTime)
}

// roundUp returns 1 if the dropped digits exceed one half, or equal one half and v is odd.
func roundUp(dropped string, v uint64) uint64 {
	switch {
	case dropped[0] > '5':
		return 1
	case dropped[0] < '5':
		return 0
	case strings.Trim(dropped[1:], "0") != "":
		return 1
	}
	return v & 1
}

// TimeOfSeconds returns the Time for a finite float64, using its shortest decimal form, as in files.
func TimeOfSeconds(s float64) (Time, error) {
	if math.IsNaN(s) || math.IsInf(s, 0) || s < 0 {
		return 0, fmt.Errorf("%v is not a number of seconds of at least 0", s)
	}
	// At most one of the decimals that round to a double has 15 digits or fewer. If one exists, it is the shortest.
	if s < min(1e9, float64(maxTime)/float64(Second)) {
		if micros := int64(s*1e6 + 0.5); float64(micros)/1e6 == s {
			return Time(micros) * (Second / 1e6), nil
		}
		if nanos := int64(s*1e9 + 0.5); nanos < 1e15 && float64(nanos)/1e9 == s {
			return Time(nanos) * (Second / 1e9), nil
		}
	}
	return ParseTime(strconv.FormatFloat(s, 'f', -1, 64))
}

// Seconds returns the nearest float64. If the time is an exact decimal, as all recorded times are, its digits are the
// result's shortest form.
func (t Time) Seconds() float64 { return sumOf(t).Seconds() }

// String returns the exact decimal number of seconds without trailing zeros.
func (t Time) String() string { return sumOf(t).String() }

// Sum is an exact sum of times: a 128-bit integer of picoseconds. The zero Sum is zero seconds.
type Sum struct {
	hi int64
	lo uint64
}

func sumOf(t Time) Sum { return Sum{hi: int64(t) >> 63, lo: uint64(t)} }

// Add returns s + t.
func (s Sum) Add(t Time) Sum { return s.Plus(sumOf(t)) }

// Plus returns s + o.
func (s Sum) Plus(o Sum) Sum {
	lo, carry := bits.Add64(s.lo, o.lo, 0)
	hi, _ := bits.Add64(uint64(s.hi), uint64(o.hi), carry)
	return Sum{hi: int64(hi), lo: lo}
}

// Minus returns s - o.
func (s Sum) Minus(o Sum) Sum {
	lo, borrow := bits.Sub64(s.lo, o.lo, 0)
	hi, _ := bits.Sub64(uint64(s.hi), uint64(o.hi), borrow)
	return Sum{hi: int64(hi), lo: lo}
}

// Compare returns -1, 0 or 1.
func (s Sum) Compare(o Sum) int {
	switch {
	case s.hi < o.hi, s.hi == o.hi && s.lo < o.lo:
		return -1
	case s == o:
		return 0
	}
	return 1
}

// Times returns n times s; n must be at least 0. ok is false if the product or s itself exceeds the maximum cost of a
// run (10^16 seconds), which no permitted time limit and number of cores can reach.
func (s Sum) Times(n int64) (Sum, bool) {
	negative := s.hi < 0
	if negative {
		s = Sum{}.Minus(s)
	}
	if n < 0 || s.Compare(maxScore) > 0 {
		return Sum{}, false
	}
	hi, lo := bits.Mul64(s.lo, uint64(n))
	over, more := bits.Mul64(uint64(s.hi), uint64(n))
	hi, carry := bits.Add64(hi, more, 0)
	product := Sum{hi: int64(hi), lo: lo}
	if over != 0 || carry != 0 || product.hi < 0 || product.Compare(maxScore) > 0 {
		return Sum{}, false
	}
	if negative {
		product = Sum{}.Minus(product)
	}
	return product, true
}

// IsZero reports whether the sum is zero seconds.
func (s Sum) IsZero() bool { return s == Sum{} }

// big returns the number of picoseconds.
func (s Sum) big() *big.Int {
	v := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	return v.Add(v, new(big.Int).SetUint64(s.lo))
}

// sumOfBig converts a number of picoseconds; ok is false if it exceeds the maximum cost of a run (10^16 seconds).
func sumOfBig(v *big.Int) (s Sum, ok bool) {
	var b [16]byte
	if v.BitLen() > 127 {
		return Sum{}, false
	}
	v.FillBytes(b[:])
	s = Sum{hi: int64(binary.BigEndian.Uint64(b[:8])), lo: binary.BigEndian.Uint64(b[8:])}
	ok = s.Compare(maxScore) <= 0
	if v.Sign() < 0 {
		s = Sum{}.Minus(s)
	}
	return s, ok
}

// rat returns the number of seconds.
func (s Sum) rat() *big.Rat { return new(big.Rat).SetFrac(s.big(), big.NewInt(int64(Second))) }

// Seconds returns the nearest float64.
func (s Sum) Seconds() float64 {
	// Doubles represent integers exactly up to this limit, so dividing two doubles rounds only once.
	const exact = 1 << 53
	switch {
	case s.hi == 0 && s.lo <= exact:
		return float64(s.lo) / float64(Second)
	case s.hi == 0 && s.lo%1000 == 0 && s.lo/1000 <= exact:
		return float64(s.lo/1000) / float64(Second/1000)
	}
	f, _ := s.rat().Float64()
	return f
}

// String returns the exact decimal number of seconds without trailing zeros, such as "413.9886".
func (s Sum) String() string {
	text := s.rat().FloatString(timeDigits)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// times returns n times the sum, in picoseconds.
func (s Sum) times(n int64) *big.Int { return new(big.Int).Mul(s.big(), big.NewInt(n)) }

// over returns s / o as the nearest float64; o must not be zero.
func (s Sum) over(o Sum) float64 {
	f, _ := new(big.Rat).SetFrac(s.big(), o.big()).Float64()
	return f
}
