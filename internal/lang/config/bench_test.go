package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// large returns a pipeline with n × 5 stages with row expressions, n solvers and n locals.
func large(n int) string {
	var w strings.Builder
	w.WriteString("competition {\n  name = \"X\"\n  year = 2026\n}\nlocals { seed0 = 1 }\n")
	w.WriteString("function \"half\" {\n  params = [x]\n  result = floor(x / 2)\n}\n")
	for i := range n {
		fmt.Fprintf(&w, `
solver "s%[1]d" {
  command = ["z3", "opt=%[1]d"]
  logics  = ["QF_*"]
}
locals { seed%[2]d = local.seed%[1]d + 1 }
stage "fetch" "s%[1]d" { zenodo = "%[1]d" }
stage "index" "s%[1]d" { source = stage.fetch.s%[1]d.files }
stage "filter" "s%[1]d" {
  benchmarks = stage.index.s%[1]d.benchmarks
  drop "big" { when = b.asserts > local.seed%[1]d }
  drop "new" { when = b.new && track_has(competition.tracks, "single_query", b.logic) }
}
stage "cap" "s%[1]d" {
  for_each   = toset(["single_query", "unsat_core"])
  benchmarks = stage.filter.s%[1]d.benchmarks
  take       = n <= 300 ? n : n <= 600 ? 300 : half(n)
  seed       = local.seed%[1]d
  label      = each.key
}
stage "execute" "s%[1]d" {
  benchmarks = stage.cap.s%[1]d["single_query"].benchmarks
  solvers    = solver
  limits {
    wall_time = "20m"
    memory    = "30GB"
  }
}
`, i, i+1)
	}
	return w.String()
}

// BenchmarkLoad loads pipelines with 10 and 60 of everything: 50 and 300 stages, 10 and 60 solvers.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10, 60} {
		b.Run(fmt.Sprintf("stages=%d", 5*n), func(b *testing.B) {
			dir := write(b, map[string]string{"a.hcl": large(n)})
			b.ReportAllocs()
			for b.Loop() {
				p, diags := Load(options(dir))
				noErrors(b, p, diags)
			}
		})
	}
}

func BenchmarkExpand(b *testing.B) {
	for _, n := range []int{10, 60} {
		b.Run(fmt.Sprintf("stages=%d", 5*n), func(b *testing.B) {
			p := load(b, map[string]string{"a.hcl": large(n)})
			known := stages.Known{}
			for i := range n {
				known[fmt.Sprintf("stage.index.s%d", i)] = map[string]cty.Value{
					"benchmarks": artifact("benchmarks/1", "x"), "count": cty.NumberIntVal(3),
					"logics": cty.SetValEmpty(cty.String),
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, node := range p.Nodes() {
					if _, diags := p.Expand(node.Addr, known); diags.HasErrors() {
						b.Fatal(diags)
					}
				}
			}
		})
	}
}
