package rowexpr

import (
	"math/big"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// FloorFunc and CeilFunc are the language's floor and ceil. For rounded results, they differ from cty's standard
// library: HCL computes with 512-bit binary numbers, which cannot represent 0.63, so 100 * 0.63 is below 63 by one part
// in 2^512. A number that is an integer when rounded to 480 bits (144 digits) counts as that integer, so floor(100 *
// 0.63) is 63, as on paper. In practice, no other number is that close to an integer.
var (
	FloorFunc = roundFunc("The greatest whole number that is at most the argument.", -1)
	CeilFunc  = roundFunc("The least whole number that is at least the argument.", 1)
)

// wholePrecision is the number of bits used to compare a number with an integer. The remaining 32 bits absorb the
// rounding of a long computation.
const wholePrecision = 480

// roundFunc returns floor (side -1) or ceil (side 1).
func roundFunc(doc string, side int64) function.Function {
	return function.New(&function.Spec{
		Description:  doc,
		Params:       []function.Parameter{{Name: "number", Type: cty.Number}},
		Type:         function.StaticReturnType(cty.Number),
		RefineResult: func(b *cty.RefinementBuilder) *cty.RefinementBuilder { return b.NotNull() },
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			f := args[0].AsBigFloat()
			if f.IsInf() || f.IsInt() {
				return args[0], nil
			}
			near := new(big.Float).SetPrec(wholePrecision).Set(f)
			if near.IsInt() {
				return cty.NumberVal(near.SetPrec(512)), nil
			}
			i, cut := f.Int(nil) // Int truncates towards zero, and cut tells the direction
			if int64(cut) == -side {
				i.Add(i, big.NewInt(side))
			}
			return cty.NumberVal(new(big.Float).SetPrec(512).SetInt(i)), nil
		},
	})
}
