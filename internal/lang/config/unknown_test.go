package config

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestWaits checks that an instance waits for exactly those instances that its arguments need.
func TestWaits(t *testing.T) {
	t.Parallel()
	const prelude = `
variable "strict" { default = true }
stage "fetch" "a" { zenodo = "1" }
stage "fetch" "b" { zenodo = "2" }
stage "index" "a" { source = stage.fetch.a.files }
stage "index" "b" { source = stage.fetch.b.files }
stage "cap" "each" {
  for_each   = toset(["x", "y"])
  benchmarks = stage.index.a.benchmarks
  take       = n
}
function "double" {
  params = [v]
  result = 2 * v + stage.index.b.count
}
locals {
  sum    = stage.index.a.count + stage.index.b.count
  chosen = var.strict ? stage.index.a.benchmarks : stage.index.b.benchmarks
  both   = { a = stage.index.a.count, b = stage.index.b.count }
}
`
	tests := []struct {
		name, attrs string
		want        []string
	}{
		{"nothing", `title = "x"`, nil},
		{"an output", `depth = stage.index.a.count`, []string{"stage.index.a"}},
		{"through a local", `depth = local.sum`, []string{"stage.index.a", "stage.index.b"}},
		{"both branches while the one that is taken is not known", `data = local.chosen`, []string{"stage.index.a",
			"stage.index.b"}},
		{"one attribute of an object", `depth = local.both.b`, []string{"stage.index.b"}},
		{"through a function", `depth = double(1)`, []string{"stage.index.b"}},
		{"one instance", `data = stage.cap.each["y"].benchmarks`, []string{`stage.cap.each["y"]`}},
		{"all instances", `data = [for c in stage.cap.each : c.benchmarks]`, []string{`stage.cap.each["x"]`,
			`stage.cap.each["y"]`}},
		{"how many there are is known", `depth = length(stage.cap.each)`, nil},
		{"in a text", `title = "${stage.index.a.count} benchmarks"`, []string{"stage.index.a"}},
		{"try hides what it looks at", `depth = try(stage.index.a.count, 1)`, []string{"stage.index.a"}},
		{"a list", `data = [stage.index.a.count, 1, local.both.b]`, []string{"stage.index.a", "stage.index.b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := load(t, map[string]string{"a.hcl": prelude + "stage \"report\" \"r\" {\n  runs = []\n  " + tt.attrs +
				"\n}\n"})
			inst := expand(t, p, "stage.report.r", nil)[0]
			if diff := cmp.Diff(tt.want, inst.Waits); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
			if (inst.Action == nil) != (len(tt.want) > 0) {
				t.Errorf("action %v and waits %v", inst.Action, inst.Waits)
			}
		})
	}
}

