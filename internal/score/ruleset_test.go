package score

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/pipelines"
)

// Comments and layout do not change the canonical form; a number does.
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

// Mistakes are reported with what may have been meant, all at once.
func TestRuleSetErrors(t *testing.T) {
	src, err := pipelines.Files.ReadFile("2026/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, old, new, want string }{
		{"unknown field", "r.wall_s > T", "r.walltime > T", "walltime"},
		{"wrong type", "e      = counts && wrong", "e      = 3", "must give a bool"},
		{"not a time", "aw = min(r.wall_s, T)", "aw = min(r.n_checks, T)", "is not a time"},
		{"time by time", "aw = min(r.wall_s, T)", "aw = r.wall_s * T", "multiplied with a whole number"},
		{"mistake in a branch that no reading takes", `reading.late_answer == "text")`, `reading.late_answr == "text")`,
			"late_answ"},
		{"unknown block", "competitive {", "competitiv {", "competitiv"},
		{"unknown attribute", "teams = 2", "team = 2", "team"},
		{"unknown track", `["single_query", "parallel", "cloud"]`, `["single_qery"]`, `Did you mean "single_query"?`},
		{"unknown order", `order     = ["e", "-n", "w", "c"]`, `order     = ["e", "-k"]`, `cannot be ordered by "k"`},
		{"unit missing", `limit     = "24s"`, `limit     = "24"`, "duration with a unit"},
		{"two units", `limit     = "24s"`, `limit     = "24ms"`, "duration with a unit"},
		{"unit only", `limit     = "24s"`, `limit     = "s"`, "duration with a unit"},
		{"no duration", `limit     = "24s"`, `limit     = ""`, "duration with a unit"},
		{"too long", `limit     = "24s"`, `limit     = "2545h"`, "more than a time can be (106 days)"},
		{"unknown kind", `kind             = "overall"`, `kind             = "overal"`, `Did you mean "overall"?`},
		{"unknown clock of a cut", `= "cpu"`, `= "cpus"`, `cut must be one of "wall", "cpu"`},
		{"switch that changes nothing", `practice "first_listed_wins"`, `practice "first_listed_win"`,
			`Did you mean "first_listed_wins"?`},
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

// TestTurn turns single switches and those of a D-number.
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

// A duration of a rule set has one unit; 2544 hours are 106 days, which is the most.
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
