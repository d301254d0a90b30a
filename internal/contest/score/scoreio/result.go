package scoreio

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// ResultJSON returns a result as a JSON document. Times are exact decimals. Readings from other rule sets do not affect
// the result and are set to their defaults.
func ResultJSON(rs *score.RuleSet, r *score.Result, others []score.Reading) ([]byte, error) {
	var readings, tracks, doc object
	for _, v := range r.Readings {
		readings.add(v.Name, v.Value)
	}
	for _, o := range others {
		if !slices.ContainsFunc(r.Readings, func(v score.ReadingValue) bool { return v.Name == o.Name }) {
			readings.add(o.Name, o.Values[0])
		}
	}
	for _, t := range r.Tracks {
		tracks.add(t.Name, trackJSON(rs, t))
	}
	doc.add("format", "smtpipe/score/1") // docs/tools/json.md describes this format
	doc.add("year", r.Year)
	doc.add("readings", readings)
	if len(r.Practice) > 0 {
		doc.add("practice", r.Practice)
	}
	doc.add("tracks", tracks)
	return indented(doc)
}

func trackJSON(rs *score.RuleSet, t *score.TrackResult) object {
	w := resultWriter{rs: rs, noCPU: t.NoCPU}
	var out, divisions object
	if rs.Disqualify == nil {
		out.add("disagreements", namedLists(t.Disagreements))
		out.add("unsound", namedLists(t.Unsound))
	}
	for _, d := range t.Divisions {
		divisions.add(d.Name, w.division(d))
	}
	out.add("divisions", divisions)
	if rs.Disqualify != nil {
		out.add("disqualified", list(t.Disqualified))
		return out
	}
	out.add("recognitions", w.recognitions(t))
	return out
}

func namedLists(lists []score.NamedList) object {
	out := object{}
	for _, l := range lists {
		out.add(l.Name, list(l.Items))
	}
	return out
}

// resultWriter writes a track's results.
type resultWriter struct {
	rs    *score.RuleSet
	noCPU bool
}

// show returns a view's columns, without CPU times if they were not recorded.
func (w resultWriter) show(view string) []string {
	for _, v := range w.rs.Views {
		if v.Name == view {
			return slices.DeleteFunc(slices.Clone(v.Show), func(c string) bool {
				return w.noCPU && (c == "c" || c == "ac")
			})
		}
	}
	return nil
}

func (w resultWriter) division(d *score.DivisionResult) object {
	out := w.head(d)
	if w.rs.Disqualify != nil {
		out.add("top_open_source", list(d.TopOpenSource))
		return out
	}
	logics := object{}
	// A division with a single logic has no separate results for it (SMT-COMP 2022 rules, §7.2).
	if len(d.Logics) > 1 {
		for _, l := range d.Logics {
			logics.add(l.Name, w.logic(l))
		}
	}
	out.add("logics", logics)
	if w.rs.Derived != nil {
		out.add("derived", derivedJSON(d.Derived))
	}
	return out
}

func (w resultWriter) logic(l *score.DivisionResult) object {
	out := w.head(l)
	if w.rs.Derived != nil {
		out.add("derived", derivedJSON(l.Derived))
	}
	return out
}

func (w resultWriter) head(d *score.DivisionResult) object {
	var views object
	for _, r := range d.Rankings {
		views.add(r.View, w.ranking(r))
	}
	return object{{"n_benchmarks", d.Benchmarks}, {"competitive", d.Competitive}, {"teams", list(d.Teams)},
		{"views", views}}
}

func derivedJSON(list []score.DerivedResult) object {
	out := object{}
	for _, d := range list {
		out.add(d.Solver, object{
			{"base", d.Base}, {"eligible", d.Eligible}, {"improvement_w", float(d.Wall)},
			{"improvement_c", float(d.CPU)},
		})
	}
	return out
}

func (w resultWriter) ranking(r *score.Ranking) object {
	entries := make([]object, 0, len(r.Entries))
	show := w.show(r.View)
	for i := range r.Entries {
		entries = append(entries, entryJSON(&r.Entries[i], show, w.rs.Disqualify == nil))
	}
	out := object{{"n_benchmarks", r.Benchmarks}, {"ranking", entries}, {"winners", list(r.Winners)}}
	out = out.because(r.NoWinner)
	if w.rs.OpenSource && w.rs.Disqualify == nil {
		out.add("top_open_source", list(r.TopOpenSource))
	}
	return out
}

// entryJSON returns a place in a ranking. In tables by points, every participating solver can win (2008).
func entryJSON(e *score.Entry, show []string, eligible bool) object {
	var rank any
	if e.Rank > 0 {
		rank = e.Rank
	}
	out := object{{"solver", e.Solver}, {"rank", rank}, {"competitive", e.Competitive}}
	if eligible {
		out.add("eligible", e.Eligible)
	}
	for _, column := range show {
		out.add(column, cellValue(e, column))
	}
	return out
}

// cellValue returns a cell's column by the name used in SCORE.
func cellValue(e *score.Entry, column string) any {
	c := &e.Cell
	switch column {
	case "e", "wrong":
		return c.Errors
	case "n", "correct":
		return c.Correct
	case "w":
		return seconds(c.Wall)
	case "c":
		return seconds(c.CPU)
	case "aw":
		return seconds(c.ActualWall)
	case "ac":
		return seconds(c.ActualCPU)
	case "points":
		return c.Points
	case "disqualified":
		return e.Excluded
	case "avg_cpu_correct":
		return float(c.AverageCPU())
	}
	return nil
}
