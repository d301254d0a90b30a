package runner

import (
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// monotonic reads CLOCK_MONOTONIC, which is the same clock in all processes of a machine.
func monotonic() time.Duration { return initproc.Monotonic() }
