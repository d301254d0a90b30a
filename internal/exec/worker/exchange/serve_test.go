package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// echo executes nothing: the output of a work is its input.
type echo struct {
	mu       sync.Mutex
	executed []string
	during   func(id string)
}

func (x *echo) Hello() worker.Hello {
	return worker.Hello{Format: worker.ResultFormat, Slots: 1, Isolation: runner.Full}
}

func (x *echo) Close() error { return nil }

func (x *echo) Execute(ctx context.Context, o *worker.Order) error {
	return worker.Spread(ctx, o, 1, worker.OneByOne(x.run))
}

func (x *echo) run(ctx context.Context, w *worker.Work) (*worker.Result, error) {
	x.mu.Lock()
	x.executed = append(x.executed, w.ID)
	x.mu.Unlock()
	if x.during != nil {
		x.during(w.ID)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out := runner.Output{Head: w.Inputs[0].Content, Total: int64(len(w.Inputs[0].Content))}
	return &worker.Result{ID: w.ID, Record: &runner.Record{Measured: run.Measured{Ending: comp.Exited},
		Stdout: out}}, nil
}

// bench is an exchange folder with one chunk of the works a, b and c, which have the same script.
func bench(t *testing.T) (folder string, script string) {
	t.Helper()
	folder = t.TempDir()
	script = digestOf("(check-sat)")
	blobs := NewBlobs(filepath.Join(folder, BlobsFolder))
	if err := blobs.Put(script, worker.SourceOf([]byte("(check-sat)"))); err != nil {
		t.Fatal(err)
	}
	var works []*worker.Work
	for _, id := range []string{"a", "b", "c"} {
		works = append(works, &worker.Work{ID: id, Command: []string{"x"},
			Limits: comp.Limits{WallTime: time.Minute},
			Inputs: []worker.File{{Target: "/input/x.smt2", SHA256: script}}})
	}
	content, err := Chunk(worker.Header{Isolation: runner.Full}, works)
	if err == nil {
		err = WriteFile(filepath.Join(folder, ChunksFolder, "1-0", WorksFile), content)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder, script
}

// outcome reads what an attempt wrote.
func outcome(t *testing.T, folder, attempt string) (results []worker.Result, end End) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, ChunksFolder, "1-0", attempt))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lines(data, func(line []byte) error {
		record, ok := Line(line)
		if !ok {
			return nil
		}
		var r struct {
			worker.Result
			End *End `json:"end"`
		}
		err := json.Unmarshal(record, &r)
		if r.End != nil {
			end = *r.End
		} else if r.ID != "" {
			results = append(results, r.Result)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return results, end
}

// TestServe: a chunk is executed, and why it is left in the middle.
func TestServe(t *testing.T) {
	other := func(t *testing.T, folder, name, id string) { // an attempt that has a result, and half of another
		t.Helper()
		record, err := json.Marshal(worker.Result{ID: id,
			Record: &runner.Record{Measured: run.Measured{Ending: comp.Exited}}})
		if err == nil {
			half := append(AppendLine(nil, record), `0123 {"id":"b`...)
			err = os.WriteFile(filepath.Join(folder, ChunksFolder, "1-0", name), half, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	remove := func(t *testing.T, folder string) {
		t.Helper()
		if err := os.Remove(filepath.Join(folder, ChunksFolder, "1-0", WorksFile)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name     string
		within   time.Duration
		prepare  func(t *testing.T, folder string)
		stop     bool // a signal comes in the middle of b
		executed string
		reason   string
		left     int
	}{
		{name: "undisturbed", executed: "abc", reason: EndDone},
		{name: "no time for a run", within: time.Minute, reason: EndTime, left: 3},
		{name: "time enough", within: time.Hour, executed: "abc", reason: EndDone},
		{name: "withdrawn", prepare: remove, reason: EndWithdrawn},
		{name: "an attempt before", prepare: func(t *testing.T, folder string) { other(t, folder, "9-0-x", "a") },
			executed: "bc", reason: EndDone},
		{name: "a later attempt", prepare: func(t *testing.T, folder string) { other(t, folder, "9-2-x", "a") },
			reason: EndReplaced, left: 3},
		{name: "a signal", stop: true, executed: "ab", reason: EndStopped, left: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder, _ := bench(t)
			if tt.prepare != nil {
				tt.prepare(t, folder)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			x := &echo{during: func(id string) {
				if tt.stop && id == "b" {
					cancel()
				}
			}}
			a := Attempt{Exchange: folder, Chunk: "1-0", Name: "9-1-y", Within: tt.within, Delay: time.Millisecond}
			if err := a.Serve(ctx, func(worker.Header) (worker.Executor, error) { return x, nil }); err != nil {
				t.Fatal(err)
			}
			results, end := outcome(t, folder, a.Name)
			want := End{Reason: tt.reason, Left: tt.left}
			if got := strings.Join(x.executed, ""); got != tt.executed || end != want {
				t.Errorf("executed %q, end %+v; want %q, %+v", got, end, tt.executed, want)
			}
			for _, r := range results {
				if r.Record == nil || string(r.Record.Stdout.Head) != "(check-sat)" {
					t.Errorf("the result of %s is %+v", r.ID, r)
				}
			}
		})
	}
}

// TestServeDamagedScript: a script that does not have its digest is a failure of the machine, and no result.
func TestServeDamagedScript(t *testing.T) {
	folder, script := bench(t)
	path := NewBlobs(filepath.Join(folder, BlobsFolder)).Path(script)
	if err := os.WriteFile(path, []byte("(check"), 0o644); err != nil {
		t.Fatal(err)
	}
	x := &echo{}
	a := Attempt{Exchange: folder, Chunk: "1-0", Name: "9-0-y"}
	if err := a.Serve(t.Context(), func(worker.Header) (worker.Executor, error) { return x, nil }); err != nil {
		t.Fatal(err)
	}
	results, _ := outcome(t, folder, a.Name)
	bad := func(r worker.Result) bool { return r.Failure == nil || r.Failure.Kind != worker.FailMachine }
	if len(results) != 3 || slices.ContainsFunc(results, bad) || len(x.executed) > 0 {
		t.Errorf("executed %q, results %+v; want three failures of the machine", x.executed, results)
	}
}

// TestServeRefuses: a worker that cannot execute the chunk says so in its file.
func TestServeRefuses(t *testing.T) {
	folder, _ := bench(t)
	t.Setenv("SLURMD_NODENAME", "n7")
	a := Attempt{Exchange: folder, Chunk: "1-0", Name: "9-0-y"}
	err := a.Serve(t.Context(), func(worker.Header) (worker.Executor, error) {
		return nil, errors.New("other hardware")
	})
	data, _ := os.ReadFile(filepath.Join(folder, ChunksFolder, "1-0", a.Name))
	if err == nil || !strings.Contains(string(data), `"error":"other hardware"`) || !strings.Contains(string(data), "n7") {
		t.Errorf("error %v, the file has %q", err, data)
	}
}
