package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestFamilies covers two families in one logic, and a benchmark without a family.
func TestFamilies(t *testing.T) {
	table := newRunTable()
	for _, r := range []struct {
		benchmark, family, solver, verdict string
		wall                               run.Seconds
	}{
		{"n/LIA/a/1.smt2", "a", "one", "correct", 1}, {"n/LIA/a/1.smt2", "a", "two", "correct", 2},
		{"n/LIA/a/x/2.smt2", "a", "one", "unknown", 9}, {"n/LIA/a/x/2.smt2", "a", "two", "correct", 4},
		{"n/LIA/b/3.smt2", "b", "one", "wrong", 3}, {"n/LIA/b/3.smt2", "b", "two", "unknown", 9},
		{"n/LIA/c.smt2", "", "one", "correct", 5},
	} {
		err := table.add(&results.VerdictRow{
			Identity: run.Identity{Benchmark: r.benchmark, Solver: r.solver, Logic: "LIA"},
			Judged:   run.Judged{Verdict: r.verdict},
			Measured: run.Measured{Usage: run.Usage{WallTimeS: r.wall, CPUTimeS: 2 * r.wall, MemoryBytes: 1e6}},
			Subject:  run.Subject{Family: r.family},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	d := &division{track: &track{slug: "t"}, limits: limits{wall: 10}, name: "Arith", slug: "Arith", runs: table}
	body := (&site{m: &model{}}).families(d, table.byFamily())
	if got, want := plainTable(body.Solved), "Family|Benchmarks|one|two|VBS; LIA|1|100||100; LIA/a|2|50|100|100; "+
		"LIA/b|1|0|0|0"; got != want {
		t.Errorf("shares:\n%s\nwant\n%s", got, want)
	}
	// In family a, solver two solves both benchmarks and is listed first. Without two, the VBS would take 20 instead of
	// 4 on the second benchmark.
	if got, want := plainTable(body.Statistics), "LIA/a|two|2|1|0|12.00|6.00|4.00|8.00|1.00|3.00|16.00; "+
		"LIA/a|one|1|0|0|2.00|2.00|2.00|2.00|1.00|10.50|1.00"; !strings.Contains(got, want) {
		t.Errorf("statistics:\n%s\nwant them to have\n%s", got, want)
	}
	// The hardest benchmark comes first, and empty columns are omitted.
	for name, want := range map[string]string{
		"a": "Benchmark|Solved by|Fastest|Wall time|Next|Its wall time; x/2.smt2|1 of 2|two|4.00|nobody|–; " +
			"1.smt2|2 of 2|one|1.00|two|2.00",
		"b": "Benchmark|Solved by|Fastest|Next|Wrong; 3.smt2|0 of 2|nobody|nobody|one",
	} {
		f := table.byFamily()[slices.IndexFunc(table.byFamily(), func(f family) bool { return f.Name == name })]
		if got := plainTable((&site{m: &model{}}).familyPage(d, &f).Benchmarks); got != want {
			t.Errorf("benchmarks of %s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestRunsOfFamilies checks the link to a family's runs: by its folder, or by its name if its benchmarks are elsewhere.
func TestRunsOfFamilies(t *testing.T) {
	rows := fourBenchmarks()
	s := siteOf(t, &Input{Verdicts: Rows(rows)})
	d := s.m.tracks[0].divisions[0]
	if got, want := s.familyPage(d, &d.runs.byFamily()[0]).Runs.Href,
		"matrix/single_query.html#division=D&logic=L&family=1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i := range rows {
		rows[i].Benchmark = "n/L/" + rows[i].Family + "/x.smt2"
	}
	s = siteOf(t, &Input{Verdicts: Rows(rows)})
	d = s.m.tracks[0].divisions[0]
	if got, want := s.familyPage(d, &d.runs.byFamily()[0]).Runs.Href,
		"runs/single_query/D.html#q=%2FL%2F1%2F"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
