package rehearse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestJudge summarises four entrants' runs in a track.
func TestJudge(t *testing.T) {
	outputs := map[string]string{"trace": "Traceback:\n  in main\nKeyError: x\n", "noise": "\x1b[31mhello\n"}
	var verdicts []results.VerdictRow
	var runs []results.RunRow
	family := "preflight"
	add := func(solver, logic, verdict, answer, reason string, change func(*results.RunRow)) {
		id := run.Identity{Benchmark: "non-incremental/" + logic + "/" + family + "/sat.smt2", Solver: solver,
			Track: "single_query", Logic: logic}
		verdicts = append(verdicts, results.VerdictRow{Identity: id, Judged: run.Judged{Verdict: verdict,
			Answer: answer, Reason: reason}})
		r := results.RunRow{Identity: id, Measured: run.Measured{Ending: comp.Exited, Stdout: answer + "\n"}}
		change(&r)
		runs = append(runs, r)
	}
	same := func(*results.RunRow) {}
	add("good", "QF_LIA", "correct", "sat", "", same)
	add("good", "QF_BV", "correct", "sat", "", same)
	add("noisy", "QF_LIA", "correct", "sat", "", func(r *results.RunRow) { r.StderrBytes, r.StderrSHA256 = 6, "noise" })
	add("slow", "QF_LIA", "correct", "sat", "", func(r *results.RunRow) { r.WallTimeS = 40 })
	add("slow", "QF_BV", "correct", "sat", "", func(r *results.RunRow) { r.WallTimeS = 4 })
	add("crowd", "QF_BV", "correct", "sat", "", func(r *results.RunRow) { r.Flags = "not_pinned,crowded" })
	for _, logic := range []string{"QF_LIA", "QF_BV"} {
		add("bad", logic, "wrong", "unsat", "contradicts the status", same)
	}
	add("bad", "QF_UF", "unknown", "", "crashed", func(r *results.RunRow) { r.ExitCode, r.StderrSHA256 = 1, "trace" })
	add("bad", "QF_AX", "unknown", "unknown", "answered", same)

	// Real benchmarks can be too hard, but not for a solver that answered in an earlier year.
	family = "real"
	add("good", "QF_BV", "unknown", "timeout", "timeout", same)
	add("old", "QF_BV", "unknown", "timeout", "timeout", func(r *results.RunRow) { r.Ending = comp.WallTimeout })
	add("old", "QF_UF", "unknown", "unsat", "unknown status", same)
	add("old", "QF_AX", "unknown", "abort", "crashed", same)
	var earlier []results.HistoryRow
	for logic, answer := range map[string]string{"QF_BV": "sat", "QF_UF": "sat"} {
		earlier = append(earlier, results.HistoryRow{Answer: answer, Year: 2025, Identity: run.Identity{Solver: "old",
			Track: "single_query", Benchmark: "non-incremental/" + logic + "/real/sat.smt2"}})
	}

	in := func(solver string) Entrant { return Entrant{solver, "single_query"} }
	entries, findings := Judge(verdicts, runs, earlier, func(digest string) string { return outputs[digest] })
	if diff := cmp.Diff([]Entry{
		{Entrant: in("bad"), Runs: 4}, {Entrant: in("crowd"), Runs: 1, Right: 1},
		{Entrant: in("good"), Runs: 3, Right: 3},
		{Entrant: in("noisy"), Runs: 1, Right: 1}, {Entrant: in("old"), Runs: 3, Right: 1, TimedOut: 1},
		{Entrant: in("slow"), Runs: 2, Right: 2, MeanWallS: 22},
	}, entries, cmpopts.IgnoreUnexported(Entry{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	at := func(logic, solver string) string { return "non-incremental/" + logic + "/preflight/sat.smt2@" + solver }
	real := func(logic string) string { return "non-incremental/" + logic + "/real/sat.smt2@old" }
	want := []Finding{
		{in("bad"), "an error: contradicts the status", true, []string{"QF_BV", "QF_LIA"}, at("QF_LIA",
			"bad"), ""},
		{in("bad"), "no result: crashed", true, []string{"QF_UF"}, at("QF_UF", "bad"),
			"Traceback: … KeyError: x"},
		{in("bad"), "no result: it answers unknown", true, []string{"QF_AX"}, at("QF_AX", "bad"), ""},
		{in("crowd"), "it runs more threads than it has cores", false, []string{"QF_BV"},
			at("QF_BV", "crowd"), ""},
		{in("noisy"), "writes to standard error", false, []string{"QF_LIA"}, at("QF_LIA", "noisy"),
			"[31mhello"},
		{in("old"), "an error: unsat, and sat in an earlier year", true, []string{"QF_UF"}, real("QF_UF"),
			""},
		{in("old"), "no result: crashed", true, []string{"QF_AX"}, real("QF_AX"), "abort"},
		{in("old"), "no answer where it had one in an earlier year", false, []string{"QF_BV"},
			real("QF_BV"),
			"timeout"},
		{in("slow"), "takes more than 5s for a benchmark of a few lines", false, []string{"QF_LIA"},
			at("QF_LIA", "slow"), ""},
	}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestSaidIsShort checks that the output of a solver that writes endlessly is truncated.
func TestSaidIsShort(t *testing.T) {
	r := &results.RunRow{Measured: run.Measured{Stdout: strings.Repeat("ä", 5000)}}
	if got := said(r, func(string) string { return "" }); got != strings.Repeat("ä", 160)+" …" {
		t.Errorf("got %d bytes", len(got))
	}
}
