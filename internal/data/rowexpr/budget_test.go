package rowexpr

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// countedExpr compiles an expression whose syntax counts its steps, as in pipelines.
func countedExpr(t *testing.T, src string, scope Scope, outer *hcl.EvalContext) *Expr {
	t.Helper()
	x := parse(t, "["+src+"]").(*hclsyntax.TupleConsExpr)
	budget.CountAll(x)
	e, diags := Compile(x.Exprs[0], scope, outer, cty.Bool)
	if diags.HasErrors() {
		t.Fatalf("compile %q: %v", src, diags)
	}
	return e
}

// chars is an expression for the characters in a row's path.
const chars = "split(\"\", b.path)"

// loops nests n loops over the characters in the row's path around a value.
func loops(n int, of string) string {
	for i := range n {
		of = fmt.Sprintf("[for x%d in %s : %s]", i, chars, of)
	}
	return "length(" + of + ") > 0"
}

// TestRowsEnd evaluates expressions over rows, one of which exceeds the budget. The error must name that row.
func TestRowsEnd(t *testing.T) {
	t.Parallel()
	scope := testScope(t)
	outer := testOuter().NewChild()
	outer.Functions = map[string]function.Function{"regexreplace": stdlib.RegexReplaceFunc}
	joined := func(x string) string { return "join(\"\", [for i in " + chars + " : " + x + "])" }
	tests := []struct{ name, src string }{
		{"loops", loops(4, "b.path")},
		{"loops that keep nothing", "length([for x in " + chars + " : 1 if " + loops(3, "x") + "]) > 0"},
		{"join of joins", "strlen(" + joined(joined(joined(joined("b.path")))) + ") > 0"},
		{"templates", "strlen(" + strings.Repeat("join(\"\", [for i in "+chars+" : \"${", 4) + "b.path" +
			strings.Repeat("}\"])", 4) + ") > 0"},
		{"regexreplace", "strlen(" + strings.Repeat("regexreplace(", 4) + "b.path" +
			strings.Repeat(", \"\", b.path)", 4) + ") > 0"},
		{"tried", "try(" + loops(4, "b.path") + ", true)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := countedExpr(t, tt.src, scope, outer)
			f := table.NewFrame(3).Strings("b.path", []string{"a", "b", strings.Repeat("c", 100)}, nil)
			f.SetNames(func(i int) string { return []string{"one", "two", "three"}[i] })
			start := time.Now()
			_, err := e.Bools(t.Context(), f)
			t.Log(time.Since(start))
			row, ok := errors.AsType[*RowError](err)
			if !ok || len(row.Diags) != 1 || row.Diags[0].Summary != budget.TooLarge {
				t.Fatalf("got %v", err)
			}
			if row.Row != 2 || row.Name != "three" {
				t.Errorf("the error is of row %d (%s)", row.Row, row.Name)
			}
			at, whole := row.Diags[0].Subject, e.Range()
			if at == nil || at.Start.Byte < whole.Start.Byte || at.End.Byte > whole.End.Byte {
				t.Errorf("the error is at %v", at)
			}
			if !strings.Contains(row.Error(), "row 2 (three): ") {
				t.Errorf("the error is %v", row)
			}
		})
	}
}

