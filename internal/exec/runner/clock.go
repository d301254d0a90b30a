package runner

import (
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// monotonic returns the time of CLOCK_MONOTONIC, which is the same in all processes of a machine.
func monotonic() time.Duration { return initproc.Monotonic() }
