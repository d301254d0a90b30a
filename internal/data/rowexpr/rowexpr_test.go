package rowexpr

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

var benchmarks = &Record{Name: "benchmarks/1", Fields: []Field{
	{Name: "path", Type: cty.String}, {Name: "logic", Type: cty.String}, {Name: "family", Type: cty.String},
	{Name: "asserts", Type: cty.Number}, {Name: "size", Type: cty.Number}, {Name: "new", Type: cty.Bool},
	{Name: "tags", Type: cty.List(cty.String)},
}}

var history = &Record{Name: "history/1", Fields: []Field{
	{Name: "runs", Type: cty.Number}, {Name: "all_solved", Type: cty.Bool}, {Name: "max_cpu_s", Type: cty.Number},
}}

// isCompiled reports whether HCL evaluates no part of the expression for every row. HCL may still evaluate single rows;
// see the package comment.
func isCompiled(e *Expr) bool { return e.known && e.program.compiled }

func testScope(t testing.TB) Scope {
	return Scope{
		Vars: []Var{{Name: "b", Record: benchmarks}, {Name: "h", Record: history}, {Name: "n", Type: cty.Number}},
		Functions: map[string]*Function{
			"easy": {Params: []string{"h", "limit"}, Result: parse(t, "h.runs > 0 && h.all_solved && h.max_cpu_s < "+
				"limit")},
			"twice": {Params: []string{"x"}, Result: parse(t, "x * local.two"), Outer: testOuter()},
		},
	}
}

func parse(t testing.TB, src string) hclsyntax.Expression {
	t.Helper()
	expr, diags := hclsyntax.ParseExpression([]byte(src), "rules.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("parse %q: %v", src, diags)
	}
	return expr
}

// testOuter provides the functions and values that a pipeline makes available to row expressions.
func testOuter() *hcl.EvalContext {
	ctx := &hcl.EvalContext{
		Variables: map[string]cty.Value{
			"local": cty.ObjectVal(map[string]cty.Value{
				"removed": cty.ListVal([]cty.Value{cty.StringVal("p1"), cty.StringVal("p3")}),
				"limit":   cty.NumberIntVal(300),
				"two":     cty.NumberIntVal(2),
				"later":   cty.UnknownVal(cty.Number),
				"nothing": cty.NullVal(cty.Number),
				"secret":  cty.StringVal("swordfish").Mark("sensitive"),
				"secrets": cty.ListVal([]cty.Value{cty.StringVal("LIA").Mark("sensitive")}),
				"map":     cty.MapVal(map[string]cty.Value{"QF_BV": cty.NumberIntVal(7), "LIA": cty.NumberIntVal(8)}),
			}),
		},
		Functions: map[string]function.Function{
			"contains": stdlib.ContainsFunc, "min": stdlib.MinFunc, "max": stdlib.MaxFunc, "floor": FloorFunc,
			"ceil": CeilFunc, "abs": stdlib.AbsoluteFunc, "lower": stdlib.LowerFunc, "upper": stdlib.UpperFunc,
			"length": stdlib.LengthFunc, "strlen": stdlib.StrlenFunc, "regex": stdlib.RegexFunc,
			"substr":   stdlib.SubstrFunc,
			"coalesce": stdlib.CoalesceFunc, "parseint": stdlib.ParseIntFunc, "join": stdlib.JoinFunc,
			"split": stdlib.SplitFunc,
			"try":   tryfunc.TryFunc, "can": tryfunc.CanFunc, "pow": stdlib.PowFunc, "format": stdlib.FormatFunc,
		},
	}
	ctx.Functions["twice"] = function.New(&function.Spec{
		Params: []function.Parameter{{Name: "x", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return stdlib.MultiplyFunc.Call([]cty.Value{args[0], cty.NumberIntVal(2)})
		},
	})
	ctx.Functions["easy"] = function.New(&function.Spec{
		Params: []function.Parameter{{Name: "h", Type: cty.DynamicPseudoType},
			{Name: "limit", Type: cty.DynamicPseudoType}},
		Type: function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			body, _ := hclsyntax.ParseExpression([]byte("h.runs > 0 && h.all_solved && h.max_cpu_s < limit"), "f",
				hcl.InitialPos)
			v, diags := body.Value(&hcl.EvalContext{Variables: map[string]cty.Value{"h": args[0], "limit": args[1]}})
			if diags.HasErrors() {
				return cty.NilVal, diags
			}
			return v, nil
		},
	})
	return ctx
}

