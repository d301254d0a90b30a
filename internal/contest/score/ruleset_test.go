package score

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/pipelines"
)

// TestCanonical checks that comments and layout do not change the canonical form but that a number does.
func TestCanonical(t *testing.T) {
	src, err := pipelines.Files.ReadFile("2026/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	parse := func(text string) *RuleSet {
		rs, diags := Parse([]byte(text), "x", nil)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return rs
	}
	want := parse(string(src)).Digest()
	var b strings.Builder
	for _, line := range strings.Split(string(src), "\n") {
		b.WriteString("  " + strings.TrimSpace(line) + "   # more words\n\n")
	}
	if parse(b.String()).Digest() != want {
		t.Error("comments and layout change the digest")
	}
	if parse(strings.Replace(string(src), `"1200s"`, `"1201s"`, 1)).Digest() == want {
		t.Error("another number does not change the digest")
	}
}

// TestRuleSetErrors checks that all mistakes are reported together, with suggestions.
func TestRuleSetErrors(t *testing.T) {
	src, err := pipelines.Files.ReadFile("2026/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, old, new, want string }{
		{"unknown field", "r.wall_s > T", "r.walltime > T", "walltime"},
		{"wrong type", "e      = counts && wrong", "e      = 3", "must return a bool"},
		{"not a time", "aw = min(r.wall_s, T)", "aw = min(r.n_checks, T)", "is not a time"},
		{"time by time", "aw = min(r.wall_s, T)", "aw = r.wall_s * T", "multiplied with a whole number"},
		{"mistake in a branch that no reading takes", `reading.late_answer == "text")`, `reading.late_answr == "text")`,
			"late_answ"},
		{"unknown block", "competitive {", "competitiv {", "competitiv"},
		{"reading without values", "competitive {", "reading \"x\" {}\ncompetitive {", "needs two values or more"},
		{"unknown attribute", "teams = 2", "team = 2", "team"},
		{"unknown track", `["single_query", "parallel", "cloud"]`, `["single_qery"]`, `Did you mean "single_query"?`},
		{"unknown order", `order     = ["e", "-n", "w", "c"]`, `order     = ["e", "-k"]`, `cannot be ordered by "k"`},
		{"a tenth instead of ten percent", "percent = 10", "percent = 0.1", "percent must be a whole number"},
		{"unit missing", `limit     = "24s"`, `limit     = "24"`, "duration with a unit"},
		{"two units", `limit     = "24s"`, `limit     = "24ms"`, "duration with a unit"},
		{"unit only", `limit     = "24s"`, `limit     = "s"`, "duration with a unit"},
		{"no duration", `limit     = "24s"`, `limit     = ""`, "duration with a unit"},
		{"too long", `limit     = "24s"`, `limit     = "2545h"`, "exceeds the maximum of 106 days"},
		{"unknown kind", `kind             = "overall"`, `kind             = "overal"`, `Did you mean "overall"?`},
		{"unknown clock of a cut", `= "cpu"`, `= "cpus"`, `cut must be one of "wall", "cpu"`},
		{"switch that changes nothing", `practice "first_listed_wins"`, `practice "first_listed_win"`,
			`Did you mean "first_listed_wins"?`},
		{"answer in capitals", `decides  = r.answer == "sat"`, `decides  = r.answer == "SAT"`, `Did you mean "sat"?`},
		{"answer misspelt", `|| r.answer == "unsat"`, `|| r.answer == "unsatt"`, `Did you mean "unsat"?`},
		{"value that a reading lacks", `reading.late_answer == "text"`, `reading.late_answer == "txt"`,
			`reading.late_answer is one of text, drop, and never "txt". Did you mean "text"?`},
		{"status misspelt", `b.status == "sat" ||`, `b.status == "satt" ||`, `Did you mean "sat"?`},
		{"view of no track", `  tracks    = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  order`, "  order", "No track has this view, so it is never used."},
		{"recognition of no track", `  tracks           = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  time`, "  tracks = []\n  time", "No track has this recognition"},
		{"two views of one name", `view "sat"`, `view "par"`, "The track single_query has this view already in line"},
		{"two scores of a track", `tracks = ["incremental"]`, `tracks = ["incremental", "single_query"]`,
			"The track single_query has this score already"},
		{"recognition twice", `recognition "largest_contribution"`, `recognition "biggest_lead"`, "has this recognition already"},
		{"column twice", `["e", "-n", "w", "c"]`, `["e", "-n", "-n", "c"]`, `The order has "n" twice`},
		{"no team", "teams = 2", "teams = 0", "teams must be at least 1"},
		{"best of none", `kind             = "overall"`, "kind = \"overall\"\n  best = 0", "best must be at least 1"},
		{"a thousand percent", "percent = 10", "percent = 1000", "percent must be from 0 to 99"},
		{"less than nothing", "percent = 10", "percent = -10", "percent must be from 0 to 99"},
		{"track of disagreements", `remove = ["single_query"]`, `remove = ["single_qery"]`, `Did you mean "single_query"?`},
		{"unknown view of derived", `view    = "par2"`, `view    = "par3"`, `"par3"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			bad := strings.Replace(string(src), test.old, test.new, 1)
			if bad == string(src) {
				t.Fatalf("the rule set has no %q", test.old)
			}
			_, diags := Parse([]byte(bad), "bad", nil)
			if !diags.HasErrors() || !strings.Contains(diags.Error()+fmt.Sprint(details(diags)), test.want) {
				t.Errorf("got %v %v, want %q", diags, details(diags), test.want)
			}
		})
	}
	two := strings.Replace(strings.Replace(string(src), "r.wall_s > T", "r.walltime > T", 1), "teams = 2", "team = 2",
		1)
	if _, diags := Parse([]byte(two), "bad", nil); len(diags) < 2 {
		t.Errorf("only %d of two mistakes are reported: %v", len(diags), diags)
	}
}

func details(diags hcl.Diagnostics) (out []string) {
	for _, d := range diags {
		out = append(out, d.Detail)
	}
	return out
}

// TestTurn turns single switches, and all switches with a D-number, on and off.
func TestTurn(t *testing.T) {
	src, err := pipelines.Files.ReadFile("2022/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	rs, diags := Parse(src, "x", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	rd := Readings{Practice: map[string]bool{"late_costs_limit": true, "times_unbounded": true,
		"late_answers_lost": true}}
	if err := rs.Turn(&rd, "D-ALL-1", false); err != nil || rd.Practice["late_costs_limit"] ||
		rd.Practice["times_unbounded"] || !rd.Practice["late_answers_lost"] {
		t.Errorf("D-ALL-1 off: %v, %v", rd.Practice, err)
	}
	if err := rs.Turn(&rd, "late_costs_limit", true); err != nil || !rd.Practice["late_costs_limit"] ||
		rd.Practice["times_unbounded"] {
		t.Errorf("late_costs_limit on: %v, %v", rd.Practice, err)
	}
	if err := rs.Turn(&rd, "late_cost_limit", true); err == nil || !strings.Contains(err.Error(),
		`Did you mean "late_costs_limit"?`) {
		t.Errorf("got %v", err)
	}
	if err := rs.CheckReadings(Readings{Values: map[string]string{"sat_vew": "any"}}); err == nil ||
		!strings.Contains(err.Error(), `"sat_view"`) {
		t.Errorf("got %v", err)
	}
	if err := rs.CheckReadings(Readings{Values: map[string]string{"sat_view": "naturel"}}); err == nil ||
		!strings.Contains(err.Error(), `reading sat_view cannot be "naturel"`) {
		t.Errorf("got %v", err)
	}
	if err := rs.CheckReadings(Readings{Values: map[string]string{"sat_view": ""}}); err != nil {
		t.Errorf("a reading that is not chosen: %v", err)
	}
}

// TestDurations checks that a duration in a rule set has a single unit. 2544 hours are 106 days, the maximum.
func TestDurations(t *testing.T) {
	src, err := pipelines.Files.ReadFile("2026/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]Time{"24s": 24 * Second, "0.5s": Second / 2, "20m": 1200 * Second,
		"1.5h": 5400 * Second, "2544h": 9_158_400 * Second} {
		rs, diags := Parse([]byte(strings.Replace(string(src), `limit     = "24s"`, `limit = "`+text+`"`, 1)), "x", nil)
		if diags.HasErrors() {
			t.Errorf("%s: %v", text, diags)
			continue
		}
		var got []Time
		for _, v := range rs.Views {
			if v.Limit != nil {
				got = append(got, *v.Limit)
			}
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: the limit is %v, want %v", text, got, want)
		}
	}
}

// changed returns a year's rule set with one text replaced.
func changed(t *testing.T, year, old, text string) *RuleSet {
	t.Helper()
	src, err := pipelines.Files.ReadFile(year + "/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(src), old) {
		t.Fatalf("the rule set has no %q", old)
	}
	rs, diags := Parse([]byte(strings.Replace(string(src), old, text, 1)), "x", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return rs
}

// TestChosenTimes checks that a time that is not charged to a run can exceed the largest charge. For a solved run, par2
// charges aw (SMT-COMP 2026 rules, §7.2.2), here half a second instead of one.
func TestChosenTimes(t *testing.T) {
	const beyond = "999999 * (999999 * (999999 * T))"
	for expr, fails := range map[string]bool{
		"true ? 0.5 : " + beyond:                               false,
		"false ? " + beyond + " : 0.5":                         false,
		`reading.late_answer == "drop" ? ` + beyond + " : 0.5": false,
		"min(T, true ? 0.5 : " + beyond + ")":                  false,
		"min(T, false ? " + beyond + " : 0.5)":                 false,
		`b.status == "sat" ? 0.5 : ` + beyond:                  false,
		"min(0.5, " + beyond + ")":                             false,
		beyond + " < T ? T : 0.5":                              false,
		`b.status == "sat" ? ` + beyond + " : 0.5":             true,
	} {
		rs := changed(t, "2026", "aw = min(r.wall_s, T)", "aw = "+expr)
		res, err := Compute(t.Context(), rs, built(t, row("x", "L", "A", "sat")).Runs(), Readings{})
		if fails {
			if err == nil || !strings.Contains(err.Error(), "the largest sum supported") {
				t.Errorf("%s: %v", expr, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if got := res.Tracks[0].Divisions[0].Ranking("par2").Entries[0].Cell.Wall; got != sumOf(Second/2) {
			t.Errorf("%s: %s s", expr, got)
		}
	}
}

// TestWithoutSolved: if a rule set does not define "solved", no run is solved, and each is charged 2 T = 2400 s.
func TestWithoutSolved(t *testing.T) {
	rs := changed(t, "2026", "  solved = right\n  claim", "  claim")
	res, err := Compute(t.Context(), rs, built(t, row("x", "L", "A", "sat")).Runs(), Readings{})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Tracks[0].Divisions[0].Ranking("par2").Entries[0].Cell.Wall; got != sumOf(2400*Second) {
		t.Errorf("%s s", got)
	}
}

// TestOnly checks that Only keeps the view and the one that compares derived solvers, if all of the runs' tracks have
// the view.
func TestOnly(t *testing.T) {
	rs := changed(t, "2026", "", "")
	other := row("x", "L", "A", "sat")
	other.Track = "parallel"
	single, both := built(t, row("x", "L", "A", "sat")).Runs(), built(t, row("x", "L", "A", "sat"), other).Runs()
	for _, test := range []struct {
		view        string
		runs        *Runs
		recognise   bool
		want        string
		recognition bool
	}{
		{"par", single, true, "par par2", true},
		{"24s", single, true, "24s par2", true},
		{"24s", single, false, "24s par2", false},
		{"par2", both, false, "par2", false},
		{"24s", both, false, "par seq 24s sat unsat par2", true},
		{"none", single, false, "par seq 24s sat unsat par2", true},
	} {
		part := rs.Only(test.view, test.runs, test.recognise)
		var names []string
		for _, v := range part.Views {
			names = append(names, v.Name)
		}
		if got := strings.Join(names, " "); got != test.want || (len(part.Recognition) > 0) != test.recognition {
			t.Errorf("%+v: views %s, recognitions %v", test, got, len(part.Recognition) > 0)
		}
	}
}

// TestLateAnswersAreGone: in 2021's cloud and parallel tracks, late answers were removed before soundness was
// determined (D-2021-1). Otherwise, the organisers' program would consider B unsound because of its late unsat, and
// report a disagreement on y.
func TestLateAnswersAreGone(t *testing.T) {
	rs := changed(t, "2022", "", "")
	wrong, other := row("x", "L", "B", "unsat"), row("y", "L", "C", "unsat")
	wrong.Wall, other.Wall = 1300*Second, 1300*Second
	unknown := row("y", "L", "A", "sat")
	unknown.Status, other.Status = "unknown", "unknown"
	intime := row("z", "L", "D", "unsat") // exactly the limit
	intime.Wall = 1200 * Second
	for _, gone := range []bool{false, true} {
		rd := Readings{Practice: map[string]bool{"soundness_by_track": true, "disagreements_by_raw_answers": true,
			"endings_set_times": gone}}
		runs := built(t, row("x", "L", "A", "sat"), wrong, unknown, other, intime).Runs()
		res, err := Compute(t.Context(), rs, runs, rd)
		if err != nil {
			t.Fatal(err)
		}
		unsound, disagree := []string{"B", "D"}, []string{"y"}
		if gone {
			unsound, disagree = []string{"D"}, nil
		}
		got := res.Tracks[0]
		if !slices.Equal(got.Unsound[0].Items, unsound) || !slices.Equal(got.Disagreements[0].Items, disagree) {
			t.Errorf("late answers gone %v: unsound %v, disagreements %v", gone, got.Unsound, got.Disagreements)
		}
	}
}
