package submission_test

import (
	stdcmp "cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

func smallCatalog(t *testing.T) *submission.Catalog {
	t.Helper()
	c, err := submission.NewCatalog([]submission.Part{
		{Track: "single_query", Division: "QF_Bitvec", Logics: []comp.Logic{"QF_BV", "QF_ABV"}},
		{Track: "single_query", Division: "Arith", Logics: []comp.Logic{"NIA", "LIA"}},
		{Track: "incremental", Division: "QF_Bitvec", Logics: []comp.Logic{"QF_BV"}},
		{Track: "unsat_core", Division: "Arith", Logics: []comp.Logic{"LIA"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// with returns a submission with the given participations.
func with(t *testing.T, name, participations string) *submission.Submission {
	t.Helper()
	s, err := submission.Parse(name+".json", fmt.Appendf(nil, `{"name": %q, "contributors": ["A"], "contacts": ["%s@b.org"],
"archive": {"url": "https://b.org/a"}, "command": ["m"], "website": "https://b.org", "system_description": "https://b.org/d",
"solver_type": "Standalone", "participations": [
%s], "seed": 5}`, name, name[:1], participations))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestExpand(t *testing.T) {
	s := with(t, "m", `{"tracks": ["SingleQuery", "Incremental", "SingleQuery"], "divisions": ["QF_Bitvec"], "logics": ["LIA", "QF_BV"]},
		{"tracks": ["UnsatCore", "UnsatCoreValidation"], "logics": ".IA|QF_B", "command": ["core"]}`)
	entries, err := s.Expand(smallCatalog(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%d %v %s %v", e.Participation, e.Track, e.Command.Binary, e.Places))
	}
	want := []string{
		"0 single_query m [{Arith LIA} {QF_Bitvec QF_ABV} {QF_Bitvec QF_BV}]",
		"0 incremental m [{QF_Bitvec QF_BV}]", // the track lacks LIA, which is dropped
		"1 unsat_core core [{Arith LIA}]",     // QF_B does not match the whole of QF_BV; NIA is not in the track
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestExpandProblems(t *testing.T) {
	s := with(t, "m", `{"tracks": ["SingleQuery", "Incremental"], "divisions": ["Arith", "QF_Bitvek"],
"logics": ["QF_BW"]}`)
	_, err := s.Expand(smallCatalog(t))
	want := []string{
		`m.json:5:12: /participations/0/logics/0: unknown logic "QF_BW"; did you mean "QF_BV"?`,
		`m.json:4:67: /participations/0/divisions/1: unknown division "QF_Bitvek"; did you mean "QF_Bitvec"?`,
		`m.json:4:58: /participations/0/divisions/0: track Incremental has no division Arith; its divisions are [QF_Bitvec]`,
	}
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// TestOwnTracks enters one of the competition's own tracks. Files and tables use its name, and other competitions do
// not know it.
func TestOwnTracks(t *testing.T) {
	catalog, err := submission.NewCatalog([]submission.Part{
		{Track: "single_query", Division: "Arith", Logics: []comp.Logic{"LIA"}},
		{Track: "LIA-Lin", Division: "Lin", Logics: []comp.Logic{"LIA"}},
		{Track: "LIA-Lin", Division: "Arrays", Logics: []comp.Logic{"ALIA"}},
	}, comp.Kinds{"LIA-Lin": comp.SingleQuery, "Sessions": comp.Incremental})
	if err != nil {
		t.Fatal(err)
	}
	s := with(t, "m", `{"tracks": ["LIA-Lin", "SingleQuery", "Sessions"], "logics": ".*LIA"},
		{"tracks": ["LIA-Lin"], "divisions": ["Lin"]}`)
	entries, err := s.Expand(catalog)
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintln(e.Participation, e.Track, e.Places))
	}
	want := []string{"0 LIA-Lin [{Arrays ALIA} {Lin LIA}]\n", "0 single_query [{Arith LIA}]\n", "0 Sessions []\n",
		"1 LIA-Lin [{Lin LIA}]\n"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("entries: %v (-want +got):\n%s", err, diff)
	}
	if got := fmt.Sprint(catalog.Tracks()); got != "[single_query LIA-Lin]" {
		t.Errorf("tracks: %s", got)
	}
	doubts := s.Doubts(entries, catalog)
	if text := "the year has no track Sessions, so nothing is entered in it; its tracks are [single_query LIA-Lin]"; len(doubts) != 2 ||
		doubts[0].Text != text {
		t.Errorf("doubts: %v", doubts)
	}

	_, err = with(t, "m", `{"tracks": ["SingleQuery", "LIA-lin"]}`).Expand(catalog)
	if want := `m.json:4:28: /participations/0/tracks/1: unknown track "LIA-lin"; did you mean "LIA-Lin"? The tracks ` +
		`are UnsatCore, SingleQuery, ProofExhibition, ModelValidation, Incremental, Cloud, Parallel, IndustryChallenge, ` +
		`UnsatCoreValidation, LIA-Lin, Sessions`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := s.Expand(smallCatalog(t)); err == nil || !strings.Contains(err.Error(), `unknown track "LIA-Lin"`) {
		t.Errorf("another year: %v", err)
	}
}

func TestCatalogRefusesLogicInTwoDivisions(t *testing.T) {
	_, err := submission.NewCatalog([]submission.Part{
		{Track: "single_query", Division: "A", Logics: []comp.Logic{"LIA"}},
		{Track: "single_query", Division: "B", Logics: []comp.Logic{"LIA"}},
	}, nil)
	if err == nil || !strings.Contains(err.Error(), "divisions A and B") {
		t.Errorf("got %v", err)
	}
}

// TestCompetitive enters two solvers from team a, one from b, and a non-competing one from c, in three logics.
func TestCompetitive(t *testing.T) {
	c := smallCatalog(t)
	var entries []submission.Entry
	for _, p := range []struct{ name, logics string }{
		{"a1", `["QF_BV", "QF_ABV"]`}, {"a2", `["QF_BV", "QF_ABV"]`}, {"b", `["QF_ABV", "LIA"]`}, {"c", `["LIA"]`},
	} {
		s := with(t, p.name, `{"tracks": ["SingleQuery"], "logics": `+p.logics+`}`)
		s.Competitive = p.name != "c"
		expanded, err := s.Expand(c)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, expanded...)
	}
	teams := map[string]string{"a1": "a", "a2": "a"}
	for _, k := range []struct {
		name string
		by   submission.Counting
		want string
	}{
		{"teams", submission.Teams, "[{QF_Bitvec QF_ABV}]"}, // QF_BV: one team; LIA: c does not compete
		{"entries", submission.Entries, "[{Arith LIA} {QF_Bitvec QF_ABV} {QF_Bitvec QF_BV}]"},
	} {
		t.Run(k.name, func(t *testing.T) {
			got := submission.Rules{}.Competitive(entries, k.by, teams)
			if fmt.Sprint(got["single_query"]) != k.want || len(got) != 1 {
				t.Errorf("got %v, want %s", got, k.want)
			}
		})
	}
}

// TestCompetitiveAdmitted checks that a solver that is not admitted to a logic does not make it competitive: portfolio
// solvers outside their tracks (SMT-COMP 2022 and 2026 rules, §4), and derived solvers in logics that their base solver
// does not enter (2026, §4: "for the same track and logics"). The base need not compete. The organisers' tool counts
// every solver.
func TestCompetitiveAdmitted(t *testing.T) {
	rules := submission.Rules{BaseMustEnter: true, PortfolioTracks: []string{"parallel"}}
	for _, test := range []struct {
		name   string
		second submission.SolverType
		base   string // logics entered by Mine, the base solver of Mine-New; empty: not submitted
		want   string
	}{
		{"both are admitted", submission.Standalone, "", "[{QF_Bitvec QF_ABV} {QF_Bitvec QF_BV}]"},
		{"a portfolio solver", submission.Portfolio, "", "[]"},
		{"derived without a base", submission.Derived, "", "[]"},
		{"derived with its base in one logic", submission.Derived, `"QF_BV"`, "[{QF_Bitvec QF_BV}]"},
		{"derived with its base", submission.Derived, `"QF_BV", "QF_ABV"`, "[{QF_Bitvec QF_ABV} {QF_Bitvec QF_BV}]"},
	} {
		var entries []submission.Entry
		enter := func(name string, is submission.SolverType, competes bool, logics string) {
			s := with(t, name, `{"tracks": ["SingleQuery"], "logics": [`+logics+`]}`)
			s.Name, s.Type, s.Competitive = name, is, competes
			expanded, err := s.Expand(smallCatalog(t))
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, expanded...)
		}
		enter("First", submission.Standalone, true, `"QF_BV", "QF_ABV"`)
		enter("Mine-New", test.second, true, `"QF_BV", "QF_ABV"`)
		if test.base != "" {
			enter("Mine", submission.Standalone, false, test.base)
		}
		teams := map[string]string{"First": "a", "Mine-New": "b", "Mine": "c"}
		if got := fmt.Sprint(rules.Competitive(entries, submission.Teams, teams)["single_query"]); got != test.want {
			t.Errorf("%s: competitive are %s, want %s", test.name, got, test.want)
		}
		got := fmt.Sprint(rules.Competitive(entries, submission.Entries, teams)["single_query"])
		if want := "[{QF_Bitvec QF_ABV} {QF_Bitvec QF_BV}]"; got != want {
			t.Errorf("%s, by participations: competitive are %s, want %s", test.name, got, want)
		}
	}
}

func TestCheckNames(t *testing.T) {
	c := smallCatalog(t)
	one := with(t, "m", `{"tracks": ["SingleQuery"], "logics": "LIA"}, {"tracks": ["SingleQuery"], "logics": ".*"}`)
	two := with(t, "m", `{"tracks": ["UnsatCore"], "logics": "LIA"}`)
	clash := with(t, "m", `{"tracks": ["SingleQuery"], "logics": "LIA"}`)
	expand := func(subs ...*submission.Submission) []submission.Entry {
		var all []submission.Entry
		for _, s := range subs {
			e, err := s.Expand(c)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, e...)
		}
		return all
	}
	if err := submission.CheckNames(expand(one, two)); err != nil {
		t.Errorf("one solver in two files for two tracks: %v", err)
	}
	if err := submission.CheckNames(expand(one, clash)); err == nil || !strings.Contains(err.Error(), "both submit") {
		t.Errorf("two solvers of one name in one logic: %v", err)
	}
}

// TestSubmissionsOf2026 reads the real files. The expected figures come from a Python script that expands them with
// re.fullmatch. The expected seed is the organisers'.
func TestSubmissionsOf2026(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit.Shared(t, "submissions-2026"), "*.json"))
	if err != nil || len(files) != 50 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	text, err := os.ReadFile(testkit.Shared(t, "divisions", "2026.json"))
	if err != nil {
		t.Fatal(err)
	}
	var divisions struct {
		Tracks map[string]map[comp.Division][]comp.Logic
		Names  map[comp.Division]comp.Division `json:"division_names"`
	}
	if err := json.Unmarshal(text, &divisions); err != nil {
		t.Fatal(err)
	}
	var parts []submission.Part
	for name, all := range divisions.Tracks {
		track, _, err := comp.Kinds(nil).Parse(comp.Kinds(nil).Underscored(name))
		if err != nil {
			t.Fatal(err)
		}
		for id, logics := range all {
			parts = append(parts, submission.Part{Track: track, Division: stdcmp.Or(divisions.Names[id], id),
				Logics: logics})
		}
	}
	catalog, err := submission.NewCatalog(parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []*submission.Submission
	var entries []submission.Entry
	participations := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s, err := submission.Parse(filepath.Base(f), data)
		if err != nil {
			t.Fatal(err)
		}
		expanded, err := s.Expand(catalog)
		if err != nil {
			t.Fatal(err)
		}
		participations += len(s.Participations)
		all, entries = append(all, s), append(entries, expanded...)
	}
	if participations != 88 || len(entries) != 90 {
		t.Errorf("got %d participations and %d entries, want 88 and 90", participations, len(entries))
	}
	places := map[string]int{}
	for _, e := range entries {
		places[e.Track] += len(e.Places)
	}
	wantPlaces := map[string]int{"parallel": 69, "single_query": 826, "incremental": 201, "unsat_core": 431,
		"model_validation": 190, "proof": 178}
	if diff := cmp.Diff(wantPlaces, places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	checkCompetitive2026(t, entries)
	checkSeeds2026(t, all, entries)
	checkBases2026(t, all)
	if err := submission.CheckNames(entries); err != nil {
		t.Error(err)
	}
}

func checkCompetitive2026(t *testing.T, entries []submission.Entry) {
	t.Helper()
	byTeams := map[string]int{"parallel": 14, "single_query": 89, "incremental": 39, "unsat_core": 89,
		"model_validation": 38}
	byEntries := map[string]int{"parallel": 14, "single_query": 89, "incremental": 39, "unsat_core": 89,
		"model_validation": 38, "proof": 89}
	rules := submission.Rules{BaseMustEnter: true, PortfolioTracks: []string{"parallel"}} // §4
	for by, want := range []map[string]int{submission.Teams: byTeams, submission.Entries: byEntries} {
		got := map[string]int{}
		for track, places := range rules.Competitive(entries, submission.Counting(by), nil) {
			got[track] = len(places)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("competitive logics, counting %d (-want +got):\n%s", by, diff)
		}
	}
}

func checkSeeds2026(t *testing.T, all []*submission.Submission, entries []submission.Entry) {
	t.Helper()
	said := submission.Rules{Reasons: map[string]admission.Rule{"comparison": {Runs: true, Ranked: true}}}
	seeds, err := said.Seeds(all, entries)
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, s := range seeds {
		sum += s.Value
	}
	if got := sum % (1 << 30); got != 20389785 {
		t.Errorf("sum of the seeds modulo 2^30: got %d, want 20389785", got)
	}
}

func checkBases2026(t *testing.T, all []*submission.Submission) {
	t.Helper()
	base := map[string]string{}
	for _, s := range all {
		if s.Type != submission.Derived {
			continue
		}
		if b := submission.BaseOf(s, all); b != nil {
			base[s.Name] = b.Name
		} else {
			base[s.Name] = "none"
		}
	}
	for derived, want := range map[string]string{
		"Bitwuzla-SPFD":   "Bitwuzla-0-9-1", // found by file name only
		"OpenSMT-SMTS":    "OpenSMT-SMTS-base",
		"Z3-alpha2-debug": "Z3-alpha2-base", // found by the shortened name
		"cvc5-cvc5-xyz":   "cvc5-cvc5-xyz-base",
	} {
		if base[derived] != want {
			t.Errorf("base solver of %s: got %q, want %q", derived, base[derived], want)
		}
	}
	if i := slices.IndexFunc(all, func(s *submission.Submission) bool { return base[s.Name] == "none" }); i >= 0 {
		t.Errorf("%s has no base solver", all[i].Name)
	}
}

func TestSeedsNamesTheMissing(t *testing.T) {
	a, b := with(t, "a", ""), with(t, "b", "")
	a.Seed = nil
	said := submission.Rules{Reasons: map[string]admission.Rule{"comparison": {Runs: true, Ranked: true}}}
	if _, err := said.Seeds([]*submission.Submission{a, b}, nil); err == nil || !strings.Contains(err.Error(),
		"submissions of a;") {
		t.Errorf("got %v", err)
	}
	a.Competitive = false
	seeds, err := said.Seeds([]*submission.Submission{a, b}, nil)
	if err != nil || !slices.Equal(submission.Values(seeds), []int64{5}) {
		t.Errorf("got %v, %v; want only that of b", seeds, err)
	}
}

func TestDoubts(t *testing.T) {
	s := with(t, "m", `{"tracks": ["SingleQuery"], "divisions": ["QF_Bitvec"]},
{"tracks": ["SingleQuery", "Incremental"], "logics": ["QF_BV", "QF_ABV"]},
{"tracks": ["UnsatCore"], "logics": "X.*"},
{"tracks": ["Cloud"], "divisions": ["QF_Bitvec"]}`)
	entries, err := s.Expand(smallCatalog(t))
	if err != nil {
		t.Fatal(err)
	}
	want := "m.json:5:1: /participations/1: participation 0, the first being 0, enters logics of the track " +
		"single_query as well; they are executed twice and count once\n" +
		"m.json:6:1: /participations/2: the track unsat_core has none of these logics and divisions, so nothing " +
		"is entered in it\n" +
		"m.json:7:1: /participations/3: the year has no track cloud, so nothing is entered in it; its tracks " +
		"are [single_query incremental unsat_core]"
	if got := s.Doubts(entries, smallCatalog(t)).Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
