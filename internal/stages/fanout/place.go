// Package fanout executes works on an executor for stages that keep records of them. It handles places, attempts,
// losses and progress. The caller determines what a work is and what its result means.
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

// Place is where works are to be executed.
type Place struct {
	Kind  *worker.Kind
	Image *Image // of the executor; nil: it has none
	worker.Options
}

// Here returns this machine, with a level of isolation.
func Here(isolation runner.Isolation) Place {
	return Place{Kind: local.Kind, Options: worker.Options{Header: worker.Header{Isolation: isolation}}}
}

// SeparateRoot reports whether works may have a root file system of their own.
func (p *Place) SeparateRoot() bool { return Private(p.Isolation) || p.Isolation == runner.BestEffort }

// Read reads the executor block that the attribute "executor" names, if any.
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

// Use takes the value of an executor block.
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
	Places int // concurrent works
	env    *stages.Env
	leave  func() error
	cores  int

	mu     sync.Mutex
	told   string // the last status
	warned map[string]bool
	known  map[string]func() (worker.Digest, error)
	nodes  []evidence.Node
	// changed means that the nodes differ from what is stored.
	changed bool
}

// Open opens the executor for works with these limits. An executor of this machine is shared by concurrent stages, and
// Open waits until the machine is free for works of this class. purpose distinguishes the different works of one stage.
func (p Place) Open(ctx context.Context, env *stages.Env, limits comp.Limits, purpose string) (*Site, error) {
	switch hardware := p.Hardware; {
	case env.Distrusted: // an executor may be a command of a stranger
		p = Here(runner.Full)
		if !env.Anywhere {
			p.Hardware = hardware
		}
	case env.Anywhere:
		p = Here(runner.BestEffort)
	}
	p.Cores, p.MemoryBytes, p.Folder, p.Log = limits.Cores, limits.MemoryBytes, env.Folder, env.Log
	p.State = filepath.Join(stateFolder(env.Store, env.Address), purpose)
	s := &Site{Place: p, env: env, cores: limits.Cores, warned: map[string]bool{},
		known: map[string]func() (worker.Digest, error){}}
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
		s.nodes[i].Excluded = "" // by an earlier driver
	}
	return s, nil
}

// Close leaves the executor.
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

// Private reports whether works have a root of their own, rather than the files of the machine.
func (s *Site) Private() bool { return Private(s.Hello().Isolation) }

// reserve takes the cores of a work from the cores that the stages share, for an executor of this machine.
func (s *Site) reserve(ctx context.Context) (release func(), err error) {
	if !s.Kind.Here {
		return func() {}, nil
	}
	return s.env.Reserve(ctx, s.cores)
}

// Verify returns the digests of a program or folder that an executor elsewhere must have, or nil for an executor of
// this machine. Each program or folder is read once.
func (s *Site) Verify(path string) ([]worker.Digest, error) {
	if s.Kind.Here {
		return nil, nil
	}
	s.mu.Lock()
	digest := s.known[path]
	if digest == nil {
		digest = sync.OnceValues(func() (worker.Digest, error) {
			info, err := os.Stat(path)
			if err != nil {
				return worker.Digest{}, err
			}
			sum, err := worker.Fingerprint(path)
			return worker.Digest{Path: path, SHA256: sum, Tree: info.IsDir()}, err
		})
		s.known[path] = digest
	}
	s.mu.Unlock()
	d, err := digest()
	return []worker.Digest{d}, err
}

// File returns a file of the store for a work. For another machine, the file is read when it is sent.
func (s *Site) File(target string, digest cache.Digest) (f worker.File, err error) {
	f = worker.File{Target: target, SHA256: digest.String()}
	if s.Kind.Here {
		f.Content, err = s.env.Store.ReadBytes(digest)
		return f, err
	}
	f.Source = func() (io.ReadCloser, int64, error) {
		if err := s.env.Store.Verify(digest); err != nil { // which moves a damaged blob aside
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

// noteMachine keeps the state of a machine that executes works as evidence. Warnings come with its first state.
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

// tellStatus publishes the state of works elsewhere: in the progress, and in the store for commands such as serve.
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

// stateFolder is the folder of the store for files that outlive the driver of a stage.
func stateFolder(store *cache.Store, address string) string {
	return filepath.Join(store.Dir(), "executors", url.PathEscape(address))
}

// silence is the time without a status after which the driver counts as gone.
const silence = 5 * time.Minute

// Status returns the latest status that a stage's driver wrote about works elsewhere; empty if there is none. If the
// driver has been silent since, for example because it was killed, the text says since when.
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
		text += ", at " + at.UTC().Format("2006-01-02 15:04") + " UTC; since then no smtpipe run has looked"
	}
	return text
}
