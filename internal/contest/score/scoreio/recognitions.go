package scoreio

import (
	"strconv"

	"encoding/json"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

func (w resultWriter) recognitions(t *score.TrackResult) object {
	out := object{}
	for i := range t.Recognitions {
		r := &t.Recognitions[i]
		if r.Kind == "new_entrants" || r.Kind == "contributors" {
			continue // the stage's tables contain commendations, but readers of this format expect only rankings
		}
		out.add(r.Name, w.recognition(r))
	}
	return out
}

func (w resultWriter) recognition(r *score.RecognitionResult) object {
	out := object{}
	for i := range r.Views {
		v := &r.Views[i]
		switch r.Kind {
		case "derived_any_division":
			for _, x := range v.Entries {
				out.add(x.Solver, x.Eligible)
			}
		case "breadth":
			for _, x := range v.Entries {
				out.add(x.Solver, x.Divisions)
			}
		default:
			out.add(v.View, w.recognitionView(r.Kind, v))
		}
	}
	return out
}

func (w resultWriter) recognitionView(kind string, v *score.RecognitionView) object {
	var out object
	switch kind {
	case "restricted":
		for _, r := range v.Rankings {
			out.add(r.Division, w.ranking(r.Ranking))
		}
		return out
	case "overall":
		return w.overall(v)
	}
	entries := make([]object, 0, len(v.Entries))
	for i := range v.Entries {
		entries = append(entries, recognitionEntry(kind, &v.Entries[i]))
	}
	out.add("entries", entries)
	if kind == "largest_contribution" {
		out.add("excluded", list(v.Excluded))
	}
	pairs := make([][2]string, 0, len(v.Winners))
	for _, x := range v.Winners {
		pairs = append(pairs, [2]string{x.Division, x.Solver})
	}
	out.add("winners", pairs)
	if v.NoWinner != "" {
		out.add("no_winner", v.NoWinner)
	}
	return out
}

func recognitionEntry(kind string, x *score.RecognitionEntry) object {
	var out object
	out.add("division", x.Division)
	out.add("solver", x.Solver)
	switch kind {
	case "biggest_lead":
		out.add("second", x.Second)
	case "smallest_sum":
		out.add("rank", number(x.Score))
		out.add("vbss", seconds(x.VBSS))
		return out
	}
	out.add("rank_n", number(x.Score))
	out.add("rank_c", float(x.CPURank))
	out.add("rank_w", float(x.WallRank))
	if kind == "largest_contribution" {
		out.add("weight", number(x.Weight))
		out.add("eligible", x.Eligible)
	}
	return out
}

// overall writes the competition-wide score of 2015, which names its best few solvers, or the best overall ranking.
func (w resultWriter) overall(v *score.RecognitionView) object {
	few := w.rs.OpenSource
	var out object
	entries := make([]object, 0, len(v.Entries))
	for _, x := range v.Entries {
		var o object
		o.add("solver", x.Solver)
		o.add("score", number(x.Score))
		if !few {
			o.add("time", seconds(x.Time))
		}
		o.add("divisions", x.Divisions)
		o.add("competitive", x.Competitive)
		if few {
			o.add("new_entrant", x.NewEntrant)
		} else {
			o.add("eligible", x.Eligible)
		}
		entries = append(entries, o)
	}
	out.add("entries", entries)
	if few {
		out.add("best_three", list(v.Best))
		out.add("best_new_entrant", list(v.BestNew))
		if v.NoWinner != "" {
			out.add("no_winner", v.NoWinner)
		}
		return out
	}
	names := make([]string, 0, len(v.Winners))
	for _, x := range v.Winners {
		names = append(names, x.Solver)
	}
	out.add("winners", names)
	if v.NoWinner != "" {
		out.add("no_winner", v.NoWinner)
	}
	return out
}

func number(f float64) json.Number { return json.Number(strconv.FormatFloat(f, 'g', -1, 64)) }
