package engine

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Remeasure executes the chosen items of a measured instance on this machine, even if their keys name another machine.
// It returns the outputs with the new results instead of the recorded ones. It stores nothing.
func (e *Engine) Remeasure(ctx context.Context, addr string, chosen map[cache.Key]bool) (map[string]cty.Value, error) {
	in, _, err := e.findInstance(addr)
	if err != nil {
		return nil, err
	}
	if !in.Kind.ByItems || in.Action == nil {
		return nil, fmt.Errorf("%s has no items that can be measured individually", addr)
	}
	temp, err := e.opt.Store.TempDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	env := e.env(in, temp)
	source := env.Items.(*itemSource)
	source.refuses = lacksRuns
	env.Items, env.Anywhere = &chosenSource{source, chosen}, true
	if err := e.redacted(in.Action.Execute(ctx, env)); err != nil {
		return nil, err
	}
	return env.Finish()
}

// chosenSource opens items and reports the chosen ones as missing even if they have a record.
type chosenSource struct {
	*itemSource
	chosen map[cache.Key]bool
}

// Open implements stages.ItemSource.
func (s *chosenSource) Open(ctx context.Context, namespace, unit string, n int, key func(i int) cache.Key) (
	stages.Items, error) {
	recorded, err := s.itemSource.Open(ctx, namespace, unit, n, key)
	if err != nil {
		return nil, err
	}
	it := &chosenItems{Items: recorded, fresh: map[cache.Key][]byte{}}
	for i := range n {
		if s.chosen[recorded.Key(i)] {
			it.missing = append(it.missing, i)
		}
	}
	return it, nil
}

// chosenItems keeps new records in memory.
type chosenItems struct {
	stages.Items
	missing []int

	mu    sync.Mutex
	fresh map[cache.Key][]byte
}

func (it *chosenItems) Missing() []int { return it.missing }

func (it *chosenItems) Record(i int) ([]byte, error) {
	it.mu.Lock()
	record, ok := it.fresh[it.Key(i)]
	it.mu.Unlock()
	if ok {
		return record, nil
	}
	return it.Items.Record(i)
}

func (it *chosenItems) Put(i int, record []byte) error {
	it.mu.Lock()
	defer it.mu.Unlock()
	it.fresh[it.Key(i)] = slices.Clone(record)
	return nil
}

// Recorded implements stages.Items.
func (it *chosenItems) Recorded(i int) bool {
	it.mu.Lock()
	defer it.mu.Unlock()
	return it.fresh[it.Key(i)] != nil
}

// Forget does nothing, because only the chosen items are executed.
func (it *chosenItems) Forget(int) {}

func (it *chosenItems) Close() error { return nil }
