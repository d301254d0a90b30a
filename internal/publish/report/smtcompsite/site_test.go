package smtcompsite

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// The sample's solvers: a derived solver, its base, which does not compete, and a solver with a hostile name.
const (
	derived = "Ärger-neu"
	base    = "Ärger-base"
	hostile = `<b>&"Q_1" 100% #2</b> (32 cores)`
)

// sample returns a small competition: two divisions in the single-query track and one in the parallel track.
func sample() *Site {
	seed := int64(7)
	s := &Site{
		Year: 2031, ResultDate: "2031-07-01",
		Limits: map[string]run.Limits{"single_query": {WallLimitS: 1200, MemoryLimit: 30 << 30},
			"parallel": {WallLimitS: 600, MemoryLimit: 1 << 40}},
		Participants: []Participant{
			{Name: derived, Authors: []string{"Zoë", "B. \"C\""}, Competitive: true, Seed: &seed,
				Website: "https://a.example/?x=1&y",
				Logics:  map[string][]string{"single_query": {"QF_UFLIA", "QF_BV", "QF_UFIDL", "QF_NOSUCH"}}},
			{Name: base, Logics: map[string][]string{"parallel": {"QF_BV"}}},
			{Name: hostile, Authors: []string{"D"}, Competitive: true},
		},
	}
	s.Divisions.Set("single_query", "QF_Equality+LinearArith", []comp.Logic{"QF_UFIDL", "QF_UFLIA"})
	for _, track := range []string{"single_query", "parallel", "proof"} {
		s.Divisions.Set(track, "QF_Bitvec", []comp.Logic{"QF_BV"})
	}
	for _, view := range []string{"par", "seq", "sat", "unsat", "24s", "par2"} {
		s.add("single_query", "QF_Equality+LinearArith", "", view, 3)
		s.add("single_query", "QF_Equality+LinearArith", "QF_UFLIA", view, 2)
		s.add("single_query", "QF_Equality+LinearArith", "QF_UFIDL", view, 1)
		s.add("single_query", "QF_Bitvec", "", view, 3)
		s.add("single_query", "QF_Bitvec", "QF_BV", view, 3)
	}
	s.add("parallel", "QF_Bitvec", "", "par", 4)
	s.add("parallel", "QF_Bitvec", "QF_BV", "par", 4)
	s.Recognitions = []results.RecognitionRow{
		{Track: "single_query", Kind: "best_overall", View: "par", Place: 2, Solver: hostile, Division: "QF_Bitvec",
			Score: -0.0000001, Time: 2},
		{Track: "single_query", Kind: "best_overall", View: "par", Place: 1, Solver: derived, Division: "QF_Bitvec",
			Score: 0.5, Winner: true, Time: 4.0000004},
		{Track: "single_query", Kind: "best_overall", View: "par", Place: 3, Solver: derived,
			Division: "QF_Equality+LinearArith", Score: -2.25, Winner: true, Time: 1},
		{Track: "single_query", Kind: "biggest_lead", View: "seq", Place: 1, Solver: hostile, Second: derived,
			Division: "QF_Equality+LinearArith", Score: 1.5, Time: 1. / 3, Winner: true},
		{Track: "single_query", Kind: "largest_contribution", View: "24s", Place: 1, Solver: hostile,
			Division: "QF_Bitvec", Score: 1e-6, Time: -0.00001, Winner: true},
		{Track: "single_query", Kind: "derived_any_division", View: "par", Place: 1, Solver: derived},
	}
	return s
}

// add adds a ranking of three solvers on n benchmarks: the base is best but does not compete, so the hostile solver
// wins. The derived solver has one wrong answer and no run on one benchmark.
func (s *Site) add(track, division, logic, view string, n int64) {
	row := results.ScoreRow{Track: track, Division: division, Logic: logic, View: view, Benchmarks: n, Contested: true}
	first, second, third := row, row, row
	first.Solver, first.Rank, first.Correct = base, 1, float64(n)
	first.Solved, first.Answered, first.AnsweredSat = n, n, 1
	first.WallS, first.CPUS = 0.1+0.2, 2.0000004
	second.Solver, second.Rank, second.Competitive, second.Winner = hostile, 2, true, true
	second.Correct, second.Solved, second.Answered = 1, 1, 1
	second.Unsolved, second.Timeouts, second.Memouts = n-1, 1, 0
	third.Solver, third.Rank, third.Competitive, third.BaseSolver = derived, 3, true, base
	third.Errors, third.Answered, third.Unsolved, third.Abstained = 1, 1, n-1, 1
	s.Scores = append(s.Scores, first, second, third)
}

