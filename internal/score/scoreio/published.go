package scoreio

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/score"
)

// Published are tables in the form of published.json. Cells are kept as they are written, since which there are differs
// by year and track.
type Published struct {
	Year                int                       `json:"year"`
	Track               string                    `json:"track"`
	Divisions           map[string]map[string]any `json:"divisions"`
	Logics              map[string]map[string]any `json:"logics,omitzero"` // nil: the pages have none
	SummaryOrder        map[string][]string       `json:"summary_order,omitempty"`
	BestOverall         map[string]any            `json:"best_overall,omitempty"`
	BiggestLead         map[string]any            `json:"biggest_lead,omitempty"`
	LargestContribution map[string]any            `json:"largest_contribution,omitempty"`
}

// limit is the time limit that the pages print, or zero.
func (p *Published) limit() score.Time {
	for _, d := range p.Divisions {
		if n, ok := d["time_limit"].(float64); ok && n > 0 {
			return score.Time(n) * score.Second
		}
	}
	return 0
}

// viewNames are the names of views in published.json.
var viewNames = map[string]string{"par": "parallel", "seq": "sequential", "sat": "sat", "unsat": "unsat",
	"24s": "twentyfour"}

// publisher writes tables in the form of published.json.
type publisher struct {
	o     *Official
	track *score.TrackResult
}

// Tables returns the results of an official folder in the form of published.json.
func (o *Official) Tables(res *score.Result) *Published {
	p := publisher{o: o, track: res.Tracks[0]}
	out := &Published{Year: o.Year, Track: o.Track, Divisions: map[string]map[string]any{}}
	if o.Year >= 2019 {
		out.Logics = map[string]map[string]any{}
	}
	views := p.views()
	for _, d := range p.track.Divisions {
		if d.Benchmarks+p.removed(d) == 0 {
			continue // all were removed
		}
		table := p.division(d, views)
		if p.o.Year >= 2021 {
			logics := map[string]any{}
			for _, l := range d.Logics {
				if l.Benchmarks+p.removed(l) == 0 {
					continue
				}
				logics[l.Name] = l.Benchmarks + p.removed(l)
				out.Logics[l.Name] = p.division(l, views)
			}
			table["logics"] = logics
		}
		out.Divisions[d.Name] = table
	}
	if o.Year <= 2018 {
		out.SummaryOrder = p.summary()
		return out
	}
	for _, r := range p.track.Recognitions {
		switch r.Name {
		case "biggest_lead":
			out.BiggestLead = p.recognition(&r, p.leadViews(views), leadRow)
		case "largest_contribution":
			out.LargestContribution = p.recognition(&r, views, contributionRow)
		case "best_overall":
			if o.Year >= 2025 {
				out.BestOverall = p.recognition(&r, views, overallRow)
				p.winnerScores(out.BestOverall, &r, views)
			}
		}
	}
	return out
}

// views are the views that the pages of the year and track show.
func (p publisher) views() []string {
	switch {
	case p.main2015():
		return []string{"seq", "par"}
	case p.o.Year <= 2018:
		return []string{"par"}
	case p.o.Track == "incremental" || p.o.Track == "challenge-incremental":
		if p.o.Year >= 2024 {
			return []string{"par", "24s"}
		}
		return []string{"par"}
	case p.o.Track == "parallel" || p.o.Track == "cloud":
		return []string{"par", "sat", "unsat", "24s"}
	case p.o.Year < 2024 && (p.o.Track == "unsat-core" || p.o.Track == "model-validation"):
		return []string{"seq", "par"}
	}
	return []string{"seq", "par", "sat", "unsat", "24s"}
}

// main2015 reports whether this is the main track of 2015. Which of its benchmarks are industrial the folders do not
// say, so that the tables of these are left out.
func (p publisher) main2015() bool {
	return p.o.Year == 2015 && officialTracks[p.o.Track] == "single_query"
}

// leadViews are the views of the biggest lead: cloud and parallel pages of 2021 to 2023 have the parallel one only.
func (p publisher) leadViews(views []string) []string {
	if p.o.Year <= 2023 && (p.o.Track == "parallel" || p.o.Track == "cloud") {
		return []string{"par"}
	}
	return views
}

func (p publisher) division(d *score.DivisionResult, views []string) map[string]any {
	out := map[string]any{"n_benchmarks": d.Benchmarks + p.removed(d)}
	winners := p.noWinners()
	if p.o.Year <= 2018 {
		out["competitive_division"] = d.Competitive
	}
	if p.o.Year <= 2018 && !p.main2015() {
		out["n_industrial"] = d.Benchmarks
	}
	if p.o.Year >= 2017 { // earlier pages do not print it
		out["time_limit"] = int(limitSeconds(p.o))
	}
	for _, v := range views {
		r := d.Ranking(v)
		if r == nil {
			continue
		}
		rows := p.rows(d, r)
		winner := p.winner(d, r)
		name := viewNames[v]
		if len(rows) > 0 || p.o.Year < 2024 {
			out[name] = rows
		}
		winners[name] = winner
		if p.o.Year <= 2018 && !p.main2015() {
			out["parallel_industrial"] = rows
			if d.Competitive {
				winners["parallel_industrial"] = winner
			}
		}
	}
	out["winners"] = winners
	return out
}

// removed is how many benchmarks of a division count though they were removed: since 2024 the size is that of the
// selection.
func (p publisher) removed(d *score.DivisionResult) int {
	if p.o.Year >= 2024 {
		return d.Removed
	}
	return 0
}

