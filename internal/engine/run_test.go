package engine_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// text is a kind for tests. Its output is a blob that contains the text, or the length of its input.
var text = &stages.Kind{
	Name:    "text",
	Version: 1,
	Attrs: []stages.Attr{
		{Name: "text", Type: cty.String},
		{Name: "input", Type: stages.BlobType},
	},
	Outputs: []stages.Output{{Name: "blob", Type: stages.BlobType}},
}

type textAction struct {
	text  string
	input *stages.Artifact
	fail  bool
	hook  func() // called on execution unless nil
}

func (a *textAction) Execute(_ context.Context, env *stages.Env) error {
	if a.hook != nil {
		a.hook()
	}
	out := a.text
	if a.input != nil {
		b, err := env.Store.ReadBytes(a.input.Digest)
		if err != nil {
			return err
		}
		out += strings.Repeat("x", len(b)) // depends only on the length of the input
	}
	if a.fail {
		return context.DeadlineExceeded
	}
	d, err := env.Store.PutBytes([]byte(out))
	if err != nil {
		return err
	}
	return env.Set("blob", stages.ArtifactVal(stages.Artifact{Schema: "blob", Digest: d, SizeBytes: int64(len(out))}))
}

// chain is a pipeline of text stages. Each has a text and optionally another stage as its input.
type chain []link

type link struct {
	name, text, input string
	fail              bool
	hook              func()
	traced            **stages.Lineage // receives the lineage if the link requests one
}

