package report

import (
	"fmt"
	"strconv"
)

// earlyBody fills the page with early rankings.
type earlyBody struct{ Tracks []earlyTrack }

type earlyTrack struct {
	Title     string
	Divisions []earlyDivision
}

// earlyDivision holds a division's ranking in each view. The plot shows the main view.
type earlyDivision struct {
	Name, View         string
	Benchmarks, Sample string
	Plot               placePlot
	Table              *table
}

func (s *site) early() *earlyBody {
	body := &earlyBody{}
	for _, t := range s.m.tracks {
		et := earlyTrack{Title: t.title}
		for _, d := range t.divisions {
			if ed, ok := s.earlyDivision(d); ok {
				et.Divisions = append(et.Divisions, ed)
			}
		}
		if len(et.Divisions) > 0 {
			body.Tracks = append(body.Tracks, et)
		}
	}
	return body
}

func (s *site) earlyDivision(d *division) (out earlyDivision, ok bool) {
	out = earlyDivision{Name: clean(d.name), Table: &table{ID: "early-" + d.track.slug + "-" + d.slug,
		Caption: "What the sample predicts for " + clean(d.name), Filter: true, Cols: []col{
			{"View", "", false}, {"Solver", "", false},
			{"Places", "possible within the intervals if no further answers are wrong", true},
			{"Place", "by the correct answers in the sample", true},
			{"Solved", "correct answers on all benchmarks of the division, 95 % interval", true},
			{"Wrong so far", "", true}, {"Wrong", "answers on all benchmarks, 95 % interval", true},
			{"Time", "total over all correct answers, seconds, on the view's clock, 95 % interval", true},
		}}}
	for i, v := range d.track.views {
		for k := range s.m.in.Progress.Early {
			r := &s.m.in.Progress.Early[k]
			if r.Track != d.track.name || r.Division != d.name || r.View != v.Name {
				continue
			}
			out.Benchmarks, out.Sample = grouped(int64(r.Benchmarks)), grouped(int64(r.Sample))
			out.Table.Rows = append(out.Table.Rows, row{Cells: []cell{text(v.Title),
				head(r.Solver, s.m.solver(r.Solver).href()), numbers(r.Best, r.Worst), numbers(r.Place, r.Place),
				numbers(r.CorrectLow, r.CorrectHigh), count(int64(r.Wrong)), numbers(r.WrongLow, r.WrongHigh),
				earlyTime(r)}})
			if i == 0 && r.Place > 0 {
				out.View = clean(v.Title)
				out.Plot.Rows = append(out.Plot.Rows, placeRow{Name: clean(r.Solver), Rank: int64(r.Place),
					Low: int64(r.Best), High: int64(r.Worst)})
			}
		}
	}
	out.Plot.Label = "Solvers' places in " + out.Name + " as predicted by the sample; the table lists them"
	out.Plot.layout()
	return out, len(out.Table.Rows) > 0
}

// numbers formats a range from low to high; empty if the range is unknown.
func numbers(low, high int) cell {
	c := cell{Text: grouped(int64(low)) + " to " + grouped(int64(high)), Sort: strconv.Itoa(low), Num: true}
	switch {
	case high == 0 && low == 0:
		return count(0)
	case low == high:
		return count(int64(low))
	}
	return c
}

func earlyTime(r *EarlyRow) cell {
	if r.Clock == "" {
		return none()
	}
	return cell{Text: fmt.Sprintf("%.0f to %.0f", r.TimeLowS, r.TimeHighS),
		Sort: strconv.FormatFloat(r.TimeLowS, 'g', -1, 64), Num: true}
}
