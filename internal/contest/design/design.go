package design

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/contest/confidence"
	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// Options holds the caller's choices.
type Options struct {
	View      string       // view whose winners must stay the same; empty: each track's first view
	Limits    []score.Time // shorter wall time limits to try; nil: the runs' limit, halved up to five times
	Certainty float64      // fraction of draws that must keep the winners
	Draws     int
	Seed      uint64
	Workers   int
	Progress  func() // called from any goroutine when a division is done
}

// shares are the fractions of a division to try, in descending order.
var shares = []float64{1, 0.75, 0.5, 0.375, 0.25, 0.1875, 0.125, 0.09375, 0.0625, 0.046875, 0.03125}

// Plan is a track's design.
type Plan struct {
	Track  string `json:"track"`
	View   string `json:"view"`
	Limits []Cost `json:"limits"` // costs by limit, in descending order, starting with the runs' limit
}

// Cost is a track's cost under a wall time limit if each division runs only the benchmarks that it needs.
type Cost struct {
	LimitS     float64    `json:"limit_s"`
	Benchmarks int        `json:"benchmarks"`
	CoreHours  float64    `json:"core_hours"`
	Divisions  []Division `json:"divisions"`
}

// Division reports how many benchmarks a division needs.
type Division struct {
	Division   string   `json:"division"`
	Winners    []string `json:"winners"` // winners with all benchmarks under the runs' limit
	Families   int      `json:"families"`
	Benchmarks int      `json:"benchmarks"` // number of all benchmarks in the division
	// Share is the smallest share of the benchmarks that, like all larger shares, is certain enough; it is 0 if the
	// limit is too short even with all benchmarks. Certainty is that share's certainty, or nil if the division has too
	// few families.
	Share     float64  `json:"share"`
	Certainty *float64 `json:"certainty,omitempty"`
	// Needed maps each logic to the number of benchmarks needed: all of them if the limit is too short.
	Needed    map[string]int `json:"needed"`
	CoreHours float64        `json:"core_hours"`
}

// Kept reports whether the limit is long enough for the division.
func (d *Division) Kept() bool { return d.Share > 0 }

// Kept returns the number of divisions that keep their winners.
func (c *Cost) Kept() (n int) {
	for i := range c.Divisions {
		if c.Divisions[i].Kept() {
			n++
		}
	}
	return n
}

// Best returns the index of the cheapest limit, in core hours, among those that change no winner.
func (p *Plan) Best() int {
	best := 0
	for i := range p.Limits {
		if c := &p.Limits[i]; c.Kept() == len(c.Divisions) && c.CoreHours < p.Limits[best].CoreHours {
			best = i
		}
	}
	return best
}

// All returns the number and the cost of all benchmarks that were run.
func (p *Plan) All() (benchmarks int, coreHours float64) {
	for _, d := range p.Limits[0].Divisions {
		benchmarks += d.Benchmarks
		coreHours += d.CoreHours / d.Share
	}
	return benchmarks, coreHours
}

// Of returns the plan of each track, based on finished runs.
func Of(ctx context.Context, rs *score.RuleSet, rd score.Readings, runs *score.Runs, o Options) ([]Plan, error) {
	all, err := load(ctx, rs, rd, runs, o)
	if err != nil {
		return nil, err
	}
	return plan(ctx, all, o)
}

