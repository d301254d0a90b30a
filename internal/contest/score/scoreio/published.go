package scoreio

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/pages"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Published holds tables in the format of published.json. Cells are kept as written because they differ by year and
// track.
type Published struct {
	Year                int                       `json:"year"`
	Track               string                    `json:"track"`
	Divisions           map[string]map[string]any `json:"divisions"`
	Logics              map[string]map[string]any `json:"logics,omitzero"` // nil if the pages do not state it
	SummaryOrder        map[string][]string       `json:"summary_order,omitempty"`
	BestOverall         map[string]any            `json:"best_overall,omitempty"`
	BiggestLead         map[string]any            `json:"biggest_lead,omitempty"`
	LargestContribution map[string]any            `json:"largest_contribution,omitempty"`
	// Sample means that only some of the published tables may be present.
	Sample bool `json:"sample,omitempty"`
}

// Keep drops the tables whose names are not in names, and returns the dropped names. If it drops any, it also drops the
// recognitions, which need all tables.
func (p *Published) Keep(names map[string]bool) (dropped []string) {
	for _, tables := range []map[string]map[string]any{p.Divisions, p.Logics} {
		for _, name := range sorted(tables) {
			if !names[name] {
				dropped = append(dropped, name)
				delete(tables, name)
			}
		}
	}
	if len(dropped) > 0 {
		p.BestOverall, p.BiggestLead, p.LargestContribution = nil, nil, nil
	}
	return dropped
}

// limit returns the time limit that the pages print, the largest one if they differ, or zero.
func (p *Published) limit() (largest score.Time) {
	for _, d := range p.Divisions {
		if n, ok := d["time_limit"].(float64); ok {
			largest = max(largest, score.Time(n)*score.Second)
		}
	}
	return largest
}

// viewNames maps views to their names in published.json.
var viewNames = map[string]string{"par": "parallel", "seq": "sequential", "24s": "twentyfour",
	string(comp.AnswerSat): string(comp.AnswerSat), string(comp.AnswerUnsat): string(comp.AnswerUnsat)}

// publisher writes tables in the format of published.json.
type publisher struct {
	o     *Official
	page  *pages.Track
	track *score.TrackResult
}

// Tables returns an official folder's results in the format of published.json.
func (o *Official) Tables(res *score.Result) *Published {
	p := publisher{o: o, page: &o.page, track: res.Tracks[0]}
	out := &Published{Year: o.Year, Track: o.Track, Divisions: map[string]map[string]any{}}
	if p.page.Logics != "none" {
		out.Logics = map[string]map[string]any{}
	}
	for _, d := range p.track.Divisions {
		if d.Benchmarks+p.removed(d) == 0 {
			continue // all benchmarks were removed
		}
		table := p.division(d)
		if p.page.Logics == "tables" {
			table["logics"] = p.logics(d, out.Logics)
		}
		out.Divisions[d.Name] = table
	}
	if p.page.Summary {
		out.SummaryOrder = p.summary()
	}
	p.recognitions(out)
	if o.Identifiers {
		out.identify()
	}
	return out
}

// identify replaces + with _ in division names.
func (p *Published) identify() {
	name := func(division string) string { return strings.ReplaceAll(division, "+", "_") }
	divisions := map[string]map[string]any{}
	for d, table := range p.Divisions {
		divisions[name(d)] = table
	}
	p.Divisions = divisions
	for _, lists := range []map[string]any{p.BestOverall, p.BiggestLead, p.LargestContribution} {
		for _, list := range lists {
			lines, _ := list.([]any)
			for _, raw := range lines {
				if line, ok := raw.(map[string]any); ok && line["division"] != nil {
					line["division"] = name(text(line["division"]))
				}
			}
		}
	}
}

// logics adds the tables of a division's logics and returns the logics' sizes.
func (p publisher) logics(d *score.DivisionResult, tables map[string]map[string]any) map[string]any {
	sizes := map[string]any{}
	for _, l := range d.Logics {
		if size := l.Benchmarks + p.removed(l); size > 0 {
			sizes[l.Name] = size
			tables[l.Name] = p.division(l)
		}
	}
	return sizes
}