// testFrame returns six rows. The last row has nulls in all columns that may be null.
func testFrame() *table.Frame {
	last := []bool{false, false, false, false, false, true}
	f := table.NewFrame(6)
	f.Strings("b.path", []string{"p1", "p2", "p3", "p4", "p5", "p6"}, nil)
	f.Strings("b.logic", []string{"QF_BV", "QF_BV", "LIA", "LIA", "UF", "ABV"}, nil)
	f.Strings("b.family", []string{"a/b", "a/c", "", "x", "x", ""}, last)
	f.Ints("b.asserts", []int64{1, 0, 300, 601, 1000, 12345}, nil)
	f.Floats("b.size", []float64{0.1, 0.5, 1.5, math.Inf(1), 1e300, math.NaN()}, nil)
	f.Bools("b.new", []bool{true, false, true, false, true, false}, nil)
	f.StringLists("b.tags", [][]string{{"x", "y"}, {}, {"y"}, {"z"}, {"x"}, nil}, last)
	f.Ints("h.runs", []int64{3, 0, 5, 2, 1, 0}, nil)
	f.Bools("h.all_solved", []bool{true, false, true, false, true, false}, last)
	f.Floats("h.max_cpu_s", []float64{0.25, 2, 0.999, 1, 17, math.NaN()}, nil)
	f.Ints("n", []int64{1, 300, 301, 601, 1001, 24680}, nil)
	return f
}

func mustCompile(t testing.TB, src string, want cty.Type) *Expr {
	t.Helper()
	e, diags := Compile(parse(t, src), testScope(t), testOuter(), want)
	if diags.HasErrors() {
		t.Fatalf("Compile(%s): %v", src, diags)
	}
	return e
}

func TestBools(t *testing.T) {
	const tt, ff = true, false
	tests := []struct {
		name, src string
		want      []bool
		compiled  bool
	}{
		{"easy rule", "h.runs > 0 && h.all_solved && h.max_cpu_s < 1", []bool{tt, ff, tt, ff, ff, ff}, true},
		{"easy rule as a function", "easy(h, 1)", []bool{tt, ff, tt, ff, ff, ff}, true},
		{"constant list", "contains(local.removed, b.path)", []bool{tt, ff, tt, ff, ff, ff}, true},
		{"literal list", `contains(["QF_BV", "UF"], b.logic)`, []bool{tt, tt, ff, ff, tt, ff}, true},
		{"null is not in a list", `contains(["x"], b.family)`, []bool{ff, ff, ff, tt, tt, ff}, true},
		{"null test", "b.family == null", []bool{ff, ff, ff, ff, ff, tt}, true},
		{"null test, other side", "null != b.family", []bool{tt, tt, tt, tt, tt, ff}, true},
		{"equality with null", `b.family == "x"`, []bool{ff, ff, ff, tt, tt, ff}, true},
		{"0.1 is not the float64 0.1", "b.asserts == 12345 || b.size == 0.1", []bool{ff, ff, ff, ff, ff, tt}, true},
		{"0.1 is below the float64 0.1", "b.asserts == 12345 || b.size > 0.1", []bool{tt, tt, tt, tt, tt, tt}, true},
		{"infinity", "b.asserts < 12345 && b.size > 1e308", []bool{ff, ff, ff, tt, ff, ff}, true},
		{"guarded null", "b.asserts != 12345 && b.size < 1", []bool{tt, tt, ff, ff, ff, ff}, true},
		{"thirds are rounded at 512 bits", "n / 3 * 3 == n", []bool{tt, tt, tt, tt, tt, tt}, true},
		{"quotients are not rounded to float64", "n / 3 == 333.66666666666669", []bool{ff, ff, ff, ff, ff, ff}, true},
		{"remainder", "n % 2 == 1", []bool{tt, ff, tt, tt, tt, ff}, true},
		{"string function", `lower(b.logic) == "lia"`, []bool{ff, ff, tt, tt, ff, ff}, true},
		{"string field by index", `b["logic"] == "UF"`, []bool{ff, ff, ff, ff, tt, ff}, true},
		{"index of a map", `try(local.map[b.logic], 0) > 7`, []bool{ff, ff, tt, tt, ff, ff}, false},
		{"for expression", `b.asserts != 12345 && length([for t in b.tags : t if t == "x"]) > 0`,
			[]bool{tt, ff, ff, ff, tt, ff}, false},
		{"list column", `b.asserts != 12345 && contains(b.tags, "x")`, []bool{tt, ff, ff, ff, tt, ff}, true},
		{"template", `"${b.logic}/${n}" == "LIA/601"`, []bool{ff, ff, ff, tt, ff, ff}, true},
		{"not", "!b.new", []bool{ff, tt, ff, tt, ff, tt}, true},
		{"bool equality", "b.new == (n < 400)", []bool{tt, ff, tt, tt, ff, tt}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := mustCompile(t, test.src, cty.Bool)
			got, err := e.Bools(t.Context(), testFrame())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.src, diff)
			}
			if isCompiled(e) != test.compiled {
				t.Errorf("%s: Compiled() = %v, want %v", test.src, isCompiled(e), test.compiled)
			}
		})
	}
}

