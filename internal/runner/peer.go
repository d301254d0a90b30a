package runner

import (
	"io"
	"time"
)

// Peer is the other end of an interactive run. Interact gets one when the command has started.
//
// When Interact returns, In is closed, what the command still prints is captured, and the run goes on until the command
// ends or a limit does it; an error of Interact kills the run at once. When a limit ends the run first, Out returns
// io.EOF, writes to In fail, and Interact must return.
type Peer struct {
	// In is the command's standard input.
	In io.WriteCloser
	// Out is the command's standard output. All that is read is captured too.
	Out io.Reader
	// Clock measures the run at any moment.
	Clock Clock
}

// Clock returns the times of a run that is going on.
type Clock interface {
	// WallTime is since the start of the command.
	WallTime() time.Duration
	// CPUTime is of the whole process tree. It takes some microseconds.
	CPUTime() time.Duration
}

// runClock is the Clock of a run.
type runClock struct {
	start time.Duration // monotonic
	cpu   func() (time.Duration, error)
}

func (c *runClock) WallTime() time.Duration { return monotonic() - c.start }

func (c *runClock) CPUTime() time.Duration {
	t, err := c.cpu()
	if err != nil {
		return 0
	}
	return t
}
