package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// truthRows returns a ranking with these solvers: better is derived from base, ranks first and is not eligible; base
// wins; even and equal share the next rank; guest does not compete; last is behind all others.
func truthRows() []results.ScoreRow {
	row := func(solver string, rank int64, n float64) results.ScoreRow {
		return results.ScoreRow{Track: "single_query", Division: "D", View: "par", Solver: solver, Rank: rank,
			Competitive: true, Eligible: true, Contested: true, Benchmarks: 9, Correct: n, Solved: int64(n)}
	}
	better, base, even, equal, guest, last := row("better", 1, 9), row("base", 2, 8), row("even", 3, 7),
		row("equal", 3, 7), row("guest", 5, 6), row("last", 6, 5)
	better.Eligible, better.BaseSolver, better.Barred = false, "base", "no better than its base"
	base.Winner = true
	guest.Competitive, guest.Eligible = false, false
	return []results.ScoreRow{last, guest, equal, even, base, better}
}

// TestOnePlace compares the places that the terminal, the pages and the exports show for one ranking. By the rules,
// better has no place because it cannot win, base has the first place, even and equal share the second, and last has
// the fourth.
func TestOnePlace(t *testing.T) {
	want := map[string]string{"better": "", "base": "1", "equal": "2", "even": "2", "guest": "", "last": "4"}
	files := write(t, &Input{Scores: truthRows(), Recognitions: []results.RecognitionRow{
		{Track: "single_query", Kind: "biggest_lead", View: "par", Place: 1, Solver: "guest", Division: "D"},
		{Track: "single_query", Kind: "biggest_lead", View: "par", Place: 2, Solver: "base", Division: "D",
			Winner: true}}})
	check := func(where string, got map[string]string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", where, diff)
		}
	}

	var terminal strings.Builder
	if err := ui.WritePodium(&terminal, truthRows()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(terminal.String(), "\n")
	if got := strings.Fields(lines[2]); !cmp.Equal(got, []string{"D", "base", "(8/9)", "equal", "(7/9),", "even",
		"(7/9)"}) {
		t.Errorf("the terminal says %q", got)
	}

	// In the page, Markdown and LaTeX, each row starts with the place and the solver.
	for name, pattern := range map[string]string{
		"divisions/single_query/D.html": `<td class="num" data-v="[0-9e]+">([0-9–]+)</td><th scope="row"><a [^>]*>(\w+)<`,
		"export/single_query/D.md":      `(?m)^\| ([0-9–]+) \| (?:\*\*)?(\w+)`,
		"export/single_query/D.tex":     `(?m)^ +([0-9-]+) & (?:\\textbf\{)?(\w+)`,
	} {
		got := map[string]string{}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(files[name]), -1) {
			got[m[2]] = strings.Trim(m[1], "–-")
		}
		check(name, got)
	}

	records, err := csv.NewReader(strings.NewReader(string(files["export/single_query/D.csv"]))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range records[1:] {
		got[r[3]] = r[2]
	}
	check("CSV", got)

	// The scores table contains ranks. Its rows, read back, have the same places.
	var table struct{ Rows []map[string]any }
	if err := json.Unmarshal(files["export/scores.json"], &table); err != nil {
		t.Fatal(err)
	}
	rows := make([]results.ScoreRow, len(table.Rows))
	for i, r := range table.Rows {
		rows[i] = results.ScoreRow{Solver: r["solver"].(string), Rank: int64(r["rank"].(float64)),
			Competitive: r["competitive"].(bool), Eligible: r["eligible"].(bool),
			Contested: r["division_competitive"].(bool), NoWinner: r["no_winner"].(string)}
	}
	got = map[string]string{}
	for i, place := range results.Places(rows) {
		got[rows[i].Solver] = strings.TrimPrefix(fmt.Sprint(place), "0")
	}
	check("JSON", got)

	page := string(files["recognitions.html"])
	for solver, marked := range map[string]bool{"guest": true, "base": false} {
		line := regexp.MustCompile(`(?m)^<tr.*>` + solver + `</a>.*$`).FindString(page)
		if line == "" || strings.Contains(line, "not competing") != marked {
			t.Errorf("the recognitions say of %s: %s", solver, line)
		}
	}
}

// TestPlacesOfRecognitions checks that places count only competing solvers, both in division rankings and in a view's
// recognition. guest does not compete; the others do.
func TestPlacesOfRecognitions(t *testing.T) {
	row := func(kind, division string, place int64, solver string) results.RecognitionRow {
		return results.RecognitionRow{Track: "single_query", Kind: kind, View: "par", Place: place, Solver: solver,
			Division: division}
	}
	files := write(t, &Input{Scores: truthRows(), Recognitions: []results.RecognitionRow{
		row("derived_any_division", "D", 1, "base"), row("derived_any_division", "D", 2, "guest"),
		row("derived_any_division", "D", 2, "last"),
		row("derived_any_division", "E", 1, "guest"), row("derived_any_division", "E", 1, "base"),
		row("derived_any_division", "E", 3, "even"),
		row("derived_any_division", "F", 1, "base"), row("derived_any_division", "F", 2, "last"),
		row("biggest_lead", "D", 1, "guest"), row("biggest_lead", "E", 2, "base"),
		row("biggest_lead", "F", 3, "last"),
	}})
	want := map[string][]string{
		"derived_any_division": {"D base 1", "D guest –", "D last 2", "E base 1", "E even 2", "E guest –", "F base 1",
			"F last 2"},
		"biggest_lead": {"D guest –", "E base 1", "F last 2"},
	}
	cells := regexp.MustCompile(`(?m)^<tr.*<td class="num" data-v="[0-9e]+">([0-9–]+)</td><th scope="row"><a [^>]*>(\w+)<.*</th><td>([DEF])</td>`)
	tables := regexp.MustCompile(`(?s)<table id="(\w+)-single_query".*?</table>`)
	for _, table := range tables.FindAllStringSubmatch(string(files["recognitions.html"]), -1) {
		var got []string
		for _, m := range cells.FindAllStringSubmatch(table[0], -1) {
			got = append(got, m[3]+" "+m[2]+" "+m[1])
		}
		slices.Sort(got)
		if diff := cmp.Diff(want[table[1]], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table[1], diff)
		}
		delete(want, table[1])
	}
	if len(want) > 0 {
		t.Errorf("there is no table of %v", want)
	}
}

