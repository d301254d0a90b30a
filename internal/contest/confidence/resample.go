package confidence

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"path"
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// LeastFamilies is the smallest number of families for which intervals and win shares are computed.
const LeastFamilies = 5

// Interval is the range of the middle 95 % of the resamples.
type Interval struct{ Low, High float64 }

const level = 0.95

// families sums a ranking's benchmark scores by family.
type families struct {
	counted []int64 // number of benchmarks that the view counts
	// sums holds a vector for each entry and family, in this nesting: the ranking's keys followed by n.
	sums  []int64
	width int
}

// byFamily sums the vectors of each family. A benchmark's family is its folder.
func byFamily(p *score.Points) *families {
	f := &families{width: len(p.Order) + 1}
	index, of := map[string]int{}, make([]int, len(p.Benchmarks))
	for b, name := range p.Benchmarks {
		family := path.Dir(name)
		i, ok := index[family]
		if !ok {
			i = len(f.counted)
			index[family], f.counted = i, append(f.counted, 0)
		}
		of[b] = i
		if p.Counted[b] {
			f.counted[i]++
		}
	}
	n := len(p.Benchmarks)
	f.sums = make([]int64, len(p.Ranking.Entries)*f.len()*f.width)
	for entry := range p.Ranking.Entries {
		for b := range n {
			sum := f.at(entry, of[b])
			for i, v := range p.At(entry, b) {
				sum[i] += v
			}
			sum[f.width-1] += p.Correct[entry*n+b]
		}
	}
	return f
}

func (f *families) len() int { return len(f.counted) }

func (f *families) at(entry, family int) []int64 {
	i := (entry*f.len() + family) * f.width
	return f.sums[i : i+f.width]
}

// resampled holds an entry's results over all resamples.
type resampled struct {
	wins    int
	places  []int
	correct []float64 // n scaled to the ranking's number of benchmarks
}

// resample repeatedly draws as many families as the ranking has, with replacement, and ranks again. All views of a
// division use the same draws.
func resample(p *score.Points, f *families, resamples int, seed uint64) []resampled {
	entries := p.Ranking.Entries
	out := make([]resampled, len(entries))
	for i := range out {
		out[i] = resampled{places: make([]int, resamples), correct: make([]float64, resamples)}
	}
	random := Stream(seed, p.Track, p.Division.Name)
	times := make([]int64, f.len())
	sums := make([]int64, len(entries)*f.width)
	order := make([]int, 0, len(entries))
	for k := range resamples {
		clear(times)
		for range f.len() {
			times[random.IntN(len(times))]++
		}
		clear(sums)
		benchmarks := f.draw(times, sums)
		order = order[:0]
		for i := range entries {
			if entries[i].Rank > 0 {
				order = append(order, i)
			}
			out[i].correct[k] = scaled(sums[i*f.width+f.width-1], benchmarks, p.Ranking.Benchmarks)
		}
		key := func(i int) []int64 { return sums[i*f.width : i*f.width+f.width-1] }
		slices.SortFunc(order, func(a, b int) int { return slices.Compare(key(b), key(a)) })
		place := 0
		for j, i := range order {
			if j == 0 || slices.Compare(key(order[j-1]), key(i)) != 0 {
				place = j + 1
			}
			out[i].places[k] = place
		}
		for _, i := range Winners(p, key, func(i int) int64 { return sums[i*f.width+f.width-1] }) {
			out[i].wins++
		}
	}
	return out
}

// draw sums the drawn families' vectors and counts their benchmarks.
func (f *families) draw(times, sums []int64) (benchmarks int64) {
	for family, n := range times {
		if n == 0 {
			continue
		}
		benchmarks += n * f.counted[family]
		for entry := 0; entry*f.width < len(sums); entry++ {
			to := sums[entry*f.width : (entry+1)*f.width]
			for i, v := range f.at(entry, family) {
				to[i] += n * v
			}
		}
	}
	return benchmarks
}

// Winners returns the best eligible entries, unless they solved nothing. key returns an entry's sums in ranking order,
// and correct returns its n.
func Winners(p *score.Points, key func(entry int) []int64, correct func(entry int) int64) []int {
	var out []int
	for i := range p.Ranking.Entries {
		x := &p.Ranking.Entries[i]
		if x.Rank == 0 || !x.Eligible || x.Excluded != "" {
			continue
		}
		by := 0
		if len(out) > 0 {
			by = slices.Compare(key(i), key(out[0]))
		}
		if by > 0 {
			out = out[:0]
		}
		if by >= 0 {
			out = append(out, i)
		}
	}
	if len(out) > 0 && p.MustSolve && correct(out[0]) == 0 {
		return nil
	}
	return out
}

func scaled(n, benchmarks int64, wanted int) float64 {
	if benchmarks == 0 {
		return 0
	}
	return float64(n) * float64(wanted) / float64(benchmarks)
}

// Stream returns a division's random generator: PCG-DXSM with 128 bits of state, the first 16 bytes of a SHA-256 of the
// seed (8 bytes) and the division's name.
func Stream(seed uint64, track, division string) *rand.Rand {
	name := binary.BigEndian.AppendUint64(nil, seed)
	name = append(name, track+"\x00"+division...)
	sum := sha256.Sum256(name)
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
}

// interval returns the percentile interval of R values: the sorted values at tail*R from each end.
func interval(values []float64) Interval {
	slices.Sort(values)
	cut := int((1 - level) / 2 * float64(len(values)))
	return Interval{values[cut], values[len(values)-1-cut]}
}
