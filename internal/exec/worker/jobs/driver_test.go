package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/data/comp"
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

// TestForeignFiles checks that files in a chunk's folder that none of the workers wrote are ignored, even with valid
// checksums.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	taken := ""
	order := &worker.Order{Tasks: []worker.Task{{ID: "a"}}, Take: func(_ int, r []*worker.Result) (bool, error) {
		taken += string(r[0].Record.Ending)
		return false, nil
	}}
	d := newDriver(plan{}, &folder{exchange: dir}, slog.New(slog.DiscardHandler), order, nil)
	c := &chunk{Ticket: exchange.Ticket{Stage: "ab", Number: 1}, tasks: []int32{0}}
	folder := filepath.Join(dir, c.folder())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(folder, "ab-7-0-fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.taker = &taker{name: "ab-7-0-fifo"}
	if err := d.collect(c); err != nil || c.taker.read > 0 {
		t.Errorf("read %+v, error %v of a FIFO", c.taker, err)
	}
	c.taker = &taker{name: "ab-7-0-lines"}
	file := filepath.Join(folder, c.taker.name)
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
	err := errors.Join(os.Remove(works), os.WriteFile(works, nil, 0o644), os.Truncate(works, 2*maxLine))
	if err != nil {
		t.Fatal(err)
	}
	if content, err := d.readWorks(t.Context(), c); content != nil || err != nil {
		t.Errorf("%d bytes of works, error %v, from a file that is too long", len(content), err)
	}
}

// TestLargeOutput checks that a work is refused at once if its result might exceed a line, which would never be read.
func TestLargeOutput(t *testing.T) {
	err := (&executor{}).prepare(&worker.Work{Limits: comp.Limits{OutputBytes: 1 << 30}}, false)
	if _, fatal := errors.AsType[*fatalError](err); !fatal || !strings.Contains(err.Error(), "lower output") {
		t.Errorf("error %v", err)
	}
}

// TestNoResults checks that a work is given up after three jobs that ended as done without a valid result.
func TestNoResults(t *testing.T) {
	said := ""
	order := &worker.Order{Tasks: []worker.Task{{ID: "a"}}, Take: func(_ int, r []*worker.Result) (bool, error) {
		said = r[0].Failure.Text
		return false, nil
	}}
	d := newDriver(plan{}, nil, slog.New(slog.DiscardHandler), order, nil)
	c := &chunk{Ticket: exchange.Ticket{Stage: "ab", Number: 1}, tasks: []int32{0}, taker: &taker{name: "ab-7-0-x",
		hello: &worker.Hello{Slots: 1}, end: &exchange.End{Reason: exchange.EndDone}}}
	for _, want := range []int{1, 1, 0} {
		if again, err := d.undone(c); len(again) != want || err != nil {
			t.Errorf("%d works are submitted again, error %v, want %d", len(again), err, want)
		}
	}
	if !strings.Contains(said, "chunks/ab-1/ab-7-0-x") {
		t.Errorf("it is given up because of %q", said)
	}
}

// TestRefusingNode checks when refusals end the stage. The stage continues if one node refuses three jobs before it is
// excluded, because other nodes may execute them. It ends if three nodes refuse, or if a node that jobs cannot avoid
// refuses.
func TestRefusingNode(t *testing.T) {
	for _, tt := range []struct {
		nodes []string
		kept  []string // nodes that the job must avoid
		ends  bool
	}{
		{[]string{"n1", "n1", "n1"}, nil, false},
		{[]string{"n1", "n2", "n3"}, nil, true},
		{[]string{"n1", "n1", "n1"}, []string{"n1"}, true},
	} {
		d := newDriver(plan{}, &folder{}, slog.New(slog.DiscardHandler), &worker.Order{}, nil)
		var err error
		for _, name := range tt.nodes {
			j := &job{kept: tt.kept}
			err = d.barren(j, d.faultOf(j, &taker{hello: &worker.Hello{Host: name, Error: "other hardware"}}))
		}
		if (err != nil) != tt.ends {
			t.Errorf("%v: error %v, want one: %t", tt.nodes, err, tt.ends)
		}
	}
}

// TestNotKeptAway covers a batch system that does not keep jobs away from an excluded node: a work that fails there is
// retried several times and then abandoned. The failure is always the machine's, never the work's.
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
		c := &chunk{tasks: []int32{0}, taker: &taker{hello: &worker.Hello{Host: "n1"}}}
		if err := d.complete(c, c.taker, 0, results); err != nil {
			t.Fatal(err)
		}
	}
	if tries != maxAlone || taken == nil || taken.Kind != worker.FailMachine || !strings.Contains(taken.Text, "n1") {
		t.Errorf("after %d tries: %+v, want a failure of the machine after %d", tries, taken, maxAlone)
	}
}