// TestWide checks that integers beyond 64 bits are exact in columns, intermediate values and results. 2^63 is
// 9,223,372,036,854,775,808.
func TestWide(t *testing.T) {
	number := func(text string) *big.Int {
		v, _ := new(big.Int).SetString(text, 10)
		return v
	}
	frame := func() *table.Frame {
		return table.NewFrame(3).Wide("x", []int64{5, 0, 1 << 62}, map[int]*big.Int{1: number("18446744073709551617")}).
			Ints("y", []int64{1, 2, 3}, nil)
	}
	scope := Scope{Vars: []Var{{Name: "x", Type: cty.Number}, {Name: "y", Type: cty.Number}}}
	outer := &hcl.EvalContext{Functions: map[string]function.Function{"min": stdlib.MinFunc}}
	compile := func(src string, want cty.Type) *Expr {
		syntax, _ := hclsyntax.ParseExpression([]byte(src), "x.hcl", hcl.InitialPos)
		e, diags := Compile(syntax, scope, outer, want)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return e
	}
	for src, want := range map[string][3]string{
		"x":                                 {"5", "18446744073709551617", "4611686018427387904"},
		"x * y":                             {"5", "36893488147419103234", "13835058055282163712"},
		"min(x * y, 7)":                     {"5", "7", "7"},
		"y < 3 ? y : 2 * x":                 {"1", "2", "9223372036854775808"},
		"4 * x - 4 * x + y":                 {"1", "2", "3"},
		"x == 18446744073709551617 ? 1 : 0": {"0", "1", "0"},
	} {
		values, wide, err := compile(src, cty.Number).Wide(t.Context(), frame())
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		for i, v := range values {
			got, beyond := wide[i], wide[i] != nil
			if !beyond {
				got = big.NewInt(v)
			}
			if want := number(want[i]); got.Cmp(want) != 0 || beyond == want.IsInt64() {
				t.Errorf("%s: row %d is %s, beyond 64 bits: %v; want %s", src, i, got, beyond, want)
			}
		}
	}
	if got, err := compile("x > 18446744073709551616", cty.Bool).Bools(t.Context(), frame()); err != nil ||
		!slices.Equal(got, []bool{false, true, false}) {
		t.Errorf("compared: %v, %v", got, err)
	}
	for src, want := range map[string]string{"y / 2": "row 0: the value 0.5 is not a whole number",
		"y > 1 ? null : y": "row 1: the value is null"} {
		if _, _, err := compile(src, cty.Number).Wide(t.Context(), frame()); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want ...%s...", src, err, want)
		}
	}
}

// TestTake evaluates the formula of SMT-COMP 2026 rules §6 as a pipeline writes it. The expected numbers were computed
// by hand.
func TestTake(t *testing.T) {
	e := mustCompile(t, "n <= local.limit ? n : n <= 600 ? 300 : n <= 1000 ? floor(n / 2) : 500 + floor((n - 1000) / "+
		"10)", cty.Number)
	got, null, err := e.Ints(t.Context(), testFrame())
	if err != nil || null != nil {
		t.Fatal(null, err)
	}
	// 601/2 = 300.5; 1001: 500 + floor(0.1); 24680: 500 + floor(2368.0)
	if diff := cmp.Diff([]int64{1, 300, 300, 300, 500, 2868}, got); diff != "" {
		t.Errorf("take (-want +got):\n%s", diff)
	}
	if !isCompiled(e) {
		t.Error("not compiled")
	}
}

func TestStringsWithNull(t *testing.T) {
	e := mustCompile(t, "b.new ? b.family : null", cty.String)
	got, null, err := e.Strings(t.Context(), testFrame())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a/b", "", "", "", "x", ""}, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]bool{false, true, false, true, false, true}, null); diff != "" {
		t.Errorf("nulls (-want +got):\n%s", diff)
	}
}

