package ui

import (
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// TestPodiumWithoutWinner checks that a division without a winner says so in all views instead of listing its first
// three solvers.
func TestPodiumWithoutWinner(t *testing.T) {
	row := func(division, view, solver string, rank int64, n float64, why string) results.ScoreRow {
		return results.ScoreRow{Track: "single_query", Division: division, View: view, Solver: solver, Rank: rank,
			Competitive: true,
			Contested:   true, Eligible: true, Benchmarks: 3, Correct: n, Solved: int64(n),
			Winner: why == "" && rank == 1, NoWinner: why}
	}
	const nobody = "nobody solved anything"
	var b strings.Builder
	err := WritePodium(&b, []results.ScoreRow{
		row("D", "par", "a", 1, 0, nobody), row("D", "par", "b", 2, 0, nobody), row("D", "seq", "a", 1, 0, nobody),
		row("E", "par", "a", 1, 2, ""), row("E", "par", "b", 2, 0, ""), row("E", "seq", "a", 1, 2, ""),
	})
	got := strings.Split(b.String(), "\n")
	if err != nil || len(got) < 4 || strings.Join(strings.Fields(got[2]),
		" ") != "D no winner: nobody solved anything no winner" ||
		strings.Join(strings.Fields(got[3]), " ") != "E a (2/3) b (0/3) a" {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestPodiumByPoints: under the rules of 2008, §5, 3 right answers and 2 wrong ones score 3 - 16 = -13 points.
func TestPodiumByPoints(t *testing.T) {
	row := func(solver string, rank, points int64, n float64, wrong int64) results.ScoreRow {
		return results.ScoreRow{Track: "single_query", Division: "D", View: "points", Solver: solver, Rank: rank,
			Competitive: true, Contested: true, Eligible: true, Benchmarks: 8, Correct: n, Solved: int64(n),
			Errors: wrong, Points: points, Winner: rank == 1}
	}
	var b strings.Builder
	err := WritePodium(&b, []results.ScoreRow{row("a", 1, 2, 2, 0), row("b", 2, 0, 0, 0), row("c", 3, -13, 3, 2)})
	got := strings.Join(strings.Fields(b.String()), " ")
	const want = "D a (2 points, 2/8) b (0 points, 0/8) c (-13 points, 3/8) 2 wrong"
	if err != nil || !strings.HasSuffix(got, want) {
		t.Errorf("%v, %q does not end with %q", err, got, want)
	}
}

// TestPodiumByScore: in the incremental and unsat-core tracks, the score does not count benchmarks.
func TestPodiumByScore(t *testing.T) {
	row := func(division string, n float64, solved int64) results.ScoreRow {
		return results.ScoreRow{Track: "incremental", Division: division, View: "par", Solver: "a", Rank: 1,
			Competitive: true, Contested: true, Eligible: true, Benchmarks: 3, Correct: n, Solved: solved, Winner: true}
	}
	var b strings.Builder
	err := WritePodium(&b, []results.ScoreRow{row("D", 9, 2), row("E", 1, 1)})
	if got := b.String(); err != nil || !strings.Contains(got, "a (score 9)") || !strings.Contains(got, "a (score 1)") {
		t.Errorf("%v\n%s", err, got)
	}
}
