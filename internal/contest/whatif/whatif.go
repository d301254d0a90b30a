// Package whatif compares the winners of the same runs under two sets of rules. It keeps the runs' divisions, so all
// changes come from the scoring alone.
package whatif

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// Rules is a rule set with its readings and a display name.
type Rules struct {
	Name     string
	Set      *score.RuleSet
	Readings score.Readings
}

// Place identifies a ranking that can have winners.
type Place struct {
	Track    string `json:"track"`
	Division string `json:"division"`
	View     string `json:"view"`
}

func (p Place) String() string { return p.Division + " / " + p.View }

// Outcome is a ranking's winners, or the reason why it has none.
type Outcome struct {
	Winners  []string `json:"winners"`
	NoWinner string   `json:"no_winner,omitempty"` // reason why there is no winner
	// Why compares the first winners under the two sets of rules, as ranked by the second set.
	Why *Reason `json:"why,omitempty"`
}

// Reason is the first column of a ranking's order in which two solvers differ.
type Reason struct {
	Better string    `json:"better"` // solver that ranks higher
	Other  string    `json:"other"`
	Column string    `json:"column"`           // e, n, w, c, aw, ac, points or avg_cpu; empty: a tie
	Values [2]string `json:"values"`           // values for Better and Other; times in seconds
	Barred string    `json:"barred,omitempty"` // reason why Other cannot win, regardless of its figures

	// Benchmarks lists the benchmarks whose values in the column differ, largest difference first. Differ is the number
	// of such benchmarks, or 0 if they were not requested.
	Benchmarks []Benchmark `json:"benchmarks,omitempty"`
	Differ     int         `json:"differ"`
}

// Benchmark holds two solvers' values in the deciding column for one benchmark.
type Benchmark struct {
	Name   string    `json:"benchmark"`
	Values [2]string `json:"values"`
}

// Change is a ranking whose winners differ.
type Change struct {
	Place
	From Outcome `json:"from"`
	To   Outcome `json:"to"`
	// Causes are the readings and practice switches that cause the change, if the rules differ in nothing else: each of
	// them alone or, if Together is set, only all of them together.
	Causes   []string `json:"causes,omitempty"`
	Together bool     `json:"together,omitempty"`
}

// Comparison holds the changes caused by other rules.
type Comparison struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Rankings is the number of rankings that both rules have and that at least one of them names a winner for.
	Rankings  int      `json:"rankings"`
	Changes   []Change `json:"changes"`
	Unmatched []string `json:"unmatched,omitempty"` // tracks, and views with their track, that To does not have
}

// Scored holds the winners under one set of rules.
type Scored struct {
	Rules
	runs   *score.Runs
	tracks []*score.TrackResult
}

// Score scores the runs of all tracks that the rules cover. It returns an error if they cover none of the tracks.
func Score(ctx context.Context, r Rules, runs *score.Runs) (*Scored, error) {
	set := *r.Set
	set.Regroup = false
	r.Set = &set
	known := runs.ScoredBy(&set)
	if len(known.Tracks) == 0 {
		return nil, fmt.Errorf("rules %s score none of these runs' tracks", r.Name)
	}
	res, err := score.Compute(ctx, r.Set, known, r.Readings)
	if err != nil {
		return nil, err
	}
	return &Scored{r, known, res.Tracks}, nil
}

// Compare returns the rankings whose winners differ under the rules in to.
func Compare(from, to *Scored) *Comparison {
	c := &Comparison{From: from.Name, To: to.Name, Changes: []Change{}}
	for _, t := range from.tracks {
		i := slices.IndexFunc(to.tracks, func(x *score.TrackResult) bool { return x.Name == t.Name })
		if i < 0 {
			c.Unmatched = append(c.Unmatched, t.Name)
			continue
		}
		c.track(t, to.tracks[i])
	}
	slices.Sort(c.Unmatched)
	c.Unmatched = slices.Compact(c.Unmatched)
	return c
}

func (c *Comparison) track(from, to *score.TrackResult) {
	for _, d := range from.Divisions {
		i := slices.IndexFunc(to.Divisions, func(x *score.DivisionResult) bool { return x.Name == d.Name })
		if i < 0 {
			continue // all its runs were dropped
		}
		for k, r := range d.Rankings {
			other := to.Divisions[i].Ranking(r.View)
			if other == nil && k == 0 && len(to.Divisions[i].Rankings) == 1 {
				other = to.Divisions[i].Rankings[0] // a single view needs no matching name
			}
			if other == nil {
				c.Unmatched = append(c.Unmatched, from.Name+" "+r.View)
				continue
			}
			c.ranking(Place{from.Name, d.Name, r.View}, r, other)
		}
	}
}

