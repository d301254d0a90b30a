package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
)

const (
	uploaders   = 4
	queueLength = 4096     // capacity of the queue of stage records to upload; it holds only keys
	maxRecord   = 64 << 20 // maximum size of a stage record, in bytes
)

// Client connects a store to a remote store that it reads from and uploads to. It implements cache.Remote.
type Client struct {
	backend Backend
	store   *cache.Store
	refers  func(schema string, d cache.Digest) ([]cache.Digest, error)
	needed  func(kind string) bool // reports whether records of a kind need their content; nil: none do

	ctx    context.Context
	cancel context.CancelFunc
	queue  chan cache.Key
	wait   sync.WaitGroup

	answerTimeout time.Duration // limit on the time until an answer starts
	circuit       circuit

	mu      sync.Mutex
	notes   []string // messages for display, without duplicates
	noted   map[string]bool
	done    map[cache.Digest]bool // content that was uploaded or already present
	dropped atomic.Int64

	items *sharing // nil if item records are not shared
}

// NewClient returns a client of backend for store. refers returns the content that an artifact needs; it may be nil.
func NewClient(backend Backend, store *cache.Store, refers func(schema string, d cache.Digest) ([]cache.Digest,
	error)) *Client {
	c := &Client{backend: backend, store: store, refers: refers, queue: make(chan cache.Key, queueLength),
		noted: map[string]bool{}, done: map[cache.Digest]bool{}, answerTimeout: lookupTimeout}
	if _, ok := backend.(folder); ok {
		c.answerTimeout = folderTimeout
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	for range uploaders {
		c.wait.Go(c.upload)
	}
	return c
}

// WaitLonger extends the time limit for the start of an answer: users who pull or push prefer to wait, whereas runs do
// not. It must be called before the client is used.
func (c *Client) WaitLonger() { c.answerTimeout = headerTimeout }

// NeedContent makes the client ignore records of the kinds selected by needed, those that cannot be reproduced, if
// their outputs are neither on the server nor in the store. It must be called before the client is used.
func (c *Client) NeedContent(needed func(kind string) bool) { c.needed = needed }

// Record implements cache.Remote.
func (c *Client) Record(key cache.Key) []byte {
	var buf bytes.Buffer
	if err := c.get(c.ctx, Records, key.String(), &limited{w: &buf, left: maxRecord}); err != nil {
		return nil
	}
	record, ok := stripDigest(buf.Bytes())
	if !ok {
		c.ReportBad("a damaged stage record for key " + key.String())
		return nil
	}
	if c.needed != nil && !c.hasOutputs(record) {
		return nil
	}
	return record
}

// hasOutputs reports whether a stage record's outputs are available, or not needed. A server may evict outputs but keep
// the record.
func (c *Client) hasOutputs(record []byte) bool {
	var a cache.Action
	if err := json.Unmarshal(record, &a); err != nil || !c.needed(a.Kind) {
		return true // the store itself rejects unreadable records
	}
	for _, out := range a.Outputs {
		d, err := cache.ParseDigest(out.Digest)
		if err != nil || c.store.Has(d) {
			continue // a plain value, or content that the store has
		}
		if have, err := c.has(c.ctx, Content, d.String()); err != nil || !have {
			return false
		}
	}
	return true
}

// addDigest prepends a record's digest: unlike content, a record cannot be checked against its name.
func addDigest(record []byte) []byte {
	return append([]byte(recordMagic+cache.DigestOf(record).String()+"\n"), record...)
}

const recordMagic = "smtprec1 "

// stripDigest is the inverse of addDigest. It returns false if the digest does not match.
func stripDigest(text []byte) ([]byte, bool) {
	head, record, ok := bytes.Cut(text, []byte("\n"))
	if !ok || string(head) != recordMagic+cache.DigestOf(record).String() {
		return nil, false
	}
	return record, true
}

// Content implements cache.Remote.
func (c *Client) Content(d cache.Digest, w io.Writer) error {
	return c.get(c.ctx, Content, d.String(), w)
}

// limited is a writer that rejects more than left bytes.
type limited struct {
	w    io.Writer
	left int64
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, errors.New("a stage record in the remote store is too large")
	}
	return l.w.Write(p)
}

func (c *Client) note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.noted[text] && len(c.notes) < 100 {
		c.noted[text] = true
		c.notes = append(c.notes, text)
	}
}

// Stored implements cache.Remote. It queues a new stage record and the content that it needs for upload, and never
// blocks.
func (c *Client) Stored(key cache.Key) {
	select {
	case c.queue <- key:
	default:
		c.dropped.Add(1)
	}
}

func (c *Client) upload() {
	for key := range c.queue {
		if c.offline() || c.ctx.Err() != nil {
			c.dropped.Add(1)
			continue
		}
		if _, err := c.Push(c.ctx, key); err != nil {
			c.dropped.Add(1)
			c.note(fmt.Sprintf("cannot upload a stage record: %v", err))
		}
	}
}

// Push uploads a stage record after the content that it needs, and returns the number of entries that the server
// lacked.
func (c *Client) Push(ctx context.Context, key cache.Key) (uploaded int, err error) {
	act, err := c.store.GetAction(key)
	if err != nil || act == nil {
		return 0, err
	}
	for _, out := range act.Outputs {
		d, err := cache.ParseDigest(out.Digest)
		if err != nil {
			continue // a plain value
		}
		all := []cache.Digest{d}
		if c.refers != nil {
			more, err := c.refers(out.Schema, d)
			if err != nil {
				return uploaded, err
			}
			all = append(all, more...)
		}
		for _, d := range all {
			fresh, err := c.pushContent(ctx, d)
			if err != nil {
				return uploaded, err
			}
			uploaded += fresh
		}
	}
	record, err := c.store.ActionBytes(key)
	if err != nil {
		return uploaded, err
	}
	err = c.putRecord(ctx, key.String(), record)
	if err == nil {
		uploaded++
	}
	return uploaded, err
}

// pushContent uploads a blob that the server lacks. It skips a blob that this store lacks because it was never needed
// here.
func (c *Client) pushContent(ctx context.Context, d cache.Digest) (int, error) {
	c.mu.Lock()
	done := c.done[d]
	c.mu.Unlock()
	if done || !c.store.Has(d) {
		return 0, nil
	}
	have, err := c.has(ctx, Content, d.String())
	if err != nil {
		return 0, err
	}
	if !have {
		if err := c.store.Verify(d); err != nil {
			return 0, err
		}
		b, err := c.store.OpenBlob(d)
		if err != nil {
			return 0, err
		}
		defer b.Close()
		err = c.backend.Put(ctx, Content, d.String(), b.Reader(), b.Size)
		c.failed(err)
		if err != nil {
			return 0, err
		}
	}
	c.mu.Lock()
	c.done[d] = true
	c.mu.Unlock()
	if have {
		return 0, nil
	}
	return 1, nil
}

// Close waits for uploads, but no longer than patience, and returns messages for display. It does not wait for a server
// that is cut off.
func (c *Client) Close(patience time.Duration) (notes []string) {
	close(c.queue)
	if c.offline() {
		patience = 0
	}
	timer := time.AfterFunc(patience, c.cancel)
	c.endSharing()
	c.wait.Wait()
	timer.Stop()
	c.cancel()
	if n := c.dropped.Load(); n > 0 {
		c.note(fmt.Sprintf("%d stage records were not uploaded; \"smtpipe cache push\" uploads them", n))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.notes
}
