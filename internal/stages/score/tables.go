package score

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// CompareTables lists the differences between two tables of scores, whichever programs wrote them. Given the names of
// two views, it compares the ranks and winners of one view with those of the other; otherwise it compares all figures
// of views with equal names. It compares the logics' rankings if both tables have them.
func CompareTables(from, to []results.ScoreRow, fromView, toView string) ([]diff.Difference, error) {
	if (fromView == "") != (toView == "") {
		return nil, errors.New("views must have the form FIRST=SECOND, such as par=quick")
	}
	logics := hasLogics(from) && hasLogics(to)
	figures := func(rows []results.ScoreRow, view string) map[string]string {
		out := map[string]string{}
		for i := range rows {
			if r := &rows[i]; (view == "" || r.View == view) && (logics || r.Logic == "") {
				addFigures(out, r, view != "")
			}
		}
		return out
	}
	a, b := figures(from, fromView), figures(to, toView)
	if len(a) == 0 || len(b) == 0 {
		return nil, errors.New("there is nothing to compare: one of the tables of scores has no such view")
	}
	return diff.Figures(a, b, diff.Exactly), nil
}

// hasLogics reports whether a table has rankings of logics. They are optional.
func hasLogics(rows []results.ScoreRow) bool {
	return slices.ContainsFunc(rows, func(r results.ScoreRow) bool { return r.Logic != "" })
}

// addFigures adds a row's figures by their names: all figures, or ranks and winners without the view's name.
func addFigures(out map[string]string, r *results.ScoreRow, anyView bool) {
	parts := []string{r.Track, r.Division}
	if r.Logic != "" {
		parts = append(parts, r.Logic)
	}
	if !anyView {
		parts = append(parts, r.View)
	}
	place := strings.Join(parts, "/")
	out[place+"/"+r.Solver+"/rank"] = strconv.FormatInt(r.Rank, 10)
	winners := out[place+"/winners"]
	if r.Winner {
		winners = strings.TrimPrefix(winners+", "+r.Solver, ", ")
	}
	out[place+"/winners"] = winners
	if anyView {
		return
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	for column, value := range map[string]string{"e": strconv.FormatInt(r.Errors, 10), "n": number(r.Correct),
		"points": strconv.FormatInt(r.Points, 10), "w": number(r.WallS), "c": number(r.CPUS)} {
		out[place+"/"+r.Solver+"/"+column] = value
	}
}
