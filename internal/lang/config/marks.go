package config

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// waitMark marks an unknown value with the address of the stage instance that outputs it, or that outputs a value it is
// computed from. Marks propagate with values through expressions and functions, so an instance waits for exactly those
// instances that its arguments need: stage.cap.tracks[each.key] waits for a single instance rather than for all.
type waitMark string

// outputMark marks an unknown output with its name, such as stage.cap.x.benchmarks, which lets the plan list the
// outputs that an argument needs.
type outputMark string

// sourcesOf returns the outputs in a value's marks, sorted.
func sourcesOf(v cty.Value) []string { return marksOf[outputMark](v) }

// waitsOf returns the addresses in a value's wait marks, sorted.
func waitsOf(v cty.Value) []string { return marksOf[waitMark](v) }

func marksOf[M ~string](v cty.Value) []string {
	var found []string
	eachMark(v, func(mark any) {
		if m, ok := mark.(M); ok {
			found = append(found, string(m))
		}
	})
	slices.Sort(found) // marks are unordered
	return slices.Compact(found)
}

// eachMark visits the marks of a value and its parts. Unlike cty's UnmarkDeep, it does not allocate, because values
// that wait for many outputs are visited often.
func eachMark(v cty.Value, visit func(mark any)) {
	if v.IsMarked() {
		inner, marks := v.Unmark()
		for m := range marks {
			visit(m)
		}
		v = inner
	}
	if !mayHoldMarks(v) {
		return
	}
	for it := v.ElementIterator(); it.Next(); {
		_, part := it.Element()
		eachMark(part, visit)
	}
}

// mayHoldMarks reports whether parts of an unmarked value can be marked. A set takes over its elements' marks.
func mayHoldMarks(v cty.Value) bool {
	t := v.Type()
	return (t.IsObjectType() || t.IsTupleType() || t.IsListType() || t.IsMapType()) && v.IsKnown() && !v.IsNull()
}

// waiting marks a value that is not wholly known, unless it is already marked, with the instances that it waits for.
func waiting(v cty.Value, waits []string) cty.Value {
	if len(waits) == 0 || v.IsWhollyKnown() || len(waitsOf(v)) > 0 {
		return v
	}
	marks := cty.ValueMarks{}
	for _, w := range waits {
		marks[waitMark(w)] = struct{}{}
	}
	return v.WithMarks(marks)
}

// isSensitive reports whether a value or any of its parts must not be shown.
func isSensitive(v cty.Value) bool {
	sensitive := false
	eachMark(v, func(m any) { sensitive = sensitive || m == stages.Sensitive{} })
	return sensitive
}

// losesMarks reports whether an expression calls a function that drops the marks of its arguments.
func losesMarks(x hclsyntax.Expression) bool {
	loses := false
	hclsource.Calls(x, func(call *hclsyntax.FunctionCallExpr) {
		loses = loses || call.Name == "try" || call.Name == "can"
	})
	return loses
}
