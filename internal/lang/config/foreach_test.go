package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

const fanOut = `
variable "tracks" {
  type    = set(string)
  default = ["unsat_core", "single_query"]
}

stage "fetch" "library" { zenodo = "1" }
stage "index" "library" { source = stage.fetch.library.files }

stage "cap" "tracks" {
  for_each   = var.tracks
  benchmarks = stage.index.library.benchmarks
  take       = each.key == "unsat_core" ? 10 : n
  label      = "${self.name} of ${each.value}"
}

stage "cap" "one" {
  benchmarks = stage.cap.tracks["unsat_core"].benchmarks
  take       = n
}

stage "cap" "again" {
  for_each   = stage.cap.tracks
  benchmarks = each.value.benchmarks
  take       = n
}

stage "cap" "logics" {
  for_each   = stage.index.library.logics
  benchmarks = stage.index.library.benchmarks
  take       = n
  label      = each.key
}

stage "report" "all" {
  runs  = []
  data  = { for k, c in stage.cap.logics : k => c.benchmarks }
  names = keys(stage.cap.tracks)
}

output "tracks" {
  for_each = stage.cap.tracks
  value    = each.value.benchmarks
  path     = "out/${each.key}.csv"
}
`

func addrsOf(all []stages.Instance) []string {
	var addrs []string
	for _, i := range all {
		addrs = append(addrs, i.Addr)
	}
	return addrs
}

func expand(t *testing.T, p *Pipeline, addr string, known stages.Known) []stages.Instance {
	t.Helper()
	all, diags := p.Expand(addr, known)
	noErrors(t, p, diags)
	return all
}

func TestForEach(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": fanOut})

	all := expand(t, p, "stage.cap.tracks", nil)
	want := []string{`stage.cap.tracks["single_query"]`, `stage.cap.tracks["unsat_core"]`}
	if diff := cmp.Diff(want, addrsOf(all)); diff != "" {
		t.Errorf("instances (-want +got):\n%s", diff)
	}
	if got := all[0].Args.String("label"); got != "tracks of single_query" {
		t.Errorf("label %q", got)
	}
	if a, b := all[0].Args.Row("take").Canonical(), all[1].Args.Row("take").Canonical(); a == b {
		t.Errorf("take is %s in both instances", a)
	}
	for _, i := range all {
		if !cmp.Equal(i.Waits, []string{"stage.index.library"}) || i.Action != nil {
			t.Errorf("%s waits for %v, action %v", i.Addr, i.Waits, i.Action)
		}
	}

	one := expand(t, p, "stage.cap.one", nil)
	if diff := cmp.Diff([]string{`stage.cap.tracks["unsat_core"]`}, one[0].Waits); diff != "" {
		t.Errorf("a reference to one instance waits for others (-want +got):\n%s", diff)
	}

	known := stages.Known{
		"stage.index.library": {"benchmarks": artifact("benchmarks/1", "i"), "count": cty.NumberIntVal(5),
			"logics": cty.SetVal([]cty.Value{cty.StringVal("QF_BV"), cty.StringVal("LIA")})},
		`stage.cap.tracks["unsat_core"]`:   {"benchmarks": artifact("benchmarks/1", "u")},
		`stage.cap.tracks["single_query"]`: {"benchmarks": artifact("benchmarks/1", "s")},
	}
	one = expand(t, p, "stage.cap.one",
		stages.Known{`stage.cap.tracks["unsat_core"]`: known[`stage.cap.tracks["unsat_core"]`]})
	if one[0].Action == nil {
		t.Errorf("the instance that is needed is known, and %v is waited for", one[0].Waits)
	}
	again := expand(t, p, "stage.cap.again", known)
	if diff := cmp.Diff([]string{`stage.cap.again["single_query"]`, `stage.cap.again["unsat_core"]`},
		addrsOf(again)); diff != "" {
		t.Errorf("for_each over a stage (-want +got):\n%s", diff)
	}
	if got, _ := again[1].Args.Artifact("benchmarks"); got.Digest != sha("u") {
		t.Errorf("again of unsat_core has the benchmarks of another instance")
	}
	if names := expand(t, p, "stage.report.all", known)[0].Args.Strings("names"); !cmp.Equal(names,
		[]string{"single_query", "unsat_core"}) {
		t.Errorf("names %v", names)
	}
	outs, diags := p.Outputs(known)
	noErrors(t, p, diags)
	if len(outs) != 2 || outs[0].Name != `tracks["single_query"]` || outs[0].Path != "out/single_query.csv" ||
		len(outs[0].Waits) > 0 {
		t.Errorf("outputs %+v", outs)
	}
}

