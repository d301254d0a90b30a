package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Rechecked is what a second execution of the deterministic stages showed.
type Rechecked struct {
	Same      int      `json:"same"`      // instances that gave the same bytes again
	Different []string `json:"different"` // what differs, as sentences
	Measured  int      `json:"measured"`  // records of events, which are not executed again
	Unknown   int      `json:"unknown"`   // not in the store, so that there is nothing to compare
}

// Recheck executes every deterministic stage that is in the store again, with nothing reused, and compares its outputs
// with the records. Nothing in the store changes but for content that was missing.
func (e *Engine) Recheck(ctx context.Context) (*Rechecked, hcl.Diagnostics, error) {
	plan, trail := &Plan{Known: stages.Known{}}, newTrail()
	out := &Rechecked{}
	for _, node := range e.nodes {
		instances, diags := e.expand(&node, plan.Known, trail)
		if diags.HasErrors() {
			return out, diags, nil
		}
		for i := range instances {
			in := &instances[i]
			step := e.planInstance(in, e.newExtents())
			switch {
			case step.Decision != Cached:
				out.Unknown++
				continue
			case in.Kind.Measured:
				out.Measured++
			default:
				if err := e.recheck(ctx, in, &step, out); err != nil {
					return out, nil, fmt.Errorf("%s: %w", in.Addr, err)
				}
			}
			plan.Known[step.Addr] = step.Outputs
		}
	}
	return out, nil, nil
}

func (e *Engine) recheck(ctx context.Context, in *stages.Instance, step *Step, out *Rechecked) error {
	temp, err := e.opt.Store.TempDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	e.opt.Observer.Observe(StageStarted{Addr: in.Addr, Kind: in.Kind.Name, Reason: "to compare"})
	env := e.env(in, temp)
	env.Items = freshItems{}
	if err := e.redacted(in.Action.Execute(ctx, env)); err != nil {
		return err
	}
	outputs, err := env.Finish()
	if err != nil {
		return err
	}
	same := true
	for _, o := range in.Kind.Outputs {
		was, err := encodeOutput(step.Outputs[o.Name])
		if err != nil {
			return err
		}
		is, err := encodeOutput(outputs[o.Name])
		if err != nil {
			return err
		}
		if is.Digest != was.Digest || string(is.Value) != string(was.Value) {
			same = false
			out.Different = append(out.Different, fmt.Sprintf("%s: executed again, its output %s is %s and not %s",
				in.Addr, o.Name, outputText(is), outputText(was)))
		}
	}
	if same {
		out.Same++
	}
	return nil
}

func outputText(o cache.Output) string {
	if o.Digest != "" {
		return "sha256:" + o.Digest
	}
	return shorten(string(o.Value))
}

// freshItems is a source of items in which nothing is recorded yet, and that forgets what is.
type freshItems struct{}

// Open implements stages.ItemSource.
func (freshItems) Open(_ context.Context, _, _ string, n int, key func(i int) cache.Key) (stages.Items, error) {
	it := &memoryItems{keys: make([]cache.Key, n), missing: make([]int, n), records: make([][]byte, n)}
	for i := range n {
		it.keys[i], it.missing[i] = key(i), i
	}
	return it, nil
}

// memoryItems keeps records in memory.
type memoryItems struct {
	keys    []cache.Key
	missing []int
	mu      sync.Mutex
	records [][]byte
}

func (m *memoryItems) Missing() []int { return m.missing }

func (m *memoryItems) Key(i int) cache.Key { return m.keys[i] }

func (m *memoryItems) Record(i int) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records[i] != nil {
		return m.records[i], nil
	}
	for k := range m.records { // two items of one key are executed once
		if m.keys[k] == m.keys[i] && m.records[k] != nil {
			return m.records[k], nil
		}
	}
	return nil, errors.New("an item has no record; this is a bug in smtpipe")
}

func (m *memoryItems) Put(i int, record []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records[i] = append([]byte{}, record...)
	return nil
}

// Forget does nothing: nothing is recorded yet.
func (m *memoryItems) Forget(int) {}

func (m *memoryItems) Close() error { return nil }
