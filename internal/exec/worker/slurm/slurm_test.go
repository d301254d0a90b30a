package slurm

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/jobs"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// optionsOf returns the options of a test executor with some settings changed.
func optionsOf(t *testing.T, h worker.Header, changed map[string]cty.Value) worker.Options {
	dir := t.TempDir()
	settings := map[string]cty.Value{
		"time": cty.StringVal("10m"), "delay": cty.StringVal("1s"), "poll": cty.StringVal("200ms"),
		"partition": cty.NullVal(cty.String), "options": cty.NullVal(cty.List(cty.String)),
		"exclusive": cty.NullVal(cty.Bool), "exchange": cty.NullVal(cty.String),
	}
	for name, v := range changed {
		settings[name] = v
	}
	return worker.Options{Header: h, Settings: settings, Folder: dir, State: filepath.Join(dir, "state"),
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
}

// TestExecutor checks that jobs in a real Slurm cluster return the same records as the runner.
func TestExecutor(t *testing.T) {
	h := workertest.Header(t)
	workertest.StartCluster(t)
	o := optionsOf(t, h, nil)
	x, err := Kind.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	workertest.Run(t, x)
	chunks, err := os.ReadDir(filepath.Join(o.Folder, "exchange/chunks"))
	if err != nil || len(chunks) > 0 {
		t.Errorf("%d chunks are left, error %v", len(chunks), err)
	}
	twoStages(t, o)
}

// twoStages lets two stages, which may belong to different stores, use one exchange folder concurrently. Each work of
// both stages must be executed exactly once.
func twoStages(t *testing.T, o worker.Options) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var group errgroup.Group
	log := filepath.Join(t.TempDir(), "log")
	o.Isolation, o.Jobs = runner.Unisolated, 2
	for stage := range 2 {
		o.State = filepath.Join(t.TempDir(), "state")
		x, err := Kind.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		order := &worker.Order{Limit: time.Second}
		for k := range 3 {
			order.Tasks = append(order.Tasks, worker.Task{ID: fmt.Sprint(stage, "-", k), Expected: time.Hour})
		}
		order.Works = func(k int) ([]*worker.Work, error) {
			c := workertest.Shell("echo " + order.Tasks[k].ID + " >>" + log)
			c.HostSystem = false
			return []*worker.Work{workertest.MustWork(t, order.Tasks[k].ID, c, nil)}, nil
		}
		order.Take = func(_ int, r []*worker.Result) (bool, error) {
			if r[0].Failure != nil {
				return false, r[0].Failure.Err()
			}
			return false, nil
		}
		group.Go(func() error { return x.Execute(ctx, order) })
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(log)
	got := strings.Fields(string(text))
	slices.Sort(got)
	if want := []string{"0-0", "0-1", "0-2", "1-0", "1-1", "1-2"}; !slices.Equal(got, want) {
		t.Errorf("executed were %v, want %v", got, want)
	}
}

// TestRefused checks that options that cannot work are reported immediately or by the job.
func TestRefused(t *testing.T) {
	h := workertest.Header(t)
	workertest.StartCluster(t)
	tests := []struct {
		name    string
		changed map[string]cty.Value
		header  func(*worker.Header)
		want    string
	}{
		{name: "no such partition", changed: map[string]cty.Value{"partition": cty.StringVal("night")},
			want: "invalid partition"},
		{name: "no time", changed: map[string]cty.Value{"time": cty.StringVal("later")},
			want: `"later" is not a duration`},
		{name: "a time below that of a run", changed: map[string]cty.Value{"time": cty.StringVal("20s")},
			want: "is too short for a run"},
		{name: "other hardware", header: func(h *worker.Header) { h.Hardware = "abacus" },
			want: `must be measured on "abacus"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := h
			if tt.header != nil {
				tt.header(&h)
			}
			x, err := Kind.Open(t.Context(), optionsOf(t, h, tt.changed))
			var all []*worker.Result
			if err == nil {
				defer x.Close()
				all, err = worker.Do(t.Context(), x, workertest.MustWork(t, "x", workertest.Shell("echo sat"), nil))
			}
			var r *worker.Result
			if len(all) > 0 {
				r = all[0]
			}
			switch {
			case err == nil && (r.Failure == nil || r.Failure.Kind != worker.FailMachine ||
				!strings.Contains(r.Failure.Text, tt.want)):
				t.Errorf("the result is %+v, want a failure with %q", r, tt.want)
			case err != nil && !strings.Contains(err.Error(), tt.want):
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestPerJob checks that an exclusive job has as many slots as the node's declared hardware allows.
func TestPerJob(t *testing.T) {
	const node = "Intel Xeon E3-1230 v5; 4 cores; 8 threads; 64 GB; x86_64"
	tests := []struct {
		exclusive bool
		hardware  string
		cores     int
		memory    int64
		want      int
	}{
		{false, node, 1, 1e9, 1},
		{true, node, 1, 1e9, 4},
		{true, node, 2, 1e9, 2},
		{true, node, 1, 30e9, 2}, // 60 of 64 GB
		{true, node, 8, 1e9, 1},  // rejected later by the worker
		{true, "somewhere", 1, 1e9, 1},
	}
	for _, tt := range tests {
		got := Kind.PerJob(worker.Header{Hardware: tt.hardware, Cores: tt.cores, MemoryBytes: tt.memory},
			map[string]cty.Value{"exclusive": cty.BoolVal(tt.exclusive)})
		if got != tt.want {
			t.Errorf("%+v: %d runs at one time", tt, got)
		}
	}
}

// TestBlackHole checks that works that fail only on one node are executed on another, and that the node receives no
// further jobs. Works that fail on all nodes fail, and no node is excluded.
func TestBlackHole(t *testing.T) {
	workertest.Level(t)
	cluster := workertest.StartCluster(t)
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "solver"), filepath.Join(dir, "other")
	for path, text := range map[string]string{ours: "#!/bin/sh\nsleep 0.5\necho sat\n",
		theirs: "#!/bin/sh\necho unsat\n"} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := worker.Fingerprint(ours)
	if err != nil {
		t.Fatal(err)
	}
	cluster.Changed(1, "mount --bind "+theirs+" "+ours)
	cluster.WaitIdle()
	for _, tt := range []struct {
		name, digest string
		failed       int
		excluded     []string
	}{{"one node", sum, 0, []string{"n1"}}, {"all nodes", strings.Repeat("0", len(sum)), 12, nil}} {
		t.Run(tt.name, func(t *testing.T) {
			o := optionsOf(t, header, nil)
			o.Jobs = 2
			got := try(t, o, 12, 20*time.Second, func(id string) *worker.Work {
				c := workertest.Shell("")
				c.Argv, c.HostSystem = []string{ours}, false
				w := workertest.MustWork(t, id, c, nil)
				w.Verify = []worker.Digest{{Path: ours, SHA256: tt.digest}}
				return w
			})
			for id, out := range got.outputs {
				if out != "sat\n" {
					t.Errorf("%s says %q", id, out)
				}
			}
			if got.err != nil || len(got.outputs) != 12-tt.failed || len(got.failures) != tt.failed ||
				!slices.Equal(got.excluded, tt.excluded) {
				t.Errorf("%+v; want %d failures and %v", got, tt.failed, tt.excluded)
			}
		})
	}
}

func TestReadList(t *testing.T) {
	got := readList("smtpipe-ab-1|25|0|RUNNING|n1|0|None|\nsmtpipe-ab-1|25|12|PENDING||0|Resources|\n" +
		"other|26|N/A|RUNNING|n2|0|None|\nsmtpipe-ab-1|25|1|FAILED|n3|18176|NonZeroExitCode|\n" +
		"smtpipe-ab-1|25|2|CANCELLED|n3|15|None|\n")
	want := []jobs.Job{
		{Name: "smtpipe-ab-1", ID: "25_0", State: jobs.Running, Node: "n1"},
		{Name: "smtpipe-ab-1", Index: 12, ID: "25_12", State: jobs.Queued, Text: "Resources"},
		{Name: "smtpipe-ab-1", Index: 1, ID: "25_1", State: jobs.Ended, Node: "n3",
			Text: "FAILED, exit code 71", Exit: 71},
		{Name: "smtpipe-ab-1", Index: 2, ID: "25_2", State: jobs.Ended, Node: "n3", Text: "CANCELLED, signal 15",
			Cancelled: true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestFolderNotOnNodes checks that nodes that lack the exchange folder, or cannot write to it, are reported and receive
// no further jobs. If all nodes lack it, the stage ends after three jobs with a remedy.
func TestFolderNotOnNodes(t *testing.T) {
	workertest.Level(t)
	cluster := workertest.StartCluster(t)
	tests := []struct {
		name     string
		change   string // command that changes the node; FOLDER is the exchange folder
		nodes    int
		excluded []string
		want     []string // part of the error; empty means that all works have results
	}{
		{"read-only on one", "mount --bind FOLDER FOLDER\nmount -o remount,bind,ro FOLDER", 1, []string{"n1"}, nil},
		{"nowhere but on one", "mount -t tmpfs none FOLDER", 2, []string{"n1", "n2"}, nil},
		{"nowhere", "mount -t tmpfs none FOLDER", 3, nil, []string{"3 jobs in a row executed no run",
			"on n1: the exchange folder " +
				"is not there", "at the same path"}},
	}
	for _, i := range testkit.Sample(len(tests), 1) {
		tt := tests[i]
		t.Run(tt.name, func(t *testing.T) {
			o := optionsOf(t, header, nil)
			folder := filepath.Join(o.Folder, "exchange")
			for n := 1; n <= tt.nodes; n++ {
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
				cluster.Changed(n, strings.ReplaceAll(tt.change, "FOLDER", folder))
			}
			cluster.WaitIdle()
			got := try(t, o, 4, time.Hour, func(id string) *worker.Work {
				c := workertest.Shell("echo sat")
				c.HostSystem = false
				return workertest.MustWork(t, id, c, nil)
			})
			switch {
			case tt.want == nil &&
				(got.err != nil || len(got.outputs) != 4 || !slices.Equal(got.excluded, tt.excluded)):
				t.Errorf("%+v; want 4 outputs and %v", got, tt.excluded)
			case tt.want != nil && got.err == nil:
				t.Error("it went on")
			}
			for _, text := range tt.want {
				if got.err != nil && !strings.Contains(got.err.Error(), text) {
					t.Errorf("error %v, want %q", got.err, text)
				}
			}
		})
	}
}
