package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
)

var sharePause = 30 * time.Second // sharePause is the pause between uploads of records.

const (
	shareAtOnce = 4096    // number of new records that triggers an upload without the pause
	pendingMax  = 1 << 16 // maximum number of queued keys; if exceeded, the store is searched for new records
)

// sharing is the state of a client that shares records of items.
type sharing struct {
	refers func(namespace string, record []byte) []cache.Digest
	share  func(namespace string) bool
	soon   chan struct{}
	end    chan struct{}
	wait   sync.WaitGroup
	once   sync.Once

	mu      sync.Mutex
	pending map[string]*pending
	keys    map[string][]uint64 // key lists of bundles, by digest

	uploading sync.Mutex        // held by the goroutine that uploads; guards shelves
	shelves   map[string]*known // this store's shelves, by namespace
}

// pending holds a namespace's new records.
type pending struct {
	keys   []cache.Key
	search bool // keys is incomplete: search the store
}

// known describes a namespace's records on the server.
type known struct {
	own   *shelf
	lists [][]uint64 // sorted key prefixes of the bundles of all stores
}

func (k *known) has(key cache.Key) bool {
	prefix := prefixOf(key)
	for _, list := range slices.Backward(k.lists) {
		if _, ok := slices.BinarySearch(list, prefix); ok {
			return true
		}
	}
	return false
}

// ShareItems makes the client share item records in the namespaces that share selects, with the content that they refer
// to. It must be called before the client is used. The client uploads records in bundles in the background, within half
// a minute of writing, as long as the server keeps up.
func (c *Client) ShareItems(share func(namespace string) bool, refers func(namespace string,
	record []byte) []cache.Digest) {
	c.items = &sharing{
		refers: refers, share: share, soon: make(chan struct{}, 1), end: make(chan struct{}),
		pending: map[string]*pending{}, keys: map[string][]uint64{}, shelves: map[string]*known{},
	}
	c.items.wait.Go(c.shareAll)
}

func (c *Client) shares(namespace string) bool { return c.items != nil && c.items.share(namespace) }

// ItemStored implements cache.ItemRemote.
func (c *Client) ItemStored(namespace string, key cache.Key) {
	if !c.shares(namespace) {
		return
	}
	s := c.items
	s.mu.Lock()
	p := s.pending[namespace]
	if p == nil {
		p = &pending{search: true} // an earlier process may have been killed before it uploaded all records
		s.pending[namespace] = p
	}
	if len(p.keys) < pendingMax {
		p.keys = append(p.keys, key)
	} else {
		p.search = true
	}
	full := len(p.keys)%shareAtOnce == 0
	s.mu.Unlock()
	if full {
		select {
		case s.soon <- struct{}{}:
		default:
		}
	}
}

// shareAll uploads new records until the client is closed.
func (c *Client) shareAll() {
	tick := time.NewTicker(sharePause)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-c.items.end:
			ended = true
		case <-tick.C:
		case <-c.items.soon:
		}
		for _, namespace := range c.waiting() {
			c.shareNamespace(namespace)
		}
	}
}

// waiting returns the namespaces with new records in sorted order.
func (c *Client) waiting() []string {
	c.items.mu.Lock()
	defer c.items.mu.Unlock()
	var all []string
	for namespace, p := range c.items.pending {
		if len(p.keys) > 0 || p.search {
			all = append(all, namespace)
		}
	}
	slices.Sort(all)
	return all
}

// shareNamespace uploads new records. It retries failed uploads the next time.
func (c *Client) shareNamespace(namespace string) {
	if c.offline() || c.ctx.Err() != nil {
		return
	}
	c.items.mu.Lock()
	p := c.items.pending[namespace]
	take := *p
	*p = pending{}
	c.items.mu.Unlock()
	if _, err := c.uploadItems(c.ctx, namespace, &take); err != nil {
		c.items.mu.Lock()
		p.search = true
		c.items.mu.Unlock()
		if c.ctx.Err() == nil && !errors.Is(err, errOffline) && !errors.Is(err, errBusy) {
			c.note(fmt.Sprintf("records of %s could not be uploaded: %v", namespace, err))
		}
	}
}

// endSharing uploads the remaining records and stops sharing.
func (c *Client) endSharing() {
	if c.items == nil {
		return
	}
	c.items.once.Do(func() { close(c.items.end) })
	c.items.wait.Wait()
	for _, namespace := range c.waiting() {
		c.note(fmt.Sprintf("some records of %s were not uploaded; \"smtpipe cache push\" uploads the rest", namespace))
	}
}

// PushItems uploads all of a namespace's records that no store has uploaded yet, and returns their number.
func (c *Client) PushItems(ctx context.Context, namespace string) (int, error) {
	if !c.shares(namespace) {
		return 0, nil
	}
	return c.uploadItems(ctx, namespace, &pending{search: true})
}

var errBusy = errors.New("another process is uploading this store to the same server")

