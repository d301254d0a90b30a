package runner

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// turn is one attempt at a scenario. It records failures instead of reporting them, because claims about time assume an
// idle core: a failure on a busy machine is retried.
type turn struct {
	testing.TB
	failed  bool
	skipped string
	lines   []string
}

func (t *turn) Errorf(format string, args ...any) { t.Error(fmt.Sprintf(format, args...)) }

func (t *turn) Error(args ...any) {
	t.failed = true
	t.lines = append(t.lines, fmt.Sprint(args...))
}

func (t *turn) Fatalf(format string, args ...any) { t.Fatal(fmt.Sprintf(format, args...)) }

func (t *turn) Fatal(args ...any) {
	t.Error(args...)
	runtime.Goexit()
}

func (t *turn) Failed() bool { return t.failed }

func (t *turn) Skipf(format string, args ...any) { t.Skip(fmt.Sprintf(format, args...)) }

func (t *turn) Skip(args ...any) {
	t.skipped = fmt.Sprint(args...)
	runtime.Goexit()
}

// Run executes a part of the scenario and reports failures with the part's name.
func (t *turn) Run(name string, f func(t *turn)) {
	part := &turn{TB: t.TB}
	part.execute(f)
	for _, l := range part.lines {
		t.lines = append(t.lines, name+": "+l)
	}
	t.failed = t.failed || part.failed
	if part.skipped != "" {
		t.lines = append(t.lines, name+": skipped: "+part.skipped)
	}
}

// execute calls f in a separate goroutine, which Fatal and Skip end.
func (t *turn) execute(f func(t *turn)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(t)
	}()
	<-done
}

// attempt makes up to n turns and fails if all of them fail. Each turn assumes that the machine is twice as slow as the
// previous turn did.
func attempt(t *testing.T, n int, f func(t *turn)) {
	t.Helper()
	defer func(s time.Duration) { slow = s }(slow)
	for k := 1; ; k++ {
		tr := &turn{TB: t}
		tr.execute(f)
		for _, l := range tr.lines {
			t.Logf("attempt %d: %s", k, l)
		}
		switch {
		case tr.skipped != "" && !tr.failed:
			t.Skip(tr.skipped)
		case !tr.failed:
			return
		case k == n:
			t.Fatalf("failed in all of %d attempts", n)
		}
		slow *= 2
	}
}

// TestAttempt tests attempt with a function that fails a given number of times.
func TestAttempt(t *testing.T) {
	tests := []struct {
		name            string
		failures, calls int
	}{{"never", 0, 1}, {"once", 1, 2}, {"twice", 2, 3}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before, calls := slow, 0
			attempt(t, 3, func(tr *turn) {
				calls++
				tr.Run("part", func(tr *turn) {
					if calls <= tt.failures {
						tr.Fatalf("failure %d", calls)
					}
				})
			})
			if calls != tt.calls || slow != before {
				t.Errorf("%d calls and a machine %d times as slow, want %d and %d", calls, slow, tt.calls, before)
			}
		})
	}
}
