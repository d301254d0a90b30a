package process

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/worker"
	"github.com/smtpipe/smtpipe/internal/worker/workertest"
)

// byDigest is a work that reads content from standard input and prints how many bytes there were.
func byDigest(t *testing.T, id string, content []byte, source func() ([]byte, error)) *worker.Work {
	t.Helper()
	w := workertest.MustWork(t, id, workertest.Shell("wc -c"), content)
	w.Stdin.Content, w.Stdin.Source = nil, source
	return w
}

// TestContentOnce: a script of 3 MB for five runs travels once to a worker.
func TestContentOnce(t *testing.T) {
	x, err := Start(t.Context(), workertest.Program(t), workertest.Header(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	content := bytes.Repeat([]byte("(x)"), 1e6)
	var sent atomic.Int64
	source := func() ([]byte, error) { sent.Add(1); return content, nil }
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			r, err := x.Execute(t.Context(), byDigest(t, fmt.Sprint(i), content, source))
			if err != nil || r.Record == nil || strings.TrimSpace(string(r.Record.Stdout.Head)) != "3000000" {
				t.Errorf("%+v, error %v; want 3000000 bytes", r, err)
			}
		})
	}
	wg.Wait()
	if n := sent.Load(); n != 1 {
		t.Errorf("the content was sent %d times, want once", n)
	}
	for name, source := range map[string]func() ([]byte, error){
		"has the digest":  func() ([]byte, error) { return []byte("something else"), nil },
		"the store burns": func() ([]byte, error) { return nil, errors.New("the store burns") },
	} {
		r, err := x.Execute(t.Context(), byDigest(t, name, []byte(name), source))
		if err != nil || r.Failure == nil || r.Failure.Kind != worker.FailMachine ||
			!strings.Contains(r.Failure.Text, name) {
			t.Errorf("%+v, error %v; want a failure of the machine with %q", r, err, name)
		}
	}
}

// TestPool: three workers execute twelve works of which only three fit at one time, and one that refuses is left out.
func TestPool(t *testing.T) {
	h := workertest.Header(t)
	h.Jobs, h.Isolation = 1, runner.Unisolated
	_ = workertest.Program(t) // this test's program is a worker
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	// The folder is made by one of the three, which then is none.
	argv := []string{"sh", "-c", `mkdir "$0" 2>/dev/null && exit 3; exec "$1"`, t.TempDir() + "/first", self}
	p, err := StartPool(t.Context(), 3, argv, h, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if n := p.Hello().Slots; n != 3 {
		t.Errorf("%d slots, want 3", n)
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			r, err := p.Execute(t.Context(), workertest.MustWork(t, fmt.Sprint(i), workertest.Shell("echo sat"), nil))
			if err != nil || r.Record == nil || string(r.Record.Stdout.Head) != "sat\n" {
				t.Errorf("%+v, error %v", r, err)
			}
		})
	}
	wg.Wait()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "a worker is given up") {
		t.Errorf("nobody says that a worker is missing: %s", log.String())
	}
	if _, err := StartPool(t.Context(), 2, []string{"false"}, h, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a pool without a worker starts")
	}
}

// TestTwoWorkersOnOneConnection: a command that starts two workers, whose answers are mixed, is found out.
func TestTwoWorkersOnOneConnection(t *testing.T) {
	hello := `{"format":"smtpipe-results/1","slots":1}`
	p, err := start(t.Context(), []string{"sh", "-c", "echo '" + hello + "'; echo '" + hello + "'; cat >/dev/null"},
		workertest.Header(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, err = p.Execute(t.Context(), workertest.MustWork(t, "x", workertest.Shell(":"), nil))
	if err == nil || !strings.Contains(err.Error(), "another worker answers") {
		t.Errorf("error %v", err)
	}
}
