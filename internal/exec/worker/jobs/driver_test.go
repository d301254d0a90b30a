package jobs

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

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

// TestForeignFiles: what no worker of ours wrote into the folder of a chunk counts as absent, even with a valid
// checksum.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	taken := ""
	order := &worker.Order{Tasks: []worker.Task{{ID: "a"}}, Take: func(_ int, r []*worker.Result) (bool, error) {
		taken += string(r[0].Record.Ending)
		return false, nil
	}}
	d := newDriver(plan{}, &folder{exchange: dir}, slog.New(slog.DiscardHandler), order, nil)
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

// TestRefusingNode: three jobs that one node refuses before it is excluded do not end the stage, since other nodes may
// execute them. Three nodes that refuse end it.
func TestRefusingNode(t *testing.T) {
	for _, tt := range []struct {
		nodes []string
		ends  bool
	}{{[]string{"n1", "n1", "n1"}, false}, {[]string{"n1", "n2", "n3"}, true}} {
		order := &worker.Order{Tasks: make([]worker.Task, len(tt.nodes))}
		d := newDriver(plan{}, &folder{}, slog.New(slog.DiscardHandler), order, nil)
		var err error
		for k, name := range tt.nodes {
			a := &attempt{hello: &worker.Hello{Host: name, Error: "other hardware"}}
			c := &chunk{wave: &wave{job: "7"}, tasks: []int32{int32(k)}, attempts: []*attempt{a}}
			var again []int32
			if again, err = d.undone(c); err == nil && len(again) != 1 {
				t.Errorf("%v: %d works are submitted again", tt.nodes, len(again))
			}
		}
		if (err != nil) != tt.ends {
			t.Errorf("%v: error %v, want one: %t", tt.nodes, err, tt.ends)
		}
	}
}

// TestNotKeptAway: where the batch system does not keep jobs away from an excluded node, a work that fails there is
// tried again for a while and then given up. The failure never becomes one of the work.
func TestNotKeptAway(t *testing.T) {
	var taken *worker.Failure
	order := &worker.Order{Tasks: []worker.Task{{ID: "a"}}, Take: func(_ int, r []*worker.Result) (bool, error) {
		taken = r[0].Failure
		return false, nil
	}}
	d := newDriver(plan{}, &folder{}, slog.New(slog.DiscardHandler), order, nil)
	d.excluded = []string{"n1"}
	results := worker.Fail(worker.FailWork, "another program", &worker.Work{ID: "a"})
	tries := 0
	for ; taken == nil && tries < 100; tries++ {
		c := &chunk{wave: &wave{}, tasks: []int32{0}, attempts: []*attempt{{hello: &worker.Hello{Host: "n1"}}}}
		if err := d.complete(c, c.attempts[0], 0, results); err != nil {
			t.Fatal(err)
		}
	}
	if tries != maxAlone || taken == nil || taken.Kind != worker.FailMachine || !strings.Contains(taken.Text, "n1") {
		t.Errorf("after %d tries: %+v, want a failure of the machine after %d", tries, taken, maxAlone)
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
		d := newDriver(plan{}, &folder{}, slog.New(slog.DiscardHandler), &worker.Order{}, nil)
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
		d := newDriver(plan{}, &folder{}, slog.New(slog.DiscardHandler), order, nil)
		c := &chunk{wave: &wave{chunks: "ab-1-", job: tt.job}, tasks: []int32{0}, noted: tt.noted}
		var err error
		for range mostBarren {
			if err != nil {
				t.Errorf("%+v: it ended too early: %v", tt, err)
			}
			_, err = d.undone(c)
		}
		if told != tt.want || (err != nil) != (tt.want > 0) ||
			err != nil && !strings.Contains(err.Error(), folderRemedy) {
			t.Errorf("%+v: %d jobs without a run are told, error %v", tt, told, err)
		}
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
