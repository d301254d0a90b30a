package ui

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// WritePodium writes every division's best solvers: the first three places in the main view, and the winners in the
// other views. rows are those of scores/1; rankings of single logics are skipped.
func WritePodium(w io.Writer, rows []results.ScoreRow) error {
	var b strings.Builder
	for _, track := range distinct(rows, func(r *results.ScoreRow) string { return r.Track }) {
		writeTrackPodium(&b, track, slices.DeleteFunc(slices.Clone(rows), func(r results.ScoreRow) bool {
			return r.Track != track || r.Logic != ""
		}))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mainViews lists the candidates for the main view, in order of preference.
var mainViews = []string{"par", "seq", "points"}

func writeTrackPodium(b *strings.Builder, track string, rows []results.ScoreRow) {
	views := distinct(rows, func(r *results.ScoreRow) string { return r.View })
	if len(views) == 0 {
		return
	}
	main := views[0]
	for _, v := range slices.Backward(mainViews) {
		if slices.Contains(views, v) {
			main = v
		}
	}
	others := slices.DeleteFunc(slices.Clone(views), func(v string) bool { return v == main })
	table := [][]string{append([]string{strings.ReplaceAll(track, "_", " "), "first", "second", "third"}, others...)}
	for _, division := range distinct(rows, func(r *results.ScoreRow) string { return r.Division }) {
		line := append([]string{division}, places(rows, division, main)...)
		for _, v := range others {
			line = append(line, winnersOf(rows, division, v))
		}
		table = append(table, line)
	}
	writeAligned(b, table)
}

// places returns the solvers in the first three places with their number of solved benchmarks or another score, and
// their points if the division ranks by points. If nobody wins, it returns the reason. Solvers that share a place share
// a column.
func places(rows []results.ScoreRow, division, view string) []string {
	ranking := slices.DeleteFunc(slices.Clone(rows), func(r results.ScoreRow) bool { return r.View != view })
	counts := results.CountsSolved(ranking)
	ranking = slices.DeleteFunc(ranking, func(r results.ScoreRow) bool { return r.Division != division })
	slices.SortFunc(ranking, func(a, b results.ScoreRow) int { return strings.Compare(a.Solver, b.Solver) })
	out, byPoints := []string{"", "", ""}, results.ByPoints(ranking)
	for i, place := range results.Places(ranking) {
		r := &ranking[i]
		switch {
		case !r.Contested:
			return []string{"not competitive", "", ""}
		case r.NoWinner != "":
			return []string{"no winner: " + r.NoWinner, "", ""}
		case place < 1 || place > 3:
			continue
		}
		text := fmt.Sprintf("%.0f/%d)", r.Correct, r.Benchmarks)
		if !counts {
			text = fmt.Sprintf("score %.0f)", r.Correct)
		}
		if byPoints {
			text = fmt.Sprintf("%d points, %s", r.Points, text)
		}
		text = r.Solver + " (" + text
		if r.Errors > 0 {
			text += fmt.Sprintf(" %d wrong", r.Errors)
		}
		if out[place-1] != "" {
			text = out[place-1] + ", " + text
		}
		out[place-1] = text
	}
	return out
}

func winnersOf(rows []results.ScoreRow, division, view string) string {
	var names []string
	for _, r := range rows {
		if r.Division != division || r.View != view {
			continue
		}
		if r.Winner {
			names = append(names, r.Solver)
		} else if r.Contested && r.NoWinner != "" {
			return "no winner"
		}
	}
	return strings.Join(names, ", ")
}

// distinct returns a column's distinct values, in order.
func distinct(rows []results.ScoreRow, column func(*results.ScoreRow) string) []string {
	var all []string
	for i := range rows {
		all = append(all, column(&rows[i]))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// writeAligned writes a table with a line below its header.
func writeAligned(b *strings.Builder, table [][]string) {
	lines, width := align(table, math.MaxInt, func(int) bool { return false })
	for _, line := range slices.Insert(lines, 1, strings.Repeat("─", width)) {
		b.WriteString(words.Inert(line) + "\n")
	}
}
