package worker

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// Need is a worker's result line that requests the content of a file that a work identifies only by digest, or a tree
// that the worker lacks.
type Need struct {
	SHA256 string `json:"need"`
}

// Given is the line in a chunk that answers a Need. It is followed by SizeBytes bytes of content and a line break.
type Given struct {
	SHA256    string `json:"content_sha256"`
	SizeBytes int64  `json:"size_bytes"`
	Tree      bool   `json:"tree,omitempty"`  // whether the bytes are a tar archive of a tree
	Error     string `json:"error,omitempty"` // reason why there is no content; no bytes follow
}

// spoolBytes is the maximum amount of content that a worker keeps. When it is full, the worker drops everything and
// requests content again.
const spoolBytes = 4e9

// contents holds the content that a worker has received, by digest, in an unnamed file that disappears with the worker.
type contents struct {
	ask func(Need)

	mu      sync.Mutex
	file    *os.File
	size    int64
	spans   map[string]span
	trees   map[string]string // paths of unpacked trees, by digest
	roots   map[string]bool   // digests of trees that are root file systems
	waiting map[string][]chan error
	ended   bool // whether no more content will arrive

	here Fingerprints // trees at the driver's paths

	scratch string // folder for trees; empty until needed
	leave   func() // removes the folder for trees
}

type span struct{ at, size int64 }

func newContents(ask func(Need)) *contents {
	return &contents{ask: ask, spans: map[string]span{}, trees: map[string]string{}, roots: map[string]bool{},
		waiting: map[string][]chan error{}}
}

// get returns the content with the given digest.
func (c *contents) get(ctx context.Context, digest string) (content []byte, err error) {
	var readErr error
	err = c.await(ctx, digest, func() bool {
		s, ok := c.spans[digest]
		if ok {
			content = make([]byte, s.size)
			_, readErr = c.file.ReadAt(content, s.at)
		}
		return ok
	})
	return content, errors.Join(err, readErr)
}

// await requests the content with a digest and waits for it. Concurrent waits for the same digest share one request.
func (c *contents) await(ctx context.Context, digest string, there func() bool) error {
	for {
		c.mu.Lock()
		if there() {
			c.mu.Unlock()
			return nil
		}
		if c.ended {
			c.mu.Unlock()
			return fmt.Errorf("%w: the chunk has no blob with the digest %s", ErrWork, digest)
		}
		given := make(chan error, 1)
		first := len(c.waiting[digest]) == 0
		c.waiting[digest] = append(c.waiting[digest], given)
		c.mu.Unlock()
		if first {
			c.ask(Need{digest})
		}
		select {
		case err := <-given:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// take reads the bytes that follow g's line. It returns read errors. For wrong content, it fails the goroutines that
// wait for the content.
func (c *contents) take(g *Given, in *bufio.Reader) error {
	if g.Error != "" {
		c.tell(g.SHA256, errors.New(g.Error))
		return nil
	}
	if g.Tree {
		return c.takeTree(g, in)
	}
	c.mu.Lock()
	at, err := c.room(g.SizeBytes)
	file := c.file
	c.mu.Unlock()
	if err != nil {
		return fmt.Errorf("keep content: %w", err)
	}
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(io.NewOffsetWriter(file, at), sum), in, g.SizeBytes); err != nil {
		return fmt.Errorf("read content: %w", err)
	}
	if err := lineBreak(in); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != g.SHA256 {
		c.tell(g.SHA256, fmt.Errorf("the blob received has the digest %s, not %s", got, g.SHA256))
		return nil
	}
	c.mu.Lock()
	c.spans[g.SHA256] = span{at, g.SizeBytes}
	c.mu.Unlock()
	c.tell(g.SHA256, nil)
	return nil
}

func (c *contents) takeTree(g *Given, in *bufio.Reader) error {
	path, broken, wrong := c.unpack(g.SHA256, in, g.SizeBytes)
	if broken == nil {
		broken = lineBreak(in)
	}
	if broken != nil {
		return fmt.Errorf("keep a tree: %w", broken)
	}
	if wrong == nil {
		c.mu.Lock()
		c.trees[g.SHA256] = path
		c.mu.Unlock()
	}
	c.tell(g.SHA256, wrong)
	return nil
}

func lineBreak(in *bufio.Reader) error {
	if b, err := in.ReadByte(); err != nil || b != '\n' {
		return errors.New("read a blob: a line break must follow it")
	}
	return nil
}

// room reserves space for size bytes in the file and returns its offset.
func (c *contents) room(size int64) (at int64, err error) {
	if size < 0 {
		return 0, errors.New("its size must be at least 0")
	}
	if c.file == nil {
		f, err := os.CreateTemp("", "smtpipe-contents-")
		if err != nil {
			return 0, err
		}
		if err := os.Remove(f.Name()); err != nil {
			return 0, errors.Join(err, f.Close())
		}
		c.file = f
	}
	if c.size > 0 && c.size+size > spoolBytes {
		if err := c.file.Truncate(0); err != nil {
			return 0, err
		}
		c.size = 0
		clear(c.spans)
	}
	at = c.size
	c.size += size
	return at, nil
}

func (c *contents) tell(digest string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, given := range c.waiting[digest] {
		given <- err
	}
	delete(c.waiting, digest)
}

// end fails all waiting goroutines, because no more content will arrive.
func (c *contents) end() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	for digest := range c.waiting {
		c.tell(digest, fmt.Errorf("%w: the chunk has no blob with the digest %s", ErrWork, digest))
	}
}

func (c *contents) close() error {
	if c.leave != nil {
		c.leave()
	}
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// Expose writes the inputs of a run without a private file system to a folder on this machine, and changes the command
// accordingly. done removes the folder.
func Expose(w *Work, isolation runner.Isolation) (done func(), err error) {
	if isolation.Private() || len(w.Inputs) == 0 {
		return func() {}, nil
	}
	dir, done, err := newScratch()
	if err != nil {
		return func() {}, err
	}
	var rest []File
	for i, in := range w.Inputs {
		named := false
		folder := filepath.Join(dir, strconv.Itoa(i)) // inputs may have the same base name
		path := filepath.Join(folder, filepath.Base(in.Target))
		for i, arg := range w.Command {
			if arg == in.Target {
				w.Command[i], named = path, true
			}
		}
		if !named {
			rest = append(rest, in)
			continue
		}
		content, err := in.Read()
		if err == nil {
			err = errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(path, content, 0o644))
		}
		if err != nil {
			return done, fmt.Errorf("input %s: %w", in.Target, err)
		}
	}
	w.Inputs = rest
	return done, nil
}
