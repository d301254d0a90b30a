package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

const small = `
competition {
  name = "SMT-COMP"
  year = 2026
}

variable "opening" {
  type    = number
  default = 100.5
}

locals {
  seed  = floor(100 * var.opening) + 7
  small = local.seed - 10000
}

solver "z3" {
  command = ["z3", "-smt2"]
  team    = "Z3 team"
}

solver "cvc5" { command = ["cvc5"] }

executor "local" "this" { jobs = 2 }

stage "report" "site" {
  runs  = [stage.execute.main.runs]
  title = "${competition.name} ${competition.year}"
}

stage "fetch" "library" {
  path = "release"
  only = ["non-incremental/*"]
}

stage "index" "library" { source = stage.fetch.library.files }

stage "filter" "hard" {
  benchmarks = stage.index.library.benchmarks
  drop "big" { when = b.asserts > local.seed }
  drop "new" {
    when   = b.new && track_has(competition.tracks, "single_query", b.logic)
    reason = "new"
  }
}

stage "cap" "main" {
  benchmarks = stage.filter.hard.benchmarks
  take       = n <= 300 ? n : floor(n / 2)
  seed       = local.seed
}

stage "execute" "main" {
  benchmarks = stage.cap.main.benchmarks
  solvers    = solver
  executor   = executor.local.this
  limits {
    wall_time = "20m"
    memory    = "30GB"
  }
}

output "site" {
  value = stage.report.site.files
  path  = "site"
}
`

func TestSmall(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"competition.hcl": small, "release/x": "x"})

	var addrs []string
	deps := map[string][]string{}
	for _, n := range p.Nodes() {
		addrs = append(addrs, n.Addr)
		deps[n.Addr] = n.Deps
	}
	want := []string{"stage.fetch.library", "stage.index.library", "stage.filter.hard", "stage.cap.main",
		"stage.execute.main", "stage.report.site"}
	if diff := cmp.Diff(want, addrs); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"stage.cap.main"}, deps["stage.execute.main"]); diff != "" {
		t.Errorf("needs of execute (-want +got):\n%s", diff)
	}

	all, diags := p.Expand("stage.fetch.library", nil)
	noErrors(t, p, diags)
	if len(all) != 1 || all[0].Action == nil || len(all[0].Waits) != 0 {
		t.Fatalf("fetch: %+v", all)
	}
	f, ok := all[0].Args.File("path")
	if !ok || f.Name != "release" || !f.IsDir {
		t.Errorf("path of fetch: %+v %v", f, ok)
	}

	all, diags = p.Expand("stage.cap.main", nil)
	noErrors(t, p, diags)
	inst := all[0]
	if inst.Action != nil || !cmp.Equal(inst.Waits, []string{"stage.filter.hard"}) {
		t.Errorf("cap before filter: action %v, waits %v", inst.Action, inst.Waits)
	}
	if n, _ := inst.Args.Value("seed").AsBigFloat().Int64(); n != 10057 { // floor(100 × 100.5) + 7
		t.Errorf("seed %d, want 10057", n)
	}
	if v := inst.Args.Value("benchmarks"); v.IsKnown() || !v.Type().Equals(stages.TableType("benchmarks/1")) {
		t.Errorf("benchmarks of cap: %#v, want an unknown table", v)
	}

	known := stages.Known{"stage.filter.hard": {"benchmarks": artifact("benchmarks/1", "x")}}
	all, diags = p.Expand("stage.cap.main", known)
	noErrors(t, p, diags)
	if all[0].Action == nil || len(all[0].Waits) != 0 {
		t.Errorf("cap after filter: action %v, waits %v", all[0].Action, all[0].Waits)
	}

	all, diags = p.Expand("stage.execute.main", nil)
	noErrors(t, p, diags)
	args := all[0].Args
	if got := args.Block("limits").Duration("wall_time").String(); got != "20m0s" {
		t.Errorf("wall_time %s", got)
	}
	if got := args.Block("limits").Bytes("memory"); got != 30e9 {
		t.Errorf("memory %d", got)
	}
	solvers := args.Value("solvers").AsValueMap()
	if got := solvers["z3"].GetAttr("team").AsString(); got != "Z3 team" {
		t.Errorf("team of z3: %s", got)
	}
	if got := solvers["cvc5"].GetAttr("team").AsString(); got != "cvc5" {
		t.Errorf("team of cvc5: %s, want its name", got)
	}
	if !solvers["cvc5"].Type().Equals(stages.SolverType) {
		t.Errorf("type of a solver: %#v", solvers["cvc5"].Type())
	}
	if got := args.Value("executor").GetAttr("jobs"); !got.RawEquals(cty.NumberVal(got.AsBigFloat())) ||
		got.AsBigFloat().String() != "2" {
		t.Errorf("jobs %#v", got)
	}

	outs, diags := p.Outputs(nil)
	noErrors(t, p, diags)
	if len(outs) != 1 || outs[0].Path != "site" || !cmp.Equal(outs[0].Waits, []string{"stage.report.site"}) {
		t.Errorf("outputs before: %+v", outs)
	}
}
