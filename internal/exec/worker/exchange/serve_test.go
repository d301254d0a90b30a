package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// echo is an executor that executes nothing: a work's output is its input.
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

// bench creates an exchange folder with chunks, each with the works a, b and c, which use the same script.
func bench(t *testing.T, chunks int) (j *Job, script string) {
	t.Helper()
	j = &Job{Exchange: t.TempDir(), Pool: "p", Name: "ab-9-0-y", Delay: 10 * time.Millisecond,
		Header: worker.Header{Format: worker.WorkFormat, Isolation: runner.Full}}
	script = digestOf("(check-sat)")
	err := NewBlobs(filepath.Join(j.Exchange, BlobsFolder)).Put(script, worker.SourceOf([]byte("(check-sat)")))
	err = errors.Join(err, os.MkdirAll(filepath.Join(j.Exchange, WorkersFolder, j.Pool), 0o755))
	for n := range chunks {
		var works []*worker.Work
		for _, id := range []string{"a", "b", "c"} {
			works = append(works, &worker.Work{ID: id, Command: []string{"x"},
				Limits: comp.Limits{WallTime: time.Minute},
				Inputs: []worker.File{{Target: "/input/x.smt2", SHA256: script}}})
		}
		content, wrong := Chunk(j.Header, works)
		ticket := Ticket{Order: n, Number: n + 1, Stage: "ab", Needs: 20 * time.Minute}
		err = errors.Join(err, wrong,
			WriteFile(filepath.Join(j.Exchange, ChunksFolder, ticket.Chunk(), WorksFile), content),
			WriteFile(filepath.Join(j.Exchange, TicketsFolder, j.Pool, ticket.Name()), nil))
	}
	if err != nil {
		t.Fatal(err)
	}
	return j, script
}

