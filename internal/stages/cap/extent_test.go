package cap

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// row compiles a row expression as the language does.
func row(t *testing.T, src string, scope rowexpr.Scope, want cty.Type) *rowexpr.Expr {
	t.Helper()
	syntax, diags := hclsyntax.ParseExpression([]byte(src), "test", hcl.InitialPos)
	outer := &hcl.EvalContext{
		Variables: map[string]cty.Value{"later": cty.UnknownVal(cty.Number)},
		Functions: map[string]function.Function{"floor": rowexpr.FloorFunc, "min": stdlib.MinFunc},
	}
	e, more := rowexpr.Compile(syntax, scope, outer, want)
	if diags = append(diags, more...); diags.HasErrors() {
		t.Fatal(diags)
	}
	return e
}

// TestNoNumber checks that a formula without a number for some groups is refused, both before there are benchmarks and,
// if it uses the group's name, when they are drawn.
func TestNoNumber(t *testing.T) {
	t.Parallel()
	args := stages.NewArgs(Kind.Attrs, "", hcl.Range{})
	args.SetRow("take", row(t, "n > 300 ? 300 : null", groupScope, cty.Number), hcl.Range{})
	if err := checkFormulas(args); err == nil || !strings.Contains(err.Error(), "For a group of n = 1 benchmarks") {
		t.Errorf("checked: %v", err)
	}
	act := &action{take: row(t, `group == "A" ? 300 : null`, groupScope, cty.Number)}
	if n, err := act.quota(context.Background())("B", 20); err == nil || !strings.Contains(err.Error(), "null") {
		t.Errorf("%d places, %v", n, err)
	}
	if n, err := act.quota(context.Background())("A", 20); err != nil || n != 20 {
		t.Errorf("%d places, %v", n, err)
	}
}

// TestExtent covers logics with 250, 800 and 3,000 benchmarks, some of which a filter may still drop.
func TestExtent(t *testing.T) {
	t.Parallel()
	const rules2026 = "n <= 300 ? n : n <= 600 ? 300 : n <= 1000 ? floor(n / 2) : 500 + floor((n - 1000) / 10)"
	logics := map[string]int64{"A": 250, "B": 800, "C": 3000}
	known := func(string) map[string]int64 { return logics }
	tests := []struct {
		name, take, groupBy string
		always              bool
		logics              func(string) map[string]int64
		want                int64
		places              map[string]int64
	}{
		// 250 + 800/2 + 500 + 2000/10
		{"rules 2026", rules2026, "", false, known, 1350, map[string]int64{"A": 250, "B": 400, "C": 700}},
		{"named", rules2026, "b.logic", false, known, 1350, map[string]int64{"A": 250, "B": 400, "C": 700}},
		{"at most 20", "min(n, 20)", "", false, known, 60, map[string]int64{"A": 20, "B": 20, "C": 20}},
		// All 800 or as few as 500 may remain.
		{"fewer of many", "n > 500 ? 100 : n", "", false, known, 1250, map[string]int64{"A": 250, "B": 500, "C": 500}},
		{"more than there are", "2 * n + 5", "", false, known, 4050, map[string]int64{"A": 250, "B": 800, "C": 3000}},
		{"by name", `group == "A" ? 1 : min(n, 7)`, "", false, known, 15, map[string]int64{"A": 1, "B": 7, "C": 7}},
		{"negative for some", "n - 300", "", false, known, 3200, map[string]int64{"A": 0, "B": 500, "C": 2700}},
		{"cannot be evaluated for 700", "1000 / (n - 700)", "", false, known, 3800, map[string]int64{"A": 0, "B": 800,
			"C": 3000}},
		{"one group", "min(n, 400)", `"all"`, false, known, 400, logics},
		{"other groups", "min(n, 20)", "b.family", false, known, 4050, logics},
		{"logics not known", "min(n, 20)", "", false, nil, 4050, nil},
		{"one group, logics not known", "min(n, 400)", `"all"`, false, nil, 400, nil},
		{"take not known", "min(n, later)", "", false, known, 4050, logics},
		{"some without a draw", "min(n, 20)", "", true, known, 4050, logics},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := stages.NewArgs(Kind.Attrs, "", hcl.Range{})
			args.SetValue("generator", cty.StringVal("glibc"), hcl.Range{})
			args.SetRow("take", row(t, tt.take, groupScope, cty.Number), hcl.Range{})
			if tt.groupBy != "" {
				args.SetRow("group_by", row(t, tt.groupBy, benchmarkScope, cty.String), hcl.Range{})
			}
			if tt.always {
				args.SetRow("always", row(t, "b.new", benchmarkScope, cty.Bool), hcl.Range{})
			}
			got, ok := extent(args, func(string) (stages.Extent, bool) {
				return stages.Extent{Rows: 4050,
					Groups: tt.logics}, true
			})
			if !ok || got.Rows != tt.want {
				t.Errorf("at most %d rows, %v; want %d", got.Rows, ok, tt.want)
			}
			if diff := cmp.Diff(tt.places, got.By("logic")); diff != "" {
				t.Errorf("by logic (-want +got):\n%s", diff)
			}
		})
	}
	if _, ok := extent(stages.NewArgs(Kind.Attrs, "", hcl.Range{}), func(string) (stages.Extent,
		bool) {
		return stages.Extent{}, false
	}); ok {
		t.Error("a bound of nothing")
	}
}
