package engine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// grid is a pipeline of blocks with several instances. Each instance is a text stage that depends on others, some of
// which become known only during execution.
type grid []gridBlock

type gridBlock struct {
	addr      string
	deps      []string // blocks that this block depends on
	instances []gridInstance
	open      string // address whose outputs determine the instances, or empty
}

type gridInstance struct {
	addr   string
	needs  []string
	hidden []string // further dependencies, which become known together with the outputs of needs
}

func (g grid) Nodes() []stages.Node {
	var nodes []stages.Node
	for _, b := range g {
		nodes = append(nodes, stages.Node{Addr: b.addr, Kind: text, Deps: b.deps})
	}
	return nodes
}

func (g grid) Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics) {
	b := g[slices.IndexFunc(g, func(b gridBlock) bool { return b.addr == addr })]
	args := func(what string) *stages.Args {
		a := stages.NewArgs(text.Attrs, "", hcl.Range{})
		a.SetValue("text", cty.StringVal(what), hcl.Range{})
		return a
	}
	missing := func(all []string) (waits []string) {
		for _, n := range all {
			if known[n] == nil {
				waits = append(waits, n)
			}
		}
		return waits
	}
	if b.open != "" && known[b.open] == nil {
		return []stages.Instance{{Addr: addr, Kind: text, Args: args(addr), Waits: []string{b.open}, Open: true}}, nil
	}
	var all []stages.Instance
	for _, i := range b.instances {
		waits := missing(i.needs)
		if len(waits) == 0 {
			waits = missing(i.hidden)
		}
		in := stages.Instance{Addr: i.addr, Kind: text, Args: args(i.addr), Waits: waits}
		if len(waits) == 0 {
			in.Action = &textAction{text: i.addr}
		}
		all = append(all, in)
	}
	return all, nil
}

var tracks = grid{
	{addr: "module.m.stage.text.a", instances: []gridInstance{{addr: `module.m["x"].stage.text.a`},
		{addr: `module.m["y.z"].stage.text.a`}}},
	{addr: "module.m.stage.text.b", deps: []string{"module.m.stage.text.a"}, instances: []gridInstance{
		{addr: `module.m["x"].stage.text.b["1"]`, needs: []string{`module.m["x"].stage.text.a`}},
		{addr: `module.m["x"].stage.text.b["2"]`, needs: []string{`module.m["x"].stage.text.a`}},
		{addr: `module.m["y.z"].stage.text.b["1"]`, needs: []string{`module.m["y.z"].stage.text.a`}},
		{addr: `module.m["y.z"].stage.text.b["2"]`, needs: []string{`module.m["y.z"].stage.text.a`}},
	}},
	{addr: "stage.text.open", deps: []string{"module.m.stage.text.a"}, open: `module.m["x"].stage.text.a`,
		instances: []gridInstance{
			{addr: `stage.text.open["p"]`}, {addr: `stage.text.open["q"]`},
		}},
	{addr: "stage.text.late", deps: []string{"module.m.stage.text.a"}, instances: []gridInstance{
		{addr: "stage.text.late", needs: []string{`module.m["x"].stage.text.a`},
			hidden: []string{`module.m["y.z"].stage.text.a`}},
	}},
	{addr: "stage.text.none"},
}

