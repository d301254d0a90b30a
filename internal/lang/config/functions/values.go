package functions

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// addFunc adds the numbers in a list, set or tuple. The sum of an empty one is 0.
var addFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "numbers", Type: cty.DynamicPseudoType}},
	Type:   function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		t := args[0].Type()
		if !t.IsListType() && !t.IsSetType() && !t.IsTupleType() {
			return cty.NilVal, function.NewArgErrorf(0, "want a list of numbers, got a %s", t.FriendlyName())
		}
		total := cty.NumberIntVal(0)
		for it := args[0].ElementIterator(); it.Next(); {
			_, v := it.Element()
			if !v.IsKnown() {
				return cty.UnknownVal(cty.Number), nil
			}
			n, err := convert.Convert(v, cty.Number)
			if err != nil || n.IsNull() {
				return cty.NilVal, function.NewArgErrorf(0, "an element is not a number")
			}
			total = total.Add(n)
		}
		return total, nil
	},
})

// lengthFunc counts the elements of a collection, the attributes of an object, or the characters of a string.
var lengthFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowDynamicType: true,
		AllowUnknown: true}},
	Type: func(args []cty.Value) (cty.Type, error) {
		t := args[0].Type()
		if t == cty.String || t.IsTupleType() || t.IsObjectType() || t.IsCollectionType() ||
			t == cty.DynamicPseudoType {
			return cty.Number, nil
		}
		return cty.NilType, function.NewArgErrorf(0, "want a list, set, map, object or text, got a %s",
			t.FriendlyName())
	},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		v := args[0]
		switch t := v.Type(); {
		case t == cty.DynamicPseudoType:
			return cty.UnknownVal(cty.Number), nil
		case t == cty.String:
			return stdlib.Strlen(v)
		case t.IsTupleType():
			return cty.NumberIntVal(int64(len(t.TupleElementTypes()))), nil
		case t.IsObjectType():
			return cty.NumberIntVal(int64(len(t.AttributeTypes()))), nil
		}
		return v.Length(), nil
	},
})

// indexFunc returns a value's position in a list, starting at 0. It returns an error if the list does not contain the
// value.
var indexFunc = function.New(&function.Spec{
	Params: []function.Parameter{
		{Name: "list", Type: cty.DynamicPseudoType},
		{Name: "value", Type: cty.DynamicPseudoType},
	},
	Type: function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		if t := args[0].Type(); !t.IsListType() && !t.IsTupleType() {
			return cty.NilVal, function.NewArgErrorf(0, "want a list, got a %s", t.FriendlyName())
		}
		for it := args[0].ElementIterator(); it.Next(); {
			i, v := it.Element()
			same, err := stdlib.Equal(v, args[1])
			if err != nil {
				return cty.NilVal, err
			}
			if !same.IsKnown() {
				return cty.UnknownVal(cty.Number), nil
			}
			if same.True() {
				return i, nil
			}
		}
		return cty.NilVal, errors.New("the value is not in the list")
	},
})

func textTest(test func(s, with string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "text", Type: cty.String}, {Name: "with", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(test(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

var (
	startsWithFunc = textTest(strings.HasPrefix)
	endsWithFunc   = textTest(strings.HasSuffix)
)

// toFunc returns a conversion by name, such as "toset".
func toFunc(name string) function.Function {
	want := map[string]cty.Type{
		"tostring": cty.String, "tonumber": cty.Number, "tobool": cty.Bool,
		"tolist": cty.List(cty.DynamicPseudoType), "toset": cty.Set(cty.DynamicPseudoType),
		"tomap": cty.Map(cty.DynamicPseudoType),
	}[name]
	to := stdlib.MakeToFunc(want)
	if !want.IsListType() && !want.IsSetType() {
		return to
	}
	return function.New(&function.Spec{
		Params: to.Params(),
		Type: func(args []cty.Value) (cty.Type, error) {
			return to.ReturnTypeForValues([]cty.Value{listIfAlike(args[0])})
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return to.Call([]cty.Value{listIfAlike(args[0])})
		},
	})
}

// listIfAlike converts a tuple to a list if all its elements have the same type, and returns every other value
// unchanged. For a tuple, cty would compare the types of all pairs of elements.
func listIfAlike(v cty.Value) cty.Value {
	plain, marks := v.Unmark()
	if !plain.Type().IsTupleType() || !plain.IsKnown() || plain.IsNull() {
		return v
	}
	types := plain.Type().TupleElementTypes()
	if len(types) == 0 || types[0].HasDynamicTypes() {
		return v
	}
	for _, t := range types[1:] {
		if !t.Equals(types[0]) {
			return v
		}
	}
	return cty.ListVal(plain.AsValueSlice()).WithMarks(marks)
}

// bytesFunc converts a size, such as "30GB", to bytes.
var bytesFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "size", Type: cty.String}},
	Type:   function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		n, err := comp.ParseSize(args[0].AsString())
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		return cty.NumberIntVal(n), nil
	},
})

// secondsFunc converts a duration, such as "20m", to seconds.
var secondsFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "duration", Type: cty.String}},
	Type:   function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		d, err := comp.ParseDuration(args[0].AsString())
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		n := new(big.Float).SetPrec(512).SetInt64(int64(d))
		return cty.NumberVal(n.Quo(n, big.NewFloat(1e9))), nil
	},
})

// competitionSeedFunc returns a competition's seed; see submission.CompetitionSeed.
var competitionSeedFunc = function.New(&function.Spec{
	Params: []function.Parameter{
		{Name: "seeds", Type: cty.List(cty.Number)},
		{Name: "opening", Type: cty.Number},
	},
	Type: function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		if !args[0].IsWhollyKnown() {
			return cty.UnknownVal(cty.Number), nil
		}
		numbers, err := entrantsNumbers(args[0])
		if err != nil {
			return cty.NilVal, err
		}
		opening, err := natural(args[1])
		if err != nil {
			return cty.NilVal, function.NewArgErrorf(1,
				"the opening value %s; the rules say which part of it counts, as floor(100 * opening)", err)
		}
		seed, err := submission.CompetitionSeed(numbers, opening)
		if err != nil {
			return cty.NilVal, function.NewArgError(1, err)
		}
		return cty.NumberUIntVal(uint64(seed)), nil
	},
})

// entrantsNumbers returns the numbers in a list of seeds.
func entrantsNumbers(seeds cty.Value) ([]*big.Int, error) {
	var numbers []*big.Int
	for i, v := range seeds.AsValueSlice() {
		if v.IsNull() {
			return nil, function.NewArgErrorf(0, "seed %d of the list is null; every solver that competes gives a "+
				"number, and those of the organisers are left out, as in [for s in solver : s.seed if s.competitive]", i)
		}
		n, err := natural(v)
		if err != nil {
			return nil, function.NewArgErrorf(0, "seed %d of the list %s", i, err)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// natural returns an integer that is at least 0.
func natural(v cty.Value) (*big.Int, error) {
	if v.IsNull() {
		return nil, errors.New("is null")
	}
	f := v.AsBigFloat()
	if !f.IsInt() || f.Sign() < 0 {
		return nil, fmt.Errorf("is %s and not a whole number from 0", f.Text('g', 12))
	}
	n, _ := f.Int(nil)
	return n, nil
}