// outcome returns what a job wrote about a chunk, or nothing if the job has not taken the chunk.
func outcome(t *testing.T, j *Job, chunk string) (results []worker.Result, end End) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(j.Exchange, ChunksFolder, chunk, j.Name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
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

func here(x worker.Executor) func(worker.Header) (worker.Executor, error) {
	return func(worker.Header) (worker.Executor, error) { return x, nil }
}

// TestServe checks that chunks are executed one after another, and that the reason for leaving a chunk unfinished is
// recorded.
func TestServe(t *testing.T) {
	tests := []struct {
		name     string
		within   time.Duration
		during   func(j *Job, stop func()) // called during the second run
		executed string
		reasons  []string // expected end of each chunk; empty means not taken
		more     bool
	}{
		{name: "undisturbed", executed: "abcabc", reasons: []string{EndDone, EndDone}},
		{name: "no time for a run", within: time.Minute, reasons: []string{EndTime, ""}, more: true},
		{name: "no time for another chunk", within: 19 * time.Minute, executed: "abc", reasons: []string{EndDone, ""},
			more: true},
		{name: "time for both", within: 21 * time.Minute, executed: "abcabc", reasons: []string{EndDone, EndDone}},
		{name: "the second is withdrawn", during: func(j *Job, _ func()) {
			_ = os.Remove(filepath.Join(j.Exchange, ChunksFolder, "ab-2", WorksFile))
		}, executed: "abc", reasons: []string{EndDone, EndWithdrawn}},
		{name: "a signal", during: func(_ *Job, stop func()) { stop() }, executed: "ab",
			reasons: []string{EndStopped, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j, _ := bench(t, 2)
			j.Within = tt.within
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			x := &echo{during: func(id string) {
				if tt.during != nil && id == "b" {
					tt.during(j, cancel)
				}
			}}
			more, err := j.serve(ctx, here(x))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(x.executed, ""); got != tt.executed || more != tt.more {
				t.Errorf("executed %q, more %t; want %q, %t", got, more, tt.executed, tt.more)
			}
			for i, want := range tt.reasons {
				results, end := outcome(t, j, fmt.Sprint("ab-", i+1))
				if end.Reason != want {
					t.Errorf("chunk %d ends with %q, want %q", i+1, end.Reason, want)
				}
				for _, r := range results {
					if r.Record == nil || string(r.Record.Stdout.Head) != "(check-sat)" {
						t.Errorf("the result of %s is %+v", r.ID, r)
					}
				}
			}
		})
	}
}

// TestTakenOnce lets ten jobs take thirty chunks concurrently: each chunk must be executed exactly once.
func TestTakenOnce(t *testing.T) {
	j, _ := bench(t, 30)
	var group errgroup.Group
	x := &echo{}
	for n := range 10 {
		other := *j
		other.Name = fmt.Sprint("ab-9-0-", n)
		group.Go(func() error { return other.Serve(t.Context(), here(x)) })
	}
	if err := group.Wait(); err != nil || len(x.executed) != 90 {
		t.Errorf("%d runs were executed, error %v; want 90", len(x.executed), err)
	}
	tickets, err := os.ReadDir(filepath.Join(j.Exchange, TicketsFolder, j.Pool))
	if err != nil || len(tickets) > 0 {
		t.Errorf("%d tickets are left, error %v", len(tickets), err)
	}
}

// TestLives checks that a job writes signs of life during a run.
func TestLives(t *testing.T) {
	j, _ := bench(t, 1)
	x := &echo{during: func(string) { time.Sleep(250 * time.Millisecond) }} // longer than the shortest Pulse, 100 ms
	if err := j.Serve(t.Context(), here(x)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(j.Exchange, ChunksFolder, "ab-1", j.Name))
	before, _, _ := strings.Cut(string(data), `"id":"a"`)
	if err != nil || !strings.Contains(before, `"alive":true`) {
		t.Errorf("before the first result it wrote %q, error %v", before, err)
	}
}

// TestServeDamagedScript checks that a script that does not match its digest causes a machine failure, not a result.
func TestServeDamagedScript(t *testing.T) {
	j, script := bench(t, 1)
	path := NewBlobs(filepath.Join(j.Exchange, BlobsFolder)).Path(script)
	if err := os.WriteFile(path, []byte("(check"), 0o644); err != nil {
		t.Fatal(err)
	}
	x := &echo{}
	if err := j.Serve(t.Context(), here(x)); err != nil {
		t.Fatal(err)
	}
	results, _ := outcome(t, j, "ab-1")
	bad := func(r worker.Result) bool { return r.Failure == nil || r.Failure.Kind != worker.FailMachine }
	if len(results) != 3 || slices.ContainsFunc(results, bad) || len(x.executed) > 0 {
		t.Errorf("executed %q, results %+v; want three failures of the machine", x.executed, results)
	}
}

// TestServeRefuses checks that a worker that cannot execute chunks reports this in its file and takes none.
func TestServeRefuses(t *testing.T) {
	j, _ := bench(t, 1)
	t.Setenv("SLURMD_NODENAME", "n7")
	err := j.Serve(t.Context(), func(worker.Header) (worker.Executor, error) {
		return nil, errors.New("other hardware")
	})
	data, _ := os.ReadFile(filepath.Join(j.Exchange, WorkersFolder, j.Pool, j.Name))
	if err == nil || !strings.Contains(string(data), `"error":"other hardware"`) || !strings.Contains(string(data), "n7") {
		t.Errorf("error %v, the file has %q", err, data)
	}
	if _, end := outcome(t, j, "ab-1"); end.Reason != "" {
		t.Errorf("it has taken the chunk, and ended with %q", end.Reason)
	}
}

// TestTickets checks that a job ignores files that are not tickets, and takes the first ticket that it has time for.
func TestTickets(t *testing.T) {
	names := []string{"0000012-cd-1-70", "0000003-ef-2-900", "0000003-ab-1-60", ".new-1",
		"0000004-../x-1-1", "4-ab-1-1", "0000005-ab-1"}
	for _, tt := range []struct {
		left  time.Duration
		fresh bool
		want  []string
	}{
		{time.Hour, false, []string{"0000003-ab-1-60", "0000003-ef-2-900", "0000012-cd-1-70"}},
		{75 * time.Second, false, []string{"0000003-ab-1-60", "0000012-cd-1-70"}},
		{75 * time.Second, true, []string{"0000003-ab-1-60", "0000003-ef-2-900", "0000012-cd-1-70"}},
		{59 * time.Second, false, nil},
	} {
		if got, more := Choose(names, tt.left, tt.fresh); !slices.Equal(got, tt.want) || more != (tt.want == nil) {
			t.Errorf("%+v: %q, more %t", tt, got, more)
		}
	}
	ticket := Ticket{Order: 7, Number: 3, Stage: "ab", Needs: time.Minute}
	if got, ok := ReadTicket(ticket.Name()); !ok || got != ticket || got.Chunk() != "ab-3" {
		t.Errorf("%+v is read as %+v", ticket, got)
	}
}
