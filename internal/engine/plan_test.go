package engine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

func newEngine(t *testing.T, p engine.Pipeline, store *cache.Store) *engine.Engine {
	t.Helper()
	e, err := engine.New(p, engine.Options{Store: store, Name: "test", Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func planOf(t *testing.T, p engine.Pipeline, store *cache.Store) *engine.Plan {
	t.Helper()
	plan, diags := newEngine(t, p, store).Plan()
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return plan
}

// TestExplainedIsThePreimage checks, for arbitrary arguments, that the components shown by explain and plan hash to the
// stage's key, both before and after execution, and that a changed component leads to a different key.
func TestExplainedIsThePreimage(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "\x00", "\n", "=", `"`, "sha256:", "é", "", "${x}", "limits[0].label"}
	word := func() (s string) {
		for range rnd.IntN(6) {
			s += alphabet[rnd.IntN(len(alphabet))]
		}
		return s
	}
	for range 40 {
		store := openStore(t)
		c := chain{{name: "a", text: word()}, {name: "b", text: word(), input: "a"}, {name: "c", text: word()}}
		check := func(decision engine.Decision) {
			for _, s := range planOf(t, c, store).Steps {
				x, err := newEngine(t, c, store).Explain(s.Addr)
				if err != nil {
					t.Fatal(err)
				}
				if s.Decision == engine.Deferred {
					continue
				}
				if s.Decision != decision || s.Key != x.Key {
					t.Fatalf("%s: planned %s with key %s, explained with %s", s.Addr, s.Decision, s.Key, x.Key)
				}
				for _, components := range [][]cache.Component{s.Components, x.Components} {
					if key, err := cache.KeyOf(components); err != nil || key.String() != s.Key {
						t.Fatalf("%s: the components give the key %s (%v), want %s: %q", s.Addr, key, err, s.Key,
							components)
					}
					altered := append([]cache.Component{}, components...)
					i := 1 + rnd.IntN(len(altered)-1)
					altered[i].Value += "x"
					if key, err := cache.KeyOf(altered); err != nil || key.String() == s.Key {
						t.Fatalf("%s: component %d is not part of the key", s.Addr, i)
					}
				}
			}
		}
		check(engine.Create)
		if _, _, _, err := run(t, c, engine.Options{Store: store}); err != nil {
			t.Fatal(err)
		}
		check(engine.Cached)
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	base := chain{{name: "a", text: "one"}, {name: "b", text: "two", input: "a"}}
	tests := []struct {
		name    string
		execute bool // execute the pipeline between the two plans
		now     chain
		want    []string
	}{
		{"nothing", false, base, nil},
		{"executed since", true, base, nil},
		{"an argument", false, chain{{name: "a", text: "uno"}, base[1]},
			[]string{`stage.text.a: text changed "one" → "uno"`}},
		{"an argument of what was executed", true, chain{{name: "a", text: "uno"}, base[1]},
			[]string{`stage.text.a: text changed "one" → "uno"`}},
		{"an argument of a deferred stage", false, chain{base[0], {name: "b", text: "zwei", input: "a"}},
			[]string{`stage.text.b: text changed "two" → "zwei"`}},
		{"an argument of a stage that was deferred", true, chain{base[0], {name: "b", text: "zwei", input: "a"}},
			[]string{`stage.text.b: text changed "two" → "zwei"`}},
		{"a new stage", false, append(chain{{name: "c", text: "x"}}, base...), []string{"stage.text.c is new"}},
		{"a stage less", false, base[:1], []string{"stage.text.b is gone"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := openStore(t)
			plan := planOf(t, base, store)
			plan.Document()
			text, err := json.Marshal(plan) // round trip through the file format
			if err != nil {
				t.Fatal(err)
			}
			var kept engine.Plan
			if err := json.Unmarshal(text, &kept); err != nil {
				t.Fatal(err)
			}
			if tt.execute {
				if _, _, _, err := run(t, base, engine.Options{Store: store}); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tt.want, planOf(t, tt.now, store).Differences(&kept)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// measured is a kind that has at most one run per row of its input.
var measured = &stages.Kind{
	Name: "measured",
	Attrs: []stages.Attr{{Name: "input", Type: cty.DynamicPseudoType},
		{Name: "most", Type: cty.Number, Whole: stages.WholeFrom(0)}},
	Outputs: []stages.Output{{Name: "rows", Type: stages.BlobType}},
	Extent: func(a *stages.Args, of func(string) (stages.Extent, bool)) (stages.Extent, bool) {
		if n := a.Int("most"); n > 0 {
			return stages.Extent{Rows: n}, true
		}
		return of("input")
	},
	Estimate: func(in *stages.Instance, f *stages.Forecast) (*stages.Cost, error) {
		c := &stages.Cost{Runs: -1, Reused: -1,
			Times:     stages.Times{CPULimitS: -1, WallLimitS: -1, CPUTimeS: -1, WallTimeS: -1},
			DiskBytes: -1}
		if x, ok := f.Extent("input"); ok {
			n := x.Rows
			c.Runs, c.CPULimitS, c.WallLimitS = n, float64(n)*10, float64(n)*10/float64(f.Jobs)
		}
		return c, nil
	},
}

// bounded is a pipeline of measured stages that have not been executed. from lists the outputs that may become a
// stage's input.
type bounded []struct {
	name string
	most int64
	from []string
}

func (b bounded) Nodes() []stages.Node {
	var nodes []stages.Node
	for _, s := range b {
		nodes = append(nodes, stages.Node{Addr: "stage.measured." + s.name, Kind: measured})
	}
	return nodes
}

func (b bounded) Expand(addr string, _ stages.Known) ([]stages.Instance, hcl.Diagnostics) {
	for _, s := range b {
		if "stage.measured."+s.name != addr {
			continue
		}
		args := stages.NewArgs(measured.Attrs, "", hcl.Range{})
		args.SetValue("most", cty.NumberIntVal(s.most), hcl.Range{})
		args.SetValue("input", cty.UnknownVal(stages.BlobType), hcl.Range{})
		args.SetSources("input", s.from)
		return []stages.Instance{{Addr: addr, Kind: measured, Args: args, Waits: []string{"something"}}}, nil
	}
	return nil, nil
}

// TestBounds checks that bounds propagate from output to output. If either of two outputs may be used, the larger bound
// applies. If one of them is unknown, the result is unknown.
func TestBounds(t *testing.T) {
	t.Parallel()
	plan := planOf(t, bounded{
		{"small", 5, nil},
		{"large", 7, nil},
		{"open", 0, nil},
		{"one", 0, []string{"stage.measured.small.rows"}},
		{"either", 0, []string{"stage.measured.large.rows", "stage.measured.small.rows"}},
		{"through", 0, []string{"stage.measured.either.rows"}},
		{"unsure", 0, []string{"stage.measured.open.rows", "stage.measured.small.rows"}},
	}, openStore(t))
	got := map[string]string{}
	for _, s := range plan.Steps {
		got[s.Addr[len("stage.measured."):]] = fmt.Sprint(s.Rows, " ", s.Cost.Runs)
	}
	want := map[string]string{"small": "5 -1", "large": "7 -1", "open": "-1 -1", "one": "5 5", "either": "7 7",
		"through": "7 7", "unsure": "-1 -1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows and runs (-want +got):\n%s", diff)
	}
	totals := plan.Totals()
	wantTotals := engine.Totals{
		// 5 + 7 + 7 runs of 10 s, 2 concurrently
		Stages: 7, MeasuredOpen: 4, Runs: 19,

		Times: stages.Times{CPULimitS: 190, WallLimitS: 95}, NotEstimated: 7, DiskUncertain: 7,
	}
	if diff := cmp.Diff(wantTotals, totals); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}
