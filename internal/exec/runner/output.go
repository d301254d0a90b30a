package runner

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// defaultOutputBytes is the output limit for runs without their own limit. Otherwise a run could exhaust the driver's
// memory.
const defaultOutputBytes = 256 << 20

// maxStderrBytes is the largest share of the output limit for stderr.
const maxStderrBytes = 1 << 20

// outputCaps splits an output limit between stdout and stderr.
func outputCaps(limit int64) (stdout, stderr int64) {
	if limit <= 0 {
		limit = defaultOutputBytes
	}
	stderr = min(limit/4, maxStderrBytes)
	return limit - stderr, stderr
}

// dropMark returns the line that replaces dropped output.
func dropMark(n int64) string { return fmt.Sprintf(dropFormat, n) }

const dropFormat = "\n[smtpipe: %d bytes dropped]\n"

// Cut reports whether an output contains a line that replaces dropped output.
func Cut(output []byte) bool { return dropLine().Match(output) }

var dropLine = pattern.Lazy(`\n\[smtpipe: [0-9]+ bytes dropped\]\n`)

// capture keeps the start and end of a stream. The first half of the limit is the head; the second half is a ring
// buffer.
type capture struct {
	headCap, tailCap int64

	mu    sync.Mutex
	head  []byte
	tail  []byte // ring buffer once full
	next  int    // next write position in the ring buffer
	total int64

	lines *lineRecorder // records lines; nil records none
	count *outputCount
}

// outputCount adds up the sizes of a run's streams and calls over once if they exceed the limit.
type outputCount struct {
	total atomic.Int64
	limit int64 // limit in bytes; zero means no limit
	once  sync.Once
	over  func()
}

func (c *outputCount) add(n int) {
	if t := c.total.Add(int64(n)); c.limit > 0 && t > c.limit {
		c.once.Do(c.over)
	}
}

func newCapture(limit int64, count *outputCount) *capture {
	return &capture{headCap: limit - limit/2, tailCap: limit / 2, count: count}
}

// copyBuffers provides buffers as large as a pipe's.
var copyBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// copy reads the stream to the end.
func (c *capture) copy(r io.Reader) {
	pooled := copyBuffers.Get().(*[64 << 10]byte)
	defer copyBuffers.Put(pooled)
	buf := pooled[:]
	for {
		n, err := r.Read(buf)
		if n > 0 {
			_, _ = c.Write(buf[:n])
		}
		if err != nil {
			return // end of the stream, or the deadline set after the run
		}
	}
}

// Write adds a chunk of the stream. It never fails.
func (c *capture) Write(p []byte) (int, error) {
	if c.lines != nil {
		c.lines.write(p)
	}
	c.mu.Lock()
	c.total += int64(len(p))
	rest := p
	if room := c.headCap - int64(len(c.head)); room > 0 {
		n := min(int64(len(rest)), room)
		c.head = append(c.head, rest[:n]...)
		rest = rest[n:]
	}
	c.writeTail(rest)
	c.mu.Unlock()
	c.count.add(len(p))
	return len(p), nil
}

func (c *capture) writeTail(p []byte) {
	if int64(len(p)) > c.tailCap {
		p = p[int64(len(p))-c.tailCap:]
	}
	if room := c.tailCap - int64(len(c.tail)); room > 0 {
		n := min(int64(len(p)), room)
		c.tail = append(c.tail, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 { // reached only if the ring buffer is full
		n := copy(c.tail[c.next:], p)
		p = p[n:]
		c.next = (c.next + n) % len(c.tail)
	}
}

// output returns the kept bytes.
func (c *capture) output() Output {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := append(c.tail[c.next:len(c.tail):len(c.tail)], c.tail[:c.next]...)
	return Output{Head: c.head, Tail: tail, Total: c.total}
}

const (
	maxLineText   = 256     // maximum number of bytes kept per line
	maxAnswerLine = 1 << 16 // maximum number of recorded answers
)

// lineRecorder records when lines arrive.
type lineRecorder struct {
	all int // number of lines to record regardless of content
	cpu func() time.Duration

	mu      sync.Mutex
	lines   []Line
	count   int
	answers int
	partial []byte
}

func (r *lineRecorder) write(p []byte) {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(p) > 0 {
		part, rest, found := bytes.Cut(p, []byte("\n"))
		if room := maxLineText - len(r.partial); room > 0 {
			r.partial = append(r.partial, part[:min(len(part), room)]...)
		}
		p = rest
		if found {
			r.end(now)
		}
	}
}

// moment is the arrival time of a chunk, which all lines in the chunk share.
type moment struct {
	at  time.Duration
	cpu func() time.Duration // CPU time, read once if the chunk contains an answer
}

func (r *lineRecorder) now() moment { return moment{monotonic(), sync.OnceValue(r.cpu)} }

// end ends the line in partial and records it if wanted.
func (r *lineRecorder) end(now moment) {
	text := string(r.partial)
	r.partial = r.partial[:0]
	r.count++
	answer := isAnswer(text) && r.answers < maxAnswerLine
	if !answer && r.count > r.all {
		return
	}
	line := Line{At: now.at, Text: Raw(text)}
	if answer {
		r.answers++
		line.CPU = now.cpu()
	}
	r.lines = append(r.lines, line)
}

// recorded returns the recorded lines with times relative to start. A last line without a line feed counts as a line.
func (r *lineRecorder) recorded(start time.Duration) []Line {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.partial) > 0 {
		r.end(r.now())
	}
	lines := make([]Line, len(r.lines))
	for i, l := range r.lines {
		l.At = max(0, l.At-start)
		lines[i] = l
	}
	return lines
}

// isAnswer reports whether a line is an answer to check-sat, possibly surrounded by white space.
func isAnswer(line string) bool {
	return comp.ReadAnswer(bytes.TrimSpace([]byte(line))) != comp.AnswerNone
}
