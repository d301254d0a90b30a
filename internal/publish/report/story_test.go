package report

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

func siteOf(t *testing.T, in *Input) *site {
	t.Helper()
	m, err := build(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSite(m, &Memory{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// scored returns a row in a ranking of division D, which has ten benchmarks.
func scored(view, solver string, rank, solved, errors int64, winner bool) results.ScoreRow {
	return results.ScoreRow{Track: "single_query", Division: "D", View: view, Solver: solver, Rank: rank,
		Winner:      winner,
		Competitive: true, Eligible: true, Contested: true, Benchmarks: 10, Errors: errors, Correct: float64(solved),
		Solved: solved, WallS: float64(rank)}
}

func guest(r results.ScoreRow) results.ScoreRow {
	r.Competitive = false
	return r
}

func TestStandings(t *testing.T) {
	for name, test := range map[string]struct {
		scores       []results.ScoreRow
		marks, words string
	}{
		"more solved": {[]results.ScoreRow{guest(scored("par", "g", 1, 9, 0, false)), scored("par", "a", 2, 8, 0, true),
			scored("par", "b", 3, 5, 0, false)}, "guest 90.00%, entrant 50.00%, first 80.00%",
			"a 8 of 10, 3 more than b"},
		"wrong": {[]results.ScoreRow{scored("par", "a", 1, 8, 0, true), scored("par", "b", 2, 9, 1, false)},
			"unsound 90.00%, first 80.00%", "a 8 of 10, b has 1 wrong answer more"},
		"time": {[]results.ScoreRow{scored("par", "a", 1, 8, 0, true), scored("par", "b", 2, 8, 0, false)},
			"entrant 80.00%, first 80.00%", "a 8 of 10, as many as b in less time"},
		"two": {[]results.ScoreRow{scored("par", "a", 1, 8, 0, true), scored("par", "b", 1, 8, 0, true)},
			"first 80.00%, first 80.00%", "a b 8 of 10"},
		"another order": {[]results.ScoreRow{scored("par", "a", 1, 8, 0, true), scored("par", "b", 2, 9, 0, false)},
			"entrant 90.00%, first 80.00%", "a 8 of 10"},
	} {
		s := siteOf(t, &Input{Scores: test.scores})
		lines := s.standings(s.m.tracks[0])
		if len(lines) != 1 || lines[0].Name.Title != "D" {
			t.Fatalf("%s: %v", name, lines)
		}
		var marks, words []string
		for _, m := range lines[0].Marks {
			marks = append(marks, m.Class+" "+m.At)
		}
		for _, w := range lines[0].Words {
			words = append(words, w.Title)
		}
		if got := strings.Join(marks, ", "); got != test.marks {
			t.Errorf("%s: marks %s, want %s", name, got, test.marks)
		}
		if got := strings.Join(append(words, lines[0].Text), " "); got != test.words {
			t.Errorf("%s: %q, want %q", name, got, test.words)
		}
	}
}

// TestStandingsByScore checks that a score that is not the number of solved benchmarks, such as the reduction of
// unsatisfiable cores, is shown as a score, with its share of the highest score.
func TestStandingsByScore(t *testing.T) {
	a, b := scored("par", "a", 1, 4, 0, true), scored("par", "b", 2, 5, 0, false)
	a.Correct, b.Correct = 1500, 600
	alone := scored("par", "a", 1, 4, 0, true) // the track has another score, although the figures are equal here
	alone.Division = "E"
	s := siteOf(t, &Input{Scores: []results.ScoreRow{a, b, alone}})
	lines := s.standings(s.m.tracks[0])
	if lines[1].Text != "score 4" {
		t.Errorf("a track has two kinds of scores: %q", lines[1].Text)
	}
	line := lines[0]
	if want := "score 1" + thinSpace + "500, 900 more than b"; line.Text != want {
		t.Errorf("%q, want %q", line.Text, want)
	}
	if line.Marks[0].At != "40.00%" || line.Marks[1].At != "100.00%" {
		t.Errorf("marks %v", line.Marks)
	}
}

// fourBenchmarks returns runs on four benchmarks. Both solvers solve the first, a in 1 s and b in 3 s. Only a solves
// the second, only b the third, and neither the last: a runs out of memory, and b answers wrongly.
func fourBenchmarks() []results.VerdictRow {
	ran := func(benchmark, solver string, verdict comp.Verdict, ending comp.Ending,
		wall run.Seconds) results.VerdictRow {
		var v results.VerdictRow
		v.Track, v.Logic, v.Family, v.Division = "single_query", "L", benchmark[2:3], "D"
		v.Benchmark, v.Solver = benchmark, solver
		v.Verdict, v.Ending, v.WallTimeS, v.WallLimitS = string(verdict), ending, wall, 10
		return v
	}
	return []results.VerdictRow{
		ran("L/1.smt2", "a", comp.Correct, comp.Exited, 1), ran("L/1.smt2", "b", comp.Correct, comp.Exited, 3),
		ran("L/2.smt2", "a", comp.Correct, comp.Exited, 2), ran("L/2.smt2", "b", comp.Unknown, comp.WallTimeout, 10),
		ran("L/3.smt2", "a", comp.Unknown, comp.WallTimeout, 10), ran("L/3.smt2", "b", comp.Correct, comp.Exited, 4),
		ran("L/4.smt2", "a", comp.Unknown, comp.OutOfMemory, 5), ran("L/4.smt2", "b", comp.Wrong, comp.Exited, 1),
	}
}

func TestStory(t *testing.T) {
	in := &Input{Verdicts: Rows(fourBenchmarks()), Scores: []results.ScoreRow{
		scored("par", "a", 1, 8, 0, true), scored("par", "b", 2, 9, 1, false),
		scored("seq", "a", 1, 8, 0, true), scored("seq", "b", 2, 9, 1, false),
		scored("sat", "a", 2, 1, 0, false), scored("sat", "b", 1, 2, 0, true)},
		Confidence: []results.ConfidenceRow{{Track: "single_query", Division: "D", View: "par", Solver: "a",
			Winner: true, WinShare: 0.975, RemovedLeast: 3, RemovedMost: 3}}}
	s := siteOf(t, in)
	d := s.m.tracks[0].divisions[0]
	figures, err := s.figures(d)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range s.divisionPage(d, figures).Story {
		line := x.Text
		for _, l := range x.Links {
			line += " " + l.Href
		}
		got = append(got, line)
	}
	want := []string{
		"a wins with 8 of 10 solved, b has 1 wrong answer more. It wins 97.5 % of the resamples, " +
			"and without 3 of the benchmarks another solver would be as good. confidence.html",
		"It also wins Sequential; Satisfiable goes to b.",
		"No solver solved 1 of the 4 benchmarks. matrix/single_query.html#division=D&show=none",
		"2 benchmarks were solved by one solver only: a (1) and b (1). matrix/single_query.html#division=D&show=one",
		"b gave 1 wrong answer. runs/single_query/D.html#solver=b&verdict=wrong",
		"Of 8 runs, 1 ran out of memory and 2 reached the wall time limit. " +
			"runs/single_query/D.html#ending=out_of_memory runs/single_query/D.html#ending=wall_timeout",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestStoryOfTwoWinners checks the verb of a story with two winners, also while the competition runs.
func TestStoryOfTwoWinners(t *testing.T) {
	in := &Input{Scores: []results.ScoreRow{scored("par", "a", 1, 8, 0, true), scored("par", "b", 1, 8, 0, true)}}
	for _, want := range []string{"a and b win with 8 of 10 solved.", "a and b are first so far with 8 of 10 solved."} {
		s := siteOf(t, in)
		if got := s.won(s.m.tracks[0].divisions[0]); len(got) != 1 || got[0].Text != want {
			t.Errorf("%v, want %q", got, want)
		}
		in.Progress = &Progress{}
	}
}

// TestCommandIsQuoted checks that the name of a solver cannot end the quotes of the command for a ranking's cell.
func TestCommandIsQuoted(t *testing.T) {
	rows := fourBenchmarks()
	for i := range rows {
		rows[i].RunKey = fakeDigest(i)
	}
	s := siteOf(t, &Input{Verdicts: Rows(rows), Scores: []results.ScoreRow{scored("par", "a'; id; '", 1, 8, 0, true)}})
	got := s.m.tracks[0].divisions[0].aCell()
	if want := `D single_query par a'\''; id; '\''.correct`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAgainst(t *testing.T) {
	// alike has a benchmark of the first one's family on which a is ten times faster, not three times.
	alike := slices.Clone(fourBenchmarks()[:2])
	for i := range alike {
		alike[i].Benchmark, alike[i].WallTimeS = "L/1b.smt2", alike[i].WallTimeS*alike[i].WallTimeS
	}
	alike[1].WallTimeS = 10
	if list := siteOf(t, &Input{Verdicts: Rows(append(slices.Clone(fourBenchmarks()[:2]), alike...))}).
		duels()["a"].Strong; len(list) != 1 || list[0].Factor != 10 {
		t.Errorf("of a family: %v", list)
	}
	s := siteOf(t, &Input{Verdicts: Rows(fourBenchmarks())})
	table := func(list []duel) (lines []string) {
		for _, r := range duelTable("x", "x", "a", list).Rows {
			var cells []string
			for i := range r.Cells {
				cells = append(cells, plainCell(r.Cells[i]))
			}
			lines = append(lines, strings.Join(cells, " "))
		}
		return lines
	}
	for name, test := range map[string]struct{ got, want []string }{
		// Benchmarks that nobody else solved come before benchmarks with a time factor.
		"a strong": {table(s.duels()["a"].Strong), []string{"L/2.smt2 D 2.00 nobody – –",
			"L/1.smt2 D 1.00 b 3.00 3.0"}},
		"a weak":   {table(s.duels()["a"].Weak), []string{"L/3.smt2 D – b 4.00 –"}},
		"b strong": {table(s.duels()["b"].Strong), []string{"L/3.smt2 D 4.00 nobody – –"}},
		"b weak":   {table(s.duels()["b"].Weak), []string{"L/2.smt2 D – a 2.00 –", "L/1.smt2 D 3.00 a 1.00 3.0"}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSlides checks that there are slides for the competition, the track, each division that somebody can win, and the
// medals, and that a track with many divisions has several slides.
func TestSlides(t *testing.T) {
	var rows []results.ScoreRow
	for i := range slideDivisions + 1 {
		for _, r := range []results.ScoreRow{scored("par", "a", 1, 8, 0, true), scored("par", "b", 2, 5, 0, false)} {
			r.Division, r.Contested = "D"+string(rune('a'+i)), i > 0
			r.Winner = r.Winner && i > 0
			rows = append(rows, r)
		}
	}
	var titles []string
	for _, x := range siteOf(t, &Input{Competition: Competition{Name: "Cup"}, Scores: rows}).slides() {
		titles = append(titles, x.Title)
	}
	if got, want := strings.Join(titles, " "), "Cup Single Query Single Query Db Dc Dd De Df Dg Dh Di Dj Medals"; got != want {
		t.Errorf("slides %q, want %q", got, want)
	}
}