func (c *Comparison) ranking(at Place, from, to *score.Ranking) {
	if len(from.Winners)+len(to.Winners) == 0 {
		return
	}
	c.Rankings++
	if same(from.Winners, to.Winners) {
		return
	}
	change := Change{Place: at, From: outcome(from), To: outcome(to)}
	a, b := change.From.only(to.Winners), change.To.only(from.Winners)
	if a != "" && b != "" {
		change.From.Why, change.To.Why = reason(from, a, b), reason(to, b, a)
	}
	c.Changes = append(c.Changes, change)
}

func same(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func outcome(r *score.Ranking) Outcome {
	return Outcome{Winners: append([]string{}, r.Winners...), NoWinner: r.NoWinner}
}

// only returns the first winner that is not in others, or else the first winner.
func (o *Outcome) only(others []string) string {
	for _, w := range o.Winners {
		if !slices.Contains(others, w) {
			return w
		}
	}
	if len(o.Winners) > 0 {
		return o.Winners[0]
	}
	return ""
}

// reason returns the reason why one solver ranks above another.
func reason(r *score.Ranking, better, other string) *Reason {
	out := &Reason{Better: better, Other: other}
	a, b := r.Entry(better), r.Entry(other)
	if a == nil || b == nil {
		out.Barred = "it has no rank"
		return out
	}
	if !b.Eligible || b.Excluded != "" {
		out.Barred = cmp.Or(b.Excluded, b.Barred, "it does not compete")
		return out
	}
	if key, ok := r.Deciding(a, b); ok {
		out.Column, out.Values = key, [2]string{a.Cell.Text(key), b.Cell.Text(key)}
	}
	return out
}

// most is the maximum number of benchmarks listed in a reason.
const most = 10

// Explain adds the benchmarks to a comparison's reasons, and the causes if the rules differ only in readings.
func (c *Comparison) Explain(ctx context.Context, from, to *Scored) error {
	if err := c.attribute(ctx, from, to); err != nil {
		return err
	}
	for _, side := range []struct {
		*Scored
		of func(*Change) *Reason
	}{
		{from, func(x *Change) *Reason { return x.From.Why }},
		{to, func(x *Change) *Reason { return x.To.Why }},
	} {
		open := map[[2]string][]*Change{}
		for i := range c.Changes {
			if x := &c.Changes[i]; side.of(x) != nil && side.of(x).Column != "" {
				at := [2]string{x.Track, x.Division}
				open[at] = append(open[at], x)
			}
		}
		if len(open) == 0 {
			continue
		}
		err := score.EachPoints(ctx, side.Set, side.runs, side.Readings, func(p *score.Points) error {
			for _, x := range open[[2]string{p.Track, p.Division.Name}] {
				if x.View == p.Ranking.View || len(p.Division.Rankings) == 1 {
					side.of(x).add(p)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Comparison) attribute(ctx context.Context, from, to *Scored) error {
	if len(c.Changes) == 0 || from.Set.Digest() != to.Set.Digest() {
		return nil
	}
	all, err := score.Attribute(ctx, from.Set, from.runs, from.Readings, to.Readings)
	if err != nil {
		return err
	}
	for _, x := range all {
		at := Place{x.Track, x.Division, x.View}
		i := slices.IndexFunc(c.Changes, func(c Change) bool { return c.Place == at })
		if x.Column == "winners" && x.Logic == "" && i >= 0 {
			c.Changes[i].Causes, c.Changes[i].Together = x.Causes, x.Together
		}
	}
	return nil
}

// add adds the benchmarks whose values in the column differ between the two solvers.
func (r *Reason) add(p *score.Points) {
	key := slices.IndexFunc(p.Order, func(k score.Key) bool { return k.Column == r.Column })
	find := func(solver string) int {
		return slices.IndexFunc(p.Ranking.Entries, func(e score.Entry) bool { return e.Solver == solver })
	}
	a, b := find(r.Better), find(r.Other)
	if key < 0 || a < 0 || b < 0 {
		return
	}
	var differ []int
	by := func(i int) int64 { return p.At(a, i)[key] - p.At(b, i)[key] }
	for i := range p.Benchmarks {
		if by(i) != 0 {
			differ = append(differ, i)
		}
	}
	slices.SortFunc(differ, func(i, k int) int {
		return cmp.Or(cmp.Compare(abs(by(k)), abs(by(i))), strings.Compare(p.Benchmarks[i], p.Benchmarks[k]))
	})
	r.Differ = len(differ)
	for _, i := range differ[:min(len(differ), most)] {
		r.Benchmarks = append(r.Benchmarks, Benchmark{p.Benchmarks[i],
			[2]string{p.Text(key, p.At(a, i)[key]), p.Text(key, p.At(b, i)[key])}})
	}
}

func abs(n int64) int64 { return max(n, -n) }
