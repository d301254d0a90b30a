// Package decimal parses large decimal numbers faster than math/big, whose time is quadratic in the number of digits.
package decimal

import (
	"math/big"
	"strings"
)

// MaxDigits limits the numbers that are parsed to about 2^24 bits.
const MaxDigits = 5_000_000

// maxFraction limits the digits of a number with a fraction, because reducing it by a greatest common divisor takes
// time quadratic in the digits.
const maxFraction = 100_000

// Int parses an unsigned decimal integer. ok is false if there are other characters, no digits, or too many digits.
func Int(digits string) (n *big.Int, ok bool) {
	if digits == "" || len(digits) > MaxDigits || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	return read(digits, map[int]*big.Int{}), true
}

// small is the number of digits up to which math/big is used.
const small = 2000

// read parses digits by recursively splitting them in half. powers caches the powers of ten needed so far.
func read(digits string, powers map[int]*big.Int) *big.Int {
	if len(digits) <= small {
		n, _ := new(big.Int).SetString(digits, 10)
		return n
	}
	low := small
	for 2*low < len(digits) {
		low *= 2
	}
	hi, lo := read(digits[:len(digits)-low], powers), read(digits[len(digits)-low:], powers)
	return hi.Add(hi.Mul(hi, power(low, powers)), lo)
}

// power returns 10^n for n = small * 2^k.
func power(n int, powers map[int]*big.Int) *big.Int {
	p := powers[n]
	if p == nil {
		if n == small {
			p = new(big.Int).Exp(big.NewInt(10), big.NewInt(small), nil)
		} else {
			half := power(n/2, powers)
			p = new(big.Int).Mul(half, half)
		}
		powers[n] = p
	}
	return p
}

// Rat parses digits with a point between them. ok is false for any other text and for numbers with too many digits.
func Rat(text string) (r *big.Rat, ok bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	n, ok := Int(whole + fraction)
	switch {
	case !ok || whole == "" || (fraction != "" && len(whole)+len(fraction) > maxFraction):
		return nil, false
	case fraction == "":
		return new(big.Rat).SetInt(n), true
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil)), true
}
