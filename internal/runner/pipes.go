package runner

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// pipes connects a command to the driver.
type pipes struct {
	stdin, stdout, stderr *os.File // of the command
	in, out, err          *os.File // of the driver
	outCap, errCap        *capture
	feed                  io.Reader // copied to in
	interact              func(context.Context, *Peer) error
	readers               sync.WaitGroup
	writers               sync.WaitGroup
}

// open makes the pipes. Nothing is read yet.
func (p *pipes) open(cmd *Command) error {
	var err error
	if p.out, p.stdout, err = os.Pipe(); err != nil {
		return err
	}
	if err = p.openStderr(cmd.OneStream); err != nil {
		return err
	}
	p.feed, p.interact = cmd.Stdin, cmd.Interact
	switch {
	case cmd.StdinFile != "":
		p.stdin, err = os.Open(cmd.StdinFile)
	case p.feed != nil || p.interact != nil:
		p.stdin, p.in, err = os.Pipe()
	default:
		p.stdin, err = os.Open(os.DevNull)
	}
	return err
}

// openStderr makes the pipe of stderr, or a second descriptor for that of stdout.
func (p *pipes) openStderr(oneStream bool) (err error) {
	if !oneStream {
		p.err, p.stderr, err = os.Pipe()
		return err
	}
	fd, err := unix.FcntlInt(p.stdout.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("dup of standard output", err)
	}
	p.stderr = os.NewFile(uintptr(fd), p.stdout.Name())
	return nil
}

// files gives the command's ends in the order of descriptors. They are put into blocking mode, which commands expect.
func (p *pipes) files() []*os.File { return []*os.File{p.stdin, p.stdout, p.stderr} }

// closeTheirs closes the command's ends in the driver, so that the end of the run is the end of the streams.
func (p *pipes) closeTheirs() {
	for _, f := range []**os.File{&p.stdin, &p.stdout, &p.stderr} {
		if *f != nil {
			_ = (*f).Close()
			*f = nil
		}
	}
}

// begin starts to capture and to feed.
func (p *pipes) begin(ctx context.Context, e *execution, clock *runClock) {
	outLimit, errLimit := outputCaps(e.cmd.Limits.OutputBytes)
	if p.err == nil {
		outLimit += errLimit
	}
	count := &outputCount{limit: e.cmd.StopOutputBytes, over: func() { e.end(comp.OutputLimit) }}
	p.outCap, p.errCap = newCapture(outLimit, count), newCapture(errLimit, count)
	p.outCap.lines = &lineRecorder{all: e.cmd.TimestampLines, cpu: clock.CPUTime}
	if p.err != nil {
		p.readers.Go(func() { p.errCap.copy(p.err) })
	}
	switch {
	case p.interact != nil:
		p.readers.Go(func() { p.converse(ctx, e, clock) })
	default:
		p.readers.Go(func() { p.outCap.copy(p.out) })
		if p.feed != nil {
			p.writers.Go(func() {
				_, _ = io.Copy(p.in, p.feed) // a command that does not read to the end is no error
				_ = p.in.Close()
			})
		}
	}
}

// converse lets Interact talk with the command, then captures the rest.
func (p *pipes) converse(ctx context.Context, e *execution, clock *runClock) {
	defer func() {
		_ = p.in.Close()
		p.outCap.copy(p.out)
	}()
	if p.interact(ctx, &Peer{In: p.in, Out: io.TeeReader(p.out, p.outCap), Clock: clock}) != nil {
		e.end(comp.Killed) // the error is the caller's own
	}
}

// end waits until everything is captured. After the end of all processes a pipe is at its end; a deadline is for the case
// that a process outside of the run got hold of it.
func (p *pipes) end() {
	deadline := time.Now().Add(10 * time.Second)
	_ = p.out.SetReadDeadline(deadline)
	if p.err != nil {
		_ = p.err.SetReadDeadline(deadline)
	}
	if p.in != nil {
		_ = p.in.SetWriteDeadline(time.Now())
	}
	p.readers.Wait()
}

// results gives what was captured; start makes times relative.
func (p *pipes) results(start time.Duration) (stdout, stderr Output, lines []Line) {
	return p.outCap.output(), p.errCap.output(), p.outCap.lines.recorded(start)
}

// close closes everything.
func (p *pipes) close() {
	p.closeTheirs()
	for _, f := range []*os.File{p.in, p.out, p.err} {
		if f != nil {
			_ = f.Close()
		}
	}
}
