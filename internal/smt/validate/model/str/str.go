// Package str computes the functions of SMT-LIB's theory of Unicode strings on sequences of code points from 0 to
// 0x2FFFF.
//
// A string is a []rune whose elements are code points, including surrogates. Functions never modify their arguments,
// and results may share memory with them. Positions and lengths have type int; callers clamp unbounded integers with
// Clamp.
//
// Source: SMT-LIB theory Strings (version 2.6, 2020-03).
package str

import (
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/decimal"
)

// MaxChar is the largest code point of the theory.
const MaxChar = 0x2FFFF

// Decode decodes the content of a string literal, in which each doubled quote has already been replaced by one quote.
// The escapes \ud₃d₂d₁d₀ and \u{d...} with one to five digits (the fifth at most 2) represent code points; any other
// backslash represents itself. Text that is not ASCII is decoded as UTF-8. A byte that is not valid UTF-8 becomes the
// code point with its value.
func Decode(text string) []rune {
	out := make([]rune, 0, len(text))
	for i := 0; i < len(text); {
		if text[i] == '\\' {
			if c, n := escape(text[i:]); n > 0 {
				out = append(out, c)
				i += n
				continue
			}
		}
		c, n := utf8.DecodeRuneInString(text[i:])
		if c == utf8.RuneError && n == 1 {
			c = rune(text[i])
		}
		out = append(out, c)
		i += n
	}
	return out
}

// escape parses the escape at the start of s and returns its length, or 0 if there is none.
func escape(s string) (rune, int) {
	if len(s) < 3 || s[1] != 'u' {
		return 0, 0
	}
	if s[2] != '{' {
		c, n := hex(s[2:min(len(s), 6)])
		if n != 4 {
			return 0, 0
		}
		return c, 6
	}
	c, n := hex(s[3:min(len(s), 8)])
	if n == 0 || 3+n >= len(s) || s[3+n] != '}' || c > MaxChar {
		return 0, 0
	}
	return c, 4 + n
}

// hex parses leading hexadecimal digits.
func hex(s string) (c rune, n int) {
	for n < len(s) {
		d := s[n]
		switch {
		case '0' <= d && d <= '9':
			c = c<<4 | rune(d-'0')
		case 'a' <= d|0x20 && d|0x20 <= 'f':
			c = c<<4 | rune(d|0x20-'a'+10)
		default:
			return c, n
		}
		n++
	}
	return c, n
}

// Clamp limits an integer to the range of int. No string is as long as that range.
func Clamp(n *big.Int) int {
	const limit = 1 << 60
	switch {
	case n.IsInt64() && n.Int64() >= -limit && n.Int64() <= limit:
		return int(n.Int64())
	case n.Sign() < 0:
		return -limit
	}
	return limit
}

// At computes str.at.
func At(s []rune, i int) []rune { return Substr(s, i, 1) }

// Substr computes str.substr.
func Substr(s []rune, i, n int) []rune {
	if i < 0 || i >= len(s) || n <= 0 {
		return nil
	}
	return s[i : i+min(n, len(s)-i)]
}

// HasPrefix reports whether s begins with p (str.prefixof p s).
func HasPrefix(s, p []rune) bool { return len(s) >= len(p) && slices.Equal(s[:len(p)], p) }

// HasSuffix reports whether s ends with p (str.suffixof p s).
func HasSuffix(s, p []rune) bool { return len(s) >= len(p) && slices.Equal(s[len(s)-len(p):], p) }

// Index computes str.indexof: the first occurrence of t in s at or after from. It returns -1 if there is none or if
// from is outside s. It takes time linear in the lengths.
func Index(s, t []rune, from int) int {
	if from < 0 || from > len(s) {
		return -1
	}
	if i := find(s[from:], t, failure(t)); i >= 0 {
		return from + i
	}
	return -1
}

// Contains computes str.contains.
func Contains(s, t []rune) bool { return Index(s, t, 0) >= 0 }

// failure returns the table of Knuth, Morris and Pratt, which contains the length of the longest proper border of each
// prefix of t.
func failure(t []rune) []int {
	f := make([]int, len(t)+1)
	k := 0
	for i := 1; i < len(t); i++ {
		for k > 0 && t[i] != t[k] {
			k = f[k]
		}
		if t[i] == t[k] {
			k++
		}
		f[i+1] = k
	}
	return f
}

func find(s, t []rune, f []int) int {
	if len(t) == 0 {
		return 0
	}
	k := 0
	for i, c := range s {
		for k > 0 && c != t[k] {
			k = f[k]
		}
		if c == t[k] {
			k++
		}
		if k == len(t) {
			return i - k + 1
		}
	}
	return -1
}

// Replace computes str.replace: it replaces the first occurrence of t in s by u. An empty t occurs first at the
// beginning.
func Replace(s, t, u []rune) []rune {
	i := Index(s, t, 0)
	if i < 0 {
		return s
	}
	return slices.Concat(s[:i], u, s[i+len(t):])
}

// ReplaceAll computes str.replace_all: it replaces every occurrence of a nonempty t by u, from left to right.
func ReplaceAll(s, t, u []rune) []rune {
	if len(t) == 0 {
		return s
	}
	f := failure(t)
	var out []rune
	rest := s
	for {
		i := find(rest, t, f)
		if i < 0 {
			return append(out, rest...)
		}
		out = append(append(out, rest[:i]...), u...)
		rest = rest[i+len(t):]
	}
}

// IsDigit computes str.is_digit: whether s is a single character from 0 to 9.
func IsDigit(s []rune) bool { return len(s) == 1 && '0' <= s[0] && s[0] <= '9' }

// ToCode computes str.to_code: the code point of a string of length one, or -1 for other strings.
func ToCode(s []rune) int {
	if len(s) != 1 {
		return -1
	}
	return int(s[0])
}

// FromCode computes str.from_code: the string with code point n, or the empty string if n is not a code point.
func FromCode(n int) []rune {
	if n < 0 || n > MaxChar {
		return nil
	}
	return []rune{rune(n)}
}

// ToInt computes str.to_int: the value of a string of decimal digits, or -1 for any other string. It returns nil for a
// number with more than decimal.MaxDigits digits.
func ToInt(s []rune) *big.Int {
	if len(s) == 0 {
		return big.NewInt(-1)
	}
	digits := make([]byte, len(s))
	for i, c := range s {
		if c < '0' || c > '9' {
			return big.NewInt(-1)
		}
		digits[i] = byte(c)
	}
	n, ok := decimal.Int(string(digits))
	if !ok {
		return nil
	}
	return n
}

// FromInt computes str.from_int: the decimal digits of n, or the empty string for a negative n.
func FromInt(n *big.Int) []rune {
	if n.Sign() < 0 {
		return nil
	}
	return []rune(n.String())
}

// Reverse computes cvc5's str.rev.
func Reverse(s []rune) []rune {
	r := slices.Clone(s)
	slices.Reverse(r)
	return r
}

// MapASCII computes cvc5's str.to_lower and str.to_upper: it shifts the ASCII letters from..from+25 by delta.
func MapASCII(s []rune, from, delta rune) []rune {
	r := slices.Clone(s)
	for i, c := range r {
		if from <= c && c < from+26 {
			r[i] = c + delta
		}
	}
	return r
}

// Update computes cvc5's str.update: it overwrites s with t from position i on, keeping the length.
func Update(s []rune, i int, t []rune) []rune {
	if i < 0 || i >= len(s) {
		return s
	}
	r := slices.Clone(s)
	copy(r[i:], t)
	return r
}
