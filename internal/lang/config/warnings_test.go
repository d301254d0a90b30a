package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/stages"
)

func TestWarnings(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": `
competition {
  name = "X"
  year = 2026
  tracks = {
    single_query = { A = ["QF_BV", "BV"], B = ["LIA"], C = ["UF"], D = ["QF_LIA"] }
    unsat_core   = { A = ["QF_BV"] }
  }
}
solver "one" {
  command = ["z3"]
  logics  = ["QF_*", "LIA"]
  seed    = 1
}
solver "two" {
  command = ["cvc5"]
  logics  = ["BV", "LIA"]
}
solver "same_team" {
  command = ["z3"]
  team    = "one"
  logics  = ["UF"]
  seed    = 2
}
solver "apart" {
  command     = ["sh"]
  competitive = false
  logics      = ["UF"]
}
solver "lost" {
  command = ["sh"]
  logics  = ["QF_ABV"]
  seed    = 3
}
solver "other_track" {
  command = ["sh"]
  tracks  = ["unsat_core"]
}
stage "fetch" "x" { zenodo = "1" }
stage "index" "x" { source = stage.fetch.x.files }
stage "execute" "x" {
  benchmarks = stage.index.x.benchmarks
  solvers    = solver
  limits { wall_time = "1s" }
}
`})
	var got []string
	blocks := map[string][]stages.Instance{}
	for _, n := range p.Nodes() {
		blocks[n.Addr], _ = p.Expand(n.Addr, nil)
	}
	for _, d := range p.Warnings(blocks, nil) {
		if d.Severity != hcl.DiagWarning {
			t.Errorf("severity of %v", d)
		}
		got = append(got, describe(d))
	}
	want := []string{
		`a.hcl:15: Seed missing: The solver "two" competes and gives no seed. The rules make the seed of the competition from the numbers of all entrants.`,
		`a.hcl:30: Solver without a logic: Solver "lost" enters track single_query, but the track has none of its logics: "QF_ABV". Did you mean "QF_BV"?`,
		`a.hcl:43: Division with one team: In track single_query, only team "one" enters the divisions C, D, so they are not competitive.`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