// TestReference checks that a node is excluded if its reference work takes much longer than that of other nodes, which
// agree with each other.
func TestReference(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first []float64 // times on nodes 0, 1, 2 and 3
		last  float64   // time on node 9
		want  []string
	}{
		{"as others", []float64{1, 1.02, 0.98, 1}, 1.1, nil},
		{"slow", []float64{1, 1.02, 0.98, 1}, 1.3, []string{"9"}}, // exceeds 1.2 + 2 * 0.04
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

// gone is a world in which jobs leave nothing and are never listed.
type gone struct{ world }

func (gone) List(context.Context) ([]Job, error)              { return nil, nil }
func (gone) Submit(context.Context, *Submission) error        { return nil }
func (gone) names(string) ([]string, error)                   { return nil, nil }
func (gone) put(string, []byte) error                         { return nil }
func (gone) remove(string) error                              { return nil }
func (gone) notes() ([]byte, error)                           { return nil, nil }
func (gone) note([]byte) error                                { return nil }
func (gone) renote([]byte) error                              { return nil }
func (gone) now() time.Time                                   { return time.Now() }
func (gone) sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// TestNeverListed checks that jobs that vanish before they are ever listed count as failures and end the stage.
func TestNeverListed(t *testing.T) {
	told := 0
	order := &worker.Order{Tasks: []worker.Task{{ID: "a"}}, Event: func(worker.Event) { told++ },
		Works: func(int) ([]*worker.Work, error) { return []*worker.Work{{ID: "a"}}, nil }}
	d := newDriver(plan{jobs: 1, most: 1, time: time.Hour}, gone{}, slog.New(slog.DiscardHandler), order,
		func(*worker.Work, bool) error { return nil })
	err := d.run(t.Context(), "ab")
	if told != mostBarren || err == nil || !strings.Contains(err.Error(), folderRemedy) {
		t.Errorf("%d jobs without a run are told, error %v; want %d and the remedy", told, err, mostBarren)
	}
}

// TestOtherPool changes the executor's block. The driver withdraws the chunks that no job in the former pool has taken,
// and collects the results of the remaining chunks.
func TestOtherPool(t *testing.T) {
	w := &folder{exchange: t.TempDir(), state: t.TempDir()}
	taken := exchange.Ticket{Stage: "ab", Number: 1}
	free := exchange.Ticket{Stage: "ab", Number: 2, Order: 1}
	note := fmt.Sprintf(`{"token":"ab","pool":"old"}%s{"chunk":%q}%s{"chunk":%q}%s`, "\n", taken.Name(), "\n", free.Name(), "\n")
	results := exchange.AppendLine(nil, []byte(`{"id":"a","record":{"ending":"exited"}}`))
	ticket := "open/old/" + free.Name()
	for name, content := range map[string]string{ticket: "", "chunks/ab-1/ab-9-0-x": string(results),
		"chunks/ab-1/works.jsonl": `{"format":""}` + "\n" + `{"id":"a"}` + "\n",
		"chunks/ab-2/works.jsonl": `{"format":""}` + "\n" + `{"id":"b"}` + "\n"} {
		if err := w.put(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.renote([]byte(note)); err != nil {
		t.Fatal(err)
	}
	var ids []string
	order := &worker.Order{Tasks: []worker.Task{{ID: "a"}, {ID: "b"}},
		Take: func(_ int, r []*worker.Result) (bool, error) { ids = append(ids, r[0].ID); return false, nil }}
	d := newDriver(plan{pool: "new", delay: time.Minute}, w, slog.New(slog.DiscardHandler), order, nil)
	if err := d.attach(t.Context(), "xy"); err != nil {
		t.Fatal(err)
	}
	d.seek()
	for _, c := range d.chunks {
		if err := d.collect(c); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(w.path(ticket)); !os.IsNotExist(err) || !slices.Equal(ids, []string{"a"}) {
		t.Errorf("the ticket is there: %v; results are taken of %v", err, ids)
	}
	if c := d.chunks[1]; c.vanished.IsZero() || len(c.tasks) != 1 || d.known.pool != "new" {
		t.Errorf("%+v is not to be given up, of %+v", c, d.known)
	}
}

// TestNotes checks that a journal is read correctly with any ending, and that rewriting drops obsolete notes.
func TestNotes(t *testing.T) {
	n := readNotes([]byte(`{"token":"ab","pool":"cd"}
{"wave":1,"size":2,"chunks":"ab-1-"}
{"wave":1,"gone":[1]}
{"chunk":"0000000-ab-1-70"}
{"chunk":"0000005-ab-2-80"}
{"used":3}
{"gone":[1]}
{"chunk":"0000009-ab-4-90"}
{"chunk":"00000`))
	if n.token != "ab" || n.used != 4 || !slices.Equal(n.old, []string{"ab-1-0", "ab-1-1"}) {
		t.Fatalf("it is read as %+v", n)
	}
	const want = `{"token":"ab","pool":"cd"}
{"used":4}
{"chunk":"0000005-ab-2-80"}
{"chunk":"0000009-ab-4-90"}
`
	if got := string(n.content()); got != want {
		t.Errorf("it is written as\n%s, want\n%s", got, want)
	}
}
