package rowexpr

import (
	"math/big"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// vecOf returns a frame column's rows without copying.
func vecOf(c *table.Column) vec {
	return vec{kind: c.Kind(), bools: c.Bools(), strings: c.Strings(), ints: c.Ints(), floats: c.Floats(),
		lists: c.Lists(), null: c.Null(), wide: c.Wide()}
}

// value returns a row's value as HCL sees it.
func (v *vec) value(row int) cty.Value {
	if v.null != nil && v.null[row] {
		return cty.NullVal(ctyType(v.kind))
	}
	switch v.kind {
	case table.String:
		return cty.StringVal(v.strings[row])
	case table.Int:
		if w, ok := v.wide[row]; ok {
			return cty.NumberVal(new(big.Float).SetPrec(precision).SetInt(w))
		}
		return intValue(v.ints[row])
	case table.Float:
		return floatValue(v.floats[row])
	case table.Bool:
		return cty.BoolVal(v.bools[row])
	default:
		return TextList(v.lists[row])
	}
}

// precision is the number of bits in HCL's numbers. Numbers from columns have the same precision, because otherwise
// arithmetic on them would be rounded earlier.
const precision = 512

func intValue(v int64) cty.Value {
	return cty.NumberVal(new(big.Float).SetPrec(precision).SetInt64(v))
}

func floatValue(v float64) cty.Value {
	return cty.NumberVal(new(big.Float).SetPrec(precision).SetFloat64(v))
}

// TextList returns a list of texts as a value.
func TextList(items []string) cty.Value {
	if len(items) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	vals := make([]cty.Value, len(items))
	for i, s := range items {
		vals[i] = cty.StringVal(s)
	}
	return cty.ListVal(vals)
}
