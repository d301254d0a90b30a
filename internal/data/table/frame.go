package table

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Frame holds columns by their names in a row expression: "b.logic" for a field of a row, "n" for a scalar. A nil null
// mask means that no row is null. The slices are not copied and must not change while the frame is in use. A Frame may
// be read concurrently.
type Frame struct {
	n    int
	cols map[string]*Column
	name func(row int) string
	err  error // first error of a setter
}

// NewFrame returns a frame of n rows without columns.
func NewFrame(n int) *Frame { return &Frame{n: n, cols: map[string]*Column{}} }

// Len returns the number of rows.
func (f *Frame) Len() int { return f.n }

// Err returns the first error that occurred when setting columns.
func (f *Frame) Err() error { return f.err }

// SetNames sets the rows' display names.
func (f *Frame) SetNames(name func(row int) string) { f.name = name }

// NameOf returns a row's display name, or "" if it has none.
func (f *Frame) NameOf(row int) string {
	if f.name == nil {
		return ""
	}
	return f.name(row)
}

// Column returns a column that stores its values by row, so Strings and similar methods do not copy them.
func (f *Frame) Column(name string) (*Column, bool) {
	c, ok := f.cols[name]
	return c, ok
}

// Strings sets a text column. The frame stores texts in normal form NFC, as HCL does for all texts.
func (f *Frame) Strings(name string, texts []string, null []bool) *Frame {
	return f.set(name, len(texts), null, StringsOf(normalized(texts)))
}

// Ints sets an integer column.
func (f *Frame) Ints(name string, ints []int64, null []bool) *Frame {
	return f.set(name, len(ints), null, IntsOf(ints))
}

// Wide sets an integer column. wide contains the integers beyond int64, by row.
func (f *Frame) Wide(name string, ints []int64, wide map[int]*big.Int) *Frame {
	c := IntsOf(ints)
	c.wide = wide
	return f.set(name, len(ints), nil, c)
}

// Floats sets a float column. NaN represents null.
func (f *Frame) Floats(name string, floats []float64, null []bool) *Frame {
	for i, v := range floats {
		if math.IsNaN(v) && (null == nil || !null[i]) {
			null = nanMask(floats, null)
			break
		}
	}
	return f.set(name, len(floats), null, FloatsOf(floats))
}

// Bools sets a bool column.
func (f *Frame) Bools(name string, bools []bool, null []bool) *Frame {
	return f.set(name, len(bools), null, BoolsOf(bools))
}

// StringLists sets a column that contains lists of texts.
func (f *Frame) StringLists(name string, lists [][]string, null []bool) *Frame {
	return f.set(name, len(lists), null, ListsOf(lists))
}

// Set sets a column of any kind.
func (f *Frame) Set(name string, c Column) *Frame {
	switch c.Kind() {
	case String:
		return f.Strings(name, c.Strings(), c.null)
	case Int:
		return f.Ints(name, c.Ints(), c.null)
	case Float:
		return f.Floats(name, c.Floats(), c.null)
	case Bool:
		return f.Bools(name, c.Bools(), c.null)
	}
	return f.StringLists(name, c.Lists(), c.null)
}

func (f *Frame) set(name string, n int, null []bool, c Column) *Frame {
	switch {
	case f.err != nil:
	case n != f.n:
		f.err = fmt.Errorf("column %s has %d rows, but the frame has %d", name, n, f.n)
	case null != nil && len(null) != n:
		f.err = fmt.Errorf("the null mask of column %s has %d rows, but the column has %d", name, len(null), n)
	}
	c.null = null
	f.cols[name] = &c
	return f
}

func nanMask(floats []float64, null []bool) []bool {
	mask := make([]bool, len(floats))
	copy(mask, null)
	for i, v := range floats {
		mask[i] = mask[i] || math.IsNaN(v)
	}
	return mask
}

// normalized returns texts in NFC, so that == agrees with HCL. It copies the slice only if a text changes.
func normalized(texts []string) []string {
	copied := false
	for i, s := range texts {
		if IsASCII(s) || norm.NFC.IsNormalString(s) {
			continue
		}
		if !copied {
			texts, copied = slices.Clone(texts), true
		}
		texts[i] = norm.NFC.String(s)
	}
	return texts
}

// IsASCII reports whether a text is pure ASCII and therefore in every normal form.
func IsASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
