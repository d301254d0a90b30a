package scoreio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// Of returns the selected part of a result, for ResultJSON. It returns an error if nothing matches. If a division or
// logic is selected, it omits data about whole tracks.
func (sel Select) Of(res *score.Result) (*score.Result, error) {
	out := *res
	out.Tracks = nil
	any := false
	for _, t := range res.Tracks {
		if sel.Track != "" && sel.Track != t.Name {
			continue
		}
		part := *t
		part.Divisions = nil
		for _, d := range t.Divisions {
			if p := sel.division(d); p != nil {
				part.Divisions = append(part.Divisions, p)
				any = any || len(p.Rankings) > 0 || slices.ContainsFunc(p.Logics,
					func(l *score.DivisionResult) bool { return len(l.Rankings) > 0 })
			}
		}
		inDivision := func(l score.NamedList) bool { return sel.Division != "" && l.Name != sel.Division }
		part.Disagreements = slices.DeleteFunc(slices.Clone(t.Disagreements), inDivision)
		part.Unsound = slices.DeleteFunc(slices.Clone(t.Unsound), inDivision)
		part.Recognitions = sel.recognitions(t)
		out.Tracks = append(out.Tracks, &part)
	}
	if !any {
		return nil, sel.nothing(res)
	}
	return &out, nil
}

// division returns the selected part of a division, or nil. A division is included if one of its logics is selected.
func (sel Select) division(d *score.DivisionResult) *score.DivisionResult {
	whole := sel.Division == "" || sel.Division == d.Name
	part := *d
	part.Rankings, part.Logics = nil, nil
	if whole {
		part.Rankings = sel.rankings(d)
	}
	for _, l := range d.Logics {
		if whole || l.Name == sel.Division {
			logic := *l
			logic.Rankings = sel.rankings(l)
			part.Logics = append(part.Logics, &logic)
		}
	}
	if !whole && part.Logics == nil {
		return nil
	}
	return &part
}

func (sel Select) rankings(d *score.DivisionResult) []*score.Ranking {
	return slices.DeleteFunc(slices.Clone(d.Rankings), func(r *score.Ranking) bool {
		return sel.View != "" &&
			r.View != sel.View
	})
}

func (sel Select) recognitions(t *score.TrackResult) []score.RecognitionResult {
	if sel.Division != "" {
		return nil
	}
	var out []score.RecognitionResult
	for _, r := range t.Recognitions {
		r.Views = slices.DeleteFunc(slices.Clone(r.Views), func(v score.RecognitionView) bool {
			return sel.View != "" && v.View != "" && v.View != sel.View
		})
		if len(r.Views) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// nothing returns an error that lists the possible selections.
func (sel Select) nothing(res *score.Result) error {
	var views []string
	for _, t := range res.Tracks {
		for _, d := range t.Divisions {
			for _, r := range d.Rankings {
				if !slices.Contains(views, r.View) {
					views = append(views, r.View)
				}
			}
		}
	}
	if sel.View != "" && !slices.Contains(views, sel.View) {
		return fmt.Errorf("there is no view %q; the views are %s", sel.View, strings.Join(views, ", "))
	}
	return fmt.Errorf("no ranking is selected; the rankings are %s", strings.Join(places(res), ", "))
}
