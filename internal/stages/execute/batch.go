package execute

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/smtpipe/smtpipe/internal/worker"
)

// executeBatch takes the results that exist already, has the executor execute the rest, and takes those results. If
// they come from elsewhere, the stage fails with worker.ErrWaiting, and the next execution continues.
func (f *fanout) executeBatch(ctx context.Context, batch worker.Batch, agenda []planned,
	one func(ctx context.Context, item int) error) error {
	f.ranks = f.scriptRanks()
	waiting, err := f.collect(ctx, agenda, one)
	if err != nil || len(waiting) == 0 {
		return err
	}
	done, message, err := batch.Run(ctx)
	if err != nil {
		return err
	}
	if !done {
		return fmt.Errorf("%w: %d of %d runs have no result yet; %s", worker.ErrWaiting, len(waiting), len(agenda),
			message)
	}
	if waiting, err = f.collect(ctx, waiting, one); err == nil && len(waiting) > 0 {
		p := f.pairs[waiting[0].item]
		err = fmt.Errorf("%d runs have no result, as that of %s on %s; %s", len(waiting), f.entrants[p.solver].name,
			f.scripts[p.script].Benchmark, message)
	}
	return err
}

// collect executes the works of a batch and returns those still waiting, in the order of the table.
func (f *fanout) collect(ctx context.Context, agenda []planned,
	one func(ctx context.Context, item int) error) ([]planned, error) {
	agenda = slices.Clone(agenda)
	slices.SortFunc(agenda, func(a, b planned) int { return int(a.item) - int(b.item) })
	var mu sync.Mutex
	var waiting []planned
	err := f.site.each(ctx, len(agenda), func(ctx context.Context, k int) error {
		err := one(ctx, int(agenda[k].item))
		if errors.Is(err, worker.ErrWaiting) {
			mu.Lock()
			waiting = append(waiting, agenda[k])
			mu.Unlock()
			return nil
		}
		f.env.Progress.Worked(f.coreSeconds(agenda[k]))
		return err
	})
	slices.SortFunc(waiting, func(a, b planned) int { return int(a.item) - int(b.item) })
	return waiting, err
}

// scriptRanks orders the scripts by their digests, which reveal nothing about the benchmarks.
func (f *fanout) scriptRanks() []int {
	order := make([]int, len(f.scripts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return bytes.Compare(f.digests[a][:], f.digests[b][:]) })
	ranks := make([]int, len(order))
	for rank, i := range order {
		ranks[i] = rank
	}
	return ranks
}

// about returns what a work of a batch is about; nil if that is not needed.
func (f *fanout) about(item int) *worker.About {
	if f.ranks == nil {
		return nil
	}
	p := f.pairs[item]
	s, e := &f.scripts[p.script], &f.entrants[p.solver]
	a := &worker.About{
		Benchmark: s.Benchmark, Logic: s.Logic, Family: s.Family, Number: int(p.script), Script: f.ranks[p.script],
		Solver: e.name, Participation: int(e.participation), Track: f.kind.String(),
	}
	if !f.dialogue {
		a.Status = s.Status
	}
	return a
}
