package report_test

import (
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/report"
)

// TestReuse writes sites that each differ in one thing, with and without the files of the first site. Both must produce
// the same files, and files that need all runs must be written only if they differ.
func TestReuse(t *testing.T) {
	store, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	kept, err := stages.KeptIn(store, report.Kind)
	if err != nil {
		t.Fatal(err)
	}
	exited := func(code int64) func(string) (site.Measured, bool) {
		return func(string) (site.Measured, bool) { return site.Measured{ExitCode: code}, true }
	}
	var reads atomic.Int64 // files are written concurrently
	input := func() *site.Input {
		var rows []results.VerdictRow
		for b := range 6 {
			for _, solver := range []string{"a", "b"} {
				v := results.VerdictRow{Identity: run.Identity{Track: "single_query", Solver: solver,
					Benchmark: fmt.Sprintf("non-incremental/QF_BV/f/%d.smt2", b)}}
				v.Logic, v.Family, v.Division = "QF_BV", "f", "D"
				v.Status, v.Answer, v.Verdict = "sat", "sat", "correct"
				v.RunKey = cache.DigestOf([]byte(v.Benchmark + solver)).String()
				if v.StdoutSHA256 = cache.DigestOf(nil).String(); b == 0 && solver == "b" {
					v.Answer, v.Verdict = "unsat", "wrong"
				}
				v.WallTimeS, v.CPUTimeS, v.WallLimitS, v.Cores = 1, 1, 20, 1
				rows = append(rows, v)
			}
		}
		counted := func(rows iter.Seq2[results.VerdictRow, error]) iter.Seq2[results.VerdictRow, error] {
			return func(yield func(results.VerdictRow, error) bool) { reads.Add(1); rows(yield) }
		}
		measured := func() (func(string) (site.Measured, bool), error) { return exited(1), nil }
		in := &site.Input{Measured: measured, MeasuredID: "first",
			Competition: site.Competition{Name: "C", Year: 2026}, Verdicts: counted(site.Rows(rows)),
			VerdictsID: "first", Provenance: site.Provenance{ToolVersion: "1"}}
		for _, solver := range []string{"a", "b"} {
			in.Scores = append(in.Scores, results.ScoreRow{Track: "single_query", Division: "D", View: "par",
				Solver: solver, Competitive: true, Rank: 1})
		}
		return in
	}
	write := func(in *site.Input, kept *stages.Kept) map[string]cache.Digest {
		t.Helper()
		_, m, err := report.Write(t.Context(), store, in, kept)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]cache.Digest{}
		for _, f := range m.Files {
			files[f.Path] = f.Digest
		}
		return files
	}
	write(input(), kept)
	const all = 3 // number of files that need all runs: the model, CSV and JSON lines
	if reads := reads.Load(); reads != all {
		t.Fatalf("the first site reads the verdicts %d times, want %d", reads, all)
	}
	for name, test := range map[string]struct {
		change func(*site.Input)
		reads  int64
	}{
		"nothing":  {func(*site.Input) {}, 0},
		"a rank":   {func(in *site.Input) { in.Scores[1].Rank = 2 }, 0},
		"a name":   {func(in *site.Input) { in.Competition.Name = "D" }, 0},
		"the year": {func(in *site.Input) { in.Competition.Year = 2027 }, 0}, // appears in a file's name
		// Another version may write differently.
		"the version": {func(in *site.Input) { in.Provenance.ToolVersion = "2" }, all},
		"a limit": {func(in *site.Input) {
			in.Limits = []site.TrackLimits{{Track: "single_query", MemoryBytes: 5}}
		}, 0},
		"a solver": {func(in *site.Input) {
			in.Solvers = []results.SolverRow{{Solver: "a", Track: "single_query", Command: []string{"a"}}}
		}, 0},
		"a measurement": {func(in *site.Input) {
			in.MeasuredID = "second"
			in.Measured = func() (func(string) (site.Measured, bool), error) { return exited(2), nil }
		}, 0},
		"outputs": {func(in *site.Input) {
			in.Log, in.LogBytes = func(string) ([]byte, error) { return []byte("unsat\n"), nil }, 1000
		}, 0},
		"a run": {func(in *site.Input) {
			rows := in.Verdicts
			in.VerdictsID = "second"
			in.Verdicts = func(yield func(results.VerdictRow, error) bool) {
				for v, err := range rows {
					if strings.HasSuffix(v.Benchmark, "/3.smt2") {
						v.WallTimeS = 2
					}
					if !yield(v, err) {
						return
					}
				}
			}
		}, all},
	} {
		changed := func() *site.Input { in := input(); test.change(in); return in }
		want := write(changed(), nil)
		reads.Store(0)
		if diff := cmp.Diff(want, write(changed(), kept)); diff != "" || reads.Load() != test.reads {
			t.Errorf("%s: the verdicts are read %d times, want %d; files (-written +reused):\n%s", name, reads.Load(),
				test.reads, diff)
		}
	}
	if other, err := cache.Open(filepath.Join(t.TempDir(), "other"), cache.Options{}); err != nil {
		t.Fatal(err)
	} else if _, m, err := report.Write(t.Context(), other, input(), kept); err != nil || len(m.Files) == 0 {
		t.Fatal(err)
	} else { // as after garbage collection
		for _, f := range m.Files {
			if !other.Has(f.Digest) {
				t.Errorf("%s is named, and is not there", f.Path)
			}
		}
	}
	names := slices.Sorted(maps.Keys(write(input(), kept)))
	for _, name := range []string{"export/benchexec/single_query.a.results.xml.gz", "data/single_query/D.detail-0.js",
		"plots/single_query/D.cactus.svg"} {
		if !slices.Contains(names, name) {
			t.Errorf("a site has no %s: %v", name, names)
		}
	}
}
