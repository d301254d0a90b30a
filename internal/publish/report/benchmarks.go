package report

import (
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// benchmarksBody fills a benchmark set's page.
type benchmarksBody struct {
	Title      string
	Selection  *table
	Exclusions *table
	Retired    *table
	Removed    *table
	Families   *table
}

func (s *site) benchmarks(t *track) *benchmarksBody {
	body := &benchmarksBody{Title: t.title}
	if sel := t.selection; sel != nil {
		body.Selection = selectionTable(sel)
		body.Exclusions = exclusionTable(sel)
	}
	in := s.m.in
	kind := in.Kinds.Of(t.name)
	body.Retired = unfitTable("retired", "Benchmarks that were retired before the selection", in.Retired, kind)
	body.Removed = unfitTable("removed", "Benchmarks that were removed after the runs and are not scored", in.Removed,
		kind)
	tab := &table{ID: "families", Caption: "Benchmarks by logic and family", Filter: true,
		Cols: []col{{"Logic", "", false}, {"Family", "", false},
			{"Benchmarks", "", true}, {string(comp.AnswerSat), "known to be satisfiable", true},
			{string(comp.AnswerUnsat), "known to be unsatisfiable", true}, {"Status unknown", "", true}}}
	for _, f := range t.families {
		family := f.Family
		if family == "" {
			family = "(directly in the logic)"
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{text(f.Logic), head(family, ""), count(f.Benchmarks),
			count(f.Sat), count(f.Unsat), count(f.Unknown)}})
	}
	if tab.Rows != nil {
		body.Families = tab
	}
	return body
}

func selectionTable(sel *Selection) *table {
	if len(sel.Groups) == 0 {
		return nil
	}
	tab := &table{ID: "selection", Caption: "Selection", Cols: []col{
		{"Group", "logic, or another grouping of the pipeline", false},
		{"Eligible", "benchmarks available for the draw", true},
		{"Trivial", "dropped earlier as easy", true}, {"New families", "families with a guaranteed place", true},
		{"Quota", "places according to the formula", true}, {"Selected", "", true}}}
	sum := results.SelectionRow{}
	for _, g := range sel.Groups {
		tab.Rows = append(tab.Rows, row{Cells: []cell{head(g.Group, ""), count(g.Eligible), count(g.Trivial),
			count(g.NewFamilies), count(g.Quota), count(g.Selected)}})
		sum.Eligible, sum.Trivial, sum.NewFamilies, sum.Quota, sum.Selected = sum.Eligible+g.Eligible, sum.Trivial+
			g.Trivial, sum.NewFamilies+g.NewFamilies, sum.Quota+g.Quota, sum.Selected+g.Selected
	}
	tab.Rows = append(tab.Rows, row{Class: "sum", Cells: []cell{head("All", ""), count(sum.Eligible),
		count(sum.Trivial), count(sum.NewFamilies), count(sum.Quota), count(sum.Selected)}})
	return tab
}

func exclusionTable(sel *Selection) *table {
	if len(sel.Exclusions) == 0 {
		return nil
	}
	tab := &table{ID: "exclusions", Caption: "Benchmarks before the selection: kept, or dropped with the reason",
		Cols: []col{{"Logic", "", false}, {"Outcome", "kept, or the rule that drops them", false},
			{"Benchmarks", "", true}}}
	for _, e := range sel.Exclusions {
		tab.Rows = append(tab.Rows, row{Cells: []cell{head(e.Logic, ""), text(e.Reason), count(e.Count)}})
	}
	return tab
}

// unfitTable lists the unfit benchmarks in the track's collection; nil if there are none.
func unfitTable(id, caption string, rows []results.UnfitRow, track comp.Track) *table {
	tab := &table{ID: id, Caption: caption, Filter: len(rows) > 30, Paths: true,
		Cols: []col{{"Benchmark", "", false}, {"Logic", "", false}, {"Reason", "", false}}}
	for _, r := range rows {
		ofIncremental := strings.HasPrefix(r.Benchmark, "incremental/")
		if track != comp.IndustryChallenge && ofIncremental != (track == comp.Incremental) {
			continue
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{head(r.Benchmark, ""), text(r.Logic), text(r.Reason)}})
	}
	if tab.Rows == nil {
		return nil
	}
	return tab
}