// TestNative uses a function with a deliberately different native form, to show where the native form must not be used.
func TestNative(t *testing.T) {
	outer := testOuter()
	starts := function.New(&function.Spec{
		Params: []function.Parameter{{Name: "s", Type: cty.String}, {Name: "prefix", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(strings.HasPrefix(args[0].AsString(), args[1].AsString())), nil
		},
	})
	other := function.New(&function.Spec{
		Params: []function.Parameter{{Name: "s", Type: cty.String}, {Name: "prefix", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl:   func([]cty.Value, cty.Type) (cty.Value, error) { return cty.True, nil },
	})
	outer.Functions["starts"], outer.Functions["other"] = starts, other
	calls := 0
	scope := testScope(t)
	scope.Natives = []Native{{Func: starts, StringBool: func(constants []string) func(string) (bool, bool) {
		return func(s string) (bool, bool) { calls++; return strings.HasPrefix(s, constants[0]), s != "UF" }
	}}}
	for _, test := range []struct {
		src  string
		want []bool
	}{
		{`starts(b.logic, "U")`, []bool{false, false, false, false, true, false}},
		{`starts(b.logic, b.logic)`, []bool{true, true, true, true, true, true}},
		{`other(b.logic, "U")`, []bool{true, true, true, true, true, true}},
	} {
		e, diags := Compile(parse(t, test.src), scope, outer, cty.Bool)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		got, err := e.Bools(t.Context(), testFrame())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.src, diff)
		}
	}
	if calls == 0 || calls > 5 {
		t.Errorf("the native form was called %d times, want once for each of 4 runs of equal logics", calls)
	}
}

func TestErrorsNameTheRow(t *testing.T) {
	tests := []struct {
		name, src string
		row       int
	}{
		{"null operand", "b.size < 1", 5},
		{"null result", "h.all_solved", 5},
		{"zero by zero", "b.asserts / b.asserts > 0", 1},
		{"function", `regex("^[A-Z]+$", b.logic) == "x"`, 0},
		{"null argument", `lower(b.family) == "x"`, 5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := mustCompile(t, test.src, cty.Bool).Bools(t.Context(), testFrame())
			var rowErr *RowError
			if !errors.As(err, &rowErr) || rowErr.Row != test.row {
				t.Errorf("%s: error %v, want one of row %d", test.src, err, test.row)
			}
		})
	}
	if _, _, err := mustCompile(t, "1 / b.asserts", cty.Number).Numbers(t.Context(), testFrame()); err == nil ||
		!strings.Contains(err.Error(), "row 1: the value is infinite") {
		t.Errorf("division by zero: %v", err)
	}
	_, _, err := mustCompile(t, "n / 2", cty.Number).Ints(t.Context(), testFrame())
	if err == nil || !strings.Contains(err.Error(), "row 0: the value 0.5 is not a whole number") {
		t.Errorf("fraction: %v", err)
	}
}

func TestCompileErrors(t *testing.T) {
	tests := []struct {
		name, src string
		want      cty.Type
		message   string
	}{
		{"unknown field", "b.assertz > 3", cty.Bool,
			`b is a row of benchmarks/1, which has no field "assertz". Did you mean "asserts"?`},
		{"unknown field by index", `b["assertz"] > 3`, cty.Bool, `no field "assertz"`},
		{"unknown field in a branch", "b.new ? b.logik : b.logic", cty.String, `Did you mean "logic"?`},
		{"unknown field in a function", "twice(b.asert) > 1", cty.Bool, `Did you mean "asserts"?`},
		{"unknown variable", "c.logic", cty.String, `There is no variable named "c"`},
		{"unknown function", `containz([], b.logic)`, cty.Bool, `Did you mean "contains"?`},
		{"wrong operand", `b.logic + 1 > 2`, cty.Bool, "The operator + needs a number, but this is a string."},
		{"never equal", `b.logic == 1`, cty.Bool, "The left side is a string and the right side is a number."},
		{"wrong result", "b.logic", cty.Bool, "This must return a bool for every row, but it returns a string."},
		{"wrong result of a row", "b", cty.String, "it returns a object"},
		{"wrong operand within &&", `b.new && (b.logic && b.new)`, cty.Bool,
			"The operator && needs a bool, but this is a string."},
		{"wrong argument", `floor(b.new) > 1`, cty.Bool, "number required"},
		{"mixed branches", "b.new ? b.tags : b.size", cty.Number, "must have consistent types"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, diags := Compile(parse(t, test.src), testScope(t), testOuter(), test.want)
			if !diags.HasErrors() || !strings.Contains(diags.Error(), test.message) {
				t.Errorf("%s: %v, want %q", test.src, diags, test.message)
			}
		})
	}
}