// TestEachValueWaits checks that an instance that iterates over other blocks' instances waits only for the instance
// that is its value.
func TestEachValueWaits(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": `
stage "fetch" "a" { zenodo = "1" }
stage "index" "a" { source = stage.fetch.a.files }
stage "cap" "first" {
  for_each   = toset(["x", "y"])
  benchmarks = stage.index.a.benchmarks
  take       = n
}
stage "cap" "other" {
  for_each   = toset(["z"])
  benchmarks = stage.index.a.benchmarks
  take       = n
}
stage "cap" "second" {
  for_each   = stage.cap.first
  benchmarks = each.value.benchmarks
  take       = n
}
stage "cap" "merged" {
  for_each   = merge(stage.cap.first, stage.cap.other)
  benchmarks = each.value.benchmarks
  take       = n
}
`})
	want := map[string]string{
		`stage.cap.second["x"]`: `stage.cap.first["x"]`, `stage.cap.second["y"]`: `stage.cap.first["y"]`,
		`stage.cap.merged["x"]`: `stage.cap.first["x"]`, `stage.cap.merged["y"]`: `stage.cap.first["y"]`,
		`stage.cap.merged["z"]`: `stage.cap.other["z"]`,
	}
	got := map[string]string{}
	for _, block := range []string{"stage.cap.second", "stage.cap.merged"} {
		for _, inst := range expand(t, p, block, nil) {
			if len(inst.Waits) != 1 || inst.Action != nil {
				t.Errorf("%s: action %v, waits %v", inst.Addr, inst.Action, inst.Waits)
				continue
			}
			got[inst.Addr] = inst.Waits[0]
			if diff := cmp.Diff([]string{inst.Waits[0] + ".benchmarks"},
				inst.Args.SourcesOf("benchmarks")); diff != "" {
				t.Errorf("%s: sources (-want +got):\n%s", inst.Addr, diff)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// TestSources checks that the outputs that an unknown argument needs are known, which lets bounds propagate from table
// to table.
func TestSources(t *testing.T) {
	t.Parallel()
	const prelude = `
variable "strict" { default = true }
stage "fetch" "a" { zenodo = "1" }
stage "index" "a" { source = stage.fetch.a.files }
stage "index" "b" { source = stage.fetch.a.files }
stage "cap" "each" {
  for_each   = toset(["x", "y"])
  benchmarks = stage.index.a.benchmarks
  take       = n
}
locals {
  benchmarks = stage.index.a.benchmarks
  chosen     = stage.index.a.count > 3 ? stage.index.a.benchmarks : stage.index.b.benchmarks
}
`
	tests := []struct {
		name, value string
		want        []string
	}{
		{"an output", "stage.index.a.benchmarks", []string{"stage.index.a.benchmarks"}},
		{"through a local", "local.benchmarks", []string{"stage.index.a.benchmarks"}},
		{"an instance", `stage.cap.each["y"].benchmarks`, []string{`stage.cap.each["y"].benchmarks`}},
		{"either of two", "local.chosen", []string{"stage.index.a.benchmarks", "stage.index.a.count",
			"stage.index.b.benchmarks"}},
		{"a list", "[for c in stage.cap.each : c.benchmarks]", []string{`stage.cap.each["x"].benchmarks`,
			`stage.cap.each["y"].benchmarks`}},
		{"nothing unknown", `"x"`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := load(t, map[string]string{"a.hcl": prelude + "stage \"report\" \"r\" {\n  runs = []\n  data = " +
				tt.value + "\n}\n"})
			inst := expand(t, p, "stage.report.r", nil)[0]
			if diff := cmp.Diff(tt.want, inst.Args.SourcesOf("data")); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWaitsForOneBranch checks that, if the branch taken is known, the other branch is not waited for.
func TestWaitsForOneBranch(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": `
variable "strict" { default = true }
stage "fetch" "a" { zenodo = "1" }
stage "index" "a" { source = stage.fetch.a.files }
stage "index" "b" { source = stage.fetch.a.files }
locals { count = var.strict ? stage.index.a.count : stage.index.b.count }
stage "report" "r" {
  runs  = []
  depth = local.count
}
`})
	known := stages.Known{"stage.index.a": {
		"benchmarks": artifact("benchmarks/1", "x"), "count": cty.NumberIntVal(9),
		"logics": cty.SetValEmpty(cty.String),
	}}
	if inst := expand(t, p, "stage.report.r", known)[0]; inst.Action == nil {
		t.Errorf("waits for %v", inst.Waits)
	}
}

// TestInstanceForInstance checks that each instance of a block that iterates over another block waits for only one of
// that block's instances.
func TestInstanceForInstance(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": `
locals { tracks = toset(["x", "y"]) }
stage "fetch" "a" { zenodo = "1" }
stage "index" "a" { source = stage.fetch.a.files }
stage "cap" "first" {
  for_each   = local.tracks
  benchmarks = stage.index.a.benchmarks
  take       = n
}
stage "cap" "second" {
  for_each   = local.tracks
  benchmarks = stage.cap.first[each.key].benchmarks
  take       = n
}
`})
	for _, inst := range expand(t, p, "stage.cap.second", nil) {
		want := "stage.cap.first" + inst.Addr[len("stage.cap.second"):]
		if diff := cmp.Diff([]string{want}, inst.Waits); diff != "" {
			t.Errorf("%s (-want +got):\n%s", inst.Addr, diff)
		}
	}
	known := stages.Known{`stage.cap.first["y"]`: {"benchmarks": artifact("benchmarks/1", "y")}}
	for _, inst := range expand(t, p, "stage.cap.second", known) {
		if ready := inst.Addr == `stage.cap.second["y"]`; (inst.Action != nil) != ready {
			t.Errorf("%s: action %v", inst.Addr, inst.Action)
		}
	}
}

// TestUnknownRows checks that a row expression waits for the outer values that it uses and is checked before they are
// known.
func TestUnknownRows(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": `
stage "fetch" "a" { zenodo = "1" }
stage "index" "a" { source = stage.fetch.a.files }
stage "cap" "x" {
  benchmarks = stage.index.a.benchmarks
  take       = n > stage.index.a.count ? floor(stage.index.a.count / 2) : n
}
`})
	inst := expand(t, p, "stage.cap.x", nil)[0]
	if row := inst.Args.Row("take"); row == nil || row.Known() {
		t.Errorf("take: %v", row)
	}
	known := stages.Known{"stage.index.a": {
		"benchmarks": artifact("benchmarks/1", "x"), "count": cty.NumberIntVal(9),
		"logics": cty.SetValEmpty(cty.String),
	}}
	inst = expand(t, p, "stage.cap.x", known)[0]
	if inst.Action == nil || !inst.Args.Row("take").Known() {
		t.Errorf("take is not known: waits %v", inst.Waits)
	}
}

// TestChecks checks that an undecided check is silent, and that a failed one is an error that shows the values.
func TestChecks(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": `
stage "fetch" "a" { zenodo = "1" }
stage "index" "a" { source = stage.fetch.a.files }
check "enough" {
  condition = stage.index.a.count >= 10
  message   = "Only ${stage.index.a.count} benchmarks for ${self.name}."
}
`})
	if diags := p.Checks(nil); diags != nil {
		t.Errorf("undecided check: %v", diags)
	}
	known := func(n int64) stages.Known {
		return stages.Known{"stage.index.a": {"benchmarks": artifact("benchmarks/1", "x"), "count": cty.NumberIntVal(n),
			"logics": cty.SetValEmpty(cty.String)}}
	}
	if diags := p.Checks(known(10)); diags != nil {
		t.Errorf("a check that holds: %v", diags)
	}
	diags := p.Checks(known(9))
	if len(diags) != 1 || diags[0].Detail != "Only 9 benchmarks for enough." || diags[0].Severity != hcl.DiagError {
		t.Errorf("a check that fails: %v", diags)
	}
}

// TestEval evaluates expressions in the pipeline's scope.
func TestEval(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": small, "release/x": "x"})
	for src, want := range map[string]cty.Value{
		"local.seed * 2":             cty.NumberIntVal(20114),
		"[for s in solver : s.name]": cty.TupleVal([]cty.Value{cty.StringVal("cvc5"), cty.StringVal("z3")}),
		"solver.z3.team":             cty.StringVal("Z3 team"),
		"competition.year":           cty.NumberIntVal(2026),
		`division(rules("2026").tracks, "incremental", "BV")`: cty.StringVal("Bitvec"),
	} {
		v, diags := p.Eval(src, nil)
		noErrors(t, p, diags)
		if !v.RawEquals(want) && !(v.Type() == cty.Number && v.Equals(want).True()) {
			t.Errorf("%s = %#v, want %#v", src, v, want)
		}
	}
	v, diags := p.Eval("stage.filter.hard.benchmarks", nil)
	noErrors(t, p, diags)
	if v.IsKnown() || !v.Type().Equals(stages.TableType("benchmarks/1")) {
		t.Errorf("an output that is not known: %#v", v)
	}
	for _, bad := range []string{"1 +", "local.sed", "each.key", "b.logic", "nothing()"} {
		if _, diags := p.Eval(bad, nil); !diags.HasErrors() {
			t.Errorf("%s gives no error", bad)
		}
	}
}

// TestConcurrent checks that the methods can be called concurrently.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": fanOut})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, n := range p.Nodes() {
				if _, diags := p.Expand(n.Addr, nil); diags.HasErrors() {
					t.Error(diags)
				}
			}
			p.Outputs(nil)
			p.Eval("var.tracks", nil)
			p.Sources()
		})
	}
	group.Wait()
}
