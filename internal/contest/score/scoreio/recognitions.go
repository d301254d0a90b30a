package scoreio

import (
	"encoding/json"
	"strconv"

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
	return out.because(v.NoWinner)
}

func recognitionEntry(kind string, x *score.RecognitionEntry) object {
	out := object{{"division", x.Division}, {"solver", x.Solver}}
	switch kind {
	case "biggest_lead":
		out.add("second", x.Second)
	case "smallest_sum":
		return append(out, member{"rank", number(x.Score)}, member{"vbss", seconds(x.VBSS)})
	}
	out = append(out, member{"rank_n", number(x.Score)}, member{"rank_c", float(x.CPURank)},
		member{"rank_w", float(x.WallRank)})
	if kind == "largest_contribution" {
		out = append(out, member{"weight", number(x.Weight)}, member{"eligible", x.Eligible})
	}
	return out
}

// overall writes the competition-wide score of 2015, which names its best few solvers, or the best overall ranking.
func (w resultWriter) overall(v *score.RecognitionView) object {
	entries := make([]object, 0, len(v.Entries))
	if w.rs.OpenSource {
		for _, x := range v.Entries {
			entries = append(entries, object{{"solver", x.Solver}, {"score", number(x.Score)},
				{"divisions", x.Divisions}, {"competitive", x.Competitive}, {"new_entrant", x.NewEntrant}})
		}
		out := object{{"entries", entries}, {"best_three", list(v.Best)}, {"best_new_entrant", list(v.BestNew)}}
		return out.because(v.NoWinner)
	}
	for _, x := range v.Entries {
		entries = append(entries, object{{"solver", x.Solver}, {"score", number(x.Score)}, {"time", seconds(x.Time)},
			{"divisions", x.Divisions}, {"competitive", x.Competitive}, {"eligible", x.Eligible}})
	}
	names := make([]string, 0, len(v.Winners))
	for _, x := range v.Winners {
		names = append(names, x.Solver)
	}
	out := object{{"entries", entries}, {"winners", names}}
	return out.because(v.NoWinner)
}

func number(f float64) json.Number { return json.Number(strconv.FormatFloat(f, 'g', -1, 64)) }