func limitSeconds(o *Official) float64 {
	if o.Published != nil && o.Published.limit() > 0 {
		return o.Published.limit().Seconds()
	}
	return limitOf(o.Year, o.Track).Seconds()
}

// winner is the solver that the page names, or nil.
func (p publisher) winner(d *score.DivisionResult, r *score.Ranking) any {
	// Until 2018, and from 2025 on, only competitive divisions have winners (D-ALL-8).
	if p.o.Year <= 2018 && !d.Competitive || p.o.Year >= 2025 && !twoFamilies(d) || len(r.Winners) == 0 {
		return nil
	}
	return r.Winners[0]
}

// noWinners are the winners before any is known. The pages since 2024 also name the views that a track does not have,
// but for the sequential one of the incremental track.
func (p publisher) noWinners() map[string]any {
	out := map[string]any{}
	if p.o.Year >= 2024 {
		for view, name := range viewNames {
			if view != "seq" || p.o.Track != "incremental" {
				out[name] = nil
			}
		}
	}
	return out
}

// twoFamilies reports whether the pages since 2025 call a division competitive: two names that differ before the first
// hyphen are among its solvers, whether these compete or not (D-ALL-8).
func twoFamilies(d *score.DivisionResult) bool {
	families := map[string]bool{}
	for _, x := range d.Ranking("par").Entries {
		families[teamOf(x.Solver, 2025)] = true
	}
	return len(families) >= 2
}

// listing returns the entries in the order of the page.
func (p publisher) listing(r *score.Ranking) []*score.Entry {
	var out, others []*score.Entry
	for i := range r.Entries {
		x := &r.Entries[i]
		switch {
		case p.o.Year >= 2024 && x.Cell.Counted+x.Cell.Missing == 0:
		case p.o.Year >= 2024 && !x.Competitive:
			others = append(others, x)
		default:
			out = append(out, x)
		}
	}
	if p.o.Year <= 2018 {
		// The ranks of these years were derived from the figures on the pages, which have two digits.
		slices.SortStableFunc(out, func(a, b *score.Entry) int {
			wall, cpu := cmp.Compare(cents(a.Cell.Wall), cents(b.Cell.Wall)), cmp.Compare(cents(a.Cell.CPU),
				cents(b.Cell.CPU))
			if r.View == "seq" {
				wall, cpu = cpu, wall
			}
			return cmp.Or(cmp.Compare(a.Cell.Errors, b.Cell.Errors), cmp.Compare(b.Cell.Correct, a.Cell.Correct), wall,
				cpu, strings.Compare(a.Solver, b.Solver))
		})
	}
	return slices.Concat(out, others)
}

// cents rounds seconds to two digits after the point.
func cents(s score.Sum) int64 { return int64(math.Round(s.Seconds() * 100)) }

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
		row["cpu"], row["wall"] = seconds(c.CPU), seconds(c.Wall)
		if p.track.NoCPU {
			delete(row, "cpu")
		}
		p.counts(row, d, c)
		if base := x.Solver + "-base"; p.o.Year >= 2025 && d.Ranking("par").Entry(base) != nil {
			row["delta_base"] = c.Correct // derived solvers by their names; the files do not say
			if b := r.Entry(base); b != nil {
				row["delta_base"] = c.Correct - b.Cell.Correct
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// counts adds the columns that say how runs ended.
func (p publisher) counts(row map[string]any, d *score.DivisionResult, c *score.Cell) {
	incremental := strings.HasSuffix(p.o.Track, "incremental") && p.o.Track != "challenge-non-incremental"
	switch {
	case p.o.Year <= 2018:
		return
	case p.o.Year >= 2024:
		row["solved"] = c.Decided
		if !incremental || p.o.Year == 2024 {
			row["solved_sat"], row["solved_unsat"] = c.DecidedSat, c.Decided-c.DecidedSat
		}
		row["unsolved"] = c.Counted + c.Missing - c.Decided
		row["abstained"] = int64(d.Benchmarks+d.Removed) - c.Counted - c.Missing
		row["timeout"], row["memout"] = c.CountedTimeouts, c.CountedMemouts
		return
	}
	row["timeout"], row["memout"] = c.Timeouts, c.Memouts
	switch p.o.Track {
	case "unsat-core", "model-validation":
		return
	case "parallel", "cloud":
		delete(row, "cpu")
	}
	if incremental {
		row["unsolved"] = c.Checks - c.Correct
		if p.o.Year >= 2021 {
			row["abstained"] = int64(0)
		}
		return
	}
	row["solved"], row["solved_sat"], row["solved_unsat"] = c.Solved, c.SolvedSat, c.SolvedUnsat
	unsolved := c.Kept - c.Solved
	if p.o.Year >= 2021 {
		unsolved = c.InView - c.Solved
		row["abstained"] = int64(d.Benchmarks) - c.Correct - unsolved
	}
	row["unsolved"] = unsolved
}

// summary is the order of solvers on the summary pages until 2018.
func (p publisher) summary() map[string][]string {
	out := map[string][]string{}
	for _, d := range p.track.Divisions {
		for _, x := range d.Ranking("par").Entries {
			out[d.Name] = append(out[d.Name], x.Solver)
		}
	}
	return out
}

// recognition writes the lists of a competition-wide ranking.
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

// rounded writes a number with so many digits after the point at most.
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
