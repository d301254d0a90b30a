package score

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
)

// Every embedded rule set loads, and every part of it says where it comes from.
func TestEmbeddedRuleSets(t *testing.T) {
	if got := strings.Join(Names(), " "); got != "2008 2015 2019 2022 2026" {
		t.Fatalf("rule sets are %s", got)
	}
	for _, name := range Names() {
		src, err := Source(name)
		if err != nil {
			t.Fatal(err)
		}
		rs, diags := Parse(src, name) // unlike Load, checks every expression
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if fmt.Sprint(rs.Year) != name {
			t.Errorf("rule set %s is of the year %d", name, rs.Year)
		}
		for _, v := range rs.Views {
			if !strings.Contains(v.Cite, "§") {
				t.Errorf("%s: view %s cites nothing", name, v.Name)
			}
		}
		for _, s := range rs.Scores {
			if !strings.Contains(s.Cite, "§") {
				t.Errorf("%s: score %s cites nothing", name, s.Name)
			}
		}
		for _, r := range rs.Recognition {
			if !strings.Contains(r.Cite, "§") {
				t.Errorf("%s: recognition %s cites nothing", name, r.Name)
			}
		}
		for _, r := range rs.Readings {
			if r.Cite == "" || r.Doc == "" {
				t.Errorf("%s: reading %s says too little", name, r.Name)
			}
		}
		for _, p := range rs.Practices {
			if !strings.HasPrefix(p.Cite, "D-") || p.Doc == "" || strings.ContainsAny(p.ID, "-0123456789") &&
				p.ID != "best_of_2019_left_out" {
				t.Errorf("%s: practice %s: cite %q, doc %q", name, p.ID, p.Cite, p.Doc)
			}
		}
	}
}

// Comments and layout do not change the canonical form; a number does.
func TestCanonical(t *testing.T) {
	src, err := Source("2026")
	if err != nil {
		t.Fatal(err)
	}
	parse := func(text string) *RuleSet {
		rs, diags := Parse([]byte(text), "x")
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
	src, err := Source("2026")
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
		{"unknown kind", `kind             = "overall"`, `kind             = "overal"`, `Did you mean "overall"?`},
		{"unknown clock of a cut", `cut    = "cpu"`, `cut    = "cpus"`, `cut must be one of "wall", "cpu"`},
		{"switch that changes nothing", `practice "first_listed_wins"`, `practice "first_listed_win"`,
			`Did you mean "first_listed_wins"?`},
		{"unknown view of derived", `view    = "par2"`, `view    = "par3"`, `"par3"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			bad := strings.Replace(string(src), test.old, test.new, 1)
			if bad == string(src) {
				t.Fatalf("the rule set has no %q", test.old)
			}
			_, diags := Parse([]byte(bad), "bad")
			if !diags.HasErrors() || !strings.Contains(diags.Error()+fmt.Sprint(details(diags)), test.want) {
				t.Errorf("got %v %v, want %q", diags, details(diags), test.want)
			}
		})
	}
	two := strings.Replace(strings.Replace(string(src), "r.wall_s > T", "r.walltime > T", 1), "teams = 2", "team = 2",
		1)
	if _, diags := Parse([]byte(two), "bad"); len(diags) < 2 {
		t.Errorf("only %d of two mistakes are reported: %v", len(diags), diags)
	}
}

func details(diags hcl.Diagnostics) (out []string) {
	for _, d := range diags {
		out = append(out, d.Detail)
	}
	return out
}

func TestLoadByPath(t *testing.T) {
	src, err := Source("2022")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mine.hcl")
	if err := os.WriteFile(path, src, 0o600); err != nil {
		t.Fatal(err)
	}
	rs, diags := Load(path)
	if diags.HasErrors() || rs.Year != 2022 {
		t.Fatal(diags)
	}
	embedded, _ := Load("2022")
	if rs.Digest() != embedded.Digest() {
		t.Error("a copy has another digest")
	}
	if _, diags := Load("2023"); !diags.HasErrors() || !strings.Contains(diags.Error(), "2022") {
		t.Errorf("got %v", diags)
	}
	if _, diags := Load("./nothing.hcl"); !diags.HasErrors() {
		t.Error("a missing file is no error")
	}
}

func TestDivisions(t *testing.T) {
	for _, test := range []struct {
		rules, track, logic, want string
		year                      int
	}{
		{"2022", "single_query", "QF_ABV", "QF_Equality+Bitvec", 2022},
		{"2026", "single_query", "QF_UFBVDT", "QF_Equality_Bitvec", 2026},
		{"2026", "incremental", "QF_BVLRA", "QF_Equality_Bitvec_Arith", 2025},
		{"2019", "unsat_core", "UF", "UF", 2019},
		{"2015", "incremental", "QF_LRA", "QF_LRA", 2015},
	} {
		rs, diags := Load(test.rules)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if got, _ := rs.DivisionOf(test.year, test.track, test.logic); got != test.want {
			t.Errorf("%d %s %s is in %q, want %q", test.year, test.track, test.logic, got, test.want)
		}
	}
	rs, _ := Load("2026")
	if got, ok := rs.DivisionOf(2026, "single_query", "HORN"); ok {
		t.Errorf("HORN is in %q", got)
	}
}

// Every practice profile names switches and readings that are there, and years have the rule set that covers them.
func TestProfiles(t *testing.T) {
	for rules, years := range map[string][]int{"2015": {2015, 2016, 2017, 2018}, "2019": {2019, 2020},
		"2022": {2021, 2022, 2023}, "2026": {2024, 2025}} {
		rs, diags := Load(rules)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		for _, y := range years {
			if rd, ok := rs.Published(y, "incremental"); !ok || len(rd.Practice) == 0 {
				t.Errorf("rule set %s says nothing of %d", rules, y)
			}
		}
	}
	rs, _ := Load("2022")
	cloud, _ := rs.Published(2022, "cloud")
	query, _ := rs.Published(2022, "single_query")
	if !cloud.Practice["other_words_are_errors"] || query.Practice["other_words_are_errors"] {
		t.Error("other_words_are_errors is of cloud and parallel")
	}
	if err := rs.Turn(&query, "D-ALL-1", false); err != nil || query.Practice["late_costs_limit"] ||
		query.Practice["times_unbounded"] || !query.Practice["late_answers_lost"] {
		t.Errorf("D-ALL-1 off: %v, %v", query.Practice, err)
	}
	if err := rs.Turn(&query, "late_costs_limit", true); err != nil || !query.Practice["late_costs_limit"] ||
		query.Practice["times_unbounded"] {
		t.Errorf("late_costs_limit on: %v, %v", query.Practice, err)
	}
	if err := rs.Turn(&query, "late_cost_limit", true); err == nil || !strings.Contains(err.Error(),
		`Did you mean "late_costs_limit"?`) {
		t.Errorf("got %v", err)
	}
	if err := rs.CheckReadings(Readings{Values: map[string]string{"sat_vew": "any"}}); err == nil ||
		!strings.Contains(err.Error(), `"sat_view"`) {
		t.Errorf("got %v", err)
	}
}
