package process

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
)

// byDigest returns a work that reads content from standard input and prints its length in bytes.
func byDigest(t *testing.T, id string, content []byte, source worker.Source) *worker.Work {
	t.Helper()
	w := workertest.MustWork(t, id, workertest.Shell("wc -c"), content)
	w.Stdin.Content, w.Stdin.Source = nil, source
	return w
}

// TestContentOnce checks that a 3 MB script for five runs is sent to a worker only once.
func TestContentOnce(t *testing.T) {
	x, err := join(t.Context(), workertest.Program(t), workertest.Header(t), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	content := bytes.Repeat([]byte("(x)"), 1e6)
	var sent atomic.Int64
	source := func() (io.ReadCloser, int64, error) { sent.Add(1); return worker.SourceOf(content)() }
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			r, err := one(t.Context(), x.execute, byDigest(t, fmt.Sprint(i), content, source))
			if err != nil || r.Record == nil || strings.TrimSpace(string(r.Record.Stdout.Head)) != "3000000" {
				t.Errorf("%+v, error %v; want 3000000 bytes", r, err)
			}
		})
	}
	wg.Wait()
	if n := sent.Load(); n != 1 {
		t.Errorf("the content was sent %d times, want once", n)
	}
	for name, source := range map[string]worker.Source{
		"has the digest":  worker.SourceOf([]byte("something else")),
		"the store burns": func() (io.ReadCloser, int64, error) { return nil, 0, errors.New("the store burns") },
	} {
		r, err := one(t.Context(), x.execute, byDigest(t, name, []byte(name), source))
		if err != nil || r.Failure == nil || r.Failure.Kind != worker.FailMachine ||
			!strings.Contains(r.Failure.Text, name) {
			t.Errorf("%+v, error %v; want a failure of the machine with %q", r, err, name)
		}
	}
}

// TestTreeTravels checks that a solver that only the driver's machine has is sent to the worker once, with its programs
// and links. A solver that the worker has is not sent. If a solver is damaged on the way, there is no result.
func TestTreeTravels(t *testing.T) {
	for _, isolation := range []runner.Isolation{runner.Unisolated, workertest.Level(t)} {
		t.Run(string(isolation), func(t *testing.T) { treeTravels(t, isolation) })
	}
}