func files(t *testing.T, s *Site) map[string]string {
	t.Helper()
	list, err := s.Files()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range list {
		all[f.Path] = string(f.Data)
	}
	if len(all) != len(list) {
		t.Error("a file is there twice")
	}
	return all
}

func TestPages(t *testing.T) {
	got := files(t, sample())
	want := []string{
		"data/latex-certificates/input_for_certificates.tex",
		"web/content/results/best-overall-parallel.md", "web/content/results/best-overall-single-query.md",
		"web/content/results/biggest-lead-parallel.md", "web/content/results/biggest-lead-single-query.md",
		"web/content/results/largest-contribution-parallel.md",
		"web/content/results/largest-contribution-single-query.md",
		"web/content/results/qf_bitvec-parallel.md", "web/content/results/qf_bitvec-single-query.md",
		"web/content/results/qf_bv-parallel.md", "web/content/results/qf_bv-single-query.md",
		"web/content/results/qf_equality_lineararith-single-query.md",
		"web/content/results/qf_ufidl-single-query.md", "web/content/results/qf_uflia-single-query.md",
		"web/content/results/results-parallel.md", "web/content/results/results-single-query.md",
		"web/data/division_tracks.json", "web/data/participants.json", "web/data/tracks.json",
	}
	if diff := cmp.Diff(want, sorted(got)); diff != "" {
		t.Errorf("files: -want +got\n%s", diff)
	}
	steps := func(indent string) string {
		return strings.ReplaceAll(`[
 {
  "name": "<b>&\"Q_1\" 100% #2</b> (32 cores)",
  "baseSolver": "",
  "deltaBaseSolver": 0,
  "competing": "yes",
  "errorScore": 0,
  "correctScore": 1,
  "CPUScore": 0.0,
  "WallScore": 0.0,
  "solved": 1,
  "solved_sat": 0,
  "solved_unsat": 1,
  "unsolved": 3,
  "abstained": 0,
  "timeout": 1,
  "memout": 0
 },
 {
  "name": "Ärger-neu",
  "baseSolver": "Ärger-base",
  "deltaBaseSolver": -4,
  "competing": "yes",
  "errorScore": 1,
  "correctScore": 0,
  "CPUScore": 0.0,
  "WallScore": 0.0,
  "solved": 1,
  "solved_sat": 0,
  "solved_unsat": 1,
  "unsolved": 2,
  "abstained": 1,
  "timeout": 0,
  "memout": 0
 },
 {
  "name": "Ärger-base",
  "baseSolver": "",
  "deltaBaseSolver": 0,
  "competing": "no",
  "errorScore": 0,
  "correctScore": 4,
  "CPUScore": 2.0,
  "WallScore": 0.3,
  "solved": 4,
  "solved_sat": 1,
  "solved_unsat": 3,
  "unsolved": 0,
  "abstained": 0,
  "timeout": 0,
  "memout": 0
 }
]`, "\n", "\n"+indent)
	}
	page := `{
 "resultdate": "2031-07-01",
 "year": 2031,
 "divisions": "divisions_2031",
 "participants": "participants_2031",
 "disagreements": "disagreements_2031",
 "division": "QF_Bitvec",
 "is_competitive": true,
 "track": "track_parallel",
 "n_benchmarks": 4,
 "time_limit": 600,
 "mem_limit": 1048576,
 "logics": {
  "QF_BV": 4
 },
 "winner_seq": "-",
 "winner_par": "<b>&\"Q_1\" 100% #2</b> (32 cores)",
 "winner_sat": "-",
 "winner_unsat": "-",
 "winner_24s": "-",
 "sequential": [],
 "parallel": ` + steps(" ") + `,
 "sat": [],
 "unsat": [],
 "twentyfour": [],
 "layout": "result"
}`
	// The derived solver has one wrong answer and no run on one of four benchmarks, on which it therefore abstained.
	if diff := cmp.Diff(page, got["web/content/results/qf_bitvec-parallel.md"]); diff != "" {
		t.Errorf("page of a division: -want +got\n%s", diff)
	}
	summary := "{\n \"track\": \"track_parallel\",\n \"divisions\": [\n  " + strings.ReplaceAll(page, "\n", "\n  ") +
		"\n ],\n \"layout\": \"results_summary\"\n}"
	if diff := cmp.Diff(summary, got["web/content/results/results-parallel.md"]); diff != "" {
		t.Errorf("summary: -want +got\n%s", diff)
	}
	logic := strings.ReplaceAll(strings.Replace(page, "{\n  \"QF_BV\": 4\n }", "{}", 1), `"QF_Bitvec"`, `"QF_BV"`)
	if diff := cmp.Diff(logic, got["web/content/results/qf_bv-parallel.md"]); diff != "" {
		t.Errorf("page of a logic: -want +got\n%s", diff)
	}
}