func TestForEachDeferred(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": fanOut})
	all := expand(t, p, "stage.cap.logics", nil)
	if len(all) != 1 || all[0].Addr != "stage.cap.logics" || all[0].Action != nil || !cmp.Equal(all[0].Waits,
		[]string{"stage.index.library"}) {
		t.Errorf("deferred: %+v", all)
	}
	if v := all[0].Args.Value("label"); v.IsKnown() || v.Type() != cty.String {
		t.Errorf("label of a deferred instance: %#v", v)
	}
	report := expand(t, p, "stage.report.all", nil)
	if !cmp.Equal(report[0].Waits, []string{"stage.index.library"}) {
		t.Errorf("the report waits for %v", report[0].Waits)
	}
	known := stages.Known{"stage.index.library": {
		"benchmarks": artifact("benchmarks/1", "i"), "count": cty.NumberIntVal(5),
		"logics": cty.SetVal([]cty.Value{cty.StringVal("QF_BV"), cty.StringVal("LIA")}),
	}}
	all = expand(t, p, "stage.cap.logics", known)
	if diff := cmp.Diff([]string{`stage.cap.logics["LIA"]`, `stage.cap.logics["QF_BV"]`}, addrsOf(all)); diff != "" {
		t.Errorf("instances (-want +got):\n%s", diff)
	}
	report = expand(t, p, "stage.report.all", known)
	if !cmp.Equal(report[0].Waits, []string{`stage.cap.logics["LIA"]`, `stage.cap.logics["QF_BV"]`}) {
		t.Errorf("the report waits for %v", report[0].Waits)
	}
}

