package runner

import (
	"io"
	"time"
)

// Peer is the driver's end of an interactive run. Interact receives it after the command has started.
//
// When Interact returns, In is closed, the remaining output is captured, and the run continues until the command ends
// or exceeds a limit. If Interact returns an error, the run is killed immediately. If a limit ends the run first, Out
// returns io.EOF, writes to In fail, and Interact must return.
type Peer struct {
	// In is the command's standard input.
	In io.WriteCloser
	// Out is the command's standard output. Everything read from it is also captured.
	Out io.Reader
	// Clock returns the run's times so far.
	Clock *Clock
}

// Clock returns the times of a run in progress.
type Clock struct {
	start time.Duration // monotonic time of the start
	cpu   func() (time.Duration, error)
}

// WallTime returns the time since the start of the command.
func (c *Clock) WallTime() time.Duration { return monotonic() - c.start }

// CPUTime returns the CPU time of the whole process tree. The call takes a few microseconds.
func (c *Clock) CPUTime() time.Duration {
	t, err := c.cpu()
	if err != nil {
		return 0
	}
	return t
}
