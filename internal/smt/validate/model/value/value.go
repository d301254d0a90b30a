// Package value holds the values that terms evaluate to.
//
// A Value consists of a word and an interface. Their meaning depends on the sort, which a Value does not contain:
//
//	Bool, RoundingMode          N
//	BitVec, FloatingPoint       N up to 64 bits (FloatingPoint: the packed pattern), P = *big.Int above
//	Int                         N as int64 where it fits, else P = *big.Int
//	Real                        as Int where it is an integer, else P = *big.Rat; P = *algebraic.Number if irrational
//	String                      P = Text
//	RegLan                      P = *regex.Regex
//	Array                       P = *Array
//	datatypes                   P = *Data
//	Seq                         P = *Data, whose constructor is the length
//	uninterpreted sorts         N is the number of an abstract value
//
// The representation is canonical: equal values have equal representations. Arrays and datatype values are hash-consed
// by a Store, so they are equal if and only if their pointers are. AppendKey appends bytes that are equal if and only
// if two values of the same sort are. The exceptions are values (see Loose) that contain a regular expression, an array
// defined by a function, or an array over an uninterpreted sort of unknown size: equal ones may have different
// representations.
//
// A Value of any sort may instead be an Unknown, which states why there is no value.
package value

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/regex"
)

// Value is a value of some sort; see the package comment.
type Value struct {
	N uint64
	P any
}

// Text is a string value.
type Text []rune

// Unknown represents a missing value. It is created where evaluation cannot continue, and propagates to everything that
// needs the value.
type Unknown struct {
	Reason   string
	Partial  bool  // a partial function was applied outside its domain, and the model does not define the value
	Conflict bool  // the model's definition of a theory function contradicts the theory
	Cause    error // set if a limit was reached

	// Term is the number of an open value, or 0 if it has none. Two values with the same number are equal, whatever
	// they are.
	Term uint64
}

// UnknownOf returns the Unknown in v, or nil if v is a value.
func (v Value) UnknownOf() *Unknown {
	u, _ := v.P.(*Unknown)
	return u
}

// Loose reports whether v, or a part of it, has several possible representations, so that different representations may
// be equal.
func (v Value) Loose() bool {
	switch p := v.P.(type) {
	case *Data:
		return p.loose
	case *Array:
		return p.loose
	case *regex.Regex:
		return true
	}
	return false
}

// Bool returns a Bool.
func Bool(b bool) Value {
	if b {
		return Value{N: 1}
	}
	return Value{}
}

// True reports whether the Bool v is true.
func (v Value) True() bool { return v.N != 0 && v.P == nil }

// Int64 returns an Int or Real.
func Int64(n int64) Value { return Value{N: uint64(n)} }

// Int returns an Int or Real. It retains n.
func Int(n *big.Int) Value {
	if n.IsInt64() {
		return Int64(n.Int64())
	}
	return Value{P: n}
}

// Rat returns r as a Real. It retains r, which must not be modified afterwards.
func Rat(r *big.Rat) Value {
	if r.IsInt() {
		return Int(r.Num())
	}
	return Value{P: r}
}

// BigInt returns the Int v. The caller must not modify it.
func (v Value) BigInt() *big.Int {
	if n, ok := v.P.(*big.Int); ok {
		return n
	}
	return big.NewInt(int64(v.N))
}

// BigRat returns the rational Real v. The caller must not modify it.
func (v Value) BigRat() *big.Rat {
	switch p := v.P.(type) {
	case *big.Rat:
		return p
	case *big.Int:
		return new(big.Rat).SetInt(p)
	}
	return new(big.Rat).SetInt64(int64(v.N))
}

// Bits returns a bit-vector of width w or a floating-point number of w bits. It retains b.
func Bits(w int, b *big.Int) Value {
	if w <= 64 {
		return Value{N: b.Uint64()}
	}
	return Value{P: b}
}

// BigBits returns the bit-vector v as a number. The caller must not modify it.
func (v Value) BigBits() *big.Int {
	if n, ok := v.P.(*big.Int); ok {
		return n
	}
	return new(big.Int).SetUint64(v.N)
}

// Runes returns the String v.
func (v Value) Runes() []rune {
	s, _ := v.P.(Text)
	return s
}

// Keyed is implemented by kinds of values that other packages define.
type Keyed interface{ AppendKey(b []byte) []byte }

// AppendKey appends bytes that are equal for two values of the same sort if and only if the values are equal.
func (v Value) AppendKey(b []byte) []byte {
	switch p := v.P.(type) {
	case nil:
		return binary.LittleEndian.AppendUint64(append(b, 0), v.N)
	case *big.Int:
		b = append(b, 1, byte(p.Sign()))
		return appendBytes(b, p.Bytes())
	case *big.Rat:
		b = append(b, 2, byte(p.Sign()))
		return appendBytes(appendBytes(b, p.Num().Bytes()), p.Denom().Bytes())
	case Text:
		b = binary.AppendUvarint(append(b, 3), uint64(len(p)))
		for _, c := range p {
			b = append(b, byte(c>>16), byte(c>>8), byte(c))
		}
		return b
	case *Data:
		return binary.LittleEndian.AppendUint64(append(b, 4), p.id)
	case *Array:
		return binary.LittleEndian.AppendUint64(append(b, 5), p.id)
	case *regex.Regex:
		return binary.LittleEndian.AppendUint64(append(b, 6), uint64(p.ID()))
	case Keyed:
		return p.AppendKey(append(b, 7))
	}
	return append(b, 8)
}

func appendBytes(b, s []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Equal compares two values of the same sort, neither of which may be Unknown.
func Equal(v, w Value) bool {
	if v.P == nil || w.P == nil {
		return v.P == nil && w.P == nil && v.N == w.N
	}
	switch p := v.P.(type) {
	case *Data:
		return v.P == w.P
	case *Array:
		return v.P == w.P
	case Text:
		q, ok := w.P.(Text)
		return ok && slices.Equal(p, q)
	case *big.Int:
		q, ok := w.P.(*big.Int)
		return ok && p.Cmp(q) == 0
	case *big.Rat:
		q, ok := w.P.(*big.Rat)
		return ok && p.Cmp(q) == 0
	}
	return string(v.AppendKey(nil)) == string(w.AppendKey(nil))
}

// Size returns the bytes of a large number or string, or 0 for other values.
func (v Value) Size() int {
	switch p := v.P.(type) {
	case *big.Int:
		return p.BitLen() / 8
	case *big.Rat:
		return (p.Num().BitLen() + p.Denom().BitLen()) / 8
	case Text:
		return 4 * len(p)
	}
	return 0
}

// Short returns a text of v for messages, without its sort. Bools and other small values appear as numbers.
func (v Value) Short() string {
	switch p := v.P.(type) {
	case nil:
		return strconv.FormatInt(int64(v.N), 10)
	case *big.Int:
		return p.String()
	case *big.Rat:
		return p.RatString()
	case Text:
		return strconv.QuoteToASCII(string(p))
	}
	return "..."
}
