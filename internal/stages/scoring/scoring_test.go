package scoring

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestKeptRuns checks that many runs are taken from an earlier execution, without their table, only for the same
// verdicts and divisions. Verdicts that differ in what they tell about entrants have the same runs. Few runs are not
// kept.
func TestKeptRuns(t *testing.T) {
	open := func(name string) *cache.Store {
		store, err := cache.Open(filepath.Join(t.TempDir(), name), cache.Options{Durability: cache.Relaxed})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		return store
	}
	full, empty := open("full"), open("empty")
	kept, err := stages.KeptIn(full, &stages.Kind{Name: "score"})
	if err != nil {
		t.Fatal(err)
	}
	team := func(int) string { return "t" }
	input := func(rows int, status string, divisions map[string]string) *Input {
		all := make([]results.VerdictRow, rows)
		for i := range all {
			v := results.VerdictRow{Judged: run.Unjudged()}
			v.Benchmark, v.Logic, v.Track, v.Solver = fmt.Sprintf("b%06d", i), "QF_BV", "single_query", "s"
			v.Team = team(i)
			v.Status, v.Answer, v.WallLimitS, v.Cores, v.Competitive = status, "sat", 1200, 4, true
			all[i] = v
		}
		art, err := artifact.WriteTable(full, all)
		if err != nil {
			t.Fatal(err)
		}
		rs, _, diags := rules.FindScoring("2022", "")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return &Input{Verdicts: []stages.Artifact{art}, Rules: rs, divisions: divisions}
	}
	first := input(keptRows, "sat", nil)
	if runs, _, err := first.Load(full, kept); err != nil || runs.Len() != keptRows {
		t.Fatal(err)
	}
	if runs, _, err := first.Load(empty, kept); err != nil || runs.Len() != keptRows {
		t.Errorf("the runs were not kept: %v", err)
	}
	for what, in := range map[string]*Input{
		"other divisions": input(keptRows, "sat", map[string]string{"QF_BV": "D"}),
		"other verdicts":  input(keptRows, "unknown", nil),
		"few runs":        input(keptRows-1, "sat", nil),
	} {
		if _, _, err := in.Load(empty, kept); err == nil {
			t.Errorf("%s: the runs of others were used", what)
		}
	}
	few := input(keptRows-1, "sat", nil)
	others, _, err := few.Load(full, kept)
	if err != nil {
		t.Fatal(err)
	}
	entered, err := kept.Entered(first.Verdicts)
	if err != nil {
		t.Fatal(err)
	}
	if err := kept.Keep(first.runsID(entered.Rest), others.Pack); err != nil {
		t.Fatal(err)
	}
	if runs, _, err := first.Load(full, kept); err != nil || runs.Len() != keptRows {
		t.Errorf("other runs than those of the verdicts were used: %v", err)
	}
	if _, _, err := few.Load(empty, kept); err == nil {
		t.Error("few runs were kept")
	}

	marked, _, err := input(keptRows, "unsat", nil).Load(full, kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := kept.Keep(first.runsID(entered.Rest), marked.Pack); err != nil {
		t.Fatal(err)
	}
	team = func(int) string { return "other" }
	runs, _, err := input(keptRows, "sat", nil).Load(full, kept)
	if err != nil {
		t.Fatal(err)
	}
	track := runs.Tracks[0]
	if track.Solvers[0].Team != "other" || track.Benchmarks[0].Status != "unsat" {
		t.Errorf("team %q, status %q; want another team, and the runs that were kept", track.Solvers[0].Team,
			track.Benchmarks[0].Status)
	}
	for wrong, of := range map[string]func(int) string{
		"column team is empty": func(int) string { return "" },
		"in an earlier row":    func(i int) string { return fmt.Sprint("t", i%2) },
	} {
		team = of
		_, _, err := input(keptRows, "sat", nil).Load(full, kept)
		if err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("got %v, want %q", err, wrong)
		}
	}
}

// TestRunsIDOfDivisions checks that names of divisions with blanks are not mistaken for other divisions.
func TestRunsIDOfDivisions(t *testing.T) {
	rs, _, diags := rules.FindScoring("2022", "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	one := &Input{Rules: rs, divisions: map[string]string{"A": "X B:Y"}}
	two := &Input{Rules: rs, divisions: map[string]string{"A": "X", "B": "Y"}}
	if one.runsID("") == two.runsID("") {
		t.Errorf("the same runs are kept for different divisions: %.40s", one.runsID(""))
	}
}
