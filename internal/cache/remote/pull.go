package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// PullItems implements cache.ItemRemote.
func (c *Client) PullItems(ctx context.Context, namespace string, want []cache.Key,
	put func(key [32]byte, record []byte) error) int {
	if !c.shares(namespace) || c.offline() {
		return 0
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	end := context.AfterFunc(c.ctx, func() { stop(context.Canceled) })
	defer end()
	p := &pull{Client: c, namespace: namespace, put: put, want: want}
	defer p.watch(ctx, stop)()
	err := p.all(ctx)
	if errors.Is(context.Cause(ctx), errTooSlow) {
		c.note("the remote store was too slow to return all records of " + namespace +
			"; the rest is computed here")
		c.cutOff(errTooSlow.Error())
	} else if err != nil && !errors.Is(err, errOffline) && ctx.Err() == nil {
		c.note(fmt.Sprintf("cannot read records of %s from the remote store: %v", namespace, err))
	}
	return p.found
}

// pull is one search for records.
type pull struct {
	*Client
	namespace string
	put       func(key [32]byte, record []byte) error
	want      []cache.Key // wanted keys, sorted; found keys are not removed
	got       []bool
	found     int
	bytes     atomic.Int64
}

// watch cancels the pull if it is too slow, until end is called.
func (p *pull) watch(ctx context.Context, stop context.CancelCauseFunc) (end func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	began := time.Now()
	go func() {
		defer close(ended)
		tick := time.NewTicker(transferGrace / 20)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if tooSlow(time.Since(began), p.bytes.Load()) {
				stop(errTooSlow)
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// all reads every bundle from every store.
func (p *pull) all(ctx context.Context) error {
	p.want = slices.Clone(p.want)
	slices.SortFunc(p.want, func(a, b cache.Key) int { return slices.Compare(a[:], b[:]) })
	p.got = make([]bool, len(p.want))
	ids, _, err := p.writers(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		s, err := p.shelfOf(ctx, p.namespace, id)
		if err != nil {
			return err
		}
		for _, info := range s.Bundles {
			if p.found == len(p.want) {
				return nil
			}
			if err := p.bundle(ctx, info); errors.Is(err, errOffline) || ctx.Err() != nil {
				return err
			} // a later bundle may be intact
		}
	}
	return nil
}

// bundle takes the wanted records from a bundle.
func (p *pull) bundle(ctx context.Context, info bundleInfo) error {
	keys, err := p.keysOf(ctx, info)
	p.bytes.Add(int64(8 * len(keys)))
	if err != nil || !p.has(keys) {
		return err
	}
	content, err := p.checked(ctx, info.SHA256, maxBundleBytes)
	if err != nil {
		return err
	}
	p.bytes.Add(int64(len(content)))
	var before []entry // content that the next record refers to
	err = readBundle(content, func(kind byte, key [32]byte, payload []byte) error {
		if kind != entryRecord {
			before = append(before, entry{kind, key, slices.Clone(payload)})
			return nil
		}
		defer func() { before = before[:0] }()
		return p.take(key, payload, before)
	})
	if err != nil && !errors.Is(err, errLocal) {
		p.ReportBad(fmt.Sprintf("a bundle of records that cannot be read: %v", err))
	}
	return err
}

// entry is a bundle entry that precedes its record.
type entry struct {
	kind    byte
	digest  cache.Digest
	content []byte
}

// errLocal reports a local error that the server did not cause.
var errLocal = errors.New("the record cannot be stored here")

// take stores a wanted record after the content that it refers to. It skips a record whose content is not available.
func (p *pull) take(key cache.Key, record []byte, needs []entry) error {
	i, ok := slices.BinarySearchFunc(p.want, key, func(a, b cache.Key) int { return slices.Compare(a[:], b[:]) })
	if !ok || p.got[i] {
		return nil
	}
	for _, n := range needs {
		switch {
		case n.kind == entryNeeds:
			if p.store.Fetch(n.digest) != nil {
				return nil
			}
			p.bytes.Add(smallContent)
		case cache.DigestOf(n.content) != n.digest:
			return errors.New("content in it does not have its digest")
		default:
			if _, err := p.store.PutBytes(n.content); err != nil {
				return fmt.Errorf("%w: %w", errLocal, err)
			}
		}
	}
	if err := p.put(key, record); err != nil {
		return fmt.Errorf("%w: %w", errLocal, err)
	}
	p.got[i] = true
	p.found++
	return nil
}

// has reports whether a key that is still missing has one of the prefixes.
func (p *pull) has(prefixes []uint64) bool {
	k := 0
	for i, key := range p.want {
		prefix := prefixOf(key)
		for k < len(prefixes) && prefixes[k] < prefix {
			k++
		}
		if k == len(prefixes) {
			return false
		}
		if prefixes[k] == prefix && !p.got[i] {
			return true
		}
	}
	return false
}
