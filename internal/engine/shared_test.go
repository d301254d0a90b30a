package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestHealingOfMissingContent removes content that a stage needs, and checks that the stage that produced it is
// executed again, once.
func TestHealingOfMissingContent(t *testing.T) {
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
	if err := os.Remove(blobs[0]); err != nil {
		t.Fatal(err)
	}
	_, executed, healed, err := run(t, c, engine.Options{Store: store})
	if err != nil || !slices.Equal(executed, []string{"b"}) || !slices.Equal(healed, []string{"b"}) {
		t.Errorf("executed %v, healed for %v, %v; want b, with its input made again", executed, healed, err)
	}
	if _, err := os.Stat(blobs[0]); err != nil {
		t.Errorf("the content is not there again: %v", err)
	}
}

// TestHealingBesideOthers lets another stage finish while content is recreated. The race detector fails the test if
// known outputs are read without the lock.
func TestHealingBesideOthers(t *testing.T) {
	dir := t.TempDir()
	store, err := cache.Open(dir, cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	a := link{name: "a", text: strings.Repeat("large ", 20000)}
	if _, _, _, err := run(t, chain{a}, engine.Options{Store: store}); err != nil {
		t.Fatal(err)
	}
	blobs, _ := filepath.Glob(filepath.Join(dir, "blobs", "*", "*"))
	if err := os.Remove(blobs[0]); err != nil {
		t.Fatal(err)
	}
	again := make(chan struct{})
	a.hook = func() {
		close(again)
		time.Sleep(300 * time.Millisecond) // a channel would synchronise the stages and hide a race
	}
	other := link{name: "other", text: "o", hook: func() { <-again }}
	c := chain{a, {name: "b", text: "b", input: "a"}, other}
	_, executed, healed, err := run(t, c, engine.Options{Store: store})
	if err != nil || len(executed) != 2 || !slices.Equal(healed, []string{"b"}) {
		t.Errorf("executed %v, healed for %v, %v", executed, healed, err)
	}
}

// occasion is a pipeline of one measured stage, which counts its executions and can block during one.
type occasion struct {
	mu       sync.Mutex
	attempts []int64
	begun    chan struct{} // nil if the execution does not block
	resume   chan struct{}
}

var occasionKind = &stages.Kind{
	Name: "measure", Version: 1, Measured: true,
	Outputs: []stages.Output{{Name: "n", Type: cty.Number}},
}

const occasionAddr = "stage.measure.x"

func (m *occasion) Nodes() []stages.Node {
	return []stages.Node{{Addr: occasionAddr, Kind: occasionKind}}
}

func (m *occasion) Expand(string, stages.Known) ([]stages.Instance, hcl.Diagnostics) {
	return []stages.Instance{{Addr: occasionAddr, Kind: occasionKind, Args: stages.NewArgs(nil, "", hcl.Range{}),
		Action: m}}, nil
}

func (m *occasion) Execute(_ context.Context, env *stages.Env) error {
	m.mu.Lock()
	m.attempts = append(m.attempts, env.Attempt)
	n := len(m.attempts)
	m.mu.Unlock()
	if m.begun != nil {
		close(m.begun)
		<-m.resume
	}
	return env.Set("n", cty.NumberIntVal(int64(n)))
}

// TestFreshAttempts starts new attempts of a measured stage. Each must be executed once and keep its number.
func TestFreshAttempts(t *testing.T) {
	store, m := openStore(t), &occasion{}
	for i, fresh := range []bool{false, false, true, false, true} {
		opt := engine.Options{Store: store, Name: "p"}
		if fresh {
			opt.Fresh = []string{occasionAddr}
		}
		e, err := engine.New(m, opt)
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
	if _, err := engine.New(m, engine.Options{Store: store, Name: "p",
		Fresh: []string{"stage.measure.y"}}); err == nil {
		t.Error("an unknown stage can be attempted anew")
	}
}

// TestUnrecordedAttempt checks that a new attempt that cannot be recorded is not executed: later runs would not use it.
func TestUnrecordedAttempt(t *testing.T) {
	store, m := openStore(t), &occasion{}
	e, err := engine.New(m, engine.Options{Store: store, Name: "p", Fresh: []string{occasionAddr}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store.Dir(), "state"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Run(t.Context()); err == nil || len(m.attempts) > 0 {
		t.Errorf("executed attempts %v, %v; want an error", m.attempts, err)
	}
}

// warned collects warnings.
type warned []string

func (w *warned) Observe(ev engine.Event) {
	if x, ok := ev.(engine.StageWarned); ok {
		*w = append(*w, x.Text)
	}
}

// TestDamagedState checks that a pipeline whose state is damaged is executed, with a warning that attempts were
// forgotten.
func TestDamagedState(t *testing.T) {
	store, m := openStore(t), &occasion{}
	var said warned
	run := func() {
		t.Helper()
		e, err := engine.New(m, engine.Options{Store: store, Name: "p", Observer: &said})
		if err != nil {
			t.Fatal(err)
		}
		if _, diags, err := e.Run(t.Context()); err != nil || diags.HasErrors() {
			t.Fatal(err, diags)
		}
	}
	run()
	states, err := filepath.Glob(filepath.Join(store.Dir(), "state", "*"))
	if err != nil || len(states) != 1 {
		t.Fatal(states, err)
	}
	if err := os.Truncate(states[0], 9); err != nil {
		t.Fatal(err)
	}
	run()
	if len(said) != 1 || !strings.Contains(said[0], "repeat each --fresh") {
		t.Errorf("warned of %q", said)
	}
	if run(); len(said) != 1 {
		t.Errorf("warned again of %q", said[1:])
	}
}

// observed is an observer that waits for an event.
type observed struct{ waiting chan struct{} }

func (o observed) Observe(ev engine.Event) {
	if _, ok := ev.(engine.StageWaiting); ok {
		close(o.waiting)
	}
}

// TestTwoExecutions lets two engines execute the same stage with one store concurrently, as two processes would. The
// second must wait and use the first one's result, or fail immediately.
func TestTwoExecutions(t *testing.T) {
	dir := t.TempDir()
	first := &occasion{begun: make(chan struct{}), resume: make(chan struct{})}
	second := &occasion{}
	start := func(m *occasion, opt engine.Options) (<-chan error, <-chan *engine.Result) {
		store, err := cache.Open(dir, cache.Options{Durability: cache.Relaxed})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		opt.Store, opt.Name = store, "p"
		e, err := engine.New(m, opt)
		if err != nil {
			t.Fatal(err)
		}
		errs, results := make(chan error, 1), make(chan *engine.Result, 1)
		go func() {
			result, _, err := e.Run(t.Context())
			errs <- err
			results <- result
		}()
		return errs, results
	}
	firstErr, _ := start(first, engine.Options{})
	<-first.begun
	noWaitErr, _ := start(&occasion{}, engine.Options{NoWait: true})
	if err := <-noWaitErr; err == nil || !strings.Contains(err.Error(), "another process executes this stage") {
		t.Errorf("without waiting: %v", err)
	}
	o := observed{make(chan struct{})}
	secondErr, secondResult := start(second, engine.Options{Observer: o})
	<-o.waiting
	close(first.resume)
	if err := <-firstErr; err != nil {
		t.Error(err)
	}
	if err := <-secondErr; err != nil {
		t.Error(err)
	}
	if r := <-secondResult; r.Cached != 1 || len(second.attempts) != 0 {
		t.Errorf("the second executed %d times, found %d", len(second.attempts), r.Cached)
	}
}

// TestRecheck executes deterministic stages again and checks that those producing different bytes are found.
func TestRecheck(t *testing.T) {
	store := openStore(t)
	c := chain{{name: "a", text: "a"}, {name: "b", text: "b", input: "a"}}
	if _, _, _, err := run(t, c[:1], engine.Options{Store: store}); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(c, engine.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	got, diags := e.Recheck(t.Context())
	if diags.HasErrors() || got.Same != 1 || got.Unknown != 1 || len(got.Different) != 0 {
		t.Errorf("got %+v, %v; want one that is the same and one that was never executed", got, diags)
	}

	m := &occasion{}
	e, err = engine.New(m, engine.Options{Store: store, Name: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := e.Recheck(t.Context()); got.Measured != 1 || len(m.attempts) != 1 {
		t.Errorf("a measured stage: %+v; it was executed %d times", got, len(m.attempts))
	}
}
