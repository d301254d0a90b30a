package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// needsHealing tells whether an execution failed because content of the store is missing or damaged.
func needsHealing(err error) bool {
	_, missing := errors.AsType[*cache.MissingError](err)
	_, corrupt := errors.AsType[*cache.CorruptError](err)
	return missing || corrupt
}

// heal executes again what made the inputs of an instance, and what made theirs, so that missing or damaged content
// is there again. Deterministic stages give the same digests; measured ones are never executed again silently.
func (x *execution) heal(ctx context.Context, in *stages.Instance, cause error) error {
	x.opt.Observer.Observe(StageHealing{Addr: in.Addr, Err: cause})
	x.healing.Lock()
	defer x.healing.Unlock()
	return x.remake(ctx, in, cause, map[string]bool{})
}

// remake makes the inputs of an instance again, and what they were made of.
func (x *execution) remake(ctx context.Context, in *stages.Instance, cause error, seen map[string]bool) error {
	for _, art := range in.Args.AllArtifacts() {
		if err := x.remakeArtifact(ctx, art.Digest, cause, seen); err != nil {
			return err
		}
	}
	return nil
}

// remakeArtifact executes again what made an artifact, after what made its inputs.
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
	if producer.Kind.Measured {
		if x.opt.Store.Fetch(digest) != nil {
			return fmt.Errorf("%w; it is a record of %s, which is never executed again silently: use --fresh %s", cause, producer.Addr, producer.Addr)
		}
		return nil
	}
	outputs, err := x.execute(ctx, producer)
	if err != nil {
		return fmt.Errorf("make the outputs of %s again: %w", producer.Addr, err)
	}
	for name, v := range outputs {
		was, _ := stages.ArtifactOf(x.result.Known[producer.Addr][name])
		if is, ok := stages.ArtifactOf(v); ok && is.Digest != was.Digest {
			return fmt.Errorf("%w; executed again, %s gave other content (output %s): %s, not %s",
				cause, producer.Addr, name, is.Digest, was.Digest)
		}
	}
	return nil
}

// restore makes artifacts again that are asked for when everything has its outputs, and are not whole in the store.
func (x *execution) restore(ctx context.Context) {
	if x.opt.Lost == nil || len(x.errs) > 0 || x.diags.HasErrors() {
		return
	}
	for _, d := range x.opt.Lost(x.result.Known) {
		cause := &cache.MissingError{Digest: d}
		addr := "an output"
		if p := x.producers[d]; p != nil {
			addr = p.Addr
		}
		x.opt.Observer.Observe(StageHealing{Addr: addr, Err: cause})
		if err := x.remakeArtifact(ctx, d, cause, map[string]bool{}); err != nil {
			x.fail(addr, err)
			return
		}
	}
}