// recognitions adds the recognitions that the pages show.
func (p publisher) recognitions(out *Published) {
	views := p.page.Views
	for i := range p.track.Recognitions {
		r := &p.track.Recognitions[i]
		if !slices.Contains(p.page.Recognitions, r.Name) {
			continue
		}
		switch r.Name {
		case "biggest_lead":
			if leads := p.page.LeadViews; leads != nil {
				out.BiggestLead = p.recognition(r, leads, leadRow)
			} else {
				out.BiggestLead = p.recognition(r, views, leadRow)
			}
		case "largest_contribution":
			out.LargestContribution = p.recognition(r, views, contributionRow)
		case "best_overall":
			out.BestOverall = p.recognition(r, views, overallRow)
			p.winnerScores(out.BestOverall, r, views)
		}
	}
}

func (p publisher) division(d *score.DivisionResult) map[string]any {
	out := map[string]any{"n_benchmarks": d.Benchmarks + p.removed(d)}
	winners := p.noWinners()
	if p.page.Competitive {
		out["competitive_division"] = d.Competitive
	}
	if p.page.Industrial {
		out["n_industrial"] = d.Benchmarks
	}
	if p.page.TimeLimit {
		out["time_limit"] = int(p.o.limit().Seconds())
	}
	for _, v := range p.page.Views {
		r := d.Ranking(v)
		if r == nil {
			continue
		}
		rows := p.rows(d, r)
		winner := p.winner(d, r)
		name := viewNames[v]
		if len(rows) > 0 || p.page.EmptyViews {
			out[name] = rows
		}
		winners[name] = winner
		if p.page.Industrial {
			out["parallel_industrial"] = rows
			if d.Competitive {
				winners["parallel_industrial"] = winner
			}
		}
	}
	out["winners"] = winners
	return out
}

// removed returns the number of a division's benchmarks that were removed but still count towards its size.
func (p publisher) removed(d *score.DivisionResult) int {
	if p.page.CountRemoved {
		return d.Removed
	}
	return 0
}

// winner returns the solver named on the page, or nil.
func (p publisher) winner(d *score.DivisionResult, r *score.Ranking) any {
	switch {
	case len(r.Winners) == 0, p.page.Winners == "competitive" && !d.Competitive,
		p.page.Winners == "two_families" && !twoFamilies(d):
		return nil
	}
	return r.Winners[0]
}

// noWinners returns empty winners for all views. The pages even name views that a track lacks.
func (p publisher) noWinners() map[string]any {
	out := map[string]any{}
	for _, view := range p.page.WinnerViews {
		out[viewNames[view]] = nil
	}
	return out
}

// twoFamilies reports whether two of a division's solvers, competing or not, have names that differ before the first
// hyphen (D-ALL-8).
func twoFamilies(d *score.DivisionResult) bool {
	families := map[string]bool{}
	for _, x := range d.Ranking("par").Entries {
		families[teamOf(x.Solver, "before_hyphen")] = true
	}
	return len(families) >= 2
}

// listing returns the entries in page order.
func (p publisher) listing(r *score.Ranking) []*score.Entry {
	var out, others []*score.Entry
	hide, first := p.follows("rows_without_runs_hidden"), p.follows("competitors_first")
	for i := range r.Entries {
		x := &r.Entries[i]
		switch {
		case hide && x.Cell.Counted+x.Cell.Missing == 0:
		case first && !x.Competitive:
			others = append(others, x)
		default:
			out = append(out, x)
		}
	}
	if digits := p.page.OrderDigits; digits > 0 {
		slices.SortStableFunc(out, func(a, b *score.Entry) int {
			wall := cmp.Compare(printed(a.Cell.Wall, digits), printed(b.Cell.Wall, digits))
			cpu := cmp.Compare(printed(a.Cell.CPU, digits), printed(b.Cell.CPU, digits))
			if r.View == "seq" {
				wall, cpu = cpu, wall
			}
			return cmp.Or(cmp.Compare(a.Cell.Errors, b.Cell.Errors), cmp.Compare(b.Cell.Correct, a.Cell.Correct), wall,
				cpu, strings.Compare(a.Solver, b.Solver))
		})
	}
	return slices.Concat(out, others)
}

// follows reports whether the pages follow a practice switch, even if the result was computed without it.
func (p publisher) follows(name string) bool { return slices.Contains(p.page.Practice, name) }

// printed rounds seconds to the given number of decimal places and returns them as an integer in units of the last
// digit.
func printed(s score.Sum, digits int) int64 {
	return int64(math.Round(s.Seconds() * math.Pow10(digits)))
}

