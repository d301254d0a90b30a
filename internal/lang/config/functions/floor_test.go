package functions

import (
	"fmt"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestFloorOfHundredths checks, for floor and ceil in the language's expressions, that a hundred times a number with
// two decimals is the integer with the same digits. An index's opening value is such a number, and the seed is computed
// from it.
func TestFloorOfHundredths(t *testing.T) {
	t.Parallel()
	all := All(Env{})
	ctx := &hcl.EvalContext{Functions: all}
	step := 7 // coprime to 100, so every pair of decimals occurs
	if !testing.Short() {
		step = 3
	}
	for n := 0; n <= 999_999; n += step {
		src := fmt.Sprintf("%d.%02d", n/100, n%100)
		x, diags := hclsyntax.ParseExpression([]byte("100 * "+src), "test", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		product, diags := x.Value(ctx)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		for _, name := range []string{"floor", "ceil"} {
			got, err := all[name].Call([]cty.Value{product})
			if err != nil || !got.RawEquals(cty.NumberIntVal(int64(n))) {
				t.Fatalf("%s(100 * %s) is %s (%v), want %d", name, src, got.AsBigFloat().Text('g', 20), err, n)
			}
		}
	}
}

func TestFloorAndCeil(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, number string
		floor, ceil  string
	}{
		{"whole", "5", "5", "5"},
		{"zero", "0", "0", "0"},
		{"half", "2.5", "2", "3"},
		{"negative half", "-2.5", "-3", "-2"},
		{"below a whole number", "62.999999999999999999", "62", "63"},
		{"above a whole number", "63.000000000000000001", "63", "64"},
		{"small", "1e-100", "0", "1"},
		{"small and negative", "-1e-100", "-1", "0"},
		{"a quotient that is whole", "6.3 / 0.1", "63", "63"},
		{"a negative product that is whole", "-100 * 0.63", "-63", "-63"},
		{"a sum that is whole", "0.1 + 0.2 + 0.7", "1", "1"},
		{"thirds", "3 * (1 / 3)", "1", "1"},
		{"large", "1e30 + 0.5", "1000000000000000000000000000000", "1000000000000000000000000000001"},
		{"as in the rules of 2026 §6, case d", "500 + (1234 - 1000) / 10", "523", "524"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, want := range map[string]string{"floor": tt.floor, "ceil": tt.ceil} {
				v, diags := eval(t, ".", name+"("+tt.number+")")
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				if got := v.AsBigFloat().Text('f', -1); got != want {
					t.Errorf("%s(%s) is %s, want %s", name, tt.number, got, want)
				}
			}
		})
	}
}

// TestFloorOfRows checks that row expressions return the same results.
func TestFloorOfRows(t *testing.T) {
	t.Parallel()
	const rows = 10_000
	src := "floor(100 * (n / 100)) == n && ceil(100 * (n / 100)) == n && floor(0.63 * 100) == 63"
	x, diags := hclsyntax.ParseExpression([]byte(src), "test", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	scope := rowexpr.Scope{Vars: []rowexpr.Var{{Name: "n", Type: cty.Number}}}
	e, diags := rowexpr.Compile(x, scope,
		&hcl.EvalContext{Functions: All(Env{File: func(string) (stages.File, error) { return stages.File{}, nil }})},
		cty.Bool)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	column := make([]int64, rows)
	for i := range column {
		column[i] = int64(i)
	}
	got, err := e.Bools(t.Context(), table.NewFrame(rows).Ints("n", column, nil))
	if err != nil {
		t.Fatal(err)
	}
	for i, ok := range got {
		if !ok {
			t.Fatalf("%s does not hold for n = %d", src, i)
		}
	}
}
