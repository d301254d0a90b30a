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
	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "node" {
		beNode(os.Args[2], os.Args[3], os.Args[4])
	}
	workertest.Main(m)
}

// options are those of an executor of the tests, with some settings changed.
func options(t *testing.T, h worker.Header, changed map[string]cty.Value) worker.Options {
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

// TestExecutor: jobs of a real Slurm give the records that the runner gives.
func TestExecutor(t *testing.T) {
	h := workertest.Header(t)
	workertest.StartCluster(t)
	o := options(t, h, nil)
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

// twoStages lets two stages use one executor block concurrently: each work of both is executed once.
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

// TestRefused: what cannot work is said at once, or by the job.
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
			want: "has no time for a run"},
		{name: "other hardware", header: func(h *worker.Header) { h.Hardware = "abacus" },
			want: `to be measured on "abacus"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := h
			if tt.header != nil {
				tt.header(&h)
			}
			x, err := Kind.Open(t.Context(), options(t, h, tt.changed))
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

// TestPerJob: an exclusive job has the slots of its node, as its hardware is declared.
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
		{true, node, 8, 1e9, 1},  // it is refused by the worker
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

// TestForeignFiles: what no worker of ours wrote into the folder of a chunk counts as absent, even with a valid
// checksum.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	taken := ""
	order := &worker.Order{Tasks: []worker.Task{{ID: "a"}}, Take: func(_ int, r []*worker.Result) (bool, error) {
		taken += string(r[0].Record.Ending)
		return false, nil
	}}
	d := newDriver(plan{}, &cluster{folder: dir}, slog.New(slog.DiscardHandler), order, nil)
	c := &chunk{wave: &wave{chunks: "ab-1-"}, tasks: []int32{0}, noted: true}
	folder := filepath.Join(dir, c.folder())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(folder, "7-0-fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "7-0-lines")
	var lines []byte
	for _, record := range []string{
		`{"id":"a"}`, `{"id":"a","record":{"ending":"exited","flags":["blessed"]}}`,
		`{"id":"a","record":{"ending":"exited","stdout":{"head":"eHg=","total_bytes":1}}}`,
		`{"id":"a","record":{"ending":"won"}}`, `{"id":"a","record":{"ending":"exited","wall_time_ns":-1}}`,
		`{"id":"a","record":{"ending":"exited"},"failure":{"kind":"start"}}`,
	} {
		lines = exchange.AppendLine(lines, []byte(record))
	}
	for _, want := range []string{"", "exited"} {
		if err := os.WriteFile(file, lines, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := d.collect(c); err != nil || taken != want {
			t.Errorf("taken was %q, error %v, want %q", taken, err, want)
		}
		lines = exchange.AppendLine(lines, []byte(`{"id":"a","record":{"ending":"exited"}}`))
	}
	works := filepath.Join(folder, exchange.WorksFile)
	if err := unix.Mkfifo(works, 0o644); err != nil {
		t.Fatal(err)
	}
	if content, err := d.readWorks(t.Context(), c); content != nil || err != nil {
		t.Errorf("the works in a FIFO are %q, error %v", content, err)
	}
}

// TestNoResults: a work whose job ends as done without a valid result is given up after three jobs.
func TestNoResults(t *testing.T) {
	said := ""
	order := &worker.Order{Tasks: []worker.Task{{ID: "a"}}, Take: func(_ int, r []*worker.Result) (bool, error) {
		said = r[0].Failure.Text
		return false, nil
	}}
	d := newDriver(plan{}, nil, slog.New(slog.DiscardHandler), order, nil)
	a := &attempt{name: "7-0-x", hello: &worker.Hello{Slots: 1}, end: &exchange.End{Reason: exchange.EndDone}}
	c := &chunk{wave: &wave{chunks: "ab-1-"}, tasks: []int32{0}, attempts: []*attempt{a}}
	for _, want := range []int{1, 1, 0} {
		if again, err := d.undone(c); len(again) != want || err != nil {
			t.Errorf("%d works are submitted again, error %v, want %d", len(again), err, want)
		}
	}
	if !strings.Contains(said, "chunks/ab-1-0/7-0-x") {
		t.Errorf("it is given up because of %q", said)
	}
}

// TestBlackHole: what fails on one node only is executed on another, and the node gets no more jobs. What fails on all
// of them fails, and no node is excluded.
func TestBlackHole(t *testing.T) {
	workertest.Level(t)
	cluster := workertest.StartCluster(t)
	h := worker.Header{Isolation: runner.Unisolated, Cores: 1, MemoryBytes: 200e6}
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "solver"), filepath.Join(dir, "other")
	for path, text := range map[string]string{ours: "#!/bin/sh\necho sat\n", theirs: "#!/bin/sh\necho unsat\n"} {
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
			o := options(t, h, nil)
			o.Jobs = 2
			x, err := Kind.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			order, excluded, failed, taken := &worker.Order{Limit: time.Second}, []string(nil), 0, 0
			for k := range 12 {
				order.Tasks = append(order.Tasks, worker.Task{ID: fmt.Sprint(k), Expected: 20 * time.Second})
			}
			order.Works = func(k int) ([]*worker.Work, error) {
				c := workertest.Shell("")
				c.Argv, c.HostSystem = []string{ours}, false
				w := workertest.MustWork(t, order.Tasks[k].ID, c, nil)
				w.Verify = []worker.Digest{{Path: ours, SHA256: tt.digest}}
				return []*worker.Work{w}, nil
			}
			order.Take = func(_ int, r []*worker.Result) (bool, error) {
				if taken++; r[0].Failure != nil {
					failed++
				} else if out := string(r[0].Record.Stdout.Head); out != "sat\n" {
					t.Errorf("%s says %q", r[0].Host, out)
				}
				return false, nil
			}
			order.Event = func(e worker.Event) {
				switch e.Kind {
				case worker.Excluded:
					excluded = append(excluded, e.Node)
				case worker.Admitted:
					excluded = slices.DeleteFunc(excluded, func(n string) bool { return n == e.Node })
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			err = x.Execute(ctx, order)
			if err != nil || taken != len(order.Tasks) || failed != tt.failed || !slices.Equal(excluded, tt.excluded) {
				t.Errorf("%d results, %d failures, excluded %v, error %v; want %d, %d, %v", taken, failed, excluded, err,
					len(order.Tasks), tt.failed, tt.excluded)
			}
		})
	}
}

// TestReference: a node whose reference work takes clearly longer than that of others is excluded, as far as the others
// agree.
func TestReference(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first []float64 // of the nodes 0, 1, 2, 3
		last  float64   // of the node 9
		want  []string
	}{
		{"as others", []float64{1, 1.02, 0.98, 1}, 1.1, nil},
		{"slow", []float64{1, 1.02, 0.98, 1}, 1.3, []string{"9"}}, // above 1.2 + 2 * 0.04
		{"others differ as well", []float64{1, 1.3, 0.9, 1}, 1.5, nil},
		{"too few others", []float64{1, 1, 1}, 2, nil},
		{"not measured", []float64{1, 1, 1, 1}, 0, nil},
	} {
		d := newDriver(plan{}, &cluster{}, slog.New(slog.DiscardHandler), &worker.Order{}, nil)
		for i, r := range tt.first {
			d.reference(&worker.Hello{Host: fmt.Sprint(i), ReferenceS: r})
		}
		if d.reference(&worker.Hello{Host: "9", ReferenceS: tt.last}); !slices.Equal(d.excluded, tt.want) {
			t.Errorf("%s: excluded are %v, want %v", tt.name, d.excluded, tt.want)
		}
	}
	if s := worker.Reference(); s < 0.001 || s > 10 {
		t.Errorf("the reference work takes %g s of CPU time", s)
	}
}

// TestNeverListed: a job that was submitted and is gone before a list has it counts, one that may never have been
// submitted does not.
func TestNeverListed(t *testing.T) {
	for _, tt := range []struct {
		job   string
		noted bool
		want  int // jobs that made no run
	}{{"25", false, 3}, {"", false, 0}, {"25", true, 0}} {
		told := 0
		order := &worker.Order{Tasks: []worker.Task{{ID: "a"}}, Event: func(worker.Event) { told++ }}
		d := newDriver(plan{}, &cluster{}, slog.New(slog.DiscardHandler), order, nil)
		c := &chunk{wave: &wave{chunks: "ab-1-", job: tt.job}, tasks: []int32{0}, noted: tt.noted}
		var err error
		for range mostBarren {
			if err != nil {
				t.Errorf("%+v: it ended too early: %v", tt, err)
			}
			_, err = d.undone(c)
		}
		if told != tt.want || (err != nil) != (tt.want > 0) {
			t.Errorf("%+v: %d jobs without a run are told, error %v", tt, told, err)
		}
	}
}

func TestReadList(t *testing.T) {
	got := readList("smtpipe-ab-1|25|0|RUNNING|n1|0|None|\nsmtpipe-ab-1|25|12|PENDING||0|Resources|\n" +
		"other|26|N/A|RUNNING|n2|0|None|\nsmtpipe-ab-1|25|1|FAILED|n3|18176|NonZeroExitCode|\n" +
		"smtpipe-ab-1|25|2|CANCELLED|n3|15|None|\n")
	want := []element{
		{name: "smtpipe-ab-1", id: "25_0", state: running, node: "n1"},
		{name: "smtpipe-ab-1", index: 12, id: "25_12", state: queued, text: "Resources"},
		{name: "smtpipe-ab-1", index: 1, id: "25_1", state: ended, node: "n3", text: "FAILED, exit code 71", exit: 71},
		{name: "smtpipe-ab-1", index: 2, id: "25_2", state: ended, node: "n3", text: "CANCELLED, signal 15",
			cancelled: true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestFolderNotOnNodes: nodes that do not have the exchange folder, or cannot write to it, are said and get no more
// jobs. If no node has it, the stage ends after three jobs, with the remedy.
func TestFolderNotOnNodes(t *testing.T) {
	workertest.Level(t)
	cluster := workertest.StartCluster(t)
	h := worker.Header{Isolation: runner.Unisolated, Cores: 1, MemoryBytes: 200e6}
	for _, tt := range []struct {
		name     string
		change   string // of nodes; FOLDER is the exchange folder
		nodes    int
		excluded []string
		want     []string // of the error; none: all works have results
	}{
		{"read-only on one", "mount --bind FOLDER FOLDER\nmount -o remount,bind,ro FOLDER", 1, []string{"n1"}, nil},
		{"nowhere but on one", "mount -t tmpfs none FOLDER", 2, []string{"n1", "n2"}, nil},
		{"nowhere", "mount -t tmpfs none FOLDER", 3, nil, []string{"3 jobs in a row made no run",
			"on n1: the exchange folder " +
				"is not there", "at the same path"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t, h, nil)
			folder := filepath.Join(o.Folder, "exchange")
			for n := 1; n <= tt.nodes; n++ {
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
				cluster.Changed(n, strings.ReplaceAll(tt.change, "FOLDER", folder))
			}
			cluster.WaitIdle()
			x, err := Kind.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			order, excluded, taken := &worker.Order{Limit: time.Second}, []string(nil), 0
			for k := range 4 {
				order.Tasks = append(order.Tasks, worker.Task{ID: fmt.Sprint(k), Expected: time.Hour})
			}
			order.Works = func(k int) ([]*worker.Work, error) {
				c := workertest.Shell("echo sat")
				c.HostSystem = false
				return []*worker.Work{workertest.MustWork(t, order.Tasks[k].ID, c, nil)}, nil
			}
			order.Take = func(_ int, r []*worker.Result) (bool, error) {
				if r[0].Failure == nil {
					taken++
				}
				return false, nil
			}
			order.Event = func(e worker.Event) {
				if e.Kind == worker.Excluded {
					excluded = append(excluded, e.Node)
				}
			}
			err = x.Execute(ctx, order)
			slices.Sort(excluded)
			switch {
			case tt.want == nil && (err != nil || taken != len(order.Tasks) || !slices.Equal(excluded, tt.excluded)):
				t.Errorf("%d results, excluded %v, error %v; want %d, %v", taken, excluded, err, len(order.Tasks),
					tt.excluded)
			case tt.want != nil && err == nil:
				t.Error("it went on")
			}
			for _, text := range tt.want {
				if err != nil && !strings.Contains(err.Error(), text) {
					t.Errorf("error %v, want %q", err, text)
				}
			}
		})
	}
}

// TestNotes: a journal is read as it was meant, whatever its end, and written again without what is gone.
func TestNotes(t *testing.T) {
	token, waves := readNotes([]byte(`{"token":"ab"}
{"wave":1,"size":2}
{"wave":1,"job":"25"}
{"wave":2,"size":1}
{"wave":1,"gone":[0,1]}
{"wave":3,"size":2,"chunks":"ab-3-"}
{"wave":3,"gone":[1]}
{"wave":3,"jo`))
	if token != "ab" || len(waves) != 3 || !waves[0].allGone() || waves[0].job != "25" || waves[2].job != "" {
		t.Fatalf("token %q, waves %+v", token, waves)
	}
	const want = `{"token":"ab"}
{"wave":2,"size":1,"chunks":"2-"}
{"wave":3,"size":2,"chunks":"ab-3-"}
{"wave":3,"gone":[1]}
`
	if got := string(noteAll(token, waves)); got != want {
		t.Errorf("it is written as\n%s, want\n%s", got, want)
	}
}