// TestTargetInstances checks that a target can be an instance, even in a module, or an address that covers several.
// Exactly the target and its dependencies must be selected.
func TestTargetInstances(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target string
		want   []string
	}{
		{`module.m["y.z"].stage.text.b["2"]`, []string{`module.m["y.z"].stage.text.a`,
			`module.m["y.z"].stage.text.b["2"]`}},
		{`module.m["x"].stage.text.b`, []string{`module.m["x"].stage.text.a`, `module.m["x"].stage.text.b["1"]`,
			`module.m["x"].stage.text.b["2"]`}},
		{`module.m.stage.text.b["1"]`, []string{`module.m["x"].stage.text.a`, `module.m["x"].stage.text.b["1"]`,
			`module.m["y.z"].stage.text.a`, `module.m["y.z"].stage.text.b["1"]`}},
		{`stage.text.open["p"]`, []string{`module.m["x"].stage.text.a`, `module.m["y.z"].stage.text.a`,
			`stage.text.open["p"]`, `stage.text.open["q"]`}},
		{"stage.text.late", []string{`module.m["x"].stage.text.a`, `module.m["y.z"].stage.text.a`, "stage.text.late"}},
		{"stage.text.none", nil},
	} {
		r := &recorder{}
		e, err := engine.New(tracks, engine.Options{Store: openStore(t), Name: "test", Jobs: 2, Observer: r,
			Targets: []string{c.target}})
		if err != nil {
			t.Errorf("%s: %v", c.target, err)
			continue
		}
		result, diags, err := e.Run(t.Context())
		if err != nil || diags.HasErrors() {
			t.Errorf("%s: %v, %v", c.target, err, diags)
		}
		if got := slices.Sorted(maps.Keys(result.Known)); !slices.Equal(got, c.want) || result.Executed != len(c.want) {
			t.Errorf("%s: %v, %d executed; want %v", c.target, got, result.Executed, c.want)
		}
	}
	for target, want := range map[string]string{
		`module.m["z"].stage.text.a`:   `there is module.m["x"].stage.text.a, module.m["y.z"].stage.text.a`,
		`stage.text.none["x"]`:         "the for_each of stage.text.none is empty",
		`stage.text.late["x"]`:         "there is stage.text.late",
		"stage.text.late::item":        "there is no stage stage.text.late::item",
		`module.m["x"].stage.text.zzz`: "there is no stage",
	} {
		_, err := engine.New(tracks, engine.Options{Store: openStore(t), Name: "test", Targets: []string{target}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", target, err, want)
		}
	}
}

// TestOpenSteps checks that a step that represents unknown instances is marked as open, and that a plan containing it
// still matches once the instances are known.
func TestOpenSteps(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	before := planOf(t, tracks, store)
	before.Document()
	for _, s := range before.Steps {
		if s.Open != (s.Addr == "stage.text.open") {
			t.Errorf("%s: for_each unknown: %v", s.Addr, s.Open)
		}
	}
	e, err := engine.New(tracks, engine.Options{Store: store, Name: "test", Targets: []string{"module.m.stage.text.a"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all := planOf(t, tracks, store).Differences(before); len(all) > 0 {
		t.Errorf("the plan does not hold: %v", all)
	}
}

// TestRefused checks that nothing more is executed once a check fails with the known outputs.
func TestRefused(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	refuses := func(known stages.Known) bool { return known[`module.m["x"].stage.text.a`] != nil }
	e, err := engine.New(tracks, engine.Options{Store: openStore(t), Name: "test", Observer: r, ChecksFail: refuses,
		Targets: []string{`module.m["x"].stage.text.b`}})
	if err != nil {
		t.Fatal(err)
	}
	result, diags, err := e.Run(t.Context())
	if err != nil || diags.HasErrors() || len(result.Known) != 1 {
		t.Errorf("%v, %v, %v; want the first stage only, and no error but the check's",
			slices.Sorted(maps.Keys(result.Known)), diags, err)
	}
}

// twins is a pipeline of one measured stage at two addresses with equal keys.
type twins struct{ occasion }

func (m *twins) Expand(string, stages.Known) ([]stages.Instance, hcl.Diagnostics) {
	all, diags := m.occasion.Expand("", nil)
	for i := range all {
		all[i].Action = m
	}
	one, other := all[0], all[0]
	one.Addr, other.Addr = occasionAddr+`["a"]`, occasionAddr+`["b"]`
	return []stages.Instance{one, other}, diags
}

// TestEqualInstances checks that only one of two instances with the same key is executed. The other waits for it
// without reporting another process. A new attempt of the block is a new attempt of both.
func TestEqualInstances(t *testing.T) {
	t.Parallel()
	m, store := &twins{}, openStore(t)
	for i, fresh := range [][]string{nil, {occasionAddr}, {occasionAddr + `["a"]`, occasionAddr + `["b"]`}, nil} {
		e, err := engine.New(m, engine.Options{Store: store, Name: "p", NoWait: true, Fresh: fresh})
		if err != nil {
			t.Fatal(err)
		}
		if _, diags, err := e.Run(t.Context()); err != nil || diags.HasErrors() {
			t.Fatalf("run %d: %v, %v", i, err, diags)
		}
	}
	if !slices.Equal(m.attempts, []int64{0, 1, 2}) {
		t.Errorf("executed attempts %v, want 0, 1 and 2", m.attempts)
	}
	for _, addr := range []string{occasionAddr + `["c"]`, "stage.measure.y", occasionAddr + "::x"} {
		if _, err := engine.New(m, engine.Options{Store: store, Name: "p", Fresh: []string{addr}}); err == nil {
			t.Errorf("%s can be attempted anew", addr)
		}
	}
}
