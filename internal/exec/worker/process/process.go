// Package process implements the executor that passes works to another process: "smtpipe tool worker", usually behind a
// program that starts it elsewhere, such as ssh or srun. A process that dies is restarted.
package process

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// process executes works through another process, which reads a chunk from standard input and writes results to
// standard output. Paths of mounts and files must mean the same to both processes.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr tail
	hello  worker.Hello
	ended  chan struct{} // closed when the process has ended

	writing sync.Mutex // guards writes to in
	// slots limits the number of tasks in progress to the worker's slots. A worker with a work that it cannot start yet
	// reads no content.
	slots chan struct{}

	mu      sync.Mutex
	waiting map[string]call
	left    bool // whether a call stopped waiting for its results

	err, exit error // why there are no more results, and how the process ended; set before ended is closed
}

// call is a work that has been sent.
type call struct {
	work   *worker.Work
	result chan *worker.Result
}

// exitGrace is the time between the end of a worker's results and its kill.
const exitGrace = time.Second

// start starts the process, sends the header and waits for the answer.
func start(ctx context.Context, argv []string, h worker.Header) (*process, error) {
	if len(argv) == 0 {
		return nil, errors.New("the command of the worker is empty")
	}
	h.Format = worker.WorkFormat
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), waiting: map[string]call{},
		ended: make(chan struct{})}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = exitGrace // for children that keep its streams open
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the worker: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })
	defer stop()
	results := worker.LineReader(out)
	if err := p.greet(h, results); err != nil {
		time.AfterFunc(exitGrace, func() { _ = p.cmd.Process.Kill() })
		_ = p.in.Close()
		_ = p.cmd.Wait()
		return nil, fmt.Errorf("worker %s: %w%s", strings.Join(argv, " "), err, p.stderr.text())
	}
	p.slots = make(chan struct{}, p.hello.Slots)
	go p.read(results)
	return p, nil
}

func (p *process) greet(h worker.Header, results *bufio.Reader) error {
	sendErr := send(p, h) // a worker that does not read may have reported the reason
	line, err := results.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("it ended without an answer: %w", errors.Join(sendErr, err))
	}
	if err := json.Unmarshal(line, &p.hello); err != nil {
		return fmt.Errorf("its answer is %.100q, not JSON", line)
	}
	switch {
	case p.hello.Format != worker.ResultFormat:
		return fmt.Errorf("it answers in the format %q, not %s", p.hello.Format, worker.ResultFormat)
	case p.hello.Error != "":
		return errors.New(p.hello.Error)
	case p.hello.Slots < 1:
		return errors.New("it has no slot for a run")
	}
	return nil
}

