package selection_test

import (
	"hash/fnv"
	"path/filepath"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results/compressed"
	"github.com/smtpipe/smtpipe/internal/results/official"
	"github.com/smtpipe/smtpipe/internal/rowexpr"
	"github.com/smtpipe/smtpipe/internal/selection"
	"github.com/smtpipe/smtpipe/internal/table"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// The rules as a pipeline writes them. The tests below hold them equal to the policies and formulas of this package.
const (
	takeHalf  = "n <= 300 ? n : n <= 600 ? 300 : floor(n / 2)"
	takeTenth = "n <= 300 ? n : n <= 600 ? 300 : n <= 1000 ? floor(n / 2) : 500 + floor((n - 1000) / 10)"
	easyRule  = "h.runs >= 2 && h.all_solved && h.max_wall < 1"
)

var pipelineScope = rowexpr.Scope{Vars: []rowexpr.Var{
	{Name: "b", Record: &rowexpr.Record{Name: "benchmark", Fields: []rowexpr.Field{
		{Name: "incremental", Type: cty.Bool}, {Name: "status", Type: cty.String}, {Name: "asserts", Type: cty.Number},
		{Name: "says_sat", Type: cty.Bool}, {Name: "says_unsat", Type: cty.Bool},
	}}},
	{Name: "h", Record: &rowexpr.Record{Name: "history", Fields: []rowexpr.Field{
		{Name: "runs", Type: cty.Number}, {Name: "all_solved", Type: cty.Bool}, {Name: "max_wall", Type: cty.Number},
	}}},
	{Name: "n", Type: cty.Number},
}}

func compile(t *testing.T, source string, want cty.Type) *rowexpr.Expr {
	t.Helper()
	parsed, diags := hclsyntax.ParseExpression([]byte(source), "rules.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	outer := &hcl.EvalContext{Functions: map[string]function.Function{"floor": stdlib.FloorFunc}}
	expr, diags := rowexpr.Compile(parsed, pipelineScope, outer, want)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if !expr.Compiled() {
		t.Errorf("%s is not compiled", source)
	}
	return expr
}

// TestTakeInHCL compares the formulas for every size up to 60,000, more than the largest logic has.
func TestTakeInHCL(t *testing.T) {
	sizes := make([]int64, 60001)
	for i := range sizes {
		sizes[i] = int64(i)
	}
	frame := table.NewFrame(len(sizes)).Ints("n", sizes, nil)
	for source, formula := range map[string]selection.Formula{
		takeHalf:  selection.Half(selection.Floor),
		takeTenth: selection.Tenth(selection.Floor),
	} {
		got, _, err := compile(t, source, cty.Number).Numbers(frame)
		if err != nil {
			t.Fatal(err)
		}
		for n, places := range got {
			if int(places) != formula(n) || places != float64(int(places)) {
				t.Fatalf("%s with n = %d: %v places, the formula gives %d", source, n, places, formula(n))
			}
		}
	}
}

// library is the official list of 2025 with a made-up history and made-up answers, which depend on the path.
type library struct {
	facts []selection.Facts
	frame *table.Frame
}

func officialLibrary(t *testing.T) library {
	t.Helper()
	in, err := compressed.Open(filepath.Join(testkit.Shared(t, "official-results", "raw"), "benchmarks-2025.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var l library
	var incremental, allSolved, saysSat, saysUnsat []bool
	var statuses []string
	var asserts, runs []int64
	var maxWall []float64
	err = official.ReadBenchmarks(in, func(e official.Entry) error {
		h := fnv.New32a()
		h.Write([]byte(e.Path))
		r := h.Sum32()
		past := selection.YearRuns{Year: 2018, Runs: int(r % 4), AllSolved: r>>2&1 == 0,
			MaxWallTimeS: float64(r>>3%8) / 4}
		f := selection.Facts{Path: e.Path, Logic: e.Location.Logic, Incremental: e.Location.Incremental,
			Status:  e.Status,
			Asserts: int(e.Asserts), SaysSat: r>>8&3 == 0, SaysUnsat: r>>10&3 == 0, History: selection.History{past}}
		l.facts = append(l.facts, f)
		incremental, statuses = append(incremental, f.Incremental), append(statuses, string(f.Status))
		asserts, runs = append(asserts, e.Asserts), append(runs, int64(past.Runs))
		allSolved, maxWall = append(allSolved, past.AllSolved), append(maxWall, past.MaxWallTimeS)
		saysSat, saysUnsat = append(saysSat, f.SaysSat), append(saysUnsat, f.SaysUnsat)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	l.frame = table.NewFrame(len(l.facts)).Bools("b.incremental", incremental, nil).Strings("b.status", statuses, nil).
		Ints("b.asserts", asserts, nil).Bools("b.says_sat", saysSat, nil).Bools("b.says_unsat", saysUnsat, nil).
		Ints("h.runs", runs, nil).Bools("h.all_solved", allSolved, nil).Floats("h.max_wall", maxWall, nil)
	return l
}

// TestPoliciesInHCL compares on every benchmark of the official list what a policy excludes with what the rule drops as
// a line of HCL, compiled, and on every 997th with HCL's own evaluation.
func TestPoliciesInHCL(t *testing.T) {
	l := officialLibrary(t)
	for _, c := range []struct {
		name  string
		year  int
		track comp.Track
		drop  string
	}{
		{"2008", 2008, comp.SingleQuery, `b.incremental || b.status == "unknown"`},
		{"2015 main", 2015, comp.SingleQuery, `b.incremental || b.status != "sat" && b.status != "unsat"`},
		{"2019 single query", 2019, comp.SingleQuery, `b.incremental || ` + easyRule},
		{"2019 unsat core", 2019, comp.UnsatCore, `b.incremental || b.asserts < 2 || b.status != "unsat"`},
		{"2019 model validation", 2019, comp.ModelValidation, `b.incremental || b.status != "sat"`},
		{"2022 proof", 2022, comp.ProofExhibition,
			`b.incremental || b.status == "sat" || b.status == "unknown" && !b.says_unsat`},
		{"2026 single query", 2026, comp.SingleQuery, `b.incremental || ` + easyRule},
		{"2026 incremental", 2026, comp.Incremental, `!b.incremental`},
		{"2026 unsat core", 2026, comp.UnsatCore,
			`b.incremental || b.asserts < 2 || b.status == "sat" || b.status == "unknown" && !b.says_unsat`},
		{"2026 model validation", 2026, comp.ModelValidation,
			`b.incremental || b.status == "unsat" || b.status == "unknown" && !b.says_sat`},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy, err := selection.NewPolicy(c.year, c.track)
			if err != nil {
				t.Fatal(err)
			}
			expr := compile(t, c.drop, cty.Bool)
			drops, err := expr.Bools(l.frame)
			if err != nil {
				t.Fatal(err)
			}
			dropped := 0
			for i, f := range l.facts {
				if reason := policy.Exclude(f); (reason != selection.Eligible) != drops[i] {
					t.Fatalf("%s: the policy says %q, the rule drops it: %v (%+v)", f.Path, reason, drops[i], f)
				}
				if drops[i] {
					dropped++
				}
				if i%997 != 0 {
					continue
				}
				if plain, err := expr.Value(l.frame, i); err != nil || plain.True() != drops[i] {
					t.Fatalf("%s: compiled %v, plain HCL %#v, %v", f.Path, drops[i], plain, err)
				}
			}
			if dropped == 0 || dropped == len(l.facts) {
				t.Errorf("%d of %d are dropped: the comparison shows nothing", dropped, len(l.facts))
			}
		})
	}
}