// plan returns the plans for the divisions, sorted by track.
func plan(ctx context.Context, all []*division, o Options) ([]Plan, error) {
	found := make([][]Division, len(all)) // by division and limit
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(o.Workers, 1))
	for i, d := range all {
		group.Go(func() error {
			found[i] = d.plan(ctx, o)
			o.Progress()
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var out []Plan
	for i, d := range all {
		if len(out) == 0 || out[len(out)-1].Track != d.track {
			p := Plan{Track: d.track, View: d.base.Ranking.View, Limits: make([]Cost, len(d.at))}
			for k := range p.Limits {
				p.Limits[k].LimitS = d.at[k].limit
			}
			out = append(out, p)
		}
		for k := range found[i] {
			c, x := &out[len(out)-1].Limits[k], found[i][k]
			c.Divisions = append(c.Divisions, x)
			c.CoreHours += x.CoreHours
			for _, n := range x.Needed {
				c.Benchmarks += n
			}
		}
	}
	return out, nil
}

// division holds a division's scores under each limit.
type division struct {
	track    string
	base     *score.Points
	families [][]int // indices of each family's benchmarks
	logics   [][]int // indices of each logic's benchmarks
	names    []string
	logic    []int // index of each benchmark's logic
	at       []table
}

// table holds the scores under one limit.
type table struct {
	limit     float64
	coreHours float64
	// values holds a vector for each benchmark and entry of the base, in this nesting: the ranking's keys followed by
	// n. It is nil if nobody wins.
	values []int64
}

// load scores the runs under each limit.
func load(ctx context.Context, rs *score.RuleSet, rd score.Readings, runs *score.Runs, o Options) ([]*division, error) {
	var all []*division
	by := map[[2]string]*division{}
	err := Points(ctx, rs, rd, runs, o.View, func(p *score.Points) error {
		if p.Cut || p.Penalty {
			return fmt.Errorf("view %s ranks by more than sums over benchmarks; name another view", p.Ranking.View)
		}
		d := newDivision(p)
		all, by[[2]string{d.track, p.Division.Name}] = append(all, d), d
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("no division has a winner")
	}
	limits := slices.Clone(o.Limits)
	if limits == nil {
		longest := slices.MaxFunc(all, func(a, b *division) int { return cmp.Compare(a.at[0].limit, b.at[0].limit) })
		for i := range 5 {
			limit, err := score.TimeOfSeconds(math.Ldexp(longest.at[0].limit, -i-1))
			if err != nil {
				return nil, err
			}
			limits = append(limits, limit)
		}
	}
	slices.SortFunc(limits, func(a, b score.Time) int { return cmp.Compare(b, a) })
	for _, limit := range slices.Compact(limits) {
		for _, d := range all {
			if limit.Seconds() < d.at[0].limit {
				d.at = append(d.at, table{limit: limit.Seconds(), coreHours: d.hoursWithin(limit.Seconds())})
			}
		}
		err := Points(ctx, rs.Within(limit), rd, runs, o.View, func(p *score.Points) error {
			d := by[[2]string{p.Track, p.Division.Name}]
			if d != nil && limit.Seconds() < d.at[0].limit {
				d.at[len(d.at)-1] = d.tableOf(p)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b *division) int { return cmp.Compare(a.track, b.track) })
	return all, sameLimits(all)
}

// Points calls yield with the points of one view per track: the named view, or the first.
func Points(ctx context.Context, rs *score.RuleSet, rd score.Readings, runs *score.Runs, view string,
	yield func(*score.Points) error) error {
	chosen := map[string]string{}
	for _, t := range runs.Tracks {
		at := slices.IndexFunc(rs.Views, func(v *score.View) bool {
			return slices.Contains(v.Tracks, t.Name) && (view == "" || v.Name == view)
		})
		if at < 0 {
			return fmt.Errorf("%s has no view %s for the track %s", rs.Name, view, t.Name)
		}
		chosen[t.Name] = rs.Views[at].Name
	}
	if names := slices.Compact(slices.Sorted(maps.Values(chosen))); len(names) == 1 {
		rs = rs.Only(names[0], runs, false)
	}
	return score.EachPoints(ctx, rs, runs, rd, func(p *score.Points) error {
		if p.Ranking.View != chosen[p.Track] {
			return nil
		}
		return yield(p)
	})
}

// sameLimits returns an error if a track's divisions had different limits.
func sameLimits(all []*division) error {
	for i, d := range all[1:] {
		if last := all[i]; last.track == d.track && last.at[0].limit != d.at[0].limit {
			return fmt.Errorf("the runs of %s had limits of %v s (%s) and %v s (%s); only one limit per track can be "+
				"planned", d.track, last.at[0].limit, last.base.Division.Name, d.at[0].limit, d.base.Division.Name)
		}
	}
	return nil
}

func newDivision(p *score.Points) *division {
	d := &division{track: p.Track, base: p, logic: make([]int, len(p.Benchmarks))}
	family, logic := map[string]int{}, map[string]int{}
	for b, name := range p.Benchmarks {
		f := path.Dir(name)
		i, ok := family[f]
		if !ok {
			i = len(d.families)
			family[f], d.families = i, append(d.families, nil)
		}
		d.families[i] = append(d.families[i], b)
		l, ok := logic[p.Logics[b]]
		if !ok {
			l = len(d.logics)
			logic[p.Logics[b]], d.logics, d.names = l, append(d.logics, nil), append(d.names, p.Logics[b])
		}
		d.logics[l] = append(d.logics[l], b)
		d.logic[b] = l
	}
	d.at = []table{d.tableOf(p)}
	d.at[0].limit = float64(slices.Max(p.Limit)) / 1e9
	return d
}

func (d *division) width() int { return len(d.base.Order) + 1 }

// tableOf arranges points by benchmark and entry of the base.
func (d *division) tableOf(p *score.Points) table {
	entries, width := len(d.base.Ranking.Entries), d.width()
	t := table{coreHours: total(p.CoreHours), limit: float64(slices.Max(p.Limit)) / 1e9,
		values: make([]int64, len(d.base.Benchmarks)*entries*width)}
	place := map[string]int{}
	for b, name := range d.base.Benchmarks {
		place[name] = b
	}
	entry := map[string]int{}
	for i := range d.base.Ranking.Entries {
		entry[d.base.Ranking.Entries[i].Solver] = i
	}
	for i := range p.Ranking.Entries {
		e, ok := entry[p.Ranking.Entries[i].Solver]
		if !ok {
			continue
		}
		for b, name := range p.Benchmarks {
			if to, ok := place[name]; ok {
				v := t.values[(to*entries+e)*width:][:width]
				copy(v, p.At(i, b))
				v[width-1] = p.Correct[i*len(p.Benchmarks)+b]
			}
		}
	}
	return t
}

// part returns which part of the hours some of them are: all if there are none, as in tables without times.
func part(of, hours float64) float64 {
	if hours == 0 {
		return 1
	}
	return of / hours
}

func total(hours []float64) (sum float64) {
	for _, h := range hours {
		sum += h
	}
	return sum
}

// hoursWithin estimates the core hours that the runs reserve under a limit so short that nobody wins, for which no
// points exist.
func (d *division) hoursWithin(limit float64) float64 {
	var all, within float64
	for _, used := range d.base.Used {
		s := float64(used) / 1e9
		all, within = all+s, within+min(s, limit)
	}
	if all == 0 {
		return 0
	}
	return d.at[0].coreHours * within / all
}

// plan returns the division's needs under each limit.
func (d *division) plan(ctx context.Context, o Options) []Division {
	known := len(d.families) >= confidence.LeastFamilies
	var kept [][]float64
	if known {
		kept = d.draw(ctx, o, d.families, o.Draws, true, shares)
	} else {
		kept = d.draw(ctx, o, d.families, 1, false, shares[:1])
	}
	out := make([]Division, len(d.at))
	for k, t := range d.at {
		x := Division{Division: d.base.Division.Name, Winners: d.base.Ranking.Winners, Families: len(d.families),
			Benchmarks: len(d.base.Benchmarks), Needed: map[string]int{}}
		for j, c := range kept[k] {
			if c < o.Certainty {
				break
			}
			if x.Share = shares[j]; known {
				x.Certainty = &kept[k][j]
			}
		}
		share := x.Share
		if share == 0 {
			share = 1
		}
		for l, list := range d.logics {
			x.Needed[d.names[l]] = int(math.Ceil(share * float64(len(list))))
		}
		x.CoreHours = share * t.coreHours
		out[k] = x
	}
	return out
}
