package functions

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// Bounds of results that a short expression could make larger than any memory.
const (
	maxElements = 1_000_000 // of setproduct
	maxWidth    = 1_000     // of a number in a form, and of an indent
	maxText     = 64 << 20  // bytes of a text that join or replace makes
)

// limited is f with a check of the known arguments before.
func limited(f function.Function, check func(args []cty.Value) error) function.Function {
	return function.New(&function.Spec{
		Params:   f.Params(),
		VarParam: f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			if err := check(args); err != nil {
				return cty.NilType, err
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f.Call(args) },
	})
}

var (
	setProductFunc = limited(stdlib.SetProductFunc, checkProduct)
	formatFunc     = limited(stdlib.FormatFunc, checkForm)
	formatListFunc = limited(stdlib.FormatListFunc, checkForm)
	indentFunc     = limited(stdlib.IndentFunc, func(args []cty.Value) error {
		if n := args[0]; n.IsKnown() && !n.IsNull() && n.AsBigFloat().Cmp(big.NewFloat(maxWidth)) > 0 {
			return function.NewArgErrorf(0, "an indent has at most %d spaces", maxWidth)
		}
		return nil
	})
)

var (
	joinFunc    = limited(stdlib.JoinFunc, checkJoin)
	replaceFunc = limited(stdlib.ReplaceFunc, checkReplace)
)

// checkJoin adds up the elements and the separators between them.
func checkJoin(args []cty.Value) error {
	separator, total := textOf(args[0]), 0
	for _, list := range args[1:] {
		if !list.IsKnown() || list.IsNull() {
			continue
		}
		for it := list.ElementIterator(); it.Next(); {
			_, elem := it.Element()
			total += len(textOf(elem)) + len(separator)
		}
	}
	return checkText(total)
}

func checkReplace(args []cty.Value) error {
	text, part, by := textOf(args[0]), textOf(args[1]), textOf(args[2])
	if len(by) <= len(part) {
		return nil
	}
	return checkText(len(text) + strings.Count(text, part)*(len(by)-len(part)))
}

func checkText(size int) error {
	if size > maxText {
		return fmt.Errorf("the text would have more than %d bytes", maxText)
	}
	return nil
}

// textOf returns a known text, and nothing for other values.
func textOf(v cty.Value) string {
	v, _ = v.Unmark()
	if !v.IsKnown() || v.IsNull() || v.Type() != cty.String {
		return ""
	}
	return v.AsString()
}

func checkProduct(args []cty.Value) error {
	product := 1
	for _, a := range args {
		a, _ = a.Unmark()
		if !a.IsKnown() || a.IsNull() || !a.CanIterateElements() {
			continue
		}
		if product *= a.LengthInt(); product > maxElements {
			return fmt.Errorf("there are more than %d combinations", maxElements)
		}
	}
	return nil
}

var longNumber = regexp.MustCompile(`%[^a-zA-Z%]*[0-9]{4}`)

func checkForm(args []cty.Value) error {
	if form := args[0]; form.IsKnown() && !form.IsNull() && longNumber.MatchString(form.AsString()) {
		return function.NewArgErrorf(0, "widths and precisions are below %d", maxWidth)
	}
	return nil
}
