package process

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// one executes a single work once.
func one(ctx context.Context, execute func(context.Context, []*worker.Work) ([]*worker.Result, error),
	w *worker.Work) (*worker.Result, error) {
	r, err := execute(ctx, []*worker.Work{w})
	if err != nil {
		return nil, err
	}
	return r[0], nil
}

func TestExecutor(t *testing.T) {
	x, err := Start(t.Context(), 2, workertest.Program(t), workertest.Header(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	workertest.Run(t, x)
}

// TestProcessFails starts programs that are not workers, workers that refuse, and workers that die.
func TestProcessFails(t *testing.T) {
	h := workertest.Header(t)
	tests := []struct {
		name string
		argv []string
		want string
	}{
		{"empty", nil, "empty"},
		{"not there", []string{"/nonexistent"}, "start the worker"},
		{"says nothing", []string{"sh", "-c", "echo who are you >&2"}, "its output: who are you"},
		{"says nonsense", []string{"echo", "hello"}, "not JSON"},
		{"another format", []string{"echo", `{"format":"x"}`}, `in the format "x"`},
		{"says too much", []string{"head", "-c", "300000000", "/dev/zero"}, "longer line"},
		{"refuses", []string{"echo", `{"format":"smtpipe-results/1","error":"I am busy"}`}, "I am busy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := start(t.Context(), tt.argv, h)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	t.Run("dies", func(t *testing.T) {
		p, err := start(t.Context(),
			[]string{"sh", "-c",
				`echo '{"format":"smtpipe-results/1","slots":1}'; read a; read b; echo out of order >&2`}, h)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		_, err = one(t.Context(), p.execute, workertest.MustWork(t, "x", workertest.Shell(":"), nil))
		if err == nil || !strings.Contains(err.Error(), "the worker is lost") || !strings.Contains(err.Error(),
			"out of order") {
			t.Errorf("error %v", err)
		}
	})
}

// TestRestart kills workers during a run. The run has no result, the next run gets a new worker, and workers that keep
// dying are given up.
func TestRestart(t *testing.T) {
	h := workertest.Header(t)
	var log strings.Builder
	r, err := join(t.Context(), workertest.Program(t), h, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	killed := func() error {
		timer := time.AfterFunc(200*time.Millisecond, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			_ = r.current.cmd.Process.Kill()
		})
		defer timer.Stop()
		got, err := one(t.Context(), r.execute, workertest.MustWork(t, "x", workertest.Shell("exec sleep 15"), nil))
		if got != nil {
			t.Errorf("a run whose worker was killed has the result %+v", got)
		}
		return err
	}
	for range 2 {
		if err := killed(); !errors.Is(err, worker.ErrLost) {
			t.Fatalf("error %v", err)
		}
		got, err := one(t.Context(), r.execute, workertest.MustWork(t, "x", workertest.Shell("echo sat"), nil))
		if err != nil || got.Failure != nil || string(got.Record.Stdout.Head) != "sat\n" {
			t.Fatalf("the next worker gives %+v, error %v", got, err)
		}
	}
	if n := strings.Count(log.String(), "is being restarted"); n != 2 {
		t.Errorf("%d warnings, want 2: %s", n, log.String())
	}
	for range 1 + maxRestarts {
		if err := killed(); !errors.Is(err, worker.ErrLost) {
			t.Fatalf("error %v", err)
		}
	}
	_, err = one(t.Context(), r.execute, workertest.MustWork(t, "x", workertest.Shell(":"), nil))
	if !errors.Is(err, worker.ErrLost) || !strings.Contains(err.Error(), "without a result") {
		t.Errorf("after %d restarts: error %v", maxRestarts, err)
	}
}

// TestProcessIsLeft cancels a driver's context while a worker executes a run of one minute. Both must end immediately.
func TestProcessIsLeft(t *testing.T) {
	h := workertest.Header(t)
	p, err := start(t.Context(), workertest.Program(t), h)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	c := workertest.Shell("exec sleep 60")
	c.Limits.WallTime = time.Minute
	if _, err := one(ctx, p.execute, workertest.MustWork(t, "x", c, nil)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	start := time.Now()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 25*time.Second {
		t.Errorf("the worker lived on for %v", took)
	}
}

// TestLargeOutput checks that a work is refused if its result might exceed a line.
func TestLargeOutput(t *testing.T) {
	p, err := start(t.Context(), []string{"sh", "-c", `echo '{"format":"smtpipe-results/1","slots":1}'; cat >/dev/null`},
		workertest.Header(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	w := workertest.MustWork(t, "x", workertest.Shell(":"), nil)
	w.Limits.OutputBytes = 1 << 30
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := one(ctx, p.execute, w); err == nil || !strings.Contains(err.Error(), "lower output") {
		t.Errorf("error %v", err)
	}
}
