package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// Serve reads a chunk and writes results as they become available, one JSON object per line. open starts the executor
// that the chunk's header requires. Works whose id is in done are skipped. Serve returns at the end of the chunk, or
// when ctx ends. Works in progress then have no result and can be sent again.
//
// A work's error is part of its result. Serve returns an error only if reading the chunk, open, or writing results
// fails.
func Serve(ctx context.Context, chunk io.Reader, results io.Writer, open func(Header) (Executor, error),
	done map[string]bool) error {
	in := bufio.NewReaderSize(chunk, 1<<16)
	var h Header
	line, err := in.ReadBytes('\n')
	if len(line) > 0 {
		err = json.Unmarshal(line, &h)
	}
	if err != nil {
		return fmt.Errorf("read the header of the chunk: %w", err)
	}
	s := &server{out: results}
	s.contents = newContents(func(n Need) { s.write(n) })
	if h.Format != WorkFormat {
		return s.refuse(fmt.Errorf("the chunk has the format %q; this program reads %s", h.Format, WorkFormat))
	}
	if h.Isolation == runner.BestEffort {
		return s.refuse(
			errors.New(`isolation "best_effort" is not possible for works, which name paths inside the run; name the level`))
	}
	x, err := open(h)
	if err != nil {
		return s.refuse(err)
	}
	err = s.serve(ctx, in, x, done)
	return errors.Join(err, x.Close(), s.contents.close())
}

// server writes results; mu serialises the writes.
type server struct {
	mu  sync.Mutex
	out io.Writer
	err error // error of the first failed write

	contents *contents
}

// Lines encodes values as JSON, one a line.
func Lines[T any](all ...T) (lines []byte, err error) {
	for _, v := range all {
		line, cannot := json.Marshal(v)
		err = errors.Join(err, cannot)
		lines = append(append(lines, line...), '\n')
	}
	return lines, err
}

// write writes lines with a single write: only a file's last line can be incomplete for a reader.
func (s *server) write(all ...any) {
	lines, err := Lines(all...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.err == nil {
		_, err = s.out.Write(lines)
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

// refuse reports to the other side and to the caller why no work is executed.
func (s *server) refuse(err error) error {
	s.write(Hello{Format: ResultFormat, Error: err.Error()})
	return err
}

func (s *server) serve(ctx context.Context, in *bufio.Reader, x Executor, done map[string]bool) error {
	s.write(x.Hello())
	tasks, readErr := s.readTasks(ctx, in)
	free := make(chan struct{}, x.Hello().Slots)
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		var works []*Work
		var more bool
		select {
		case works, more = <-tasks:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !more {
			wg.Wait()
			return errors.Join(*readErr, s.failed())
		}
		if Done(works, done) {
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
			results := Perform(ctx, x, works, func(w *Work) error {
				get := func(digest string) ([]byte, error) { return s.contents.get(ctx, digest) }
				return errors.Join(w.Fill(get), s.contents.place(ctx, w))
			})
			if results == nil {
				return
			}
			lines := make([]any, len(results))
			for i, r := range results {
				lines[i] = r
			}
			s.write(lines...)
		})
	}
}

// Perform prepares and executes a task's works. The results of failed works are failures. It returns nothing if ctx
// ended before the works.
func Perform(ctx context.Context, x Executor, works []*Work, prepare func(*Work) error) []*Result {
	var err error
	for _, w := range works {
		err = errors.Join(err, prepare(w))
	}
	var results []*Result
	if err == nil {
		results, err = Do(ctx, x, works...)
	}
	switch {
	case err == nil:
		return results
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, ErrWork):
		return Fail(FailWork, err.Error(), works...)
	}
	return Fail(FailMachine, err.Error(), works...)
}

// readTasks reads works, and the contents between them, to the end of the chunk. It then closes the channel, after
// which the error may be read. Reading from a pipe may block forever, so nothing waits for this goroutine.
func (s *server) readTasks(ctx context.Context, in *bufio.Reader) (<-chan []*Work, *error) {
	tasks := make(chan []*Work)
	failed := new(error)
	go func() {
		defer close(tasks)
		defer s.contents.end()
		for {
			works, err := ReadTask(func() (*Work, error) { return s.readWork(in) })
			if err != nil {
				if err != io.EOF {
					*failed = fmt.Errorf("read a work: %w", err)
				}
				return
			}
			select {
			case tasks <- works:
			case <-ctx.Done():
				return
			}
		}
	}()
	return tasks, failed
}

// readWork reads the next work, and stores any contents that precede it.
func (s *server) readWork(in *bufio.Reader) (*Work, error) {
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && (err != io.EOF || len(line) == 0) {
			return nil, err
		}
		var next struct {
			Work
			Given
		}
		if err := json.Unmarshal(line, &next); err != nil {
			return nil, err
		}
		if next.Given.SHA256 == "" {
			return &next.Work, nil
		}
		if err := s.contents.take(&next.Given, in); err != nil {
			return nil, err
		}
	}
}

// MaxLine exceeds the length of any result line, in bytes.
const MaxLine = 1 << 28

// maxOutput is the largest output limit, in bytes, with which all of a run's output fits in a line, where it is
// base64-encoded.
const maxOutput = 190_000_000

// CheckOutput returns an error if the work's result may have more than MaxLine bytes.
func (w *Work) CheckOutput() error {
	if have := w.Limits.OutputBytes; have > maxOutput {
		return fmt.Errorf("runs may have %d bytes of output, but results from other machines hold at most %d; lower output "+
			"in the block \"limits\"", have, maxOutput)
	}
	return nil
}

// LineReader returns a buffered reader of a worker's lines. It fails once a line has more than MaxLine bytes.
func LineReader(r io.Reader) *bufio.Reader {
	lines := limits.Of{What: "a worker's output", Bytes: math.MaxInt64, Line: MaxLine}
	return bufio.NewReaderSize(lines.Reader(r), 1<<16)
}

// ReadResults reads results. broken is the number of invalid lines, such as those that a killed worker or a full disk
// leaves. Their works must be executed again. Only a work's first result counts.
func ReadResults(r io.Reader) (all []Result, broken int, err error) {
	seen := map[string]bool{}
	lines := LineReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			if len(line) > 0 {
				broken++
			}
			return all, broken, nil
		}
		if err != nil {
			return all, broken, err
		}
		var head struct {
			Format string `json:"format"`
			Result
		}
		switch err := json.Unmarshal(line, &head); {
		case err != nil || head.Format == "" && head.ID == "":
			broken++
		case head.Format != "" && head.Format != ResultFormat:
			return all, broken, fmt.Errorf("the results have format %q; this program reads %s", head.Format,
				ResultFormat)
		case head.Format == "" && !seen[head.ID]:
			if head.Check() != nil {
				broken++
				continue
			}
			final := head.Failure == nil || head.Failure.Kind != FailMachine
			seen[head.ID] = final
			all = append(all, head.Result)
		}
	}
}
