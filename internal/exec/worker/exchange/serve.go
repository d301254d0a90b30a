package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// A chunk is a folder with the file WorksFile, a header and works as in docs/run/worker.md, and a file for every
// attempt to execute them. The driver writes the first and removes it when the chunk is done or withdrawn; each
// attempt writes its own file.
const WorksFile = "works.jsonl"

// Blobs and chunks are below the exchange folder.
const (
	BlobsFolder  = "blobs"
	ChunksFolder = "chunks"
)

// Attempt is one attempt to execute a chunk.
type Attempt struct {
	Exchange string        // the exchange folder
	Chunk    string        // the name of the chunk
	Name     string        // of the attempt and its file: JOB-RESTART-RANDOM
	Within   time.Duration // no run begins whose limit ends later; 0: no limit
	Delay    time.Duration // for which others may not see written data
}

// End is the last line of an attempt that ended by itself.
type End struct {
	Reason string `json:"reason"`
	Left   int    `json:"left"` // works that were not begun
}

// The reasons of an end.
const (
	EndDone      = "done"
	EndTime      = "time"      // the job would end in the middle of a run
	EndWithdrawn = "withdrawn" // the chunk was removed
	EndReplaced  = "replaced"  // there is a later attempt
	EndStopped   = "stopped"   // by a signal
)

// The exit codes of a job that executes no run: of its script, before there is a worker that could say why, and of a
// worker that cannot write.
const (
	ExitNoFolder  = 71 // the exchange folder is not there
	ExitNoProgram = 72 // the program in it cannot be executed
	ExitReadOnly  = 73 // no file can be made in it
	ExitFull      = 74 // there is no space in it
)

// Full reports whether an error says that there is no space.
func Full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// Serve executes the works of the chunk that have no result yet. open starts the executor.
func (a *Attempt) Serve(ctx context.Context, open func(worker.Header) (worker.Executor, error)) error {
	folder := filepath.Join(a.Exchange, ChunksFolder, a.Chunk)
	f, err := os.OpenFile(filepath.Join(folder, a.Name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	s := &service{Session: NewSession(a, &node{folder, f}), folder: folder,
		blobs: NewBlobs(filepath.Join(a.Exchange, BlobsFolder))}
	err = s.serve(ctx, open)
	return errors.Join(err, f.Close())
}

// service is an attempt that is going on.
type service struct {
	*Session
	folder string
	blobs  *Blobs
}

func (s *service) serve(ctx context.Context, open func(worker.Header) (worker.Executor, error)) error {
	chunk, err := Open(filepath.Join(s.folder, WorksFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s.Finish(EndWithdrawn, 0)
	}
	if err != nil {
		return err
	}
	defer chunk.Close()
	in := json.NewDecoder(bufio.NewReaderSize(chunk, 1<<16))
	var h worker.Header
	if err := in.Decode(&h); err != nil {
		return fmt.Errorf("read the header of the chunk: %w", err)
	}
	if h.Format != worker.WorkFormat {
		return s.refuse(fmt.Errorf("the chunk has the format %q; this program reads %s", h.Format, worker.WorkFormat))
	}
	if s.MustWait() {
		select {
		case <-ctx.Done():
			return s.Finish(EndStopped, 0)
		case <-time.After(s.Delay):
		}
	}
	x, err := open(h)
	if err != nil {
		return s.refuse(err)
	}
	hello := x.Hello()
	hello.ReferenceS = worker.Reference()
	hello.Host = cmp.Or(os.Getenv("SLURMD_NODENAME"), hello.Host)
	if err := s.Write(hello); err != nil {
		return errors.Join(err, x.Close())
	}
	return errors.Join(s.executeAll(ctx, in, x), x.Close())
}

// refuse reports to the driver, and to the caller, why nothing is executed.
func (s *service) refuse(err error) error {
	host, _ := os.Hostname() // for people and for the driver's list of nodes
	return errors.Join(err, s.Write(worker.Hello{Format: worker.ResultFormat, Error: err.Error(),
		Host: cmp.Or(os.Getenv("SLURMD_NODENAME"), host)}))
}

// executeAll executes works until none are left, or there is a reason to end.
func (s *service) executeAll(ctx context.Context, in *json.Decoder, x worker.Executor) error {
	var group errgroup.Group
	group.SetLimit(x.Hello().Slots)
	left := 0
	var readErr error
	for {
		works, err := worker.ReadTask(func() (*worker.Work, error) {
			w := &worker.Work{}
			return w, in.Decode(w)
		})
		if err == io.EOF {
			break
		} else if err != nil {
			readErr = fmt.Errorf("read a work: %w", err)
			break
		}
		begun := make(chan bool, 1)
		group.Go(func() error { // it waits for a slot before
			more := s.MayBegin(ctx, works)
			begun <- more
			if !more {
				return nil
			}
			return s.execute(ctx, x, works)
		})
		if !<-begun && s.End() != "" {
			left += len(works)
		}
	}
	err := errors.Join(readErr, group.Wait())
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return s.Finish(EndStopped, left)
	}
	return s.Finish(cmp.Or(s.End(), EndDone), left)
}

// execute executes the works of a task and writes their results. Interrupted runs have none.
func (s *service) execute(ctx context.Context, x worker.Executor, works []*worker.Work) error {
	var err error
	for _, w := range works {
		err = errors.Join(err, s.resolve(w))
	}
	var results []*worker.Result
	if err == nil {
		results, err = worker.Do(ctx, x, works...)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		results = worker.Fail(worker.FailMachine, err.Error(), works...)
	}
	all := make([]any, len(results))
	for i, r := range results {
		all[i] = r
	}
	return s.Write(all...)
}

// resolve reads the files of a work that are in the exchange folder.
func (s *service) resolve(w *worker.Work) error {
	for i := range w.Inputs {
		if err := s.resolveFile(&w.Inputs[i]); err != nil {
			return err
		}
	}
	if w.Stdin != nil {
		return s.resolveFile(w.Stdin)
	}
	return nil
}

func (s *service) resolveFile(f *worker.File) (err error) {
	if len(f.Content) > 0 || f.Path != "" || check(nil, f.SHA256) == nil {
		return nil
	}
	f.Content, err = s.blobs.Read(f.SHA256)
	return err
}

// Chunk returns the content of WorksFile.
func Chunk(h worker.Header, works []*worker.Work) ([]byte, error) {
	h.Format = worker.WorkFormat
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(h); err != nil {
		return nil, err
	}
	for _, w := range works {
		if err := enc.Encode(w); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