// TestLimitsOfDivisions checks that a division with its own limit shows that limit and uses it for PAR-2: an unsolved
// benchmark costs 20 s with a limit of 10 s, and 2400 s with 1200 s.
func TestLimitsOfDivisions(t *testing.T) {
	ran := func(division string, limit run.Seconds) results.VerdictRow {
		return results.VerdictRow{
			Limits:   run.Limits{WallLimitS: limit, Cores: 4},
			Identity: run.Identity{Track: "single_query", Logic: "LIA", Benchmark: division + "/a", Solver: "one"},
			Judged:   run.Judged{Verdict: "unknown"},
			Measured: run.Measured{Ending: "wall_timeout", Usage: run.Usage{WallTimeS: limit}},
			Subject:  run.Subject{Division: division},
		}
	}
	files := write(t, &Input{Limits: []TrackLimits{{"single_query", 30_000_000_000}},
		Verdicts: Rows([]results.VerdictRow{ran("Long", 1200), ran("Short", 10)})})
	for name, wants := range map[string][]string{
		"divisions/single_query/Short.html": {"Limits of a run: 10 s of wall time, 30 GB of memory, 4 cores", `data-v="20">`},
		"divisions/single_query/Long.html":  {"Limits of a run: 1200 s of wall time, 30 GB of memory, 4 cores", `data-v="2400">`},
		"tracks/single_query.html":          {"at most 1200 s of wall time, 30 GB of memory, 4 cores; divisions have limits"},
	} {
		page := strings.ReplaceAll(string(files[name]), thinSpace, "")
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}

// TestBannerCountsWhatThePageCounts checks that a banner with more runs than the page counts explains why.
func TestBannerCountsWhatThePageCounts(t *testing.T) {
	in := sample(false) // 3 logics with 40 benchmarks each for 4 solvers are 480 runs
	in.Progress = &Progress{Done: 500, Total: 600}
	if page := string(write(t, in)["index.html"]); !strings.Contains(page, "500 of 600 runs are done. This page "+
		"counts the 480 that are judged.") || !strings.Contains(page, "480 runs,") {
		t.Error("the banner does not say what the page counts")
	}
}

// TestFrontMatter checks what the overview and the track page show before their figures, and that partial results name
// no winner.
func TestFrontMatter(t *testing.T) {
	in := sample(false)
	in.Competition.Organisers, in.Provenance.RulesURL = []string{"Ann", "Bo"}, "https://example.org/rules.pdf"
	in.Solvers[0].Description = "https://example.org/alpha.pdf"
	in.Questions = []Question{{"It describes itself (§4)", []string{in.Solvers[0].Solver}}}
	files := write(t, in)
	for name, wants := range map[string][]string{
		"index.html": {"Ann, Bo", `<a href="https://example.org/rules.pdf" rel="noopener noreferrer">2022</a>`,
			"Intel Xeon", "1200 s of wall time, 30 GB of memory, 4 cores", "Winners", "Medals"},
		"tracks/single_query.html":              {"rules.pdf", "Intel Xeon", "4 cores", "<h2>Winners</h2>"},
		"divisions/single_query/QF_Bitvec.html": {"1200 s of wall time", "winner</span>"},
		"solvers/index.html": {`<a href="https://example.org/alpha.pdf" rel=`, fakeDigest(0)[:12],
			"For people to check", "It describes itself (§4)"},
		"solvers/" + in.Solvers[0].Solver + ".html": {"For people to check", "<li>It describes itself (§4)</li></ul>"},
	} {
		for _, want := range wants {
			if !strings.Contains(strings.ReplaceAll(string(files[name]), thinSpace, ""), want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
	in.Progress = &Progress{Done: 480, Total: 600}
	claim, tag := regexp.MustCompile(`(?i)\b(winners?|medals?|recognised)\b`), regexp.MustCompile(`<[^>]*>`)
	for name, page := range write(t, in) {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		text := tag.ReplaceAllString(string(page), " ")
		if at := claim.FindStringIndex(text); at != nil && !strings.HasPrefix(name, "confidence") {
			t.Errorf("partial results say in %s: %s", name, text[max(0, at[0]-60):min(len(text), at[1]+60)])
		}
	}
}

// TestQuestionsShowCleanNames checks that the table of questions shows names without characters that change the text's
// direction, like all other tables.
func TestQuestionsShowCleanNames(t *testing.T) {
	in := sample(true)
	in.Questions = []Question{{"It describes itself (§4)", []string{in.Solvers[2].Solver}}}
	for _, row := range siteOf(t, in).questions().Rows {
		if got, want := row.Cells[1].Links[0].Title, clean(in.Solvers[2].Solver); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
