package remote

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// transfers is the maximum number of concurrent transfers of a whole store or artifact.
const transfers = 8

// PushAll uploads all stage records of the store with the content that they need. It returns the number of records,
// and of uploaded blobs and records.
func (c *Client) PushAll(ctx context.Context) (records, uploaded int, err error) {
	var keys []cache.Key
	_, err = c.store.EachAction(func(key cache.Key, _ *cache.Action) error {
		keys = append(keys, key)
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	counts := make([]int, len(keys))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(transfers)
	for i, key := range keys {
		group.Go(func() (err error) {
			counts[i], err = c.Push(ctx, key)
			return err
		})
	}
	err = group.Wait()
	for _, n := range counts {
		uploaded += n
	}
	return len(keys), uploaded, err
}

// PushAllItems uploads the item records in all namespaces and returns the number of new ones.
func (c *Client) PushAllItems(ctx context.Context) (uploaded int, err error) {
	spaces, err := c.store.Namespaces()
	if err != nil {
		return 0, err
	}
	for _, namespace := range spaces {
		n, err := c.PushItems(ctx, namespace)
		uploaded += n
		if err != nil {
			return uploaded, fmt.Errorf("records of %s: %w", namespace, err)
		}
	}
	return uploaded, nil
}

// FetchArtifact downloads an artifact and the content that it needs, which needs returns once the artifact is there. It
// returns the number of blobs that it downloaded, and of those that could not be had.
func FetchArtifact(ctx context.Context, store *cache.Store, d cache.Digest, needs func() ([]cache.Digest, error)) (got,
	gone int, err error) {
	had := store.Has(d)
	if store.Fetch(d) != nil {
		return 0, 1, nil
	}
	if !had {
		got++
	}
	needed, err := needs()
	if err != nil {
		return got, 0, err
	}
	found := make([]int, len(needed))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(transfers)
	for i, d := range needed {
		if store.Has(d) {
			continue
		}
		group.Go(func() error {
			found[i] = 1
			if store.Fetch(d) != nil {
				found[i] = -1
			}
			return ctx.Err()
		})
	}
	err = group.Wait()
	for _, f := range found {
		got, gone = got+max(f, 0), gone+max(-f, 0)
	}
	return got, gone, err
}