func (p publisher) rows(d *score.DivisionResult, r *score.Ranking) []any {
	rows := []any{}
	rank := 0
	for _, x := range p.listing(r) {
		row := map[string]any{"solver": x.Solver, "competitive": x.Competitive, "rank": nil}
		if x.Competitive && !strings.HasPrefix(x.Solver, "[") {
			rank++
			row["rank"] = rank
		}
		c := &x.Cell
		row["error"], row["correct"] = c.Errors, c.Correct
		row["wall"] = seconds(c.Wall)
		p.columns(row, d, c)
		if base := x.Solver + "-base"; p.page.BaseDeltas && d.Ranking("par").Entry(base) != nil {
			row["delta_base"] = c.Correct // the files do not mark derived solvers, so they are identified by name
			if b := r.Entry(base); b != nil {
				row["delta_base"] = c.Correct - b.Cell.Correct
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// columns adds the columns that only some pages have.
func (p publisher) columns(row map[string]any, d *score.DivisionResult, c *score.Cell) {
	all := p.counts(d, c)
	if !p.track.NoCPU {
		all["cpu"] = seconds(c.CPU)
	}
	for _, name := range p.page.Columns {
		if v, ok := all[name]; ok {
			row[name] = v
		}
	}
}

// counts returns the columns that count the runs' endings.
func (p publisher) counts(d *score.DivisionResult, c *score.Cell) map[string]any {
	if p.page.Unsolved == pages.OfAnswers {
		return map[string]any{"solved": c.Decided, "solved_sat": c.DecidedSat, "solved_unsat": c.Decided - c.DecidedSat,
			"unsolved":  c.Counted + c.Missing - c.Decided,
			"abstained": int64(d.Benchmarks+d.Removed) - c.Counted - c.Missing,
			"timeout":   c.CountedTimeouts, "memout": c.CountedMemouts}
	}
	all := map[string]any{"solved": c.Solved, "solved_sat": c.SolvedSat, "solved_unsat": c.SolvedUnsat,
		"timeout": c.Timeouts, "memout": c.Memouts}
	switch p.page.Unsolved {
	case pages.OfChecks:
		all["unsolved"], all["abstained"] = c.Checks-c.Correct, int64(0)
	case pages.OfKept:
		all["unsolved"] = c.Kept - c.Solved
	case pages.OfView:
		unsolved := c.InView - c.Solved
		all["unsolved"], all["abstained"] = unsolved, int64(d.Benchmarks)-c.Correct-unsolved
	}
	return all
}

// summary returns the order of solvers on the summary page.
func (p publisher) summary() map[string][]string {
	out := map[string][]string{}
	for _, d := range p.track.Divisions {
		for _, x := range d.Ranking("par").Entries {
			out[d.Name] = append(out[d.Name], x.Solver)
		}
	}
	return out
}

// recognition writes a competition-wide ranking's lists.
func (p publisher) recognition(r *score.RecognitionResult, views []string,
	row func(*score.RecognitionEntry) map[string]any) map[string]any {
	out := map[string]any{}
	winners := p.noWinners()
	for i := range r.Views {
		v := &r.Views[i]
		if !slices.Contains(views, v.View) {
			continue
		}
		name := viewNames[v.View]
		rows := []any{}
		for j := range v.Entries {
			rows = append(rows, row(&v.Entries[j]))
		}
		if len(rows) > 0 {
			out[name] = rows
		}
		winners[name] = nil
		if len(v.Winners) > 0 {
			winners[name] = v.Winners[0].Solver
		}
	}
	out["winners"] = winners
	return out
}

func (p publisher) winnerScores(out map[string]any, r *score.RecognitionResult, views []string) {
	scores := map[string]any{}
	for i := range r.Views {
		if v := &r.Views[i]; slices.Contains(views, v.View) && len(v.Winners) > 0 {
			scores[viewNames[v.View]] = rounded(v.WinnerScore, 6)
		}
	}
	out["winner_scores"] = scores
}

func leadRow(x *score.RecognitionEntry) map[string]any {
	return map[string]any{"division": x.Division, "solver": x.Solver, "second": x.Second,
		"score": rounded(x.Score, 8), "time_score": rounded(x.TimeScore, 8)}
}

func contributionRow(x *score.RecognitionEntry) map[string]any {
	return map[string]any{"division": x.Division, "solver": x.Solver,
		"score": rounded(x.Score, 8), "time_score": rounded(x.TimeScore, 8)}
}

func overallRow(x *score.RecognitionEntry) map[string]any {
	return map[string]any{"division": x.Division, "solver": x.Solver, "contribution": rounded(x.Score, 6)}
}

// rounded formats a number with at most the given number of decimal places.
func rounded(f float64, digits int) json.Number {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "0"
	}
	text := strconv.FormatFloat(f, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		text = "0"
	}
	return json.Number(text)
}