func TestCanonical(t *testing.T) {
	tests := []struct {
		name string
		same []string
		want string
	}{
		{"outer values", []string{"n <= local.limit", "n<=300", "(n <= 3e2) /* comment */", "n <= 300.0",
			"n <= 100 * 3"}, "(n<=300)"},
		{"functions", []string{"twice(n) > 1", "n * 2 > 1"}, "((n*2)>1)"},
		{"fields", []string{"b.logic == \"LIA\"", `b["logic"] == "LIA"`, `b.logic == "${"LIA"}"`}, `(b.logic=="LIA")`},
		{"loop variables", []string{`length([for t in b.tags : t if t == "x"]) > n`,
			`length([for u in b.tags : u if u == "x"]) > n`},
			`(length({for ,$0 in b.tags,$0,,($0=="x")})>n)`},
		{"conditional", []string{"b.new ? b.family : null"}, "(b.new?b.family:null)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, src := range test.same {
				if got := mustCompile(t, src, cty.DynamicPseudoType).Canonical(); got != test.want {
					t.Errorf("%s: %s, want %s", src, got, test.want)
				}
			}
		})
	}
	different := []string{"n < 300", "n <= 301", "n <= 0.1", "n <= 0.10000000000000001", `contains(["a"], b.path)`,
		`contains(["b"], b.path)`,
		"n <= 1.0000000000000000000000000001", "n <= 1"}
	seen := map[string]string{}
	for _, src := range different {
		c := mustCompile(t, src, cty.Bool).Canonical()
		if other, dup := seen[c]; dup {
			t.Errorf("%s and %s have the same canonical form %s", src, other, c)
		}
		seen[c] = src
	}
}

func TestMarkedValues(t *testing.T) {
	e := mustCompile(t,
		`contains(local.secrets, b.logic) || b.logic == local.secret || b.logic == "${local.secret}${n}"`, cty.Bool)
	if c := e.Canonical(); strings.Contains(c, "swordfish") || strings.Contains(c, `"LIA"`) ||
		strings.Count(c, "sha256:") != 3 {
		t.Errorf("the canonical form shows a sensitive value: %s", c)
	}
	got, err := e.Bools(t.Context(), testFrame())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]bool{false, false, true, true, false, false}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDeferred(t *testing.T) {
	e := mustCompile(t, "n < local.later", cty.Bool)
	if e.Known() || isCompiled(e) {
		t.Error("known although local.later is not")
	}
	if _, err := e.Bools(t.Context(), testFrame()); !errors.Is(err, errDeferred) {
		t.Errorf("evaluation: %v", err)
	}
	if diff := cmp.Diff([]string{"n"}, e.Uses()); diff != "" {
		t.Error(diff)
	}
	if _, diags := Compile(parse(t, "n < local.later && b.assertz"), testScope(t), testOuter(),
		cty.Bool); !diags.HasErrors() {
		t.Error("a deferred expression is not checked")
	}
}

func TestUses(t *testing.T) {
	tests := []struct{ src, want string }{
		{"h.runs > 0 && b.new && h.runs < n", "b.new h.runs n"},
		{"easy(h, 2)", "h.all_solved h.max_cpu_s h.runs"},
		{"1 < 2", ""},
		{`format("%v", h) == ""`, "h.all_solved h.max_cpu_s h.runs"},
	}
	for _, test := range tests {
		if got := strings.Join(mustCompile(t, test.src, cty.Bool).Uses(), " "); got != test.want {
			t.Errorf("%s: uses %q, want %q", test.src, got, test.want)
		}
	}
}

func TestFrameErrors(t *testing.T) {
	e := mustCompile(t, "n < 3", cty.Bool)
	tests := []struct {
		name  string
		frame *table.Frame
		want  string
	}{
		{"missing", table.NewFrame(2), "the rows have no column n"},
		{"type", table.NewFrame(1).Strings("n", []string{"a"}, nil), "column n is a string; it must be a number"},
		{"length", table.NewFrame(3).Ints("n", []int64{1}, nil), "column n has 1 rows, but the frame has 3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := e.Bools(t.Context(), test.frame); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
