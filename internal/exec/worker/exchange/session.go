package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// Session handles a chunk that a job has taken: it decides which works may start, and writes results. It does not
// execute works.
type Session struct {
	site Site
	ends time.Time // when the job ends; zero means no limit

	mu       sync.Mutex
	writeErr error
	torn     bool // whether a write failed, perhaps in the middle of a line

	looked time.Time // when the session last looked at the folder
	end    string    // why no further run may start; empty if runs may start
}

// Site is a chunk's folder and the clock, as the job's machine sees them.
type Site interface {
	Now() time.Time
	// Gone reports whether the driver has removed the works.
	Gone() bool
	// Append writes lines to the results file with a single write. When it returns, they are on disk.
	Append(lines []byte) error
}

// NewSession starts a session. The results file must exist.
func NewSession(site Site, ends time.Time) *Session { return &Session{site: site, ends: ends} }

// MayBegin reports whether a task may start now. Calls must not be concurrent.
func (s *Session) MayBegin(ctx context.Context, works []*worker.Work) bool {
	if s.end == "" {
		var limit time.Duration
		for _, w := range works {
			limit += w.Limits.WallTime
		}
		s.look(ctx, limit)
	}
	return s.end == ""
}

// End returns the reason why no further run starts, or an empty string if runs may start.
func (s *Session) End() string { return s.end }

const (
	lookEvery = 5 * time.Second
	// Reserve is how far a run may exceed its time limit, including all overhead.
	Reserve = 15 * time.Second
)

// look checks whether runs may still start.
func (s *Session) look(ctx context.Context, limit time.Duration) {
	now := s.site.Now()
	switch {
	case ctx.Err() != nil || s.failed() != nil:
		s.end = EndStopped
	case !s.ends.IsZero() && s.ends.Sub(now) < limit+Reserve:
		s.end = EndTime
	case s.looked.IsZero() || now.Sub(s.looked) >= lookEvery:
		if s.looked = now; s.site.Gone() {
			s.end = EndWithdrawn
		}
	}
}

// Write writes records with a single write. When it returns, they are on disk.
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
	if s.writeErr == nil {
		if err := s.append(lines); err != nil {
			s.writeErr = fmt.Errorf("write results: %w", err)
		}
	}
	return s.writeErr
}

// Live writes a sign of life. It ignores errors: the disk may have space again when there is a result.
func (s *Session) Live() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writeErr == nil {
		_ = s.append(AppendLine(nil, []byte(`{"alive":true}`)))
	}
}

// append writes lines, starting a new line if the last one is incomplete.
func (s *Session) append(lines []byte) error {
	if s.torn {
		lines = append([]byte("\n"), lines...)
	}
	err := s.site.Append(lines)
	s.torn = err != nil
	return err
}

func (s *Session) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeErr
}

// Finish writes the last line, with the reason for ending.
func (s *Session) Finish(reason string) error {
	return s.Write(map[string]End{"end": {Reason: reason}})
}

// node implements Site for this machine.
type node struct {
	folder string
	out    *os.File
}

func (n *node) Now() time.Time { return time.Now() }

func (n *node) Gone() bool {
	_, err := os.Stat(filepath.Join(n.folder, WorksFile))
	return errors.Is(err, fs.ErrNotExist)
}

func (n *node) Append(lines []byte) error {
	if _, err := n.out.Write(lines); err != nil {
		return err
	}
	return n.out.Sync()
}