// uploadItems uploads a namespace's records. Only one goroutine in one of the store's processes does so at any time.
func (c *Client) uploadItems(ctx context.Context, namespace string, p *pending) (int, error) {
	c.items.uploading.Lock()
	defer c.items.uploading.Unlock()
	lock, busy, err := c.store.Lock("share")
	if err != nil {
		return 0, err
	}
	if busy {
		return 0, errBusy
	}
	defer lock.Close()
	k, err := c.knownOf(ctx, namespace)
	if err != nil {
		return 0, err
	}
	u := &uploadOf{Client: c, ctx: ctx, namespace: namespace, known: k}
	log, err := c.store.Items(namespace)
	if err != nil {
		return 0, err
	}
	if p.search {
		err = log.Each(u.add)
	} else {
		for _, key := range p.keys {
			record, ok, got := log.Get(key)
			if got != nil || !ok {
				continue // damaged: computed again when needed
			}
			if err = u.add(key, record); err != nil {
				break
			}
		}
	}
	if err == nil {
		err = u.finish()
	}
	if err != nil {
		delete(c.items.shelves, namespace) // read the shelf again
	}
	return u.records, err
}

// knownOf finds a namespace's records on the server, once per client. It forgets bundles that the server has lost.
func (c *Client) knownOf(ctx context.Context, namespace string) (*known, error) {
	if k := c.items.shelves[namespace]; k != nil {
		return k, nil
	}
	id, err := c.store.ID()
	if err != nil {
		return nil, err
	}
	ids, err := c.takePlace(ctx, id)
	if err != nil {
		return nil, err
	}
	k := &known{}
	for _, other := range append(slices.DeleteFunc(ids, func(s string) bool { return s == id }), id) {
		s, err := c.shelfOf(ctx, namespace, other)
		if err != nil {
			return nil, err
		}
		kept := s.Bundles[:0]
		for _, info := range s.Bundles {
			keys, ok, err := c.whole(ctx, info)
			if err != nil {
				return nil, err
			}
			if ok {
				kept, k.lists = append(kept, info), append(k.lists, keys)
			}
		}
		s.Bundles = kept
		k.own = s // this store's shelf is the last one
	}
	c.items.shelves[namespace] = k
	return k, nil
}

// whole reports whether the server has a bundle and its key list.
func (c *Client) whole(ctx context.Context, info bundleInfo) (keys []uint64, ok bool, err error) {
	have, err := c.has(ctx, Content, info.SHA256)
	if err != nil || !have {
		return nil, false, err
	}
	if keys, err = c.keysOf(ctx, info); err != nil {
		if c.offline() || ctx.Err() != nil {
			return nil, false, err
		}
		return nil, false, nil
	}
	return keys, true, nil
}

// uploadOf uploads a batch of new records.
type uploadOf struct {
	*Client
	ctx       context.Context
	namespace string
	known     *known
	bundle    bundle
	records   int
	changed   bool
}

// add adds a record that the server lacks.
func (u *uploadOf) add(key cache.Key, record []byte) error {
	if err := u.ctx.Err(); err != nil {
		return err
	}
	if u.known.has(key) {
		return nil
	}
	added, err := u.addRecord(&u.bundle, u.namespace, key, record, func(d cache.Digest) error {
		_, err := u.pushContent(u.ctx, d)
		return err
	})
	if err != nil {
		return err
	}
	if added {
		u.records++
	}
	if len(u.bundle.raw) >= bundleBytes {
		return u.put()
	}
	return nil
}

// finish uploads the last bundle, merged with the small bundles before it, and the shelf.
func (u *uploadOf) finish() error {
	if len(u.bundle.keys) > 0 {
		if err := u.merge(); err != nil {
			return err
		}
		if err := u.put(); err != nil {
			return err
		}
	}
	if !u.changed {
		return nil
	}
	text, err := json.Marshal(u.known.own)
	if err != nil {
		return err
	}
	return u.putRecord(u.ctx, shelfKey(u.namespace, u.known.own.Store), text)
}

// merge adds the last bundles on the shelf to the one under construction, as long as they are not much larger. Each
// record is uploaded a few times, but a shelf stays short.
func (u *uploadOf) merge() error {
	own := u.known.own
	for len(own.Bundles) > 0 {
		last := own.Bundles[len(own.Bundles)-1]
		if last.RawBytes > 2*len(u.bundle.raw) || last.RawBytes+len(u.bundle.raw) > bundleBytes {
			return nil
		}
		content, err := u.checked(u.ctx, last.SHA256, maxBundleBytes)
		if err != nil {
			return err
		}
		err = readBundle(content, func(kind byte, key [32]byte, payload []byte) error {
			u.bundle.add(kind, key, payload)
			return nil
		})
		if err != nil {
			return fmt.Errorf("this store's bundle on the server: %w", err)
		}
		own.Bundles = own.Bundles[:len(own.Bundles)-1]
		u.known.lists = u.known.lists[:len(u.known.lists)-1] // the key lists of this store's shelf are last
	}
	return nil
}

// put uploads the bundle and puts it on the shelf.
func (u *uploadOf) put() error {
	content, keys, err := u.bundle.encode()
	if err != nil {
		return err
	}
	info := bundleInfo{Records: len(u.bundle.keys), RawBytes: len(u.bundle.raw)}
	for _, part := range []struct {
		bytes  []byte
		digest *string
	}{{content, &info.SHA256}, {keys, &info.KeysSHA256}} {
		*part.digest = cache.DigestOf(part.bytes).String()
		err := u.backend.Put(u.ctx, Content, *part.digest, bytes.NewReader(part.bytes), int64(len(part.bytes)))
		u.failed(err)
		if err != nil {
			return err
		}
	}
	slices.Sort(u.bundle.keys)
	u.known.lists = append(u.known.lists, u.bundle.keys)
	u.known.own.Bundles = append(u.known.own.Bundles, info)
	u.changed = true
	u.bundle = bundle{raw: u.bundle.raw[:0]}
	return nil
}
