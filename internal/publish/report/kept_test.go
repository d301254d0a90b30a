package report

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// keeper keeps data in memory. It is safe for concurrent use.
type keeper struct {
	mu   sync.Mutex
	kept map[string][]byte
	read []string // the data that was read, without the values that identify it
}

func (k *keeper) Kept(id string, read func(io.Reader) error) bool {
	k.mu.Lock()
	body, ok := k.kept[id]
	name, _, _ := strings.Cut(id, "\x00")
	k.read = append(k.read, name)
	k.mu.Unlock()
	return ok && read(bytes.NewReader(body)) == nil
}

func (k *keeper) Keep(id string, write func(io.Writer) error) error {
	var body bytes.Buffer
	err := write(&body)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept[id] = body.Bytes()
	return err
}

// reuser has every file that it may reuse.
type reuser struct{ Memory }

func (r *reuser) Reuse(string, string, func() error) error { return nil }

// TestKept compares sites made with and without the data that an earlier report kept: all of it, and without one piece
// that is damaged. A site after a changed rule must read no columns.
func TestKept(t *testing.T) {
	stored := func() *Input {
		in := sample(false)
		in.VerdictsID = "sample"
		in.Stored = map[string]func() ([]byte, error){"verdicts/1": func() ([]byte, error) {
			var all bytes.Buffer
			err := results.WriteSeq(&all, in.Verdicts)
			return all.Bytes(), err
		}}
		return in
	}
	sites := func(k *keeper, change func(*Input)) map[string]string {
		t.Helper()
		in := stored()
		if k != nil {
			in.Keeper = k
		}
		change(in)
		var dst Memory
		if err := Write(t.Context(), &dst, in); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for name, body := range dst.Files() {
			files[name] = string(body)
		}
		return files
	}
	same := func(*Input) {}
	k := &keeper{kept: map[string][]byte{}}
	if diff := cmp.Diff(sites(nil, same), sites(k, same)); diff != "" {
		t.Fatalf("a first site (-without a keeper +with one):\n%s", diff)
	}
	names := map[string]bool{}
	for id := range k.kept {
		name, _, _ := strings.Cut(id, "\x00")
		names[name] = true
	}
	if got, want := strings.Join(sortedKeys(names), ", "),
		"exports/1, figures of runs/1, rows/1, runs by division/4, sums of runs/1"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	changed := func(in *Input) {
		in.Scores[0].Rank = 9
		in.Scores = append(in.Scores, scored("par", "x", 1, 1, 0, true))
		in.Solvers = append(in.Solvers, results.SolverRow{Solver: "BETA"}) // so the page of Beta gets another name
		path := sampleBench("LIA", 3, func(plain string, _ int) string { return plain })
		in.Benchmarks, in.BenchmarksID = Rows([]results.BenchmarkRow{{Path: path}, {Path: "unused"}}), "sample"
	}
	want := sites(nil, changed)
	for i := range len(want) {
		in := stored()
		in.Keeper = k
		changed(in)
		s := siteOf(t, in)
		if err := s.writeLogs(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := s.files()
		if i == len(all) {
			break
		}
		var body bytes.Buffer // a file by itself, because each must read what it needs
		if err := all[i].write(&body); err != nil || body.String() != want[all[i].name] {
			t.Errorf("%s after changes: %v (-without kept data +with it):\n%s", all[i].name, err,
				cmp.Diff(want[all[i].name], body.String()))
		}
	}
	for name := range names {
		damaged := &keeper{kept: map[string][]byte{}}
		for id, body := range k.kept {
			if strings.HasPrefix(id, name) {
				body = body[:len(body)/2]
			}
			damaged.kept[id] = body
		}
		if diff := cmp.Diff(want, sites(damaged, changed)); diff != "" {
			t.Errorf("with damaged %s:\n%s", name, diff)
		}
	}
	k.read = nil
	in := sample(false)
	in.VerdictsID, in.MeasuredID, in.Keeper, in.Scores[0].Rank = "sample", "sample", k, 9
	in.Verdicts = func(func(results.VerdictRow, error) bool) { t.Error("a changed rule reads the verdicts") }
	if err := Write(t.Context(), &reuser{}, in); err != nil {
		t.Error(err)
	}
	if slices.Contains(k.read, "runs by division/4") {
		t.Error("a changed rule reads the runs")
	}
}

// TestKeptEntrants compares sites of verdicts that differ in what they tell about entrants, made with the kept runs of
// the first verdicts, with sites made without.
func TestKeptEntrants(t *testing.T) {
	k := &keeper{kept: map[string][]byte{}}
	for _, c := range []struct {
		id     string
		change func(i int, v *results.VerdictRow)
		kept   int // runs that are kept afterwards
	}{
		{"as they are", func(int, *results.VerdictRow) {}, 1},
		{"other teams", func(_ int, v *results.VerdictRow) { // plots compare solvers of different teams
			if v.Team, v.BaseSolver = "team0", "alpha"; v.Solver == "delta" {
				v.Team, v.BaseSolver, v.Competitive = "last", "", false
			}
		}, 1},
		{"several teams of a solver", func(i int, v *results.VerdictRow) { v.Team = fmt.Sprint(i) }, 2},
		{"another answer", func(_ int, v *results.VerdictRow) { v.Answer = "unsat" }, 3},
	} {
		var rows []results.VerdictRow
		for v := range sample(false).Verdicts {
			c.change(len(rows), &v)
			rows = append(rows, v)
		}
		var stored bytes.Buffer
		if err := results.Write(&stored, slices.Clone(rows)); err != nil {
			t.Fatal(err)
		}
		r := bytes.NewReader(stored.Bytes())
		columns, err := results.Open[results.VerdictRow](r, r.Size())
		if err != nil {
			t.Fatal(err)
		}
		_, kinds, err := results.EntrantKinds(columns, "track", "solver")
		if err != nil {
			t.Fatal(err)
		}
		rest, err := results.IdentifyApart(r, r.Size(), results.EntrantColumns...)
		if err != nil {
			t.Fatal(err)
		}
		site := func(change func(*Input)) map[string][]byte {
			in := sample(false)
			in.Verdicts, in.VerdictsID = Rows(rows), c.id
			change(in)
			return write(t, in)
		}
		warm := site(func(in *Input) {
			in.Keeper, in.Entrants = k, func() ([]results.VerdictRow, string, error) { return kinds, rest, nil }
		})
		if diff := cmp.Diff(site(func(*Input) {}), warm); diff != "" {
			t.Errorf("%s (-without kept runs +with them):\n%s", c.id, diff)
		}
		kept := 0
		for id := range k.kept {
			if strings.HasPrefix(id, "runs by division/") {
				kept++
			}
		}
		if kept != c.kept {
			t.Errorf("%s: %d kept runs, want %d", c.id, kept, c.kept)
		}
	}
}

// TestKeptTracks: a track that only an earlier report's rankings have is not on a later site of the same runs.
func TestKeptTracks(t *testing.T) {
	k := &keeper{kept: map[string][]byte{}}
	for _, ranked := range []string{"parallel", "single_query"} {
		in := sample(false)
		row := scored("par", "x", 1, 1, 0, true)
		row.Track = ranked
		in.VerdictsID, in.Keeper, in.Scores = "sample", k, append(in.Scores, row)
		_, ok := write(t, in)["tracks/parallel.html"]
		if want := ranked == "parallel"; ok != want {
			t.Errorf("with a ranking of %s, a page of the track parallel: %v, want %v", ranked, ok, want)
		}
	}
}

// TestIdentity checks that runs have the same identity in every process, whatever that has encoded before, and whatever
// is known about the entrants, and that other runs have another one.
func TestIdentity(t *testing.T) {
	const other = "SMTPIPE_TEST_ENCODED_BEFORE"
	if os.Getenv(other) != "" {
		type first struct{ Bench []uint32 }
		if err := gob.NewEncoder(io.Discard).Encode(first{}); err != nil {
			t.Fatal(err)
		}
	}
	identity := func(change func(*results.VerdictRow)) string {
		t.Helper()
		row := results.VerdictRow{Identity: run.Identity{Track: "single_query", Benchmark: "QF_BV/f/x.smt2",
			Solver: "s", Logic: "QF_BV"}, Measured: run.Measured{Stdout: "\xff", Usage: run.Usage{WallTimeS: 0.25}}}
		change(&row)
		runs := newRunTable()
		if err := runs.add(&row); err != nil {
			t.Fatal(err)
		}
		if _, err := runs.encode(); err != nil { // as before runs are kept
			t.Fatal(err)
		}
		id, err := runs.identity()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := identity(func(*results.VerdictRow) {})
	if os.Getenv(other) != "" {
		fmt.Println("identity", id)
		return
	}
	if identity(func(v *results.VerdictRow) { v.Team, v.BaseSolver, v.Competitive = "T", "b", true }) != id {
		t.Error("another team gives another identity")
	}
	for name, change := range map[string]func(*results.VerdictRow){
		"benchmark": func(v *results.VerdictRow) { v.Benchmark = "QF_BV/f/y.smt2" },
		"solver":    func(v *results.VerdictRow) { v.Solver = "S" },
		"output":    func(v *results.VerdictRow) { v.Stdout = "\xfe" },
		"time":      func(v *results.VerdictRow) { v.WallTimeS = 0.5 },
		"run key":   func(v *results.VerdictRow) { v.RunKey = strings.Repeat("ab", keySize) },
		"answer":    func(v *results.VerdictRow) { v.Answer = "sat" },
		"cores":     func(v *results.VerdictRow) { v.Cores = 4 },
	} {
		if identity(change) == id {
			t.Errorf("another %s gives the same identity", name)
		}
	}
	child := exec.Command(os.Args[0], "-test.run=^TestIdentity$")
	child.Env = append(os.Environ(), other+"=1")
	out, err := child.Output()
	if err != nil || !strings.Contains(string(out), "identity "+id+"\n") {
		t.Errorf("in a process that has encoded something else before: %s%v; want %s", out, err, id)
	}
}