func treeTravels(t *testing.T, isolation runner.Isolation) {
	if os.Getuid() != 0 {
		t.Skip("only root's workers can have other mounts here")
	}
	h := workertest.Header(t)
	h.Isolation, h.Jobs = isolation, 2
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	long := "data/" + strings.Repeat("x", 150)
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "bin"), 0o755), os.Mkdir(filepath.Join(dir, "data"), 0o755),
		os.WriteFile(filepath.Join(dir, "bin/solver.sh"), []byte("#!/bin/sh\ncat \"${0%/*}/../link\"\n"), 0o755),
		os.WriteFile(filepath.Join(dir, long), []byte("sat\n"), 0o644), os.Symlink(long, filepath.Join(dir, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	digest, err := worker.Fingerprint(dir)
	if err != nil {
		t.Fatal(err)
	}
	same := t.TempDir() // a tree that the worker has
	if err := os.CopyFS(same, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	sent := filepath.Join(t.TempDir(), "sent")
	const elsewhere = `mount -t tmpfs none "$1" && tee "$2" | "$3"`
	_ = workertest.Program(t) // lets this test's binary act as a worker
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x, err := join(t.Context(), []string{"unshare", "--mount", "sh", "-c", elsewhere, "sh", dir, sent, self}, h,
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	solve := func(id, path, digest string) *worker.Result {
		c := workertest.Shell("")
		c.Argv, c.Mounts = []string{"/solver/bin/solver.sh"}, []runner.Mount{{Source: path, Target: "/solver"}}
		if isolation == runner.Unisolated {
			c.Argv, c.Mounts = []string{path + "/bin/solver.sh"}, nil
		}
		w := workertest.MustWork(t, id, c, nil)
		w.Verify = []worker.Digest{{Path: path, SHA256: digest, Tree: true}}
		r, err := one(t.Context(), x.execute, w)
		if err != nil {
			t.Error(err)
			return &worker.Result{}
		}
		return r
	}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			path := []string{dir, same}[i%2]
			if r := solve(fmt.Sprint(i), path, digest); r.Record == nil || string(r.Record.Stdout.Head) != "sat\n" {
				t.Errorf("%s: %+v %+v", path, r.Record, r.Failure)
			}
		})
	}
	wg.Wait()
	wrong := strings.Repeat("0", 64)
	for range 2 {
		if r := solve("damaged", dir, wrong); r.Failure == nil || r.Failure.Kind != worker.FailMachine ||
			!strings.Contains(r.Failure.Text, "the blob received has the digest "+digest) {
			t.Errorf("a tree that has another digest gives %+v %+v", r.Record, r.Failure)
		}
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(sent)
	if n := strings.Count(string(text), `{"content_sha256":"`+digest); err != nil || n != 1 {
		t.Errorf("the tree was sent %d times, want once; %v", n, err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("the worker leaves %v, %v", left, err)
	}
}

// TestLargeScripts sends 8 scripts of 13 MB for 8 solvers to each of four workers once. The driver, which is this
// test, must not keep any of them in memory.
func TestLargeScripts(t *testing.T) {
	const scripts, solvers, workers, size = 8, 8, 4, 13_000_000
	h := workertest.Header(t)
	h.Isolation, h.Jobs = runner.Unisolated, 1
	content := func(k int) io.Reader { return io.LimitReader(repeated(byte('a'+k)), size) }
	var digests [scripts]string
	for k := range digests {
		digest := sha256.New()
		_, _ = io.Copy(digest, content(k)) // a hash never returns an error
		digests[k] = hex.EncodeToString(digest.Sum(nil))
	}
	before := peak(t)
	begun := time.Now()
	p, err := Start(t.Context(), workers, workertest.Program(t), h, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var opened [scripts]atomic.Int64
	var first sync.Once
	var wg sync.WaitGroup
	for i := range scripts * solvers {
		wg.Go(func() {
			k := i / solvers
			w := workertest.MustWork(t, fmt.Sprint(i), workertest.Shell("wc -c"), []byte{})
			w.Stdin = &worker.File{SHA256: digests[k]}
			w.Stdin.Source = func() (io.ReadCloser, int64, error) {
				opened[k].Add(1)
				return io.NopCloser(content(k)), size, nil
			}
			r, err := one(t.Context(), func(ctx context.Context, all []*worker.Work) ([]*worker.Result, error) {
				return p.execute(ctx, &worker.Order{}, all)
			}, w)
			if err != nil || r.Record == nil || strings.TrimSpace(string(r.Record.Stdout.Head)) != strconv.Itoa(size) {
				t.Errorf("%+v, error %v", r, err)
			}
			first.Do(func() { t.Logf("the first result after %s", time.Since(begun)) })
		})
	}
	wg.Wait()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for k := range opened {
		if n := opened[k].Load(); n < 1 || n > workers {
			t.Errorf("script %d was sent %d times to %d workers", k, n, workers)
		}
	}
	after := peak(t)
	t.Logf("all after %s; %d MB at most, %d before", time.Since(begun), after>>20, before>>20)
	if grown := after - before; grown > scripts*size/2 {
		t.Errorf("the driver's memory has grown by %d MB; it holds scripts", grown>>20)
	}
}

// repeated is a reader that repeats one byte endlessly.
type repeated byte

func (r repeated) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(r)
	}
	return len(b), nil
}

// peak returns this process's peak memory use so far.
func peak(t *testing.T) int64 {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return usage.Maxrss << 10
}

// TestPool executes twelve works with three workers, at most three works concurrently. A worker that refuses is
// skipped.
func TestPool(t *testing.T) {
	h := workertest.Header(t)
	h.Jobs, h.Isolation = 1, runner.Unisolated
	_ = workertest.Program(t) // lets this test's binary act as a worker
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	// One of the three creates the folder and exits instead of becoming a worker.
	argv := []string{"sh", "-c", `mkdir "$0" 2>/dev/null && exit 3; exec "$1"`, t.TempDir() + "/first", self}
	p, err := Start(t.Context(), 3, argv, h, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if n := p.Hello().Slots; n != 3 {
		t.Errorf("%d slots, want 3", n)
	}
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			w := workertest.MustWork(t, fmt.Sprint(i), workertest.Shell("echo sat"), nil)
			r, err := one(t.Context(), func(ctx context.Context, all []*worker.Work) ([]*worker.Result, error) {
				return p.execute(ctx, &worker.Order{}, all)
			}, w)
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
	if _, err := Start(t.Context(), 2, []string{"false"}, h, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a pool without a worker starts")
	}
}

// TestTwoWorkersOnOneConnection checks that a command that starts two workers, whose output gets mixed up, is detected.
func TestTwoWorkersOnOneConnection(t *testing.T) {
	hello := `{"format":"smtpipe-results/1","slots":1}`
	p, err := start(t.Context(), []string{"sh", "-c", "echo '" + hello + "'; echo '" + hello + "'; cat >/dev/null"},
		workertest.Header(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, err = one(t.Context(), p.execute, workertest.MustWork(t, "x", workertest.Shell(":"), nil))
	if err == nil || !strings.Contains(err.Error(), "another worker answers") {
		t.Errorf("error %v", err)
	}
}