func (c chain) Nodes() []stages.Node {
	var nodes []stages.Node
	for _, l := range c {
		n := stages.Node{Addr: "stage.text." + l.name, Kind: text}
		if l.input != "" {
			n.Deps = []string{"stage.text." + l.input}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func (c chain) Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics) {
	i := slices.IndexFunc(c, func(l link) bool { return "stage.text."+l.name == addr })
	l := c[i]
	args := stages.NewArgs(text.Attrs, "", hcl.Range{})
	args.SetValue("text", cty.StringVal(l.text), hcl.Range{})
	in := stages.Instance{Addr: addr, Kind: text, Args: args}
	action := &textAction{text: l.text, fail: l.fail, hook: l.hook}
	if l.input != "" {
		outputs, ok := known["stage.text."+l.input]
		if !ok {
			args.SetValue("input", cty.UnknownVal(stages.BlobType), hcl.Range{})
			in.Waits = []string{"stage.text." + l.input}
			return []stages.Instance{in}, nil
		}
		args.SetValue("input", outputs["blob"], hcl.Range{})
		art, _ := stages.ArtifactOf(outputs["blob"])
		action.input = &art
	}
	in.Action = action
	if l.traced != nil {
		in.Action = &tracedAction{textAction: action, lineage: l.traced}
	}
	return []stages.Instance{in}, nil
}

// recorder records which stages were executed.
type recorder struct {
	mu       sync.Mutex
	executed []string
	healed   []string
}

func (r *recorder) Observe(ev engine.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := ev.(type) {
	case engine.StageStarted:
		r.executed = append(r.executed, strings.TrimPrefix(e.Addr, "stage.text."))
	case engine.StageHealing:
		r.healed = append(r.healed, strings.TrimPrefix(e.Addr, "stage.text."))
	}
}

func openStore(t *testing.T) *cache.Store {
	t.Helper()
	s, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func run(t *testing.T, c chain, opt engine.Options) (*engine.Result, []string, []string, error) {
	t.Helper()
	r := &recorder{}
	opt.Observer, opt.Name, opt.Jobs = r, "test", 2
	e, err := engine.New(c, opt)
	if err != nil {
		t.Fatal(err)
	}
	result, diags, err := e.Run(context.Background())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	slices.Sort(r.executed)
	return result, r.executed, r.healed, err
}

func TestEarlyCutoff(t *testing.T) {
	store := openStore(t)
	c := chain{{name: "a", text: "one"}, {name: "b", text: "b", input: "a"}, {name: "c", text: "c", input: "b"}}
	if _, executed, _, err := run(t, c, engine.Options{Store: store}); err != nil || len(executed) != 3 {
		t.Fatalf("first run executed %v, %v", executed, err)
	}
	if _, executed, _, _ := run(t, c, engine.Options{Store: store}); len(executed) != 0 {
		t.Errorf("nothing changed, and %v were executed", executed)
	}
	// The text of a changes but keeps its length, so b produces the same bytes and c is not executed.
	c[0].text = "two"
	if _, executed, _, _ := run(t, c, engine.Options{Store: store}); !slices.Equal(executed, []string{"a", "b"}) {
		t.Errorf("executed %v, want a and b only", executed)
	}
	c[0].text = "three"
	if _, executed, _, _ := run(t, c, engine.Options{Store: store}); !slices.Equal(executed, []string{"a", "b", "c"}) {
		t.Errorf("executed %v, want all", executed)
	}
	// Earlier results are found again, regardless of later executions.
	c[0].text = "one"
	if _, executed, _, _ := run(t, c, engine.Options{Store: store}); len(executed) != 0 {
		t.Errorf("executed %v, want none", executed)
	}
}

func TestPlanSaysWhatRunDoes(t *testing.T) {
	store := openStore(t)
	c := chain{{name: "a", text: "one"}, {name: "b", text: "b", input: "a"}, {name: "other", text: "o"}}
	run(t, c, engine.Options{Store: store})
	c[0].text = "longer"
	e, err := engine.New(c, engine.Options{Store: store, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	plan, _ := e.Plan()
	var got []string
	for _, s := range plan.Steps {
		line := s.Addr + " " + string(s.Decision)
		for _, ch := range s.Changes {
			line += " " + ch.String()
		}
		got = append(got, line)
	}
	want := []string{`stage.text.a re-run text changed "one" → "longer"`, "stage.text.b deferred",
		"stage.text.other cached"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestHealing(t *testing.T) {
	dir := t.TempDir()
	c := chain{{name: "a", text: strings.Repeat("large ", 20000)}, {name: "b", text: "b", input: "a"}}
	store, err := cache.Open(dir, cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, _, _, err := run(t, c[:1], engine.Options{Store: store}); err != nil {
		t.Fatal(err)
	}
	blobs, err := filepath.Glob(filepath.Join(dir, "blobs", "*", "*"))
	if err != nil || len(blobs) != 1 {
		t.Fatalf("blobs %v, %v", blobs, err)
	}
	damage(t, blobs[0])
	_, executed, healed, err := run(t, c, engine.Options{Store: store})
	if err != nil || !slices.Equal(executed, []string{"b"}) || !slices.Equal(healed, []string{"b"}) {
		t.Errorf("executed %v, healed for %v, %v; want b, with its input made again", executed, healed, err)
	}
}

func TestFailures(t *testing.T) {
	c := chain{{name: "bad", text: "x", fail: true}, {name: "below", text: "y", input: "bad"},
		{name: "apart", text: "z"}}
	result, _, _, err := run(t, c, engine.Options{Store: openStore(t), KeepGoing: true})
	if err == nil || !strings.Contains(err.Error(), "stage.text.bad: ") {
		t.Errorf("error %v, want one that names the stage", err)
	}
	if result.Executed != 1 || result.Failed != 1 || result.Skipped != 1 {
		t.Errorf("executed %d, failed %d, skipped %d; want one each", result.Executed, result.Failed, result.Skipped)
	}
}

// failed closes its channel when the stage has failed.
type failed struct {
	addr string
	done chan struct{}
}

func (f failed) Observe(e engine.Event) {
	if e, ok := e.(engine.StageFailed); ok && e.Addr == f.addr {
		close(f.done)
	}
}

// Failures are reported in the order of the blocks, even if a later block fails first.
func TestOrderOfFailures(t *testing.T) {
	o := failed{"stage.text.second", make(chan struct{})}
	c := chain{{name: "first", text: "x", fail: true, hook: func() { <-o.done }},
		{name: "second", text: "y", fail: true}}
	e, err := engine.New(c, engine.Options{Store: openStore(t), Name: "test", Jobs: 2, Observer: o, KeepGoing: true})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = e.Run(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "stage.text.first: ") {
		t.Errorf("the errors are %q, want that of the first block first", err)
	}
}

func TestTargets(t *testing.T) {
	c := chain{{name: "a", text: "a"}, {name: "b", text: "b", input: "a"}, {name: "c", text: "c", input: "b"},
		{name: "d", text: "d"}}
	_, executed, _, err := run(t, c, engine.Options{Store: openStore(t), Targets: []string{"stage.text.b"}})
	if err != nil || !slices.Equal(executed, []string{"a", "b"}) {
		t.Errorf("executed %v, %v; want the target and what it needs", executed, err)
	}
	if _, err := engine.New(c, engine.Options{Store: openStore(t), Targets: []string{"stage.text.x"}}); err == nil {
		t.Error("an unknown target was accepted")
	}
}
