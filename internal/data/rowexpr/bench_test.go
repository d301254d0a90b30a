package rowexpr

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// libraryRows is the number of non-incremental benchmarks in SMT-LIB's 2025 release.
const libraryRows = 450474

const threeComparisons = "h.runs > 0 && h.max_cpu_s < 1 && b.asserts >= 2"

func libraryFrame(rows int) *table.Frame {
	logics := []string{"QF_BV", "QF_ABV", "LIA", "UFLIA", "AUFLIA", "QF_S"}
	path, logic, family := make([]string, rows), make([]string, rows), make([]string, rows)
	asserts, runs := make([]int64, rows), make([]int64, rows)
	cpu := make([]float64, rows)
	solved, fresh := make([]bool, rows), make([]bool, rows)
	for i := range rows {
		logic[i] = logics[i*len(logics)/rows]
		family[i] = fmt.Sprintf("20%02d-family/sub%d", i%25, i%97)
		path[i] = fmt.Sprintf("non-incremental/%s/%s/bench_%d.smt2", logic[i], family[i], i)
		asserts[i], runs[i] = int64(i%1000), int64(i%7)
		cpu[i] = float64(i%4000) / 1000
		solved[i], fresh[i] = i%3 == 0, i%11 == 0
	}
	f := table.NewFrame(rows)
	f.Strings("b.path", path, nil).Strings("b.logic", logic, nil).Strings("b.family", family, nil)
	f.Ints("b.asserts", asserts, nil).Bools("b.new", fresh, nil)
	f.Ints("h.runs", runs, nil).Bools("h.all_solved", solved, nil).Floats("h.max_cpu_s", cpu, nil)
	return f
}

func BenchmarkCompiled(b *testing.B) {
	f := libraryFrame(libraryRows)
	tests := []struct {
		name, src string
		want      cty.Type
	}{
		{"three_comparisons", threeComparisons, cty.Bool},
		{"easy_rule", "h.runs > 0 && h.all_solved && h.max_cpu_s < 1", cty.Bool},
		{"easy_rule_as_function", "easy(h, 1)", cty.Bool},
		{"contains_constant_list", "contains(local.removed, b.path)", cty.Bool},
		{"arithmetic", "floor((b.asserts - 100) / 10) + 500 < h.max_cpu_s * 1.5", cty.Bool},
		{"conditional_string", "b.new ? b.family : null", cty.String},
		{"function_of_logic", `lower(b.logic) == "lia"`, cty.Bool},
		{"function_of_path", `strlen(b.path) > 40`, cty.Bool},
	}
	for _, test := range tests {
		b.Run(test.name, func(b *testing.B) {
			e := mustCompile(b, test.src, test.want)
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if test.want == cty.Bool {
					_, err = e.Bools(context.Background(), f)
				} else {
					_, _, err = e.Strings(context.Background(), f)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/libraryRows, "ns/row")
		})
	}
}

// BenchmarkPlainHCL evaluates the same rule with plain HCL and a context per row, as a pipeline would without this
// package.
func BenchmarkPlainHCL(b *testing.B) {
	const rows = 20000
	f := libraryFrame(rows)
	src := parse(b, threeComparisons)
	column := func(name string) *table.Column { c, _ := f.Column(name); return c }
	asserts, runs, cpu := column("b.asserts").Ints(), column("h.runs").Ints(), column("h.max_cpu_s").Floats()
	b.ReportAllocs()
	for b.Loop() {
		for i := range rows {
			ctx := &hcl.EvalContext{Variables: map[string]cty.Value{
				"b": cty.ObjectVal(map[string]cty.Value{"asserts": cty.NumberIntVal(asserts[i])}),
				"h": cty.ObjectVal(map[string]cty.Value{"runs": cty.NumberIntVal(runs[i]),
					"max_cpu_s": cty.NumberFloatVal(cpu[i])}),
			}}
			if _, diags := src.Value(ctx); diags.HasErrors() {
				b.Fatal(diags)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}

// TestLibraryIsCompiled checks that a rule over all rows of a release is evaluated in compiled form: it allocates its
// result but, unlike plain HCL, nothing per row. BenchmarkCompiled measures the speed, which a test could not do
// reliably on a busy machine.
func TestLibraryIsCompiled(t *testing.T) {
	e := mustCompile(t, threeComparisons, cty.Bool)
	f := libraryFrame(libraryRows)
	allocations := testing.AllocsPerRun(2, func() {
		if _, err := e.Bools(context.Background(), f); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > libraryRows/1000 {
		t.Errorf("%d rows take %v allocations", libraryRows, allocations)
	}
}
