package runner

import (
	"context"
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
	out, err              *os.File // the driver's pipe ends for stdout and stderr; err is nil if out has both
	outCap, errCap        *capture
	feed                  io.Reader // source of the bytes to copy to in
	interact              func(context.Context, *Peer) error
	readers               sync.WaitGroup
	writers               sync.WaitGroup
}

// clear marks all descriptors as missing.
func (p *pipes) clear() { p.stdin, p.stdout, p.stderr = -1, -1, -1 }

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
// the kernel has just announced to the driver.
func outputPipe() (read *os.File, write int, err error) {
	fd, write, err := pipe()
	if err != nil {
		return nil, -1, err
	}
	if read, err = pollable(fd); err != nil {
		closeAll(write)
		return nil, -1, err
	}
	return read, write, nil
}

func (p *pipes) openStdin(cmd *Command) (err error) {
	p.feed, p.interact = cmd.Stdin, cmd.Interact
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

// pollable returns a file that goroutines can wait for without occupying a thread, which would keep the runtime's
// monitor awake.
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

// begin starts capturing output, and feeding stdin or interacting.
func (p *pipes) begin(ctx context.Context, e *execution, clock *Clock) {
	outLimit, errLimit := outputCaps(e.cmd.Limits.OutputBytes)
	if p.err == nil {
		outLimit += errLimit
	}
	count := &outputCount{limit: e.cmd.StopOutputBytes, over: func() { e.end(comp.OutputLimit) }}
	p.outCap, p.errCap = newCapture(outLimit, count), newCapture(errLimit, count)
	p.outCap.lines = &lineRecorder{all: e.cmd.TimestampLines, cpu: clock.CPUTime}
	if p.interact != nil {
		p.readers.Go(func() { p.runInteract(ctx, e, clock) })
	} else {
		p.readers.Go(func() { p.outCap.copy(p.out) })
	}
	if p.err != nil {
		p.readers.Go(func() { p.errCap.copy(p.err) })
	}
	if p.feed != nil {
		p.writers.Go(func() {
			_, _ = io.Copy(p.in, p.feed) // a command need not read all of its input
			_ = p.in.Close()
		})
	}
}

// runInteract lets Interact communicate with the command, then captures the remaining output.
func (p *pipes) runInteract(ctx context.Context, e *execution, clock *Clock) {
	defer func() {
		_ = p.in.Close()
		p.outCap.copy(p.out)
	}()
	if p.interact(ctx, &Peer{In: p.in, Out: io.TeeReader(p.out, p.outCap), Clock: clock}) != nil {
		e.end(comp.Killed) // the caller receives the error
	}
}

// end waits until everything is captured. A pipe ends when all processes that hold it have ended. The deadline covers a
// process outside the run that still holds it.
func (p *pipes) end() {
	const patience = 10 * time.Second
	_ = p.in.SetWriteDeadline(time.Now()) // this and the following are no-ops for a nil file
	_, _ = p.out.SetReadDeadline(time.Now().Add(patience)), p.err.SetReadDeadline(time.Now().Add(patience))
	p.readers.Wait()
}

// results returns the captured output; times are relative to start.
func (p *pipes) results(start time.Duration) (stdout, stderr Output, lines []Line) {
	return p.outCap.output(), p.errCap.output(), p.outCap.lines.recorded(start)
}

// close closes all descriptors and files.
func (p *pipes) close() {
	p.closeTheirs()
	_, _, _ = p.in.Close(), p.out.Close(), p.err.Close() // no-op for a nil file
}
