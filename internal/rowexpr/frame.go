package rowexpr

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// Frame holds the columns of a batch of rows by the names that Expr.Uses gives: "b.logic" for a field, "n" for a scalar. A
// nil null mask means that no row is null. The slices are not copied and must not change while an expression is evaluated.
// A Frame may be read by several goroutines at one time.
type Frame struct {
	n    int
	cols map[string]*column
	err  error // the first mistake of a setter, reported by the evaluation
}

// column holds the rows of one column in exactly one of its slices.
type column struct {
	kind    kind
	strings []string
	ints    []int64
	floats  []float64
	bools   []bool
	lists   [][]string
	null    []bool
	wild    bool // has an infinity or a number near the smallest
}

// NewFrame makes a frame of n rows without columns.
func NewFrame(n int) *Frame { return &Frame{n: n, cols: map[string]*column{}} }

// Len is the number of rows.
func (f *Frame) Len() int { return f.n }

// Strings sets a column of strings.
func (f *Frame) Strings(name string, values []string, null []bool) *Frame {
	return f.set(name, len(values), null, &column{kind: kindString, strings: normalized(values)})
}

// Ints sets a column of numbers that are all whole.
func (f *Frame) Ints(name string, values []int64, null []bool) *Frame {
	return f.set(name, len(values), null, &column{kind: kindInt, ints: values})
}

// Floats sets a column of numbers. NaN stands for null.
func (f *Frame) Floats(name string, values []float64, null []bool) *Frame {
	for i, v := range values {
		if math.IsNaN(v) && (null == nil || !null[i]) {
			null = nanMask(values, null)
			break
		}
	}
	return f.set(name, len(values), null, &column{kind: kindFloat, floats: values, wild: slices.ContainsFunc(values, isWild)})
}

// Bools sets a column of truth values.
func (f *Frame) Bools(name string, values []bool, null []bool) *Frame {
	return f.set(name, len(values), null, &column{kind: kindBool, bools: values})
}

// StringLists sets a column of lists of strings.
func (f *Frame) StringLists(name string, values [][]string, null []bool) *Frame {
	return f.set(name, len(values), null, &column{kind: kindList, lists: values})
}

func (f *Frame) set(name string, n int, null []bool, c *column) *Frame {
	switch {
	case f.err != nil:
	case n != f.n:
		f.err = fmt.Errorf("column %s has %d rows and the frame has %d", name, n, f.n)
	case null != nil && len(null) != n:
		f.err = fmt.Errorf("the null mask of column %s has %d rows and the column has %d", name, len(null), n)
	}
	c.null = null
	f.cols[name] = c
	return f
}

func nanMask(values []float64, null []bool) []bool {
	mask := make([]bool, len(values))
	copy(mask, null)
	for i, v := range values {
		mask[i] = mask[i] || math.IsNaN(v)
	}
	return mask
}

// normalized gives the strings in the normal form (NFC) that HCL gives to every string, so that == agrees. The slice is
// copied only when a string changes.
func normalized(values []string) []string {
	copied := false
	for i, s := range values {
		if ascii(s) {
			continue
		}
		if t := cty.NormalizeString(s); t != s {
			if !copied {
				values = append([]string(nil), values...)
				copied = true
			}
			values[i] = t
		}
	}
	return values
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// value gives one cell as HCL sees it.
func (c *column) value(row int) cty.Value {
	if c.null != nil && c.null[row] {
		return cty.NullVal(c.kind.ctyType())
	}
	switch c.kind {
	case kindString:
		return cty.StringVal(c.strings[row])
	case kindInt:
		return intValue(c.ints[row])
	case kindFloat:
		return floatValue(c.floats[row])
	case kindBool:
		return cty.BoolVal(c.bools[row])
	default:
		return listValue(c.lists[row])
	}
}

// precision of numbers in HCL, in bits. Columns enter with the same, so that arithmetic on them is not rounded earlier.
const precision = 512

func intValue(v int64) cty.Value {
	return cty.NumberVal(new(big.Float).SetPrec(precision).SetInt64(v))
}

func floatValue(v float64) cty.Value {
	return cty.NumberVal(new(big.Float).SetPrec(precision).SetFloat64(v))
}

func listValue(items []string) cty.Value {
	if len(items) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	vals := make([]cty.Value, len(items))
	for i, s := range items {
		vals[i] = cty.StringVal(s)
	}
	return cty.ListVal(vals)
}
