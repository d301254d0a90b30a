package smtlibtest

import (
	"syscall"
	"testing"
	"time"
)

// CPUTime returns the CPU time that the process has used so far. On a busy machine, it is a better measure than wall
// time.
func CPUTime(t testing.TB) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
