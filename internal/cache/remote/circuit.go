package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// Bounds on the time that a server may cost a run. A server that exceeds one of them is cut off for the whole process.
// Its health is then checked in the background, and nothing waits for the server a second time.
var (
	lookupTimeout   = time.Second      // from a request, including its connection, to the first byte of the answer
	folderTimeout   = 10 * time.Second // the same limit for a folder, which may have to be mounted first
	transferGrace   = 5 * time.Second  // time before a download must reach transferRate
	transferRate    = int64(100_000)   // in bytes per second
	maxAbsentWait   = 3 * time.Second  // total wait for absent entries, if the mean is at least slowAbsentMean
	slowAbsentMean  = 250 * time.Millisecond
	offlinePause    = 30 * time.Second // before a server that was cut off is tried again; doubled each time
	maxOfflinePause = time.Hour
)

const failures = 3 // consecutive failures, or wrong answers, after which a server is cut off

var (
	errOffline = errors.New("the remote store is offline")
	errTooSlow = errors.New("it is too slow")
)

// lateError reports that an answer did not start in time.
type lateError struct{ after time.Duration }

func (e *lateError) Error() string { return fmt.Sprintf("it did not answer in %v", e.after) }

// circuit decides whether a server is used.
type circuit struct {
	mu          sync.Mutex
	open        bool          // whether the server is cut off
	bad         int           // number of wrong answers
	failedInRow int           // number of failures since the last answer
	pause       time.Duration // pause before the first probe after the next cut-off
	absentWait  time.Duration // total wait for answers about absent entries
	absentCount int           // number of answers about absent entries
}

// offline reports whether the server is cut off.
func (c *Client) offline() bool {
	c.circuit.mu.Lock()
	defer c.circuit.mu.Unlock()
	return c.circuit.open
}

// cutOff stops using the server: for good if it sent wrong bytes too often, otherwise until a background check
// succeeds.
func (c *Client) cutOff(why string) {
	c.circuit.mu.Lock()
	was := c.circuit.open
	c.circuit.open = true
	forGood := c.circuit.bad >= failures
	pause := min(max(c.circuit.pause, offlinePause), maxOfflinePause)
	c.circuit.pause = 2 * pause
	c.circuit.mu.Unlock()
	if was || c.ctx.Err() != nil {
		return
	}
	c.note("the remote store is not used for a while: " + why)
	if !forGood {
		go c.probe(pause)
	}
}

// probe retries the server, with increasing pauses, until it answers in time.
func (c *Client) probe(pause time.Duration) {
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-time.After(pause):
		}
		ctx, _, end := withAnswerTimeout(c.ctx, lookupTimeout)
		_, err := c.backend.Has(ctx, Content, strings.Repeat("0", 64))
		end()
		c.circuit.mu.Lock()
		if c.circuit.bad >= failures {
			c.circuit.mu.Unlock()
			return
		}
		if err == nil {
			c.circuit.open, c.circuit.failedInRow, c.circuit.absentWait, c.circuit.absentCount = false, 0, 0, 0
			c.circuit.mu.Unlock()
			return
		}
		pause = min(2*pause, maxOfflinePause)
		c.circuit.mu.Unlock()
	}
}

// ReportBad implements cache.Remote.
func (c *Client) ReportBad(what string) {
	c.note("the remote store sent " + what + ", which is not used")
	c.circuit.mu.Lock()
	c.circuit.bad++
	gone := c.circuit.bad >= failures
	c.circuit.mu.Unlock()
	if gone {
		c.cutOff(fmt.Sprintf("it sent wrong bytes %d times", failures))
	}
}

// failed records how a request ended. Neither an absent entry nor a request whose caller stopped waiting counts as a
// failure.
func (c *Client) failed(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	c.circuit.mu.Lock()
	if err == nil || errors.Is(err, ErrAbsent) {
		c.circuit.failedInRow = 0
		c.circuit.mu.Unlock()
		return
	}
	c.circuit.failedInRow++
	gone := c.circuit.failedInRow >= failures
	c.circuit.mu.Unlock()
	switch {
	case isSlow(err):
		c.cutOff(err.Error())
	case gone:
		c.cutOff(fmt.Sprintf("it failed %d times in a row: %v", failures, err))
	}
}

// isSlow reports whether a request took too long.
func isSlow(err error) bool {
	if n, ok := errors.AsType[net.Error](err); ok && n.Timeout() {
		return true
	}
	_, late := errors.AsType[*lateError](err)
	return late || errors.Is(err, errStalled) || errors.Is(err, errTooSlow)
}

// waited records how long an answer about an absent entry took.
func (c *Client) waited(took time.Duration) {
	c.circuit.mu.Lock()
	c.circuit.absentWait += took
	c.circuit.absentCount++
	slow := c.circuit.absentWait > maxAbsentWait && c.circuit.absentWait > time.Duration(
		c.circuit.absentCount)*slowAbsentMean
	c.circuit.mu.Unlock()
	if slow {
		c.cutOff(fmt.Sprintf("it took more than %v to report that it lacks a few entries", maxAbsentWait))
	}
}

// withAnswerTimeout returns a context that ends with a lateError unless begun is called in time.
func withAnswerTimeout(ctx context.Context, timeout time.Duration) (_ context.Context, begun func(), end func()) {
	ctx, stop := context.WithCancelCause(ctx)
	timer := time.AfterFunc(timeout, func() { stop(&lateError{timeout}) })
	return ctx, func() { timer.Stop() }, func() { timer.Stop(); stop(nil) }
}

// get downloads an entry within the time limits for look-ups and transfers.
func (c *Client) get(ctx context.Context, kind Kind, name string, w io.Writer) error {
	if c.offline() {
		return errOffline
	}
	ctx, begun, end := withAnswerTimeout(ctx, c.answerTimeout)
	defer end()
	start := time.Now()
	err := c.backend.Get(ctx, kind, name, &paced{w: w, begun: begun, start: start})
	err = cause(ctx, err)
	c.failed(err)
	if errors.Is(err, ErrAbsent) {
		c.waited(time.Since(start))
	}
	return err
}

// has reports whether the server has an entry, within the time limit for look-ups.
func (c *Client) has(ctx context.Context, kind Kind, name string) (bool, error) {
	ctx, _, end := withAnswerTimeout(ctx, c.answerTimeout)
	defer end()
	have, err := c.backend.Has(ctx, kind, name)
	err = cause(ctx, err)
	c.failed(err)
	return have, err
}

// paced is a writer that fails if bytes arrive too slowly.
type paced struct {
	w     io.Writer
	begun func() // called at the first byte
	start time.Time
	n     int64
}

func (p *paced) Write(b []byte) (int, error) {
	if p.n == 0 {
		p.begun()
	}
	p.n += int64(len(b))
	if tooSlow(time.Since(p.start), p.n) {
		return 0, errTooSlow
	}
	return p.w.Write(b)
}

// tooSlow reports whether bytes is too few for the time taken.
func tooSlow(took time.Duration, bytes int64) bool {
	late := took - transferGrace
	return late > 0 && float64(bytes) < late.Seconds()*float64(transferRate)
}
