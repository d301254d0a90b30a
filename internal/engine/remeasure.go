package engine

import (
	"context"
	"fmt"
	"os"

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
	var again []int
	for i := range n {
		if s.chosen[recorded.Key(i)] {
			again = append(again, i)
		}
	}
	return (&Memo{}).open(recorded, namespace, n, again), nil
}