func TestRecognitionPages(t *testing.T) {
	got := files(t, sample())
	head := func(kind, recognition, winners string) string {
		return `{
 "resultdate": "2031-07-01",
 "year": 2031,
 "results": "results_2031",
 "participants": "participants_2031",
 "track": "track_single_query",
 "recognition": "` + kind + `",
` + winners + recognition + `,
 "layout": "result_comp"
}`
	}
	const name = `<b>&\"Q_1\" 100% #2</b> (32 cores)`
	for file, want := range map[string]string{
		"best-overall": head("best_overall", ` "winner_seq_score": 0.0,
 "winner_par_score": -1.75,
 "winner_sat_score": 0.0,
 "winner_unsat_score": 0.0,
 "winner_24s_score": 0.0,
 "sequential": [],
 "parallel": [
  {
   "name": "Ärger-neu",
   "contribution": 0.5,
   "division": "QF_Bitvec",
   "tieBreakTimeScore": 4.0
  },
  {
   "name": "`+name+`",
   "contribution": -0.0,
   "division": "QF_Bitvec",
   "tieBreakTimeScore": 2.0
  },
  {
   "name": "Ärger-neu",
   "contribution": -2.25,
   "division": "QF_Equality_LinearArith",
   "tieBreakTimeScore": 1.0
  }
 ],
 "sat": [],
 "unsat": [],
 "twentyfour": []`, ` "winner_seq": "-",
 "winner_par": "Ärger-neu",
 "winner_sat": "-",
 "winner_unsat": "-",
 "winner_24s": "-",
`),
		"biggest-lead": head("biggest_lead", ` "sequential": [
  {
   "name": "`+name+`",
   "second": "Ärger-neu",
   "correctScore": 1.5,
   "timeScore": 0.333333,
   "division": "QF_Equality_LinearArith"
  }
 ],
 "parallel": [],
 "sat": [],
 "unsat": [],
 "twentyfour": []`, ` "winner_seq": "`+name+`",
 "winner_par": "-",
 "winner_sat": "-",
 "winner_unsat": "-",
 "winner_24s": "-",
`),
		"largest-contribution": head("largest_contribution", ` "sequential": [],
 "parallel": [],
 "sat": [],
 "unsat": [],
 "twentyfour": [
  {
   "name": "`+name+`",
   "correctScore": 1e-6,
   "timeScore": -0.00001,
   "division": "QF_Bitvec",
   "experimental": "false"
  }
 ]`, ` "winner_seq": "-",
 "winner_par": "-",
 "winner_sat": "-",
 "winner_unsat": "-",
 "winner_24s": "`+name+`",
`),
	} {
		if diff := cmp.Diff(want, got["web/content/results/"+file+"-single-query.md"]); diff != "" {
			t.Errorf("%s: -want +got\n%s", file, diff)
		}
	}
}

