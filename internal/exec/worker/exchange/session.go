package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// Session is an attempt that is going on, without what executes works: it decides what is executed, and writes results.
type Session struct {
	*Attempt
	site  Site
	begun time.Time

	mu       sync.Mutex
	writeErr error

	looked time.Time // at the folder
	end    string    // why no further run begins; empty: runs may begin
	others []other
	done   map[string]bool // works that others have
}

// Site is the folder of a chunk as the machine of an attempt sees it, and the clock of that machine.
type Site interface {
	Now() time.Time
	// Gone reports whether the works were removed.
	Gone() bool
	// Names lists the files.
	Names() ([]string, error)
	// Read reads a file from a place on.
	Read(name string, at int64) ([]byte, error)
	// Append writes lines to the file of the attempt in one piece. They are on the disk when it returns.
	Append(lines []byte) error
}

// other is another attempt at the same chunk.
type other struct {
	name string
	read int64 // bytes of whole lines
}

// NewSession begins an attempt, whose file must exist.
func NewSession(a *Attempt, site Site) *Session {
	return &Session{Attempt: a, site: site, begun: site.Now(), done: map[string]bool{}}
}

// Restart returns the number of the attempt among those of a job.
func Restart(attempt string) int {
	parts := strings.Split(attempt, "-")
	if len(parts) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(parts[1]) // 0 for a foreign name
	return n
}

// MustWait reports whether data of earlier attempts may not be visible yet: not all of them have ended by themselves.
func (s *Session) MustWait() bool {
	s.listOthers()
	ended := 0
	for i := range s.others {
		if s.readOther(&s.others[i]) {
			ended++
		}
	}
	return ended < len(s.others) || ended < Restart(s.Name)
}

// MayBegin reports whether a task is to be executed now. Calls must not be concurrent.
func (s *Session) MayBegin(ctx context.Context, works []*worker.Work) bool {
	if s.end == "" {
		var limit time.Duration
		for _, w := range works {
			limit += w.Limits.WallTime
		}
		s.look(ctx, limit)
	}
	return s.end == "" && !worker.Done(works, s.done)
}

// End returns why no further run begins; empty: runs may begin.
func (s *Session) End() string { return s.end }

const (
	lookEvery = 5 * time.Second
	// Reserve is the time by which a run may exceed its limit, including all overhead.
	Reserve = 15 * time.Second
)

// look looks for reasons to end, and for results of other attempts.
func (s *Session) look(ctx context.Context, limit time.Duration) {
	now := s.site.Now()
	switch {
	case ctx.Err() != nil || s.failed() != nil:
		s.end = EndStopped
		return
	case s.Within > 0 && now.Sub(s.begun)+limit+Reserve > s.Within:
		s.end = EndTime
		return
	case !s.looked.IsZero() && now.Sub(s.looked) < lookEvery:
		return
	}
	s.looked = now
	if s.site.Gone() {
		s.end = EndWithdrawn
		return
	}
	s.listOthers()
	for i := range s.others {
		if Restart(s.others[i].name) > Restart(s.Name) {
			s.end = EndReplaced
			return
		}
		s.readOther(&s.others[i])
	}
}

// listOthers finds attempts other than this one.
func (s *Session) listOthers() {
	names, _ := s.site.Names() // if it fails, the next look may succeed
	for _, name := range names {
		if IsAttempt(name) && name != s.Name &&
			!slices.ContainsFunc(s.others, func(o other) bool { return o.name == name }) {
			s.others = append(s.others, other{name: name})
		}
	}
}

// IsAttempt reports whether a file of a chunk is that of an attempt.
func IsAttempt(name string) bool { return name != WorksFile && !strings.HasPrefix(name, ".") }

// readOther notes the works that another attempt has executed, and reports whether it has ended by itself.
func (s *Session) readOther(o *other) (ended bool) {
	data, err := s.site.Read(o.name, o.read)
	if err != nil {
		return false
	}
	size, _ := Lines(data, func(line []byte) error {
		record, ok := Line(line)
		if !ok {
			return nil
		}
		var head struct {
			ID  string `json:"id"`
			End *End   `json:"end"`
		}
		if json.Unmarshal(record, &head) == nil {
			ended = ended || head.End != nil
			s.done[head.ID] = true
		}
		return nil
	})
	o.read += int64(size)
	return ended
}

// Write writes records in one piece. They are on the disk when it returns.
func (s *Session) Write(all ...any) error {
	var lines []byte
	for _, v := range all {
		record, err := json.Marshal(v)
		if err != nil {
			return err
		}
		lines = AppendLine(lines, record)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writeErr != nil {
		return s.writeErr
	}
	if err := s.site.Append(lines); err != nil {
		s.writeErr = fmt.Errorf("write results: %w", err)
		_ = s.site.Append([]byte("\n")) // start a new line
	}
	return s.writeErr
}

func (s *Session) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeErr
}

// Finish writes the last line.
func (s *Session) Finish(reason string, left int) error {
	return s.Write(map[string]*End{"end": {Reason: reason, Left: left}})
}

// node is the site of this machine.
type node struct {
	folder string
	out    *os.File // of the attempt
}

func (n *node) Now() time.Time { return time.Now() }

func (n *node) Gone() bool {
	_, err := os.Stat(filepath.Join(n.folder, WorksFile))
	return errors.Is(err, fs.ErrNotExist)
}

func (n *node) Names() ([]string, error) {
	f, err := os.Open(n.folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (n *node) Read(name string, at int64) ([]byte, error) {
	f, err := Open(filepath.Join(n.folder, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, at, MaxLine))
}

func (n *node) Append(lines []byte) error {
	if _, err := n.out.Write(lines); err != nil {
		return err
	}
	return n.out.Sync()
}