func TestSolversForEach(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": `
solver "z3" {
  for_each = { slow = 1, fast = 2 }
  command  = ["z3", "opt=${each.value}"]
  team     = self.name
  tracks   = ["main"]
}
solver "cvc5" {
  command     = ["cvc5"]
  competitive = false
  type        = "derived"
  base_solver = "z3-fast"
  logics      = ["QF_*"]
  seed        = 42
}
stage "fetch" "x" { zenodo = "1" }
stage "index" "x" { source = stage.fetch.x.files }
stage "execute" "all" {
  benchmarks = stage.index.x.benchmarks
  solvers    = solver
  limits { wall_time = "1s" }
}
stage "execute" "some" {
  benchmarks = stage.index.x.benchmarks
  solvers    = [solver.z3["fast"], solver.cvc5]
  limits { wall_time = "1s" }
}
`})
	solvers := expand(t, p, "stage.execute.all", nil)[0].Args.Value("solvers").AsValueMap()
	fast := solvers["z3-fast"]
	if len(solvers) != 3 || fast == cty.NilVal {
		t.Fatalf("solvers %v", solvers)
	}
	if got := fast.GetAttr("command").Index(cty.NumberIntVal(1)).AsString(); got != "opt=2" {
		t.Errorf("command of z3-fast: %s", got)
	}
	if got := fast.GetAttr("name").AsString() + " " + fast.GetAttr("team").AsString(); got != "z3-fast z3" {
		t.Errorf("name and team: %s", got)
	}
	if got := fast.GetAttr("tracks").Index(cty.NumberIntVal(0)).AsString(); got != "single_query" {
		t.Errorf("track %s, want the name of today", got)
	}
	if f, ok := stages.FileOf(fast.GetAttr("program")); !ok || f.Path != "/usr/bin/z3" {
		t.Errorf("program %v", f)
	}
	if !solvers["cvc5"].GetAttr("archive").IsNull() || solvers["cvc5"].GetAttr("competitive").True() {
		t.Errorf("cvc5: %#v", solvers["cvc5"])
	}
	some := expand(t, p, "stage.execute.some", nil)[0].Args.Value("solvers")
	if some.LengthInt() != 2 {
		t.Errorf("some: %#v", some)
	}
}

const moduleText = `
variable "benchmarks" {}
variable "size" {
  type = number
  validation {
    condition = var.size > 0
    message   = "The size is ${var.size}."
  }
}
locals { twice = 2 * var.size }
stage "cap" "inner" {
  benchmarks = var.benchmarks
  take       = min(n, local.twice)
}
output "benchmarks" { value = stage.cap.inner.benchmarks }
output "folder" { value = path.module }
`

func TestModules(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{
		"main.hcl": `
stage "fetch" "x" { zenodo = "1" }
stage "index" "x" { source = stage.fetch.x.files }
module "one" {
  source     = "./modules/select"
  benchmarks = stage.index.x.benchmarks
  size       = 5
}
module "many" {
  for_each   = { a = 1, b = 2 }
  source     = "modules/select"
  benchmarks = module.one.benchmarks
  size       = each.value
}
stage "cap" "last" {
  benchmarks = module.many["b"].benchmarks
  take       = n
  label      = module.one.folder
}
`,
		"modules/select/select.hcl": moduleText,
	})
	var addrs []string
	deps := map[string][]string{}
	for _, n := range p.Nodes() {
		addrs = append(addrs, n.Addr)
		deps[n.Addr] = n.Deps
	}
	want := []string{"stage.fetch.x", "stage.index.x", "module.one.stage.cap.inner", "module.many.stage.cap.inner",
		"stage.cap.last"}
	if diff := cmp.Diff(want, addrs); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"module.one.stage.cap.inner"}, deps["module.many.stage.cap.inner"]); diff != "" {
		t.Errorf("needs (-want +got):\n%s", diff)
	}
	many := expand(t, p, "module.many.stage.cap.inner", nil)
	if diff := cmp.Diff([]string{`module.many["a"].stage.cap.inner`, `module.many["b"].stage.cap.inner`},
		addrsOf(many)); diff != "" {
		t.Errorf("instances (-want +got):\n%s", diff)
	}
	if got := many[1].Args.Row("take").Canonical(); got != "min(n,4)" {
		t.Errorf("take of b: %s, want min(n,4)", got)
	}
	if diff := cmp.Diff([]string{"module.one.stage.cap.inner"}, many[0].Waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	last := expand(t, p, "stage.cap.last", nil)[0]
	if diff := cmp.Diff([]string{`module.many["b"].stage.cap.inner`}, last.Waits); diff != "" {
		t.Errorf("waits of last (-want +got):\n%s", diff)
	}
	if got := last.Args.String("label"); got != "modules/select" {
		t.Errorf("path.module is %q", got)
	}
	known := stages.Known{`module.many["b"].stage.cap.inner`: {"benchmarks": artifact("benchmarks/1", "b")}}
	if last := expand(t, p, "stage.cap.last", known)[0]; last.Action == nil {
		t.Errorf("last waits for %v", last.Waits)
	}
}

// TestModuleDeferred checks that a module with an unknown for_each stands for its instances until they are known.
func TestModuleDeferred(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{
		"main.hcl": `
stage "fetch" "x" { zenodo = "1" }
stage "index" "x" { source = stage.fetch.x.files }
module "each" {
  for_each   = stage.index.x.logics
  source     = "./m"
  benchmarks = stage.index.x.benchmarks
  size       = 3
}
stage "report" "all" {
  runs = []
  data = [for m in values(module.each) : m.benchmarks]
}
`,
		"m/m.hcl": moduleText,
	})
	all := expand(t, p, "module.each.stage.cap.inner", nil)
	if len(all) != 1 || all[0].Addr != "module.each.stage.cap.inner" || !cmp.Equal(all[0].Waits,
		[]string{"stage.index.x"}) {
		t.Errorf("deferred: %+v", all)
	}
	known := stages.Known{"stage.index.x": {
		"benchmarks": artifact("benchmarks/1", "i"), "count": cty.Zero,
		"logics": cty.SetVal([]cty.Value{cty.StringVal("LIA")}),
	}}
	all = expand(t, p, "module.each.stage.cap.inner", known)
	if !cmp.Equal(addrsOf(all), []string{`module.each["LIA"].stage.cap.inner`}) || all[0].Action == nil {
		t.Errorf("known: %+v", all)
	}
	if got := expand(t, p, "stage.report.all", known)[0].Waits; !cmp.Equal(got,
		[]string{`module.each["LIA"].stage.cap.inner`}) {
		t.Errorf("the report waits for %v", got)
	}
}

// TestBaseSolverOfOtherYears: the rules of 2019 and 2022 state how a derived solver should be named, but do not require
// its base solver to enter.
func TestBaseSolverOfOtherYears(t *testing.T) {
	t.Parallel()
	load(t, map[string]string{"a.hcl": `
competition {
  name = "C"
  year = 2022
}
solver "z3-mine" {
  command     = ["z3"]
  type        = "derived"
  base_solver = "z3"
}
`})
}
