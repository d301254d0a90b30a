package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/smtpipe/smtpipe/internal/runner"
)

// Serve reads a chunk and writes its results as they come, one JSON object a line. open starts what executes the works,
// by the chunk's header. Works whose id is in done are left out. Serve ends at the end of the chunk, or when ctx does;
// works that were going on then have no result and can be given again.
//
// An error of one work is its result. Serve fails when the chunk cannot be read, open fails or results cannot be
// written.
func Serve(ctx context.Context, chunk io.Reader, results io.Writer, open func(Header) (Executor, error),
	done map[string]bool) error {
	in := json.NewDecoder(bufio.NewReaderSize(chunk, 1<<16))
	var h Header
	if err := in.Decode(&h); err != nil {
		return fmt.Errorf("read the header of the chunk: %w", err)
	}
	s := &server{out: results}
	if h.Format != WorkFormat {
		return s.refuse(fmt.Errorf("the chunk has the format %q; this program reads %s", h.Format, WorkFormat))
	}
	if h.Isolation == runner.BestEffort {
		return s.refuse(
			errors.New(`isolation "best_effort" is not for works, which name paths as the run sees them; say which level it is`))
	}
	x, err := open(h)
	if err != nil {
		return s.refuse(err)
	}
	err = s.serve(ctx, in, x, done)
	return errors.Join(err, x.Close())
}

// server writes results, one at a time.
type server struct {
	mu  sync.Mutex
	out io.Writer
	err error // of the first write that failed
}

func (s *server) write(v any) {
	line, err := json.Marshal(v)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.err == nil {
		// whole, so that a reader of a file never sees half a line but the last
		_, err = s.out.Write(append(line, '\n'))
	}
	if s.err == nil {
		s.err = err
	}
}

func (s *server) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// refuse tells the other side, and the caller, why nothing is executed.
func (s *server) refuse(err error) error {
	s.write(Hello{Format: ResultFormat, Error: err.Error()})
	return err
}

func (s *server) serve(ctx context.Context, in *json.Decoder, x Executor, done map[string]bool) error {
	s.write(x.Hello())
	works, readErr := readWorks(ctx, in)
	free := make(chan struct{}, x.Hello().Slots)
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		var w *Work
		var more bool
		select {
		case w, more = <-works:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !more {
			wg.Wait()
			return errors.Join(*readErr, s.failed())
		}
		if done[w.ID] {
			continue
		}
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := s.failed(); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
		wg.Go(func() {
			defer func() { <-free }()
			if r, err := x.Execute(ctx, w); err == nil {
				s.write(r)
			} else if ctx.Err() == nil {
				s.write(&Result{ID: w.ID, Failure: &Failure{Kind: FailMachine, Text: err.Error()}})
			}
		})
	}
}

// readWorks reads works until the end of the chunk, at which the channel is closed and the error may be looked at.
// Reading may hang on a pipe for ever, so nobody waits for it.
func readWorks(ctx context.Context, in *json.Decoder) (<-chan *Work, *error) {
	works := make(chan *Work)
	failed := new(error)
	go func() {
		defer close(works)
		for {
			w := &Work{}
			if err := in.Decode(w); err == io.EOF {
				return
			} else if err != nil {
				*failed = fmt.Errorf("read a work: %w", err)
				return
			}
			select {
			case works <- w:
			case <-ctx.Done():
				return
			}
		}
	}()
	return works, failed
}

// ReadResults reads results up to the end or up to a line that is cut off, as a worker that was killed leaves it.
// size is where the whole lines end; what is behind must be cut before more is appended.
func ReadResults(r io.Reader) (all []Result, size int64, err error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return all, size, nil
		}
		if err != nil {
			return all, size, err
		}
		var head struct {
			Format string `json:"format"`
			Result
		}
		if err := json.Unmarshal(line, &head); err != nil {
			return all, size, fmt.Errorf("result %d: %w", len(all)+1, err)
		}
		if head.Format != "" && head.Format != ResultFormat {
			return all, size, fmt.Errorf("the results have the format %q; this program reads %s", head.Format,
				ResultFormat)
		}
		size += int64(len(line))
		if head.Format == "" {
			all = append(all, head.Result)
		}
	}
}
