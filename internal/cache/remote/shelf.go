package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// The protocol can neither list a server's entries nor append to one. Therefore every store that shares records has a
// shelf for each namespace: a list of its bundles, under a key derived from the namespace and the store. Only that
// store writes the shelf. The stores themselves are listed under the keys of numbered places. Each store takes the
// first free place and then looks again: if two stores took the same place, the loser takes another.
const (
	maxPlaces       = 1024
	maxPlacesAbsent = 4 // number of consecutive free places that ends the search: some places may have been evicted
)

// shelf lists one store's bundles.
type shelf struct {
	Store     string       `json:"store"`
	Namespace string       `json:"namespace"`
	Bundles   []bundleInfo `json:"bundles"`
}

// bundleInfo describes a bundle on a shelf.
type bundleInfo struct {
	SHA256     string `json:"sha256"`
	KeysSHA256 string `json:"keys_sha256"`
	Records    int    `json:"records"`
	RawBytes   int    `json:"raw_bytes"`
}

func placeKey(n int) string {
	k := cache.NewKeyWriter("items/1")
	k.Int("place", int64(n))
	return k.Key().String()
}

func shelfKey(namespace, store string) string {
	k := cache.NewKeyWriter("items/1")
	k.String("namespace", namespace)
	k.String("store", store)
	return k.Key().String()
}

// small returns a sealed text, or nil if it is missing. A damaged text is reported and treated as missing.
func (c *Client) small(ctx context.Context, name, what string) ([]byte, error) {
	var buf bytes.Buffer
	err := c.get(ctx, Records, name, &limited{w: &buf, left: maxRecord})
	if errors.Is(err, ErrAbsent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, ok := stripDigest(buf.Bytes())
	if !ok {
		c.ReportBad("a damaged " + what)
		return nil, nil
	}
	return text, nil
}

// writers returns the stores that share records, in order of their places, and the first free place.
func (c *Client) writers(ctx context.Context) (ids []string, free int, err error) {
	free = -1
	for n, absent := 0, 0; n < maxPlaces && absent < maxPlacesAbsent; n++ {
		text, err := c.small(ctx, placeKey(n), "list of stores")
		if err != nil {
			return nil, 0, err
		}
		if text == nil {
			if absent++; free < 0 {
				free = n
			}
			continue
		}
		absent = 0
		if id := string(text); len(id) == 32 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, free, nil
}

// takePlace ensures that a store has a place, and returns all stores that have one.
func (c *Client) takePlace(ctx context.Context, id string) (ids []string, err error) {
	for range 8 {
		ids, free, err := c.writers(ctx)
		if err != nil || slices.Contains(ids, id) {
			return ids, err
		}
		if free < 0 {
			return nil, errors.New("too many stores share records on the server")
		}
		if err := c.putRecord(ctx, placeKey(free), []byte(id)); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("other stores took every place in the list of stores")
}

func (c *Client) putRecord(ctx context.Context, name string, record []byte) error {
	text := addDigest(record)
	err := c.backend.Put(ctx, Records, name, bytes.NewReader(text), int64(len(text)))
	c.failed(err)
	return err
}

// shelfOf returns a store's shelf, which is empty if the server has none.
func (c *Client) shelfOf(ctx context.Context, namespace, id string) (*shelf, error) {
	s := &shelf{Store: id, Namespace: namespace}
	text, err := c.small(ctx, shelfKey(namespace, id), "list of records of "+namespace)
	if err != nil || text == nil {
		return s, err
	}
	var got shelf
	if err := json.Unmarshal(text, &got); err != nil || got.Store != id || got.Namespace != namespace {
		c.ReportBad("a list of records that belongs to another store")
		return s, nil
	}
	return &got, nil
}

// keysOf returns the sorted key prefixes of a bundle. It keeps them in memory: 8 bytes per shared record.
func (c *Client) keysOf(ctx context.Context, info bundleInfo) ([]uint64, error) {
	c.items.mu.Lock()
	keys, ok := c.items.keys[info.KeysSHA256]
	c.items.mu.Unlock()
	if ok {
		return keys, nil
	}
	content, err := c.checked(ctx, info.KeysSHA256, maxKeysBytes)
	if err != nil {
		return nil, err
	}
	if keys, err = readKeys(content); err != nil {
		c.ReportBad(fmt.Sprintf("an invalid list of keys: %v", err))
		return nil, err
	}
	c.items.mu.Lock()
	c.items.keys[info.KeysSHA256] = keys
	c.items.mu.Unlock()
	return keys, nil
}

// checked reads content whose size is at most most into memory, and checks it against its digest.
func (c *Client) checked(ctx context.Context, digest string, most int64) ([]byte, error) {
	d, err := cache.ParseDigest(digest)
	if err != nil {
		c.ReportBad("a list of records with a damaged digest")
		return nil, err
	}
	var buf bytes.Buffer
	if err := c.get(ctx, Content, d.String(), &limited{w: &buf, left: most}); err != nil {
		return nil, err
	}
	if cache.DigestOf(buf.Bytes()) != d {
		c.ReportBad("content that does not have the digest " + d.String())
		return nil, &cache.CorruptError{What: "content of the remote store", Why: "it does not have its digest"}
	}
	return buf.Bytes(), nil
}
