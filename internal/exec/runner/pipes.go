package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// pipes connects a command to the driver. Missing descriptors are -1.
type pipes struct {
	stdin, stdout, stderr int      // the command's pipe ends
	in                    *os.File // the driver's pipe end for stdin; nil if the driver sends nothing
	out, err              int      // the driver's pipe ends for stdout and stderr
	talk                  *os.File // same as out, if Interact reads it
	outCap, errCap        *capture
	feed                  io.Reader // source of the bytes to copy to in
	interact              func(context.Context, *Peer) error
	readers               sync.WaitGroup
	writers               sync.WaitGroup
}

// clear marks all descriptors as missing.
func (p *pipes) clear() { p.stdin, p.stdout, p.stderr, p.out, p.err = -1, -1, -1, -1, -1 }

// open creates the pipes without starting to read.
func (p *pipes) open(cmd *Command) (err error) {
	if p.out, p.stdout, err = outputPipe(); err != nil {
		return err
	}
	if cmd.OneStream {
		p.stderr, err = unix.FcntlInt(uintptr(p.stdout), unix.F_DUPFD_CLOEXEC, 0)
		err = os.NewSyscallError("dup of standard output", err)
	} else {
		p.err, p.stderr, err = outputPipe()
	}
	if err != nil {
		return err
	}
	return p.openStdin(cmd)
}

// pipe creates a pipe with two blocking ends, as commands expect.
func pipe() (read, write int, err error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, os.NewSyscallError("pipe2", err)
	}
	return fds[0], fds[1], nil
}

// outputPipe creates a pipe with a non-blocking read end. A command may open its own end for reading and take data that
// the kernel has just announced to the driver. The driver must not block then, because it enforces limits.
func outputPipe() (read, write int, err error) {
	if read, write, err = pipe(); err != nil {
		return -1, -1, err
	}
	if err := unix.SetNonblock(read, true); err != nil {
		closeAll(read, write)
		return -1, -1, os.NewSyscallError("fcntl", err)
	}
	return read, write, nil
}

func (p *pipes) openStdin(cmd *Command) (err error) {
	p.feed, p.interact = cmd.Stdin, cmd.Interact
	if p.interact != nil {
		out := p.out
		p.out = -1
		if p.talk, err = pollable(out); err != nil {
			return err
		}
	}
	if p.feed != nil || p.interact != nil {
		var in int
		if p.stdin, in, err = pipe(); err == nil {
			p.in, err = pollable(in)
		}
		return err
	}
	name := cmd.StdinFile
	if name == "" {
		name = os.DevNull
	}
	if p.stdin, err = unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		p.stdin, err = -1, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return err
}

// pollable returns a file that goroutines can wait for without occupying a thread.
func pollable(fd int) (*os.File, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		closeAll(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), "pipe"), nil
}

// files returns the command's stdin, stdout and stderr.
func (p *pipes) files() []int { return []int{p.stdin, p.stdout, p.stderr} }

// closeTheirs closes the driver's copies of the command's pipe ends; otherwise the streams would not end with the run.
func (p *pipes) closeTheirs() {
	closeAll(p.stdin, p.stdout, p.stderr)
	p.stdin, p.stdout, p.stderr = -1, -1, -1
}

// begin prepares to capture output, and starts feeding stdin or interacting.
func (p *pipes) begin(ctx context.Context, e *execution, clock *runClock) {
	outLimit, errLimit := outputCaps(e.cmd.Limits.OutputBytes)
	if p.err < 0 {
		outLimit += errLimit
	}
	count := &outputCount{limit: e.cmd.StopOutputBytes, over: func() { e.end(comp.OutputLimit) }}
	p.outCap, p.errCap = newCapture(outLimit, count), newCapture(errLimit, count)
	p.outCap.lines = &lineRecorder{all: e.cmd.TimestampLines, cpu: clock.CPUTime}
	switch {
	case p.interact != nil:
		p.readers.Go(func() { p.runInteract(ctx, e, clock) })
	case p.feed != nil:
		p.writers.Go(func() {
			_, _ = io.Copy(p.in, p.feed) // a command need not read all of its input
			_ = p.in.Close()
		})
	}
}

// runInteract lets Interact communicate with the command, then captures the remaining output.
func (p *pipes) runInteract(ctx context.Context, e *execution, clock *runClock) {
	defer func() {
		_ = p.in.Close()
		p.outCap.copy(p.talk)
	}()
	if p.interact(ctx, &Peer{In: p.in, Out: io.TeeReader(p.talk, p.outCap), Clock: clock}) != nil {
		e.end(comp.Killed) // the caller receives the error
	}
}

// watch adds stdout and stderr to the waiter.
func (p *pipes) watch(w *waiter) error {
	return errors.Join(w.add(p.out, keyOut), w.add(p.err, keyErr))
}

func (p *pipes) unwatch(w *waiter) {
	w.remove(p.out)
	w.remove(p.err)
}

// take captures what a stream has available, and closes the stream at its end.
func (p *pipes) take(w *waiter, c *capture, fd *int) {
	if c.take(*fd) {
		return
	}
	w.remove(*fd)
	closeAll(*fd)
	*fd = -1
}

// end waits until everything is captured. A pipe ends when all processes that hold it have ended. The deadline covers a
// process outside the run that still holds it.
func (p *pipes) end() {
	const patience = 10 * time.Second
	if p.in != nil {
		_ = p.in.SetWriteDeadline(time.Now())
	}
	if p.talk != nil {
		_ = p.talk.SetReadDeadline(time.Now().Add(patience))
	}
	deadline := monotonic() + patience
	for p.out >= 0 && readable(p.out, max(0, deadline-monotonic())) && p.outCap.take(p.out) {
	}
	for p.err >= 0 && readable(p.err, max(0, deadline-monotonic())) && p.errCap.take(p.err) {
	}
	p.readers.Wait()
}

// results returns the captured output; times are relative to start.
func (p *pipes) results(start time.Duration) (stdout, stderr Output, lines []Line) {
	return p.outCap.output(), p.errCap.output(), p.outCap.lines.recorded(start)
}

// close closes all descriptors and files.
func (p *pipes) close() {
	p.closeTheirs()
	closeAll(p.out, p.err)
	p.clear()
	_, _ = p.in.Close(), p.talk.Close() // no-op for a nil file
}
