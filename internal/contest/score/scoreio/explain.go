package scoreio

import (
	"fmt"
	"io"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// ParsePlace parses "TRACK::DIVISION[/LOGIC]/VIEW/SOLVER". TRACK:: can be omitted if there is only one track. Solver
// names can contain slashes.
func ParsePlace(s string, res []string, views []string) (score.Place, error) {
	var at score.Place
	rest := s
	if track, after, ok := strings.Cut(s, "::"); ok {
		at.Track, rest = track, after
	} else if len(res) == 1 {
		at.Track = res[0]
	} else {
		return at, fmt.Errorf("%q names no track; write TRACK::DIVISION/VIEW/SOLVER, with a track of %s", s,
			strings.Join(res, ", "))
	}
	parts := strings.Split(rest, "/")
	for i := 1; i < len(parts)-1 && i <= 2; i++ {
		for _, v := range views {
			if parts[i] == v {
				at.Division, at.View, at.Solver = parts[0], v, strings.Join(parts[i+1:], "/")
				if i == 2 {
					at.Logic = parts[1]
				}
				return at, nil
			}
		}
	}
	return at, fmt.Errorf("%q is not of the form DIVISION[/LOGIC]/VIEW/SOLVER with a view of %s", s,
		strings.Join(views, ", "))
}

// WriteExplanation writes a cell and each run's term.
func WriteExplanation(w io.Writer, x *score.Explanation) error {
	var b strings.Builder
	place := x.Division
	if x.Logic != "" {
		place += " / " + x.Logic
	}
	fmt.Fprintf(&b, "%s / %s / %s / %s\n", x.Track, place, x.View, x.Solver)
	cpu := func(s fmt.Stringer) string {
		if x.NoCPU {
			return "-"
		}
		return s.String()
	}
	fmt.Fprintf(&b, "  e %d  n %d  w %s  c %s\n", x.Cell.Errors, x.Cell.Correct, x.Cell.Wall, cpu(x.Cell.CPU))
	g := grid{head: []string{"benchmark", "status", "answer", "wall_s", "cpu_s", "e", "n", "w", "c", ""},
		left: []bool{true, true, true, false, false, false, false, false, false, true}}
	for _, t := range x.Terms {
		e := "0"
		if t.Error {
			e = "1"
		}
		row := []string{t.Benchmark, t.Status, t.Answer, t.MeasuredWall.String(), cpu(t.MeasuredCPU), e,
			fmt.Sprint(t.N),
			t.Wall.String(), cpu(t.CPU), ""}
		switch {
		case t.Removed:
			row[9] = "removed: sound solvers disagree"
		case !t.Counted:
			row[9] = "not in this view"
		}
		g.rows = append(g.rows, row)
	}
	g.body(&b)
	if !x.AbsentWall.IsZero() || !x.AbsentCPU.IsZero() {
		fmt.Fprintf(&b, "  benchmarks without a run: w %s  c %s\n", x.AbsentWall, cpu(x.AbsentCPU))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
