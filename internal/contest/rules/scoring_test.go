package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestBuiltinScoring checks every expression in every year's rule set, and that every part cites its source.
func TestBuiltinScoring(t *testing.T) {
	t.Parallel()
	own := 0
	for _, name := range Names() {
		r, diags := Load(name, "")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		src, file, err := r.ScoringSource()
		if err != nil {
			t.Fatal(err)
		}
		rs, diags := score.Parse(src, file, nil) // unlike Scoring, it checks every expression
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if strings.HasPrefix(file, Builtin+name+"/") {
			own++
			if rs.Year != r.Year {
				t.Errorf("the rule set of %s is of the year %d", name, rs.Year)
			}
		}
		checkCites(t, name, rs)
	}
	if own < 5 {
		t.Errorf("only %d years have a rule set of their own", own)
	}
}

func checkCites(t *testing.T, name string, rs *score.RuleSet) {
	t.Helper()
	cites := map[string]string{}
	for _, v := range rs.Views {
		cites["view "+v.Name] = v.Cite
	}
	for _, s := range rs.Scores {
		cites["score "+s.Name] = s.Cite
	}
	for _, r := range rs.Recognition {
		cites["recognition "+r.Name] = r.Cite
	}
	for what, cite := range cites {
		if !strings.Contains(cite, "§") {
			t.Errorf("%s: %s cites nothing", name, what)
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

// TestScoringOfBase checks that a year uses its base's rule set under its own name and with its own divisions.
func TestScoringOfBase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "2027"), `
rules {
  base  = "2026"
  year  = 2027
  title = "SMT-COMP 2027"
}
divisions {
  tracks = ["single_query"]
  logics = {
    "QF_Bitvec"          = ""
    "QF_Equality+Bitvec" = ""
    "Bits"               = "QF_BV QF_ABV QF_AUFBV QF_UFBV QF_UFBVDT"
  }
}
`)
	rs, r, diags := FindScoring("./2027", dir)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	base, _, _ := FindScoring("2026", "")
	if rs.Name != r.Name || rs.Year != 2027 || rs.Title != "SMT-COMP 2027" || rs.Digest() != base.Digest() {
		t.Errorf("got %s %d %s", rs.Name, rs.Year, rs.Title)
	}
	for of, want := range map[*score.RuleSet]comp.Division{rs: "Bits", base: "QF_Equality+Bitvec"} {
		if got, _ := of.Divisions.Of("single_query", "QF_UFBVDT"); got != want {
			t.Errorf("%s: QF_UFBVDT is in %q, want %q", of.Name, got, want)
		}
	}
	if got, ok := base.Divisions.Of("single_query", "HORN"); ok {
		t.Errorf("HORN is in %q", got)
	}
	if rd := r.PublishedReadings()["incremental"]; !rd.Practice["every_run_costs_time"] {
		t.Errorf("the practice of the base is lost: %v", rd)
	}
}

// TestScoringFile checks that a rule set in its own file uses the divisions of the year that it names.
func TestScoringFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, _ := Load("2022", "")
	src, _, err := r.ScoringSource()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "my.rules.hcl"), src, 0o600); err != nil {
		t.Fatal(err)
	}
	rs, of, diags := FindScoring("my.rules.hcl", dir)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if got, _ := rs.Divisions.Of("single_query", "QF_ABV"); got != "QF_Equality+Bitvec" || of.Name != "2022" ||
		rs.Name != "my.rules.hcl" {
		t.Errorf("got division %q of %s, rule set %s", got, of.Name, rs.Name)
	}
	for name, want := range map[string]string{"2014": "2008, 2015", "./nothing.hcl": "nothing.hcl",
		"./none": "There is no folder"} {
		if _, _, diags := FindScoring(name, dir); !diags.HasErrors() || !strings.Contains(diags.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, diags, want)
		}
	}
}

// TestPublished checks that the practice behind the published tables is known for every year since 2015, and that its
// switches and readings exist in the rule set.
func TestPublished(t *testing.T) {
	t.Parallel()
	for year := 2015; year <= 2026; year++ {
		known, rs, err := PublishedOf(year)
		if err != nil {
			t.Fatal(err)
		}
		for _, track := range comp.Tracks() {
			rd, ok := known.Scoring(track.String())
			if !ok || len(rd.Practice) == 0 {
				t.Errorf("nothing is known of %d %s", year, track)
			}
			if err := rs.CheckReadings(rd); err != nil {
				t.Errorf("%d %s: %v", year, track, err)
			}
		}
	}
	for _, tt := range []struct {
		year          int
		track, only   string
		want, readsIt bool
	}{
		{2021, "cloud", "endings_set_times", true, true},
		{2021, "single_query", "endings_set_times", false, true},
		{2022, "cloud", "other_words_are_errors", true, true},
		{2022, "single_query", "other_words_are_errors", false, true},
		{2022, "cloud", "experimental_fp_cannot_win", false, true},
		{2023, "cloud", "experimental_fp_cannot_win", true, true},
		{2023, "cloud", "other_words_are_errors", false, true},
		{2020, "unsat_core", "invalid_only_after_sat", false, false},
		{2017, "incremental", "times_unbounded", true, false},
	} {
		known, _, _ := PublishedOf(tt.year)
		rd, _ := known.Scoring(tt.track)
		if rd.Practice[tt.only] != tt.want || (rd.Values["sat_view"] == "any") != tt.readsIt {
			t.Errorf("%d %s: %s is %v, sat_view %q", tt.year, tt.track, tt.only, rd.Practice[tt.only],
				rd.Values["sat_view"])
		}
	}
	for year, want := range map[int]string{2008: "is not known", 2014: "no rules are known"} {
		if _, _, err := PublishedOf(year); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: got %v, want %q", year, err, want)
		}
	}
}

// TestPublishedErrors checks that errors in a file of published results are reported with their positions.
func TestPublishedErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`published { winner = "all" }`:                           "winner",
		`published { winners = "most" }`:                         "winners is one of all, competitive, two_families",
		`published { wall_time = "1200" }`:                       "is not a duration",
		`published {`:                                            "Unclosed configuration block",
		`known_differences { track = "cloud" }`:                  "why",
		`no_switch "D-1" { because = "the rules say the same" }`: `"why" is required`,
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "year"), `rules { base = "2026" }`)
		if err := os.WriteFile(filepath.Join(dir, "year", publishedFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, diags := Load("./year", dir)
		if !diags.HasErrors() || !strings.Contains(diags.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, diags, want)
		}
		for _, d := range diags {
			if d.Subject == nil || filepath.Base(d.Subject.Filename) != publishedFile {
				t.Errorf("%s has no place", d.Summary)
			}
		}
	}
}