func TestDataFiles(t *testing.T) {
	got := files(t, sample())
	for name, want := range map[string]string{
		// The organisers' tool lists the cloud track every year, even without results.
		"web/data/tracks.json": `["Cloud", "Parallel", "SingleQuery"]`,
		"web/data/division_tracks.json": `[["QF_Bitvec", ["Cloud", "Parallel", "SingleQuery"]], ` +
			`["QF_Equality+LinearArith", ["Cloud", "SingleQuery"]]]`,
		"web/data/participants.json": `[{"name": "\u00c4rger-neu", "authors": ["Zo\u00eb", "B. \"C\""], ` +
			`"website": "https://a.example/?x=1&y", "archive_url": "", "system_description": "", "competitive": true, ` +
			`"tracks": {"SingleQuery": {"QF_Bitvec": ["QF_BV"], "QF_Equality+LinearArith": ["QF_UFIDL", "QF_UFLIA"]}}, ` +
			`"seed": 7}, {"name": "\u00c4rger-base", "authors": [], "website": "", "archive_url": "", ` +
			`"system_description": "", "competitive": false, "tracks": {"Parallel": {"QF_Bitvec": ["QF_BV"]}}, ` +
			`"seed": null}, {"name": "<b>&\"Q_1\" 100% #2</b> (32 cores)", "authors": ["D"], "website": "", ` +
			`"archive_url": "", "system_description": "", "competitive": true, "tracks": {}, "seed": null}]`,
		// The base does not compete and gets no certificate. The derived solver won best overall, for which the
		// parallel view counts.
		"data/latex-certificates/input_for_certificates.tex": `\MakeOnePage{<b>\&"Q\_1" 100\% \#2</b> (32 cores)}` +
			`{\withtrack{Biggest Lead}{\seq}, \withtrack{Largest Contribution}{\fast}}` +
			`{\withtrack{QF\_Bitvec}{\seq,\paral,\sat,\unsat,\fast}, ` +
			`\withtrack{QF\_Equality\_LinearArith}{\seq,\paral,\sat,\unsat,\fast}}{}{s}{}` + "\n\\newpage\n" +
			`\MakeOnePage{Ärger-neu}{\withtrack{Best Overall}{\paral}}{}{}{}{}` + "\n\\newpage\n",
	} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// TestCertificateNameIsOneLine checks that a name contains no paragraph, which would end a macro's argument.
func TestCertificateNameIsOneLine(t *testing.T) {
	if got, want := (&certificate{}).line("a\n\nb"), `\MakeOnePage{a  b}{}{}{}{}{}`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCertificateCategories generates certificates for the winners of every existing view.
func TestCertificateCategories(t *testing.T) {
	win := func(track, division, logic, solver string, viewNames ...string) []results.ScoreRow {
		var rows []results.ScoreRow
		for _, v := range append([]string{"par"}, viewNames...) {
			rows = append(rows, results.ScoreRow{Track: track, Division: division, Logic: logic, View: v,
				Solver: solver, Competitive: true, Rank: 1, Solved: 1, Correct: 1, Benchmarks: 1,
				Winner: v != "par" || !slices.Contains(viewNames, "-par")})
		}
		return slices.DeleteFunc(rows, func(r results.ScoreRow) bool { return r.View == "-par" })
	}
	const arith = "QF_LinearIntArith"
	for _, test := range []struct {
		name string
		rows [][]results.ScoreRow
		want string
	}{
		{"core: both views", [][]results.ScoreRow{win("unsat_core", arith, "", "A", "seq", "unsat", "24s"),
			win("unsat_core", arith, "QF_LIA", "A", "seq")},
			`\MakeOnePage{A}{}{\withtrack{QF\_LinearIntArith}{\uc}}{}{}{}`},
		{"core: one view", [][]results.ScoreRow{win("unsat_core", arith, "", "A"),
			win("unsat_core", arith, "QF_LIA", "A", "seq")},
			`\MakeOnePage{A}{}{\withtrack{QF\_LinearIntArith}{\uc\textsuperscript\paral}}` +
				`{\withtrack{QF\_LIA}{\uc\textsuperscript\seq}}{}{}`},
		{"core: no view that counts", [][]results.ScoreRow{win("unsat_core", arith, "", "A", "-par", "unsat"),
			win("unsat_core", arith, "QF_LIA", "A", "-par", "24s")}, `\MakeOnePage{A}{}{}{}{}{}`},
		{"model: one view", [][]results.ScoreRow{win("model_validation", arith, "", "A", "-par", "seq"),
			win("model_validation", arith, "QF_LIA", "A")},
			`\MakeOnePage{A}{}{\withtrack{QF\_LinearIntArith}{\mv\seq}}{\withtrack{QF\_LIA}{\mv\paral}}{}{}`},
		{"incremental and single query", [][]results.ScoreRow{win("incremental", arith, "", "A", "24s", "seq"),
			win("incremental", arith, "QF_LIA", "A"), win("single_query", arith, "", "B", "seq"),
			win("single_query", arith, "QF_LIA", "A", "seq"), win("single_query", arith, "QF_IDL", "A", "-par", "24s")},
			`\MakeOnePage{A}{}{\withtrack{QF\_LinearIntArith}{\inc}}` +
				`{\withtrack{QF\_IDL}{\fast}, \withtrack{QF\_LIA}{\seq,\paral}}{}{s}`},
		{"logic with a plus sign", [][]results.ScoreRow{win("unsat_core", arith, "", "A", "-par", "unsat"),
			win("unsat_core", arith, "QF_A+B", "A")},
			`\MakeOnePage{A}{}{}{\withtrack{QF\_A\_B}{\uc\textsuperscript\paral}}{}{}`},
		{"parallel", [][]results.ScoreRow{win("parallel", arith, "", "A"), win("parallel", arith, "QF_LIA", "A")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &Site{Year: 2031, ResultDate: "x", Limits: map[string]run.Limits{},
				Scores:       slices.Concat(test.rows...),
				Participants: []Participant{{Name: "A", Competitive: true}}}
			for _, tr := range tracks {
				s.Limits[tr.name] = run.Limits{WallLimitS: 1, MemoryLimit: 1 << 20}
				s.Divisions.Set(tr.name, arith, []comp.Logic{"QF_LIA", "QF_IDL"})
			}
			got := files(t, s)["data/latex-certificates/input_for_certificates.tex"]
			if test.want != "" {
				test.want += "\n\\newpage\n"
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	page := func(s *Site, name string) (p struct {
		IsCompetitive *bool  `json:"is_competitive"`
		Winner        string `json:"winner_par"`
		Parallel      []map[string]any
	}) {
		if err := json.Unmarshal([]byte(files(t, s)["web/content/results/"+name+".md"]), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	alone := func(options ...string) *Site { // a division with one team and no winner
		s := sample()
		for i := range s.Scores {
			s.Scores[i].Contested, s.Scores[i].Winner = false, false
		}
		var err error
		if s.Options, err = ParseOptions(options); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if p := page(alone(), "qf_bv-parallel"); *p.IsCompetitive || p.Winner != "-" {
		t.Errorf("without options: competitive %v, winner %s", *p.IsCompetitive, p.Winner)
	}
	p := page(alone("contested_by_names", "uncontested_winners"), "qf_bv-parallel")
	if !*p.IsCompetitive || p.Winner != hostile {
		t.Errorf("by names: competitive %v, winner %s", *p.IsCompetitive, p.Winner)
	}
	nothing := alone("uncontested_winners")
	for i := range nothing.Scores {
		nothing.Scores[i].Correct = 0
	}
	if p := page(nothing, "qf_bv-parallel"); p.Winner != "-" {
		t.Errorf("%s wins with nothing", p.Winner)
	}
	family := alone("contested_by_names")
	family.Scores = slices.DeleteFunc(family.Scores, func(r results.ScoreRow) bool { return r.Solver == hostile })
	if p := page(family, "qf_bv-parallel"); *p.IsCompetitive {
		t.Error("two solvers of one family are competitive")
	}
	old := alone("no_bases", "no_best_overall")
	if p := page(old, "qf_bv-parallel"); p.IsCompetitive != nil || p.Parallel[0]["baseSolver"] != nil ||
		p.Parallel[0]["deltaBaseSolver"] != nil {
		t.Errorf("keys of 2025 in %v", p)
	}
	if _, ok := files(t, old)["web/content/results/best-overall-parallel.md"]; ok {
		t.Error("there is a page of best overall")
	}
	if _, err := ParseOptions([]string{"no_base"}); err == nil || !strings.Contains(err.Error(), "no_bases") {
		t.Errorf("unknown option: %v", err)
	}
}

// TestOrderOfRows checks that the files do not depend on the order of the rows.
func TestOrderOfRows(t *testing.T) {
	want := files(t, sample())
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		s := sample()
		r.Shuffle(len(s.Scores), func(i, j int) { s.Scores[i], s.Scores[j] = s.Scores[j], s.Scores[i] })
		r.Shuffle(len(s.Recognitions), func(i, j int) {
			s.Recognitions[i], s.Recognitions[j] = s.Recognitions[j], s.Recognitions[i]
		})
		if diff := cmp.Diff(want, files(t, s)); diff != "" {
			t.Fatalf("-want +got\n%s", diff)
		}
	}
}

// TestHiddenRows checks that a view does not list a solver without a run in it, and that a track without remaining
// benchmarks has no pages.
func TestHiddenRows(t *testing.T) {
	s := sample()
	for i := range s.Scores {
		r := &s.Scores[i]
		if r.Track == "parallel" || r.Logic == "QF_UFIDL" || r.Solver == derived && r.View == "24s" {
			r.Solved, r.Unsolved = 0, 0
		}
	}
	got := files(t, s)
	for name := range got {
		if strings.HasSuffix(name, "-parallel.md") || strings.Contains(name, "qf_ufidl") {
			t.Errorf("there is a page %s", name)
		}
	}
	var p struct {
		Logics               map[string]int
		Parallel, Twentyfour []any
	}
	if err := json.Unmarshal([]byte(got["web/content/results/qf_equality_lineararith-single-query.md"]), &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Parallel) != 3 || len(p.Twentyfour) != 2 {
		t.Errorf("%d and %d rows", len(p.Parallel), len(p.Twentyfour))
	}
	if diff := cmp.Diff(map[string]int{"QF_UFLIA": 2}, p.Logics); diff != "" {
		t.Errorf("logics: -want +got\n%s", diff)
	}
}

func TestRefused(t *testing.T) {
	each := func(change func(*results.ScoreRow)) func(*Site) {
		return func(s *Site) {
			for i := range s.Scores {
				change(&s.Scores[i])
			}
		}
	}
	for _, test := range []struct {
		name   string
		change func(*Site)
		want   []string
	}{
		{"no date and no scores", func(s *Site) { s.ResultDate, s.Scores = "", nil },
			[]string{"date of the results is missing", "no scores"}},
		{"another track", each(func(r *results.ScoreRow) { r.Track = "proof" }), []string{"no pages for track proof"}},
		{"no limits", func(s *Site) { delete(s.Limits, "parallel") },
			[]string{"limits of track parallel are not known"}},
		{"a fraction of a second", func(s *Site) { s.Limits["parallel"] = run.Limits{WallLimitS: 1.5, MemoryLimit: 1} },
			[]string{"limits of track parallel", "1.5 s"}},
		{"a fraction of a second in a division", func(s *Site) {
			s.PartLimits = map[[2]string]run.Limits{{"single_query", "QF_Equality+LinearArith"}: {WallLimitS: 2.5}}
		}, []string{"limits of track single_query", "2.5 s"}},
		{"a division that the year does not have", func(s *Site) { s.Divisions.Remove("single_query") },
			[]string{"track single_query has no division QF_Equality+LinearArith in 2031"}},
		{"a path for a logic", each(func(r *results.ScoreRow) {
			if r.Logic == "QF_UFIDL" {
				r.Logic = "../../data/participants"
			}
		}), []string{`logic "../../data/participants" cannot be the name of a page`}},
		{"a blank", each(func(r *results.ScoreRow) { r.Division = "QF Bitvec" }),
			[]string{`"QF Bitvec" cannot be the name`}},
		{"a division named like a logic", func(s *Site) {
			s.Divisions.Set("single_query", "QF_BV", []comp.Logic{"QF_BV"})
			each(func(r *results.ScoreRow) {
				if r.Track == "single_query" && r.Division == "QF_Bitvec" {
					r.Division = "QF_BV"
				}
			})(s)
		}, []string{"QF_BV of track single_query would be on the page qf_bv-single-query.md, which another"}},
		{"names that differ in case only", each(func(r *results.ScoreRow) {
			if r.Logic == "QF_UFIDL" {
				r.Logic = "qf_uflia"
			}
		}), []string{"would be on the page qf_uflia-single-query.md"}},
		{"a division without logics", func(s *Site) {
			s.Scores = slices.DeleteFunc(s.Scores, func(r results.ScoreRow) bool { return r.Logic == "QF_BV" })
		}, []string{"division QF_Bitvec of track single_query has no scores of its logics", "track parallel"}},
		{"no parallel view", func(s *Site) {
			s.Scores = slices.DeleteFunc(s.Scores, func(r results.ScoreRow) bool {
				return r.View == "par" && r.Track == "single_query"
			})
		}, []string{"scores of QF_BV but none in the view par"}},
		{"a time that is no number", each(func(r *results.ScoreRow) { r.CPUS = math.NaN() }), []string{"is NaN"}},
		{"an endless score", func(s *Site) { s.Recognitions[0].Score = math.Inf(1) }, []string{"is +Inf"}},
		{"bytes that are no text", each(func(r *results.ScoreRow) { r.Solver += "\xff" }), []string{"not UTF-8"}},
		{"authors that are no text", func(s *Site) { s.Participants[0].Authors[0] = "\xff" }, []string{"not UTF-8"}},
		{"best overall without divisions", func(s *Site) { s.Recognitions[0].Division = "" },
			[]string{"Best Overall of track single_query has no divisions", "no_best_overall"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := sample()
			test.change(s)
			files, err := s.Files()
			if err == nil {
				t.Fatalf("made %d files", len(files))
			}
			if files != nil {
				t.Errorf("%d files beside the error %v", len(files), err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want ...%s...", err, want)
				}
			}
		})
	}
}

// TestNumbers checks that floats are formatted as by Python 3 and pydantic: like json.dumps(round(x, 6)), and below
// 1e-5 or from 1e16 on with an exponent without + and without a leading zero.
func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0.0", math.Copysign(0, -1): "-0.0", 2: "2.0", -3: "-3.0", 0.1 + 0.2: "0.3", 1. / 3: "0.333333",
		2. / 3: "0.666667", 111437.8238034: "111437.823803",
		// The binary value is slightly more or less than half of the sixth decimal or, for multiples of 2^-7, exactly
		// half.
		0.0000005: "0.0", 0.0000015: "2e-6", 2.0000005: "2.000001", 1. / 128: "0.007812", 3. / 128: "0.023438",
		1e-6: "1e-6", 9e-6: "9e-6", 1e-5: "0.00001", 1.2e-5: "0.000012", -4e-6: "-4e-6", -1e-9: "-0.0",
		1e-300: "0.0", 1e6: "1000000.0", 123456789.25: "123456789.25", 9999999999999998: "9999999999999998.0",
		1e16: "1e16", 1.5e300: "1.5e300", 9007199254740993: "9007199254740992.0",
	} {
		b, err := json.Marshal(number(x))
		if err != nil || string(b) != want {
			t.Errorf("%v is written %s, %v, want %s", x, b, err, want)
		}
	}
	if _, err := json.Marshal(number(math.NaN())); err == nil {
		t.Error("NaN is written")
	}
}

func TestParticipants(t *testing.T) {
	row := func(solver, track, archive string, logics ...string) results.SolverRow {
		return results.SolverRow{Solver: solver, Track: track, ArchiveURL: archive, Logics: logics, Seed: -1}
	}
	got := Participants([]results.SolverRow{row("Beta", "parallel", "x", "A"), row("beta-fast", "parallel", ""),
		row("Beta", "single_query", "y", "B"), row("Beta", "parallel", "y", "C")})
	want := []Participant{{Name: "beta-fast", Logics: map[string][]string{"parallel": nil}},
		{Name: "Beta", ArchiveURL: "y", Logics: map[string][]string{"parallel": {"A", "C"}, "single_query": {"B"}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestParticipantsOfFiles checks that there is an entry for each file, in file name order, even if several files have
// the same solver name. The organisers' tool does the same.
func TestParticipantsOfFiles(t *testing.T) {
	row := func(file, track string, seed int64, competitive bool, logics ...string) results.SolverRow {
		return results.SolverRow{Solver: "QiuQi", File: file, Track: track, Seed: seed, Competitive: competitive,
			Logics: logics, Website: file}
	}
	got := Participants([]results.SolverRow{row("b.json", "parallel", -1, false, "A"),
		row("A.json", "single_query", 0, true, "B"), row("b.json", "single_query", -1, false, "C")})
	seed := int64(0)
	want := []Participant{{Name: "QiuQi", Website: "A.json", Competitive: true, Seed: &seed,
		Logics: map[string][]string{"single_query": {"B"}}}, {Name: "QiuQi", Website: "b.json",
		Logics: map[string][]string{"parallel": {"A"}, "single_query": {"C"}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