// TestGuardedRows checks that a branch not taken costs nothing, although closures evaluate both branches.
func TestGuardedRows(t *testing.T) {
	t.Parallel()
	const rows = 5000
	paths, logics, want := make([]string, rows), make([]string, rows), make([]bool, rows)
	for i := range logics {
		paths[i] = fmt.Sprintf("%0100d", i)
		logics[i] = []string{"UF", "LIA"}[i%2]
		want[i] = i%2 == 1
	}
	e := countedExpr(t, "b.logic == \"NONE\" && "+loops(4, "b.path")+" || b.logic == \"LIA\"", testScope(t),
		testOuter())
	f := table.NewFrame(rows).Strings("b.path", paths, nil).Strings("b.logic", logics, nil)
	got, err := e.Bools(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestLongTextsOfManyRows checks that HCL evaluates, row by row, values that are too large for closures to keep for a
// batch. Every row is within its limits, but all of a batch's rows together would need 24 MB.
func TestLongTextsOfManyRows(t *testing.T) {
	t.Parallel()
	const rows, length = 40, 30_000
	paths, want := make([]string, rows), make([]int64, rows)
	text := strings.Repeat("p", length+rows)
	for i := range paths {
		paths[i] = text[:length+i]
		want[i] = int64(20*(length+i) + 1)
	}
	x := parse(t, "[strlen(\""+strings.Repeat("${upper(b.path)}", 20)+"-\")]").(*hclsyntax.TupleConsExpr)
	budget.CountAll(x)
	e, diags := Compile(x.Exprs[0], testScope(t), testOuter(), cty.Number)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	got, _, err := e.Ints(t.Context(), table.NewFrame(rows).Strings("b.path", paths, nil))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestResultsAreBounded checks the limit on text results, which are held for all rows of a table.
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	const rows, length = 1100, 1 << 20
	paths := make([]string, rows)
	text := strings.Repeat("p", length)
	for i := range paths {
		paths[i] = text // 1024 such texts total 1 GiB
	}
	e := mustCompile(t, "b.path", cty.String)
	_, _, err := e.Strings(t.Context(), table.NewFrame(rows).Strings("b.path", paths, nil))
	row, ok := errors.AsType[*RowError](err)
	if !ok || row.Row != 1024 || !strings.Contains(row.Msg, "1024 MiB of text") {
		t.Errorf("got %v", err)
	}
}

// TestManyOperationsInFewRows checks that an expression with many operations keeps only as many values of each as fit,
// not one per row.
func TestManyOperationsInFewRows(t *testing.T) {
	t.Parallel()
	body := "n"
	for i := range 1000 {
		body = fmt.Sprintf("(%s + n * %d)", body, i%2)
	}
	e := mustCompile(t, body, cty.Number)
	if size := e.batchSize(); size < 100 || size > 600 {
		t.Errorf("%d rows in a batch of at least 2000 operations, which are to have about %d values", size, batchCells)
	}
	const rows = 3000
	ns, want := make([]int64, rows), make([]int64, rows)
	for i := range ns {
		ns[i], want[i] = int64(i), int64(i)*501
	}
	got, _, err := e.Ints(t.Context(), table.NewFrame(rows).Ints("n", ns, nil))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestRowsEndWithContext checks that an evaluation ends with its context, both within a row and between rows that
// closures evaluate.
func TestRowsEndWithContext(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"stop(b.path) == \"\" || " + loops(5, "strlen(b.path)"),
		"stop(b.path) == \"\"",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		outer := testOuter().NewChild()
		calls := 0
		outer.Functions = map[string]function.Function{"stop": function.New(&function.Spec{
			Params: []function.Parameter{{Name: "x", Type: cty.String}},
			Type:   function.StaticReturnType(cty.String),
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
				cancel()
				calls++
				return args[0], nil
			},
		})}
		e := countedExpr(t, src, testScope(t), outer)
		paths := make([]string, 1_000_000)
		for i := range paths {
			paths[i] = fmt.Sprint(i)
		}
		_, err := e.Bools(ctx, table.NewFrame(len(paths)).Strings("b.path", paths, nil))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if calls > 10*batch {
			t.Errorf("it went on for %d calls", calls)
		}
	}
}

// TestFunctionsOfPipelineCount checks that pipeline functions that are not inlined are charged to the rows' budget.
func TestFunctionsOfPipelineCount(t *testing.T) {
	t.Parallel()
	body := parse(t, strings.ReplaceAll(loops(4, "x"), "b.path", "x")).(*hclsyntax.BinaryOpExpr)
	budget.CountAll(body)
	in := func(outer *hcl.EvalContext) function.Function {
		return function.New(&function.Spec{
			VarParam: &function.Parameter{Name: "x", Type: cty.String},
			Type:     function.StaticReturnType(cty.Bool),
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
				if !args[0].IsKnown() {
					return cty.UnknownVal(cty.Bool), nil
				}
				ctx := outer.NewChild()
				ctx.Variables = map[string]cty.Value{"x": args[0]}
				v, diags := body.Value(ctx)
				if diags.HasErrors() {
					return cty.NilVal, diags
				}
				return v, nil
			},
		})
	}
	outer := testOuter()
	outer.Functions["heavy"] = in(outer)
	scope := testScope(t)
	scope.Functions["heavy"] = &Function{Params: nil, Outer: outer, In: in}
	e := countedExpr(t, "heavy(b.path)", scope, outer)
	_, err := e.Bools(t.Context(), table.NewFrame(2).Strings("b.path", []string{"a", strings.Repeat("b", 100)}, nil))
	row, ok := errors.AsType[*RowError](err)
	if !ok || row.Row != 1 || len(row.Diags) != 1 || row.Diags[0].Summary != budget.TooLarge {
		t.Errorf("got %v", err)
	}
}