// send sends lines with a single write.
func send[T any](p *process, all ...T) error {
	lines, err := worker.Lines(all...)
	if err != nil {
		return err
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	_, err = p.in.Write(lines)
	return err
}

// read passes every result to the call that waits for it, and waits until the process has ended.
func (p *process) read(results *bufio.Reader) {
	defer close(p.ended)
	p.err = p.handOut(results)
	_ = p.in.Close()
	timer := time.AfterFunc(exitGrace, func() { _ = p.cmd.Process.Kill() })
	p.exit = p.cmd.Wait()
	timer.Stop()
}

func (p *process) handOut(results *bufio.Reader) error {
	for {
		line, err := results.ReadBytes('\n')
		var r struct {
			worker.Result
			worker.Need
			Format string `json:"format"`
		}
		if err == nil {
			err = json.Unmarshal(line, &r)
		}
		if err != nil {
			return err
		}
		switch {
		case r.Format != "":
			return errors.New("another worker answers on the same connection, and each of them would execute every run; " +
				"let the command start one task")
		case r.SHA256 != "":
			go p.supply(r.SHA256) // in the background: the worker may have to write before it reads
			continue
		}
		if err := r.Check(); err != nil {
			return err
		}
		p.mu.Lock()
		wait := p.waiting[r.ID]
		delete(p.waiting, r.ID)
		p.mu.Unlock()
		if wait.result != nil {
			wait.result <- &r.Result
		}
	}
}

// supply sends the content with a digest in chunks.
func (p *process) supply(digest string) {
	p.writing.Lock()
	defer p.writing.Unlock()
	source, tree := p.source(digest)
	given := worker.Given{SHA256: digest, Tree: tree}
	content, size, err := source()
	if err == nil {
		defer content.Close()
		given.SizeBytes = size
	} else {
		given.Error = err.Error()
	}
	line, err := worker.Lines(given)
	if err != nil {
		return
	}
	_, err = p.in.Write(line)
	if err == nil && given.Error == "" {
		if _, err = io.CopyN(p.in, content, size); err == nil {
			_, err = p.in.Write([]byte{'\n'})
		}
	}
	if err != nil { // incomplete content ends the connection
		_ = p.in.Close()
	}
}

// source finds the content with a digest, a file or a tree, in the works that wait for results.
func (p *process) source(digest string) (source worker.Source, tree bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.waiting {
		for _, f := range c.work.Files() {
			if f.SHA256 == digest && f.Source != nil {
				return f.Source, false
			}
		}
		for _, v := range c.work.Verify {
			if v.SHA256 == digest && v.Tree {
				return worker.TreeSource(v.Path), true
			}
		}
	}
	return func() (io.ReadCloser, int64, error) {
		return nil, 0, fmt.Errorf("no work has a blob with the digest %s", digest)
	}, false
}

// execute executes one task's works.
func (p *process) execute(ctx context.Context, works []*worker.Work) ([]*worker.Result, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.ended:
		return nil, p.lost(ctx, p.err)
	}
	for _, w := range works {
		if err := w.CheckOutput(); err != nil {
			return nil, err
		}
	}
	arriving := make(chan *worker.Result, len(works))
	if err := p.expect(works, arriving); err != nil {
		return nil, err
	}
	defer p.forget(ctx, works)
	if err := send(p, worker.Chain(works)...); err != nil {
		return nil, p.lost(ctx, err)
	}
	byID := map[string]*worker.Result{}
	for len(byID) < len(works) {
		select {
		case r := <-arriving:
			byID[r.ID] = r
			continue
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-p.ended:
		}
		select {
		case r := <-arriving: // a result that arrived just before the end
			byID[r.ID] = r
		default:
			return nil, p.lost(ctx, p.err)
		}
	}
	results := make([]*worker.Result, len(works))
	for i, w := range works {
		results[i] = byID[w.ID]
		results[i].Host = p.hello.Host
	}
	return results, nil
}

// expect records works that wait for results.
func (p *process) expect(works []*worker.Work, arriving chan *worker.Result) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range works {
		if p.waiting[w.ID].result != nil {
			return fmt.Errorf("work %s is being executed", w.ID)
		}
	}
	for _, w := range works {
		p.waiting[w.ID] = call{w, arriving}
	}
	return nil
}

func (p *process) forget(ctx context.Context, works []*worker.Work) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range works {
		delete(p.waiting, w.ID)
	}
	p.left = p.left || ctx.Err() != nil
}

// lost returns the error for a lost worker, including the end of its output.
func (p *process) lost(ctx context.Context, err error) error {
	select {
	case <-p.ended:
		err = cmp.Or(p.err, err) // tells more than that nothing could be written to it
	case <-ctx.Done():
	case <-time.After(2 * exitGrace):
	}
	return fmt.Errorf("%w: %w%s", worker.ErrLost, err, p.stderr.text())
}

// closeTime limits how long a worker may take to end by itself.
const closeTime = 10 * time.Second

// Close implements worker.Executor. It closes the worker's input, which ends the worker. It stops a worker that still
// executes abandoned works.
func (p *process) Close() error {
	_ = p.in.Close()
	if p.left {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
	}
	timer := time.AfterFunc(closeTime, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	<-p.ended
	if p.exit != nil && !p.left {
		return fmt.Errorf("the worker failed: %w%s", p.exit, p.stderr.text())
	}
	return nil
}

// tail is a writer that keeps the end of a process's output.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailBytes = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	return len(b), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := bytes.TrimSpace(t.kept); len(text) > 0 {
		return "; its output: " + string(text)
	}
	return ""
}
