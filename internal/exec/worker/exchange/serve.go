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
	"strconv"
	"strings"
	"sync"
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

// Restart returns the number of the attempt among those of a job.
func Restart(attempt string) int {
	parts := strings.Split(attempt, "-")
	if len(parts) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(parts[1]) // 0 for a foreign name
	return n
}

// Serve executes the works of the chunk that have no result yet. open starts the executor.
func (a *Attempt) Serve(ctx context.Context, open func(worker.Header) (worker.Executor, error)) error {
	s := &service{Attempt: a, begun: time.Now(), done: map[string]bool{},
		folder: filepath.Join(a.Exchange, ChunksFolder, a.Chunk),
		blobs:  NewBlobs(filepath.Join(a.Exchange, BlobsFolder))}
	f, err := os.OpenFile(filepath.Join(s.folder, a.Name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	s.out = f
	err = s.serve(ctx, open)
	return errors.Join(err, f.Close())
}

// service is an attempt that is going on.
type service struct {
	*Attempt
	folder string
	blobs  *Blobs
	begun  time.Time

	mu     sync.Mutex
	out    *os.File
	outErr error

	looked time.Time // at the folder
	end    string    // why no further run begins; empty: runs may begin
	others []other
	done   map[string]bool // works that others have
}

// other is another attempt at the same chunk.
type other struct {
	name string
	read int64 // bytes of whole lines
}

func (s *service) serve(ctx context.Context, open func(worker.Header) (worker.Executor, error)) error {
	chunk, err := Open(filepath.Join(s.folder, WorksFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s.finish(EndWithdrawn, 0)
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
	if err := s.waitForOthers(ctx); err != nil {
		return s.finish(EndStopped, 0)
	}
	x, err := open(h)
	if err != nil {
		return s.refuse(err)
	}
	hello := x.Hello()
	hello.ReferenceS = worker.Reference()
	hello.Host = cmp.Or(os.Getenv("SLURMD_NODENAME"), hello.Host)
	if err := write(s, hello); err != nil {
		return errors.Join(err, x.Close())
	}
	return errors.Join(s.executeAll(ctx, in, x), x.Close())
}

// refuse reports to the driver, and to the caller, why nothing is executed.
func (s *service) refuse(err error) error {
	host, _ := os.Hostname() // for people and for the driver's list of nodes
	return errors.Join(err, write(s, worker.Hello{Format: worker.ResultFormat, Error: err.Error(),
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
			more := s.mayBegin(ctx, works)
			begun <- more
			if !more {
				return nil
			}
			return s.execute(ctx, x, works)
		})
		if !<-begun && s.end != "" {
			left += len(works)
		}
	}
	err := errors.Join(readErr, group.Wait())
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return s.finish(EndStopped, left)
	}
	return s.finish(cmp.Or(s.end, EndDone), left)
}

// mayBegin reports whether a task is to be executed now. Calls must not be concurrent.
func (s *service) mayBegin(ctx context.Context, works []*worker.Work) bool {
	if s.end == "" {
		var limit time.Duration
		for _, w := range works {
			limit += w.Limits.WallTime
		}
		s.look(ctx, limit)
	}
	return s.end == "" && !worker.Done(works, s.done)
}

const (
	lookEvery = 5 * time.Second
	// Reserve is the time by which a run may exceed its limit, including all overhead.
	Reserve = 15 * time.Second
)

// look looks for reasons to end, and for results of other attempts.
func (s *service) look(ctx context.Context, limit time.Duration) {
	switch {
	case ctx.Err() != nil:
		s.end = EndStopped
		return
	case s.failed() != nil:
		s.end = EndStopped
		return
	case s.Within > 0 && time.Since(s.begun)+limit+Reserve > s.Within:
		s.end = EndTime
		return
	case !s.looked.IsZero() && time.Since(s.looked) < lookEvery:
		return
	}
	s.looked = time.Now()
	if _, err := os.Stat(filepath.Join(s.folder, WorksFile)); errors.Is(err, fs.ErrNotExist) {
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
func (s *service) listOthers() {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return // the next look may succeed
	}
	for _, e := range entries {
		name := e.Name()
		if name == WorksFile || name == s.Name || strings.HasPrefix(name, ".") {
			continue
		}
		known := false
		for _, o := range s.others {
			known = known || o.name == name
		}
		if !known {
			s.others = append(s.others, other{name: name})
		}
	}
}

// waitForOthers waits until the data written by earlier attempts is visible, unless all of them have ended by
// themselves.
func (s *service) waitForOthers(ctx context.Context) error {
	s.listOthers()
	ended := 0
	for i := range s.others {
		if s.readOther(&s.others[i]) {
			ended++
		}
	}
	if ended >= len(s.others) && ended >= Restart(s.Name) {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(s.Delay):
	}
	return nil
}

// readOther notes the works that another attempt has executed, and reports whether it has ended by itself.
func (s *service) readOther(o *other) (ended bool) {
	f, err := Open(filepath.Join(s.folder, o.name))
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, o.read, MaxLine))
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
	return write(s, results...)
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

// write writes records in one piece. They are on the disk when write returns.
func write[T any](s *service, all ...T) error {
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
	if s.outErr != nil {
		return s.outErr
	}
	if _, s.outErr = s.out.Write(lines); s.outErr == nil {
		s.outErr = s.out.Sync()
	}
	if s.outErr != nil {
		s.outErr = fmt.Errorf("write results: %w", s.outErr)
		_, _ = s.out.Write([]byte("\n")) // start a new line
	}
	return s.outErr
}

func (s *service) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outErr
}

// finish writes the last line.
func (s *service) finish(reason string, left int) error {
	return write(s, map[string]*End{"end": {Reason: reason, Left: left}})
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
