package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestWarningsAreInOrder warns about one stage in a module that is used many times, always at the same place.
func TestWarningsAreInOrder(t *testing.T) {
	kind := &stages.Kind{Name: "cap", Outputs: []stages.Output{{Name: "kept", Type: stages.TableType("benchmarks/1")}}}
	p := &Pipeline{}
	for i := range 20 {
		m := &module{addr: fmt.Sprintf("module.m%02d", i)}
		s := &stage{decl: decl{id: i, mod: m, addr: m.addr + ".stage.cap.x", stage: true}, kind: kind}
		m.stages.add("cap.x", s)
		p.decls = append(p.decls, &s.decl)
	}
	var got []string
	for _, d := range tidy(p.unused()) {
		got = append(got, d.Detail)
	}
	if len(got) != 20 || !slices.IsSorted(got) {
		t.Errorf("got the warnings %q", got)
	}
}

// TestBenchmarksOfSomethingElse judges runs of several instances of one block against other benchmarks: the last
// instance is named.
func TestBenchmarksOfSomethingElse(t *testing.T) {
	benchmarks, runs := stages.TableType("benchmarks/1"), stages.TableType("runs/2")
	selects := &stages.Kind{Name: "cap", Outputs: []stages.Output{{Name: "kept", Type: benchmarks}}}
	executes := &stages.Kind{Name: "execute", Attrs: []stages.Attr{{Name: "benchmarks", Type: benchmarks}},
		Outputs: []stages.Output{{Name: "runs", Type: runs}}}
	judges := &stages.Kind{Name: "validate", Attrs: []stages.Attr{{Name: "runs", Type: runs},
		{Name: "benchmarks", Type: benchmarks, Upstream: "runs"}}}
	instance := func(kind *stages.Kind, addr string, sources map[string][]string) stages.Instance {
		args := stages.NewArgs(kind.Attrs, "", hcl.Range{})
		for name, outputs := range sources {
			args.SetSources(name, outputs)
		}
		return stages.Instance{Addr: addr, Kind: kind, Args: args}
	}
	all := []stages.Instance{instance(selects, "other", nil)}
	judged := map[string][]string{"benchmarks": {"other.kept"}}
	for _, key := range "abcdefghij" {
		selected, executed := fmt.Sprintf("cap[%q]", key), fmt.Sprintf("execute[%q]", key)
		judged["runs"] = append(judged["runs"], executed+".runs")
		all = append(all, instance(selects, selected, nil),
			instance(executes, executed, map[string][]string{"benchmarks": {selected + ".kept"}}))
	}
	all = append(all, instance(judges, "validate", judged))
	for range 20 {
		diags := checkConnections(all)
		if len(diags) != 1 || !strings.Contains(diags[0].Detail, fmt.Sprintf("come from cap[%q]", 'j')) {
			t.Fatalf("got %v", diags)
		}
	}
}
