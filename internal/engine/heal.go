package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// errRemade reports that recreated content differs from the original, so every instance expanded with it is out of
// date.
var errRemade = errors.New("its inputs were made again")

// heal recreates missing or damaged inputs of an instance. It executes the stages that produced them again, after
// recreating their inputs in the same way. Deterministic stages produce the same digests. Measured stages are executed
// again only if all their measurements are items, and only items without an intact record are measured.
func (x *execution) heal(ctx context.Context, in *stages.Instance, cause error) error {
	x.opt.Observer.Observe(StageHealing{Addr: in.Addr, Err: cause})
	x.healing.Lock()
	defer x.healing.Unlock()
	return x.remake(ctx, in, cause, map[string]bool{})
}

// remake recreates an instance's inputs.
func (x *execution) remake(ctx context.Context, in *stages.Instance, cause error, seen map[string]bool) error {
	for _, art := range in.Args.AllArtifacts() {
		if err := x.remakeArtifact(ctx, art.Digest, cause, seen); err != nil {
			return err
		}
	}
	return nil
}

// remakeArtifact executes the stage that produced an artifact again, after recreating that stage's inputs.
func (x *execution) remakeArtifact(ctx context.Context, digest cache.Digest, cause error, seen map[string]bool) error {
	x.mu.Lock()
	producer := x.producers[digest]
	x.mu.Unlock()
	if producer == nil || seen[producer.Addr] {
		return nil
	}
	seen[producer.Addr] = true
	if err := x.remake(ctx, producer, cause, seen); err != nil {
		return err
	}
	whole := producer.Kind.Measured && x.opt.Store.Fetch(digest) == nil
	if producer.Kind.Measured && !producer.Kind.ByItems {
		if !whole {
			return lostRecord(cause, producer, "which is never silently executed again")
		}
		return nil
	}
	start := time.Now()
	outputs, err := x.executeWith(ctx, producer, func(env *stages.Env) {
		env.Healing = true
		if producer.Kind.Measured && x.opt.Evidence == nil {
			env.Items.(*itemSource).refuses = func(missing, n int) error { return refuse(missing, n, whole) }
		}
	})
	switch {
	case errors.Is(err, errUnrecorded) && whole:
		return nil // the table itself is intact
	case errors.Is(err, errUnrecorded):
		return lostRecord(cause, producer, "and its items have no records")
	case err != nil:
		return fmt.Errorf("recreate the outputs of %s: %w", producer.Addr, err)
	}
	x.mu.Lock()
	before := x.result.Known[producer.Addr]
	x.mu.Unlock()
	for name, v := range outputs {
		was, _ := stages.ArtifactOf(before[name])
		if is, ok := stages.ArtifactOf(v); !ok || is.Digest == was.Digest {
			continue
		} else if !producer.Kind.Measured {
			return fmt.Errorf("%w; re-executing %s produced different content (output %s): %s, not %s",
				cause, producer.Addr, name, is.Digest, was.Digest)
		}
		if x.remade[producer.Addr] {
			return cause // recreating the content did not help
		}
		return x.replace(producer, outputs, time.Since(start))
	}
	return nil
}

func lostRecord(cause error, in *stages.Instance, why string) error {
	return fmt.Errorf("%w; it is a record of %s, %s; to measure it again, use --fresh %s", cause, in.Addr, why, in.Addr)
}

var errUnrecorded = errors.New("items have no records")

// refuse returns an error if a measured stage with missing items must not be assembled. That is the case if its table
// is intact, or if no item has a record, as in a store that received only the table from another store.
func refuse(missing, n int, whole bool) error {
	if missing > 0 && (whole || missing == n) {
		return errUnrecorded
	}
	return nil
}

// replace records the new outputs of a measured stage after some of its items lost their records. All stages that
// depend on the outputs are expanded again.
func (x *execution) replace(in *stages.Instance, outputs map[string]cty.Value, took time.Duration) error {
	key, components := x.instanceKey(in)
	if err := x.record(in, key, components, outputs, took); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.again, x.remade[in.Addr] = true, true
	return errRemade
}

// restore recreates required artifacts that are missing or damaged in the store. It runs after all stages have their
// outputs.
func (x *execution) restore(ctx context.Context) {
	if x.opt.Missing == nil || len(x.errs) > 0 || x.diags.HasErrors() {
		return
	}
	for _, d := range x.opt.Missing(x.result.Known) {
		cause := &cache.MissingError{Digest: d}
		addr := "an output"
		if p := x.producers[d]; p != nil {
			addr = p.Addr
		}
		x.opt.Observer.Observe(StageHealing{Addr: addr, Err: cause})
		if err := x.remakeArtifact(ctx, d, cause, map[string]bool{}); err != nil {
			if !errors.Is(err, errRemade) {
				x.fail(addr, nil, err)
			}
			return
		}
	}
}
