package design

import (
	"cmp"
	"context"
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/confidence"
	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// Check reports how a design computed from half of the families performs on the other half.
type Check struct {
	Track  string  `json:"track"`
	LimitS float64 `json:"limit_s"`
	// Divisions is the number of divisions with enough families in both halves and a sufficient limit in the first.
	Divisions int `json:"divisions"`
	// Kept, Benchmarks and CoreHours are averages over these divisions.
	Kept       float64 `json:"kept"`
	Benchmarks float64 `json:"benchmarks"`
	CoreHours  float64 `json:"core_hours"`
	Worst      []Draws `json:"worst"` // up to five divisions, fewest draws kept first
}

type Draws struct {
	Division string  `json:"division"`
	Share    float64 `json:"share"`
	Kept     float64 `json:"kept"`
}

// CheckHalves splits each division's families at random, plans with one half, and draws the planned numbers of
// benchmarks from the other. It checks each limit separately.
func CheckHalves(ctx context.Context, rs *score.RuleSet, rd score.Readings, runs *score.Runs, o Options) ([]Check,
	error) {
	all, err := load(ctx, rs, rd, runs, o)
	if err != nil {
		return nil, err
	}
	var out []Check
	by := map[string]int{} // index of each track's first check
	for _, d := range all {
		if _, ok := by[d.track]; !ok {
			by[d.track] = len(out)
			for _, t := range d.at {
				out = append(out, Check{Track: d.track, LimitS: t.limit})
			}
		}
		d.check(ctx, o, out[by[d.track]:][:len(d.at)])
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o.Progress()
	}
	for i := range out {
		c := &out[i]
		if n := float64(c.Divisions); n > 0 {
			c.Kept, c.Benchmarks, c.CoreHours = c.Kept/n, c.Benchmarks/n, c.CoreHours/n
		}
		slices.SortStableFunc(c.Worst, func(a, b Draws) int { return cmp.Compare(a.Kept, b.Kept) })
		c.Worst = c.Worst[:min(len(c.Worst), 5)]
	}
	return out, nil
}

func (d *division) check(ctx context.Context, o Options, into []Check) {
	families := slices.Clone(d.families)
	random := confidence.Stream(o.Seed, d.track, d.base.Division.Name+"\x00halves")
	random.Shuffle(len(families), func(i, j int) { families[i], families[j] = families[j], families[i] })
	half := len(families) / 2
	if half < confidence.LeastFamilies {
		return
	}
	planned := d.draw(ctx, o, families[:half], o.Draws, true, shares)
	kept := d.draw(ctx, o, families[half:], o.Draws, false, shares)
	for k := range d.at {
		enough := 0
		for enough < len(shares) && planned[k][enough] >= o.Certainty {
			enough++
		}
		if enough == 0 {
			continue
		}
		c, share := &into[k], shares[enough-1]
		c.Divisions++
		c.Kept += kept[k][enough-1]
		c.Benchmarks += share
		c.CoreHours += share * part(d.at[k].coreHours, d.at[0].coreHours)
		c.Worst = append(c.Worst, Draws{d.base.Division.Name, share, kept[k][enough-1]})
	}
}
