package compare

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// past creates a build from its runs by benchmark: an answer with its wall time in seconds, or none.
func past(name string, did map[string][]Run) Past {
	p := Past{Name: name, Machine: "m"}
	for path, runs := range did {
		b := Benchmark{Path: path, Logic: path[:2], Status: "sat"}
		if path[len(path)-1] == '?' {
			b.Status = "unknown"
		}
		for i, r := range runs {
			if len(runs) > 1 {
				b.Seed = int64(i) + 1
			}
			p.Runs = append(p.Runs, PastRun{b, r})
		}
	}
	return p
}

func in(seconds float64, answer string) Run {
	r := Run{Answer: answer, Ending: "exited"}
	if answer == "" {
		r.Ending = "wall_timeout"
	}
	r.WallTimeS = run.Seconds(seconds)
	return r
}

// TestHistory computes the history of four builds with a limit of 10 s. The third ran on only one benchmark, as bisect
// does, and is excluded from the figures. The others have L1/a, L1/b, L2/c and L2/d? in common.
func TestHistory(t *testing.T) {
	h := NewHistory(History{Solver: "s", Conditions: Conditions{WallTime: 10 * time.Second}}, []Past{
		past("1", map[string][]Run{
			"L1/a": {in(2, "sat")}, "L1/b": {in(9, "sat")}, "L2/c": {in(1, "sat"), in(3, "sat")},
			"L2/d?":        {in(1, "unsat")},
			"L2/only-here": {in(1, "sat")}, "L3/1": {in(1, "sat")}, "L3/2": {in(1, "sat")}, "L3/3": {in(1, "sat")},
			"L3/4": {in(1, "sat")}, "L3/5": {in(1, "sat")}, "L3/6": {in(1, "sat")}}),
		past("2", map[string][]Run{
			"L1/a": {in(2, "sat")}, "L1/b": {in(10, "")}, "L2/c": {in(1, "sat"), in(10, "")}, "L2/d?": {in(1, "sat")}}),
		past("3", map[string][]Run{"L1/a": {in(10, "")}}),
		past("4", map[string][]Run{
			"L1/a": {in(10, "")}, "L1/b": {in(1, "unsat")}, "L2/c": {in(1, "sat"), in(1, "sat")},
			"L2/d?": {in(1, "sat")}}),
	})
	want := []Point{
		// (2 + 9 + 2 + 1) / 4
		{Name: "1", Executed: 11, Counts: true, Figures: Figures{Solved: 4, PAR2: 3.5}, Logics: []LogicFigures{
			{"L1", 2, Figures{Solved: 2, PAR2: 5.5}}, {"L2", 2, Figures{Solved: 2, PAR2: 1.5}}}},
		// (2 + 20 + (1 + 20) / 2 + 1) / 4
		{Name: "2", Executed: 4, Counts: true, Figures: Figures{Solved: 2, PAR2: 8.375, Unstable: 1, Lost: 2},
			Logics: []LogicFigures{{"L1", 2, Figures{Solved: 1, PAR2: 11, Lost: 1}},
				{"L2", 2, Figures{Solved: 1, PAR2: 5.75, Unstable: 1, Lost: 1}}}},
		{Name: "3", Executed: 1},
		// (20 + 20 + 1 + 1) / 4
		{Name: "4", Executed: 4, Counts: true, Figures: Figures{Solved: 2, PAR2: 10.5, Wrong: 1, Lost: 1, Gained: 1},
			Logics: []LogicFigures{{"L1", 2, Figures{PAR2: 20, Wrong: 1, Lost: 1}},
				{"L2", 2, Figures{Solved: 2, PAR2: 1, Gained: 1}}}},
	}
	if h.Benchmarks != 4 || h.Seeds != 2 || h.Builds[0].Runs != 12 {
		t.Errorf("%d benchmarks in common, %d seeds, %d runs of the first build, want 4, 2, 12", h.Benchmarks, h.Seeds,
			h.Builds[0].Runs)
	}
	if diff := cmp.Diff(want, h.Builds, cmpopts.IgnoreFields(Point{}, "Machine", "Measured", "Runs")); diff != "" {
		t.Errorf("builds (- want, + got):\n%s", diff)
	}
	lost := []Loss{
		{Benchmark: "L1/a", Logic: "L1", Last: "2", LastWall: 2, Build: "3", Seeds: 1, Ending: "wall_timeout"},
		{Benchmark: "L1/b", Logic: "L1", Last: "1", LastWall: 9, Build: "2", Seeds: 1, Ending: "wrong answer",
			Note: NoteNear},
	}
	if diff := cmp.Diff(lost, h.Lost); diff != "" {
		t.Errorf("lost (- want, + got):\n%s", diff)
	}
	faults := []Fault{
		{Kind: Wrong, Benchmark: "L1/b", Status: "sat", Answer: "unsat", Build: "4", Still: true},
		{Kind: Disagrees, Benchmark: "L2/d?", Status: "unknown", Answer: "sat", Build: "2", Still: true},
	}
	if diff := cmp.Diff(faults, h.Faults); diff != "" {
		t.Errorf("faults (- want, + got):\n%s", diff)
	}
}

// TestHistoryText checks that a build on a different or busy machine is reported as such, and that pages and texts
// state which benchmarks were lost, and by which build.
func TestHistoryText(t *testing.T) {
	busy := in(1, "sat")
	busy.Wait = 0.5
	builds := []Past{past("a<b", map[string][]Run{"L1/a": {in(9, "sat")}}), past("c", map[string][]Run{"L1/a": {busy}}),
		past("d", map[string][]Run{"L1/a": {in(10, "")}})}
	builds[1].Machine = "n"
	h := NewHistory(History{Solver: "s", Conditions: Conditions{WallTime: 10 * time.Second, Shuffle: "all"}}, builds)
	for i, want := range []string{"", "another machine, busy machine", "another machine"} {
		if got := h.Note(i); got != want {
			t.Errorf("build %d has the note %q, want %q", i, got, want)
		}
	}
	var text, html strings.Builder
	if err := errors.Join(h.Document(OnTerminal).WriteText(&text), h.Document(OnPage).WritePage(&html)); err != nil {
		t.Fatal(err)
	}
	const lost = "d lost L1/a; c answered in 1.00 s; the newest: nothing (wall_timeout)"
	if !strings.Contains(text.String(), lost) || !strings.Contains(text.String(), "The most is 1, by a<b.") {
		t.Errorf("text:\n%s", &text)
	}
	for _, want := range []string{"<title>a&lt;b: 9</title>", "<title>c: 0.5</title>", "<title>d: 20</title>",
		"PAR-2, s over 3 builds, from 0 to 20", `stroke-dasharray="6,3"`, "the newest: nothing (wall_timeout)"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("no %s on the page", want)
		}
	}
}
