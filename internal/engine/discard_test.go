package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// lab is a measured kind for tests. It has three items, which take an hour each and depend on a seed and an input.
var lab = &stages.Kind{
	Name: "lab", Version: 1, Measured: true, ByItems: true,
	Attrs:   []stages.Attr{{Name: "seed", Type: cty.Number}, {Name: "input", Type: stages.BlobType}},
	Outputs: []stages.Output{{Name: "seed", Type: cty.Number}},
	Spent:   func([]byte) (float64, error) { return 3600, nil },
	Estimate: func(in *stages.Instance, f *stages.Forecast) (*stages.Cost, error) {
		if in.Action == nil {
			return nil, nil
		}
		_, err := f.Recorded("lab", in.Action.(*labAction).keys())
		return nil, err
	},
}

type labAction struct {
	seed   int64
	input  cache.Digest
	breaks bool // fails after two items
}

func (a *labAction) key(i int) cache.Key {
	k := cache.NewKeyWriter("lab")
	k.Int("seed", a.seed)
	k.Digest("input", a.input)
	k.Int("i", int64(i))
	return k.Key()
}

func (a *labAction) keys() []cache.Key { return []cache.Key{a.key(0), a.key(1), a.key(2)} }

func (a *labAction) Execute(ctx context.Context, env *stages.Env) error {
	items, err := env.Items.Open(ctx, "lab", "runs", 3, a.key)
	if err != nil {
		return err
	}
	for _, i := range items.Missing() {
		if a.breaks && i == 2 {
			return errors.Join(errors.New("broken"), items.Close())
		}
		if err := items.Put(i, []byte("done")); err != nil {
			return err
		}
	}
	return errors.Join(items.Close(), env.Set("seed", cty.NumberIntVal(a.seed)))
}

// bench is a pipeline of a text stage and a lab that measures its output.
type bench struct {
	chain
	seed   int64
	breaks bool
}

func (b bench) Nodes() []stages.Node {
	return append(b.chain.Nodes(), stages.Node{Addr: "stage.lab.main", Kind: lab, Deps: []string{"stage.text.a"}})
}

func (b bench) Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics) {
	if addr != "stage.lab.main" {
		return b.chain.Expand(addr, known)
	}
	place := hcl.Range{Filename: "bench.hcl", Start: hcl.Pos{Line: 7}}
	args := stages.NewArgs(lab.Attrs, "", place)
	args.SetValue("seed", cty.NumberIntVal(b.seed), place)
	in := stages.Instance{Addr: addr, Kind: lab, Args: args, Range: place}
	outputs, ok := known["stage.text.a"]
	if !ok {
		args.SetValue("input", cty.UnknownVal(stages.BlobType), place)
		in.Waits = []string{"stage.text.a"}
		return []stages.Instance{in}, nil
	}
	args.SetValue("input", outputs["blob"], place)
	art, _ := stages.ArtifactOf(outputs["blob"])
	in.Action = &labAction{b.seed, art.Digest, b.breaks}
	return []stages.Instance{in}, nil
}

// guarded runs a pipeline. It returns the losses that the plan and the run report.
func guarded(t *testing.T, store *cache.Store, b bench, discard ...string) (loss *engine.Loss, err error) {
	t.Helper()
	open := func() *engine.Engine {
		e, err := engine.New(b, engine.Options{Store: store, Name: "test", Jobs: 1, Guard: true, MayLose: 3600,
			Discard: discard, Kinds: []*stages.Kind{text, lab}})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := open()
	plan, _ := e.Plan()
	loss, err = e.Losses(t.Context(), plan, func() (*cache.Store, error) { return store.Overlay(t.TempDir()) })
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case loss != nil && !slices.Contains(discard, loss.Key):
		return loss, nil
	case loss != nil:
		if err := e.Discard(loss); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err = open().Run(t.Context())
	return loss, err
}

// TestLosses checks that two finished items of an interrupted run count as two hours that must not be lost by accident,
// even after the process has ended. The third item was never measured.
func TestLosses(t *testing.T) {
	store := openStore(t)
	b := bench{chain: chain{{name: "a", text: "one"}}, seed: 1, breaks: true}
	if _, err := guarded(t, store, b); err == nil {
		t.Fatal("the run did not break off")
	}
	b.seed = 2
	loss, _ := guarded(t, store, b)
	if loss == nil || loss.Runs != 2 || loss.CoreSeconds != 7200 {
		t.Fatalf("the plan loses %+v, want two hours", loss)
	}
	want := []string{"stage.lab.main: seed changed 1 → 2 (bench.hcl:7)"}
	if got := loss.Stages[0].Reasons; !slices.Equal(got, want) {
		t.Errorf("because of %v, want %v", got, want)
	}
	b.seed = 3
	if other, _ := guarded(t, store, b, loss.Key); other == nil || other.Key == loss.Key {
		t.Errorf("the key of one plan accepts another, %+v", other)
	}
	b.seed, b.breaks = 1, false
	if loss, err := guarded(t, store, b); loss != nil || err != nil {
		t.Errorf("to go on loses %+v, %v", loss, err)
	}
	// Accepting a loss suppresses the question from then on, even if the run is interrupted.
	b.seed, b.breaks = 2, true
	loss, _ = guarded(t, store, b)
	if loss == nil || loss.Runs != 3 {
		t.Fatalf("the plan loses %+v, want three runs", loss)
	}
	guarded(t, store, b, loss.Key)
	b.breaks = false
	if loss, err := guarded(t, store, b); loss != nil || err != nil {
		t.Errorf("after it was accepted: %+v, %v", loss, err)
	}
}

// TestLossesOfUnknownRuns checks that a run stops before measuring anything if the plan could not know the results of
// an earlier stage.
func TestLossesOfUnknownRuns(t *testing.T) {
	store := openStore(t)
	b := bench{chain: chain{{name: "a", text: "one"}}, seed: 1}
	if _, err := guarded(t, store, b); err != nil {
		t.Fatal(err)
	}
	b.chain = chain{{name: "a", text: "two"}}
	loss, err := guarded(t, store, b)
	lost, ok := errors.AsType[*engine.LossError](err)
	if loss != nil || !ok || lost.Loss.Runs != 3 {
		t.Fatalf("the plan loses %+v, and the run fails with %v", loss, err)
	}
	if why := fmt.Sprint(lost.Loss.Stages[0].Reasons); !strings.Contains(why, "stage.lab.main: input changed") {
		t.Errorf("because of %s", why)
	}
	if _, err := guarded(t, store, b, lost.Loss.Key); err != nil {
		t.Errorf("although it was accepted: %v", err)
	}
	b.chain = chain{{name: "a", text: "two"}}
	if loss, err := guarded(t, store, b); loss != nil || err != nil {
		t.Errorf("although nothing changed: %+v, %v", loss, err)
	}
}

// TestOldStores checks that nothing is guarded without a recorded evaluation, and that results already in the store are
// remembered.
func TestOldStores(t *testing.T) {
	store := openStore(t)
	b := bench{chain: chain{{name: "a", text: "one"}}, seed: 1}
	if _, err := guarded(t, store, b); err != nil {
		t.Fatal(err)
	}
	if err := store.DropEvaluation("test", "stage.lab.main"); err != nil {
		t.Fatal(err)
	}
	if loss, err := guarded(t, store, b); loss != nil || err != nil {
		t.Errorf("nothing changed: %+v, %v", loss, err)
	}
	b.seed = 2
	if loss, _ := guarded(t, store, b); loss == nil || loss.Runs != 3 {
		t.Errorf("the plan loses %+v, want three runs", loss)
	}
}
