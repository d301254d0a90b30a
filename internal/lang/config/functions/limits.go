package functions

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
)

// Limits on results; otherwise a short expression could exhaust any amount of memory.
const (
	maxElements = 1_000_000 // elements of setproduct, and of functions that split a string
	maxDistinct = 10_000    // elements of distinct, which compares all pairs of elements
	maxWidth    = 1_000     // width of a number in a format, and of an indentation
	maxText     = 64 << 20  // bytes in a string built by join or replace
)

// limited returns f with a check of the known arguments before each call.
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
	formatListFunc = limited(stdlib.FormatListFunc, checkFormList)
	indentFunc     = limited(stdlib.IndentFunc, checkIndent)
	distinctFunc   = limited(stdlib.DistinctFunc, func(args []cty.Value) error {
		if list, _ := args[0].Unmark(); list.IsKnown() && !list.IsNull() && list.LengthInt() > maxDistinct {
			return function.NewArgErrorf(0, "the list exceeds %d elements; use toset() for longer lists", maxDistinct)
		}
		return nil
	})
)

// rangeFunc explains in its error how to produce more numbers.
var rangeFunc = function.New(&function.Spec{
	VarParam: stdlib.RangeFunc.VarParam(),
	Type:     stdlib.RangeFunc.ReturnTypeForValues,
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		v, err := stdlib.RangeFunc.Call(args)
		if err != nil && strings.Contains(err.Error(), "more than 1024 values") {
			err = errors.New("range returns at most 1024 numbers; for more, combine two of them: " +
				"flatten([for i in range(10) : [for j in range(1000) : 1000 * i + j]])")
		}
		return v, err
	},
})

// numeric returns f with a readable error for a result that is not a number.
func numeric(f function.Function) function.Function {
	return function.New(&function.Spec{
		Params:   f.Params(),
		VarParam: f.VarParam(),
		Type:     f.ReturnTypeForValues,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := f.Call(args)
			if _, undefined := errors.AsType[function.PanicError](err); undefined {
				err = errors.New("the result is not a number, as for log(-1, 2)")
			}
			return v, err
		},
	})
}

var (
	logFunc = numeric(stdlib.LogFunc)
	powFunc = numeric(stdlib.PowFunc)
	sumFunc = numeric(addFunc)
)

var (
	joinFunc    = limited(stdlib.JoinFunc, checkJoin)
	replaceFunc = limited(stdlib.ReplaceFunc, checkReplace)

	csvDecodeFunc    = limited(stdlib.CSVDecodeFunc, checkParts(0, ",\n"))
	jsonDecodeFunc   = limited(stdlib.JSONDecodeFunc, checkParts(0, ",[{"))
	regexAllFunc     = limited(stdlib.RegexAllFunc, checkRegexAll)
	regexReplaceFunc = limited(stdlib.RegexReplaceFunc, checkRegexReplace)
	splitFunc        = limited(stdlib.SplitFunc, func(args []cty.Value) error {
		return checkElements(strings.Count(textOf(args[1]), textOf(args[0])) + 1)
	})
)

// checkJoin sums the sizes of the elements and separators.
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

// checkParts counts the characters that start or end a part of the result.
func checkParts(arg int, marks string) func([]cty.Value) error {
	return func(args []cty.Value) error {
		text, n := textOf(args[arg]), 1
		for i := range len(marks) {
			n += strings.Count(text, marks[i:i+1])
		}
		return checkElements(n)
	}
}

func checkElements(n int) error {
	if n > maxElements {
		return fmt.Errorf("the result would exceed %d elements", maxElements)
	}
	return nil
}

// matches returns the number of matches of a pattern in a string, their total size in bytes, and the number of groups
// in the pattern. It returns zeros for an invalid pattern, which the function itself reports.
func matches(pattern, text string) (n, size, groups int) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return 0, 0, 0
	}
	re.ReplaceAllStringFunc(text, func(match string) string {
		n, size = n+1, size+len(match)
		return ""
	})
	return n, size, re.NumSubexp()
}

func checkRegexAll(args []cty.Value) error {
	n, _, groups := matches(textOf(args[0]), textOf(args[1]))
	return checkElements(n * (groups + 1))
}

// checkRegexReplace counts each $ in the replacement as a whole match.
func checkRegexReplace(args []cty.Value) error {
	text, by := textOf(args[0]), textOf(args[2])
	n, size, _ := matches(textOf(args[1]), text)
	return checkText(len(text) + n*len(by) + size*strings.Count(by, "$"))
}

func checkIndent(args []cty.Value) error {
	n := args[0]
	if !n.IsKnown() || n.IsNull() {
		return nil
	}
	if n.AsBigFloat().Sign() < 0 || n.AsBigFloat().Cmp(big.NewFloat(maxWidth)) > 0 {
		return function.NewArgErrorf(0, "the indent must be at least 0 and at most %d spaces", maxWidth)
	}
	spaces, _ := n.AsBigFloat().Int64()
	text := textOf(args[1])
	return checkText(len(text) + int(spaces)*strings.Count(text, "\n"))
}

func checkText(size int) error {
	if size > maxText {
		return fmt.Errorf("the text would have more than %d bytes", maxText)
	}
	return nil
}

// textOf returns a known string, or "" for other values.
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

var longNumber = pattern.Lazy(`%[^a-zA-Z%]*[0-9]{4}`)

func checkForm(args []cty.Value) error {
	if form := args[0]; form.IsKnown() && !form.IsNull() && longNumber().MatchString(form.AsString()) {
		return function.NewArgErrorf(0, "widths and precisions must be below %d", maxWidth)
	}
	longest := maxWidth
	for _, a := range args[1:] {
		longest = max(longest, len(textOf(a)))
	}
	form := textOf(args[0])
	return checkText(len(form) + (longest-maxWidth)*strings.Count(form, "%"))
}

// checkFormList also counts the elements of lists, as if every verb could show each of them.
func checkFormList(args []cty.Value) error {
	if err := checkForm(args); err != nil {
		return err
	}
	n, total := 1, 0
	for _, a := range args[1:] {
		if a.IsKnown() && !a.IsNull() && (a.Type().IsListType() || a.Type().IsSetType() || a.Type().IsTupleType()) {
			n = max(n, a.LengthInt())
			for it := a.ElementIterator(); it.Next(); {
				_, elem := it.Element()
				total += len(textOf(elem))
			}
		}
	}
	for _, a := range args[1:] {
		total += n * len(textOf(a))
	}
	form := textOf(args[0])
	return errors.Join(checkText(total), checkText(n*len(form)+min(total, maxText)*strings.Count(form, "%")))
}
