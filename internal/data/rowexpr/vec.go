package rowexpr

import (
	"math/big"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// ctyType returns the HCL type for values of a kind.
func ctyType(k table.Kind) cty.Type {
	switch k {
	case table.Bool:
		return cty.Bool
	case table.String:
		return cty.String
	case table.Int, table.Float:
		return cty.Number
	default:
		return cty.List(cty.String)
	}
}

// batch is the number of rows that a closure processes together. It is small enough that an expression's vectors fit in
// the first-level cache.
const batch = 1024

// vec is a subexpression's value for a batch's rows. A row with doubt set has no vouched value; a row with null set is
// null. If either is set, the value is arbitrary. errs bounds the floats' absolute errors; nil means that all floats
// are exact.
type vec struct {
	kind    table.Kind // numbers are either integers or float64 values with an error bound
	bools   []bool
	strings []string
	ints    []int64
	floats  []float64
	errs    []float64
	lists   [][]string
	null    []bool
	doubt   []bool
	wide    map[int]*big.Int // if this is an entire column, its integers beyond int64, by row
}

// buffers holds a node's reusable vectors in an evaluation.
type buffers struct {
	out    vec
	view   vec // the first rows of out, for constants
	filled int
	bools  []bool
	strs   []string
	ints   []int64
	floats []float64
	errs   []float64
	lists  [][]string
	null   []bool
	doubt  []bool
	tmp    [2][]float64
	etmp   [2][]float64
	vals   []cty.Value
	memo   memo
}

func grow[T any](p *[]T, n int) []T {
	if cap(*p) < n {
		*p = make([]T, n) // the first batch is the largest
	}
	return (*p)[:n]
}

func cleared(p *[]bool, n int) []bool {
	s := grow(p, n)
	clear(s)
	return s
}

// merge returns the rows that any mask contains; nil if there are no masks.
func merge(p *[]bool, n int, masks ...[]bool) []bool {
	var out []bool
	for _, m := range masks {
		if m == nil {
			continue
		}
		if out == nil {
			out = grow(p, n)
			copy(out, m)
			continue
		}
		for i, set := range m {
			out[i] = out[i] || set
		}
	}
	return out
}
