// Package fanout executes work on an executor for stages that keep records of the results. It handles places, attempts,
// losses and progress. The caller defines the work and interprets the results.
package fanout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/all"
	"github.com/smtpipe/smtpipe/internal/exec/worker/local"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Place describes where work is executed.
type Place struct {
	Kind  *worker.Kind
	Image *Image // the executor's image; nil if it has none
	worker.Options
}

// Here returns this machine as a place, with a level of isolation.
func Here(isolation runner.Isolation) Place {
	return Place{Kind: local.Kind, Options: worker.Options{Header: worker.Header{Isolation: isolation}}}
}

// SeparateRoot reports whether programs may have a separate root file system.
func (p *Place) SeparateRoot() bool { return p.Isolation.Private() || p.Isolation == runner.BestEffort }

// Read reads the executor block that the attribute "executor" names, if it is given.
func (p *Place) Read(a *stages.Args) error {
	v := a.Value("executor")
	if v.IsNull() {
		return nil
	}
	if err := p.Use(v); err != nil {
		return a.Invalid("executor", "Invalid executor", stages.Sentence(err))
	}
	return nil
}

// Use sets the place to an executor block's value.
func (p *Place) Use(v cty.Value) error {
	kind, o, err := all.Read(v)
	if err != nil {
		return err
	}
	if p.Image, err = ReadImage(v.GetAttr("image")); err != nil {
		return err
	}
	o.Hardware = cmp.Or(o.Hardware, p.Hardware)
	p.Kind, p.Options = kind, o
	return nil
}

// Site is an open place.
type Site struct {
	worker.Executor
	Place
	Places int // maximum number of programs executed concurrently
	env    *stages.Env
	leave  func() error
	cores  int

	programs worker.Fingerprints

	mu     sync.Mutex
	told   string // the last published status
	warned map[string]bool
	nodes  []evidence.Node
	// changed means that the nodes differ from the stored ones.
	changed bool
}

// Open opens the executor for work with the given limits. Concurrent stages share an executor of this machine, and Open
// waits until the machine is free for this class of work. purpose distinguishes a stage's different kinds of work.
func (p Place) Open(ctx context.Context, env *stages.Env, limits comp.Limits, purpose string) (*Site, error) {
	switch hardware := p.Hardware; {
	case env.Distrusted: // a stranger's executor could be any command
		p = Here(runner.Full)
		if !env.Anywhere {
			p.Hardware = hardware
		}
	case env.Anywhere:
		p = Here(runner.BestEffort)
	}
	p.Cores, p.MemoryBytes, p.Folder, p.Log = limits.Cores, limits.MemoryBytes, env.Folder, env.Log
	p.State = filepath.Join(stateFolder(env.Store, env.Address), purpose)
	s := &Site{Place: p, env: env, cores: limits.Cores, warned: map[string]bool{}}
	if !p.Kind.Here {
		x, err := p.Kind.Open(ctx, p.Options)
		if err != nil {
			return nil, err
		}
		s.Executor, s.leave, s.Places = x, x.Close, x.Hello().Slots
	} else {
		class := fmt.Sprintf("%s %s %d jobs %d cores %d bytes", p.Kind.Name, p.Isolation, p.Jobs, p.Cores,
			p.MemoryBytes)
		open := func() (io.Closer, error) { return p.Kind.Open(ctx, p.Options) }
		shared, leave, err := env.Machine.Enter(ctx, class, open)
		if err != nil {
			return nil, err
		}
		s.Executor, s.leave = shared.(worker.Executor), leave
		s.Places = max(1, min(s.Hello().Slots, env.Jobs/max(1, p.Cores)))
	}
	s.noteMachine(s.Hello())
	var err error
	if s.nodes, err = evidence.FindNodes(env.Store, env.Address); err != nil {
		return nil, errors.Join(err, s.leave())
	}
	for i := range s.nodes {
		s.nodes[i].Excluded = "" // set by an earlier driver
	}
	return s, nil
}

