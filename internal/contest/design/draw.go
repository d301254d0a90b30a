package design

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/confidence"
)

// draw returns, for each limit and share, the fraction of draws in which that share of the given families' benchmarks,
// under that limit, has the same winners as all their benchmarks under the runs' limit. With replace, each draw takes
// as many families with replacement; otherwise it takes each family once. draw stops early, without a result, if the
// context is cancelled.
func (d *division) draw(ctx context.Context, o Options, families [][]int, draws int, replace bool,
	shares []float64) [][]float64 {
	out := make([][]float64, len(d.at))
	for k := range out {
		out[k] = make([]float64, len(shares))
	}
	random := confidence.Stream(o.Seed, d.track, d.base.Division.Name)
	s := newSums(d)
	var all []int
	for range draws {
		if ctx.Err() != nil {
			break
		}
		all = all[:0]
		for i := range families {
			if replace {
				i = random.IntN(len(families))
			}
			all = append(all, families[i]...)
		}
		want := slices.Clone(s.winners(&d.at[0], all, []int{len(all)}))
		d.shuffle(random, all)
		ends := make([]int, len(shares))
		for j, share := range shares {
			ends[j] = int(math.Ceil(share * float64(len(all))))
		}
		for k := range d.at {
			if d.at[k].values == nil {
				continue
			}
			got := s.winners(&d.at[k], all, ends)
			for j := range shares {
				if slices.Equal(got[j], want[0]) {
					out[k][j]++
				}
			}
		}
	}
	for k := range out {
		for j := range out[k] {
			out[k][j] /= float64(draws)
		}
	}
	return out
}

// shuffle shuffles benchmarks so that every prefix contains about the same share of each logic.
func (d *division) shuffle(random *rand.Rand, all []int) {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	count, seen := make([]int, len(d.logics)), make([]int, len(d.logics))
	for _, b := range all {
		count[d.logic[b]]++
	}
	type at struct {
		place     float64
		benchmark int
	}
	order := make([]at, len(all))
	for i, b := range all {
		l := d.logic[b]
		order[i] = at{(float64(seen[l]) + random.Float64()) / float64(count[l]), b}
		seen[l]++
	}
	slices.SortFunc(order, func(a, b at) int { return cmp.Compare(a.place, b.place) })
	for i := range order {
		all[i] = order[i].benchmark
	}
}

// sums adds up scores.
type sums struct {
	d     *division
	sum   []int64
	found [][]int
}

func newSums(d *division) *sums {
	return &sums{d: d, sum: make([]int64, len(d.base.Ranking.Entries)*d.width())}
}

// winners returns, for each length in ends, the winners over that many of the first benchmarks. ends must be in
// descending order. The result is valid until the next call.
func (s *sums) winners(t *table, benchmarks, ends []int) [][]int {
	clear(s.sum)
	width, n := s.d.width(), len(s.sum)
	s.found = slices.Grow(s.found[:0], len(ends))[:len(ends)]
	key := func(i int) []int64 { return s.sum[i*width : (i+1)*width-1] }
	correct := func(i int) int64 { return s.sum[(i+1)*width-1] }
	from := 0
	for j := len(ends) - 1; j >= 0; j-- {
		for _, b := range benchmarks[from:ends[j]] {
			for i, v := range t.values[b*n : (b+1)*n] {
				s.sum[i] += v
			}
		}
		from = ends[j]
		s.found[j] = confidence.Winners(s.d.base, key, correct)
	}
	return s.found
}
