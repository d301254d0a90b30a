package local_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

func TestExecutor(t *testing.T) {
	x, err := workertest.OpenLocal(workertest.Header(t))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	workertest.Run(t, x)
}

// TestServe serves a chunk, is interrupted in the middle of a line, and continues.
func TestServe(t *testing.T) {
	h := workertest.Header(t)
	var chunk bytes.Buffer
	enc := json.NewEncoder(&chunk)
	if err := enc.Encode(h); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "c"} {
		if err := enc.Encode(workertest.MustWork(t, id, workertest.Shell("echo "+id), nil)); err != nil {
			t.Fatal(err)
		}
	}
	var results bytes.Buffer
	if err := worker.Serve(t.Context(), bytes.NewReader(chunk.Bytes()), &results, workertest.OpenLocal,
		nil); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(results.String(), "\n") // the hello, the results of a, b and c, and an empty string
	if len(lines) != 5 {
		t.Fatalf("%d lines of results, want 4:\n%s", len(lines)-1, results.String())
	}
	cut := strings.Join(lines[:2], "") + lines[2][:20]
	all, broken, err := worker.ReadResults(strings.NewReader(cut))
	if err != nil || len(all) != 1 || all[0].ID != "a" || broken != 1 {
		t.Fatalf("of a file that is cut off %d results and %d broken lines were read, error %v; want a and one", len(all), broken, err)
	}
	results.Reset()
	if err := worker.Serve(t.Context(), bytes.NewReader(chunk.Bytes()), &results, workertest.OpenLocal,
		map[string]bool{"a": true}); err != nil {
		t.Fatal(err)
	}
	all, _, err = worker.ReadResults(&results)
	if err != nil || len(all) != 2 || all[0].ID != "b" || string(all[1].Record.Stdout.Head) != "c\n" {
		t.Errorf("after it came %+v, error %v; want b and c", all, err)
	}
}

func TestServeRefuses(t *testing.T) {
	tests := []struct{ name, chunk, want string }{
		{"empty", "", "read the header"},
		{"not JSON", "hello\n", "read the header"},
		{"another format", `{"format":"smtpipe-work/9"}`, `the format "smtpipe-work/9"`},
		{"another machine", `{"format":"smtpipe-work/1","isolation":"none","hardware":"abacus"}`,
			`must be measured on "abacus"`},
		{"best effort", `{"format":"smtpipe-work/1","isolation":"best_effort"}`, "best_effort"},
		{"too many cores", `{"format":"smtpipe-work/1","isolation":"none","cores":5000}`, "5000 cores"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := worker.Serve(t.Context(), strings.NewReader(tt.chunk), &bytes.Buffer{}, workertest.OpenLocal, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestVerify checks that works whose programs or files differ from what the work states are rejected.
func TestVerify(t *testing.T) {
	h := workertest.Header(t)
	x, err := workertest.OpenLocal(h)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "run"), []byte("#!/bin/sh\necho sat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	right, err := worker.Fingerprint(tree)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*worker.Work)
		want   string
	}{
		{"right", func(w *worker.Work) { w.Verify = []worker.Digest{{Path: tree, SHA256: right}} }, ""},
		{"another tree",
			func(w *worker.Work) { w.Verify = []worker.Digest{{Path: tree, SHA256: strings.Repeat("0", 64)}} },
			"install the same program"},
		{"no tree", func(w *worker.Work) { w.Verify = []worker.Digest{{Path: tree + "/no", SHA256: right}} },
			"no such file"},
		{"another input", func(w *worker.Work) {
			w.Inputs = []worker.File{{Target: "/input/x", SHA256: right, Content: []byte("x")}}
		}, "its content has the digest"},
		{"no input", func(w *worker.Work) {
			w.Inputs = []worker.File{{Target: "/input/x", SHA256: right, Path: "/nonexistent"}}
		}, "no such file"},
		{"a dialogue without a script", func(w *worker.Work) { w.Dialogue = &worker.Dialogue{} }, "needs a script"},
		{"no id", func(w *worker.Work) { w.ID = "" }, "no id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := workertest.MustWork(t, "x", workertest.Shell("echo sat"), nil)
			tt.change(w)
			r := workertest.Execute(t, x, w)
			switch {
			case tt.want == "" && r.Record == nil:
				t.Errorf("failed: %+v", r.Failure)
			case tt.want != "" && (r.Failure == nil || r.Failure.Kind != worker.FailWork ||
				!strings.Contains(r.Failure.Text, tt.want)):
				t.Errorf("failure %+v, want %q", r.Failure, tt.want)
			case tt.want != "" && !errors.Is(r.Failure.Err(), worker.ErrWork):
				t.Errorf("its error is %v", r.Failure.Err())
			}
		})
	}
}