// Close releases the executor.
func (s *Site) Close() error {
	end := s.Hello()
	if s.Kind.Here {
		state := runner.MachineState()
		end.State = &state
	}
	s.noteMachine(end)
	s.keepNodes()
	return s.leave()
}

// Private reports whether programs have their own root instead of the machine's files.
func (s *Site) Private() bool { return s.Hello().Isolation.Private() }

// reserve acquires the cores for one Work from the cores that the stages share, if the executor is this machine's.
func (s *Site) reserve(ctx context.Context) (release func(), err error) {
	if !s.Kind.Here {
		return func() {}, nil
	}
	return s.env.Reserve(ctx, s.cores)
}

// Verify returns the digests of a program or folder that a remote executor must have, or nil for an executor of this
// machine. Each program or folder is read once.
func (s *Site) Verify(path string) ([]worker.Digest, error) {
	if s.Kind.Here {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	sum, err := s.programs.Of(path)
	return []worker.Digest{{Path: path, SHA256: sum, Tree: info.IsDir()}}, err
}

// File returns a stored file for a Work. A file for another machine is read when it is sent.
func (s *Site) File(target string, digest cache.Digest) (f worker.File, err error) {
	f = worker.File{Target: target, SHA256: digest.String()}
	if s.Kind.Here {
		f.Content, err = s.env.Store.ReadBytes(digest)
		return f, err
	}
	f.Source = func() (io.ReadCloser, int64, error) {
		if err := s.env.Store.Verify(digest); err != nil { // Verify moves a damaged blob aside
			return nil, 0, err
		}
		b, err := s.env.Store.OpenBlob(digest)
		if err != nil {
			return nil, 0, err
		}
		return struct {
			io.Reader
			io.Closer
		}{b.Reader(), b}, b.Size, nil
	}
	return f, nil
}

// noteMachine keeps the state of a machine that executes work, as evidence. It warns about each problem once.
func (s *Site) noteMachine(h worker.Hello) {
	if h.State == nil || s.env.Anywhere {
		return
	}
	state := evidence.CleanState(*h.State)
	if err := evidence.PutState(s.env.Store, cmp.Or(s.Hardware, h.Hardware), state, time.Now()); err != nil {
		s.Log.Warn("the state of a machine cannot be kept", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range state.Warnings() {
		if !s.warned[w] {
			s.warned[w] = true
			s.Log.Warn("times may vary: "+w, "machine", h.Host)
		}
	}
}

// tellStatus publishes the status of remote work, as progress and in the store for commands such as serve.
func (s *Site) tellStatus(text string) {
	s.mu.Lock()
	told := s.told
	s.told = text
	s.mu.Unlock()
	if text != told {
		s.env.Progress.Note(text)
	}
	s.keepNodes()
	folder := stateFolder(s.env.Store, s.env.Address)
	err := os.MkdirAll(folder, 0o755)
	if err == nil {
		err = renameio.WriteFile(filepath.Join(folder, statusFile), []byte(text+"\n"), 0o644)
	}
	if err != nil {
		s.Log.Warn("the state of runs elsewhere cannot be noted in the store", "error", err)
	}
}

const statusFile = "status"

// stateFolder returns the store's folder for files that outlive a stage's driver.
func stateFolder(store *cache.Store, address string) string {
	return filepath.Join(store.Dir(), "executors", url.PathEscape(address))
}

// silence is the time without a status after which the driver is considered gone.
const silence = 5 * time.Minute

// Status returns the latest status that a stage's driver wrote about remote work; empty if there is none. If the driver
// has gone silent, for example because it was killed, the text says since when.
func Status(store *cache.Store, address string, now time.Time) string {
	path := filepath.Join(stateFolder(store, address), statusFile)
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	content, err := os.ReadFile(path)
	text := strings.TrimSpace(string(content))
	if err != nil || text == "" {
		return ""
	}
	if at := info.ModTime(); now.Sub(at) > silence {
		text += ", at " + at.UTC().Format("2006-01-02 15:04") + " UTC; no smtpipe run has checked since"
	}
	return text
}
