package rehearse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/run"
)

// TestJudge sums up what four entrants did in one track.
func TestJudge(t *testing.T) {
	outputs := map[string]string{"trace": "Traceback:\n  in main\nKeyError: x\n", "noise": "\x1b[31mhello\n"}
	var verdicts []results.VerdictRow
	var runs []results.RunRow
	add := func(solver, logic, verdict, answer, reason string, change func(*results.RunRow)) {
		id := run.Identity{Benchmark: "non-incremental/" + logic + "/preflight/sat.smt2", Solver: solver,
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
	for _, logic := range []string{"QF_LIA", "QF_BV"} {
		add("bad", logic, "wrong", "unsat", "contradicts the status", same)
	}
	add("bad", "QF_UF", "unknown", "", "crashed", func(r *results.RunRow) { r.ExitCode, r.StderrSHA256 = 1, "trace" })
	add("bad", "QF_AX", "unknown", "unknown", "answered", same)

	entries, findings := Judge(verdicts, runs, func(digest string) string { return outputs[digest] })
	if diff := cmp.Diff([]Entry{{"bad", "single_query", 4, 0}, {"good", "single_query", 2, 2},
		{"noisy", "single_query", 1, 1}, {"slow", "single_query", 1, 1}}, entries); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	at := func(logic, solver string) string { return "non-incremental/" + logic + "/preflight/sat.smt2@" + solver }
	want := []Finding{
		{"bad", "single_query", "an error: contradicts the status", true, []string{"QF_BV", "QF_LIA"}, at("QF_LIA",
			"bad"), ""},
		{"bad", "single_query", "no result: crashed", true, []string{"QF_UF"}, at("QF_UF", "bad"),
			"Traceback: … KeyError: x"},
		{"bad", "single_query", "no result: it answers unknown", true, []string{"QF_AX"}, at("QF_AX", "bad"), ""},
		{"noisy", "single_query", "writes to standard error", false, []string{"QF_LIA"}, at("QF_LIA", "noisy"),
			"[31mhello"},
		{"slow", "single_query", "takes more than 5s for a benchmark of a few lines", false, []string{"QF_LIA"},
			at("QF_LIA", "slow"), ""},
	}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestSaidIsShort cuts what a solver writes without end.
func TestSaidIsShort(t *testing.T) {
	r := &results.RunRow{Measured: run.Measured{Stdout: strings.Repeat("ä", 5000)}}
	if got := said(r, func(string) string { return "" }); got != strings.Repeat("ä", 160)+" …" {
		t.Errorf("got %d bytes", len(got))
	}
}
