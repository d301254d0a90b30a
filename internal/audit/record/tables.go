package record

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
)

// Tables returns a track's tables in the form of published.json. If old is true, it orders the lines by their figures.
func Tables(pages []*Page, old bool) *scoreio.Published {
	out := &scoreio.Published{Divisions: map[string]map[string]any{}, Logics: map[string]map[string]any{},
		Sample: true}
	logics := map[string]bool{} // Markdown pages do not distinguish logics from divisions
	for _, p := range pages {
		for name := range p.Logics {
			logics[name] = true
		}
	}
	for _, p := range pages {
		out.Year, out.Track = p.Year, p.Track
		switch p.Kind {
		case Division, Logic:
			of := out.Divisions
			if p.Kind == Logic || logics[p.Name] {
				of = out.Logics
			}
			of[p.Name] = p.published(old)
		case BiggestLead:
			out.BiggestLead = p.published(false)
		case Contribution:
			out.LargestContribution = p.published(false)
		case BestOverall:
			out.BestOverall = p.published(false)
		}
	}
	for _, p := range pages {
		if p.Kind == Overview && old {
			out.SummaryOrder = p.summary(out.Divisions)
		}
	}
	return out
}

// Whole returns the divisions that have a page and pages for all their logics, and the logics of these divisions. A
// division's entrants can affect the figures of all its logics. all reports whether the result covers every division in
// the overview.
func Whole(pages []*Page) (names map[string]bool, all bool) {
	have := map[string]bool{}
	for _, p := range pages {
		have[p.Name] = true
		all = all || p.Kind == Overview
	}
	names = map[string]bool{}
	for _, p := range pages {
		logics := slices.Collect(maps.Keys(p.Logics))
		if p.Kind == Division && !slices.ContainsFunc(logics, func(logic string) bool { return !have[logic] }) {
			names[p.Name] = true
			for _, logic := range logics {
				names[logic] = true
			}
		}
	}
	for _, p := range pages {
		for _, o := range p.Orders {
			all = all && names[o.Division]
		}
	}
	return names, all
}

// published returns a page in the form of published.json. Old pages are sorted by name.
func (p *Page) published(old bool) map[string]any {
	winners := map[string]any{}
	out := map[string]any{"winners": winners}
	for view, name := range p.Winners {
		winners[view] = nil
		if name != "" {
			winners[view] = name
		}
	}
	for key, n := range map[string]int{"n_benchmarks": p.Benchmarks, "n_industrial": p.Industrial,
		"time_limit": p.TimeLimitS} {
		if n >= 0 {
			out[key] = n
		}
	}
	if old {
		out["competitive_division"] = !p.Uncontested
	}
	if len(p.Logics) > 0 {
		out["logics"] = anyOf(p.Logics)
	}
	if p.Kind == BestOverall {
		out["winner_scores"] = anyOf(p.WinnerScores)
	}
	for view, rows := range p.Views {
		if old {
			rows = slices.SortedStableFunc(slices.Values(rows), func(a, b Row) int {
				return cmp.Or(a.compare(&b, view), strings.Compare(a.Solver, b.Solver))
			})
		}
		lines, rank := []any{}, 0
		for i := range rows {
			if p.ranks() {
				lines = append(lines, rows[i].line())
				continue
			}
			var place any
			if rows[i].Competing && !strings.HasPrefix(rows[i].Solver, "[") {
				rank++
				place = rank
			}
			line := rows[i].line()
			line["rank"], line["competitive"] = place, rows[i].Competing
			lines = append(lines, line)
		}
		out[view] = lines
	}
	return out
}

func anyOf[V any](m map[string]V) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	return out
}

func (r *Row) line() map[string]any {
	out := map[string]any{"solver": r.Solver}
	for name, text := range map[string]string{"division": r.Division, "second": r.Second} {
		if text != "" {
			out[name] = text
		}
	}
	for name, n := range r.Figures {
		out[name] = n
	}
	return out
}

// compare orders rows by their figures as the rules require.
func (r *Row) compare(other *Row, view string) int {
	times := []string{"wall", "cpu"}
	if strings.HasPrefix(view, "sequential") {
		times = []string{"cpu", "wall"}
	}
	f, g := r.Figures, other.Figures
	return cmp.Or(cmp.Compare(f["error"], g["error"]), cmp.Compare(g["correct"], f["correct"]),
		cmp.Compare(f[times[0]], g[times[0]]), cmp.Compare(f[times[1]], g[times[1]]))
}

// summary returns the order of solvers in the parallel view, for divisions that have a page.
func (p *Page) summary(divisions map[string]map[string]any) map[string][]string {
	out := map[string][]string{}
	for _, o := range p.Orders {
		if o.View == "parallel" && divisions[o.Division] != nil {
			out[o.Division] = o.Solvers
		}
	}
	return out
}
