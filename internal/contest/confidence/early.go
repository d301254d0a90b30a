package confidence

import (
	"cmp"
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// EarlyEntry estimates a solver's final score from the early sample.
type EarlyEntry struct {
	Solver string
	// Errors, Correct and Time95 are 95 % intervals for the whole division: wrong answers (e), correct answers (n), and
	// the sum of times that the view ranks by first, in seconds.
	Errors, Correct, Time95 Interval
	// Wrong is the number of known wrong answers. Best and Worst are the places that the intervals allow if no solver
	// gives another wrong answer. Place is the place by correct answers in the sample. All are 0 for an unranked
	// solver.
	Wrong              int
	Best, Place, Worst int
}

// Early is the ranking predicted from the early sample.
type Early struct {
	Benchmarks, Sample int    // numbers of benchmarks in the division and in its sample
	Clock              string // clock of Time95: w for wall time, c for CPU time; empty: the view does not rank by time
	Entries            []EarlyEntry
}

// EarlyOf extrapolates the early sample's runs to a division with the given number of benchmarks. sample contains the
// names of the division's sampled benchmarks; every solver's runs on them must be finished. EarlyOf returns nil for an
// empty sample, and for rankings whose scores do not count benchmarks: point scores, tracks with several answers per
// benchmark or a reduction, and penalties for unsolved benchmarks (PAR-2).
//
// The number of correct (or wrong) answers in the sample is hypergeometric, so its interval is exact (Clopper and
// Pearson's construction; W. G. Cochran, Sampling Techniques, 1977, §3.6). A sum of times is the integral over t of the
// number of benchmarks that take longer than t. That number has an exact interval for each of timeSteps times, with
// Bonferroni's correction. Each interval is also clipped to the range that the other finished runs leave possible.
func EarlyOf(p *score.Points, sample map[string]bool, benchmarks int) *Early {
	if len(sample) == 0 || len(p.Limit) == 0 || p.Penalty {
		return nil
	}
	for _, k := range p.Order {
		if !slices.Contains([]string{"e", "n", "w", "c"}, k.Column) {
			return nil
		}
	}
	x := &extension{Points: p, benchmarks: benchmarks, size: len(sample)}
	for b, name := range p.Benchmarks {
		if sample[name] {
			x.in = append(x.in, b)
		}
	}
	out := &Early{Benchmarks: benchmarks, Sample: x.size, Entries: make([]EarlyEntry, len(p.Ranking.Entries))}
	clock := slices.IndexFunc(p.Order, func(k score.Key) bool { return k.Column == "w" || k.Column == "c" })
	if clock >= 0 {
		out.Clock = p.Order[clock].Column
	}
	keys := make([][]Interval, len(out.Entries)) // by entry, in ranking order; larger is better
	found := make([]int, len(out.Entries))
	for i := range out.Entries {
		e := &out.Entries[i]
		e.Solver = p.Ranking.Entries[i].Solver
		for at, k := range p.Order {
			switch {
			case at == clock:
				e.Time95 = x.time(i, at)
				keys[i] = append(keys[i], Interval{-e.Time95.High, -e.Time95.Low})
			case k.Column == "e" || k.Column == "n":
				v, known, ok := x.count(i, at)
				if !ok {
					return nil
				}
				if k.Column == "e" {
					e.Errors, e.Wrong = v, known
					v = Interval{float64(e.Wrong), float64(e.Wrong)}
				} else {
					e.Correct, found[i] = v, x.found(i, at)
				}
				if !k.Desc {
					v = Interval{-v.High, -v.Low}
				}
				keys[i] = append(keys[i], v)
			}
		}
	}
	out.place(p, keys, found)
	return out
}

// place sets the places that the intervals allow. A solver ranks above another if it is certainly better in one key and
// certainly equal in all earlier keys.
func (r *Early) place(p *score.Points, keys [][]Interval, found []int) {
	ranked := func(i int) bool { return p.Ranking.Entries[i].Rank > 0 }
	for i := range r.Entries {
		if !ranked(i) {
			continue
		}
		e := &r.Entries[i]
		e.Best, e.Place = 1, 1
		for j := range r.Entries {
			if !ranked(j) {
				continue
			}
			e.Worst++
			if cmp.Or(cmp.Compare(r.Entries[j].Wrong, e.Wrong), cmp.Compare(found[i], found[j])) < 0 {
				e.Place++
			}
			switch {
			case above(keys[j], keys[i]):
				e.Best++
			case above(keys[i], keys[j]):
				e.Worst--
			}
		}
	}
}

func above(a, b []Interval) bool {
	for k := range a {
		if a[k].Low > b[k].High {
			return true
		}
		if a[k] != b[k] || a[k].Low != a[k].High {
			return false
		}
	}
	return false
}

// extension extrapolates a sample's points to a division.
type extension struct {
	*score.Points
	benchmarks, size int
	in               []int // indices of the benchmarks that are in the sample
}

// count returns the interval of a key whose value is 0 or 1 on each benchmark, and its sum over the finished runs. For
// other keys, ok is false.
func (x *extension) count(entry, key int) (interval Interval, known int, ok bool) {
	open := x.benchmarks
	for b := range x.Benchmarks {
		v := abs(x.At(entry, b)[key])
		if v > 1 {
			return Interval{}, 0, false
		}
		if x.ran(entry, b) {
			open--
		}
		known += int(v)
	}
	low, high := x.bounds(x.found(entry, key), tail)
	return Interval{float64(max(low, known)), float64(min(high, known+open))}, known, true
}

// found returns the sum of a key over the sample.
func (x *extension) found(entry, key int) (sum int) {
	for _, b := range x.in {
		sum += int(abs(x.At(entry, b)[key]))
	}
	return sum
}

// timeSteps is the number of times at which unfinished runs are counted: the limit, repeatedly halved, and zero.
const timeSteps = 10

// tail is the error probability in each direction.
const tail = (1 - level) / 2

// time returns the interval of a sum of times, in seconds. Each time is at most the run's limit.
func (x *extension) time(entry, key int) Interval {
	limit := slices.Max(x.Limit)
	known, open := int64(0), x.benchmarks
	for b := range x.Benchmarks {
		v := abs(x.At(entry, b)[key])
		limit = max(limit, v) // a run may exceed its limit while ending
		known += v
		if x.ran(entry, b) {
			open--
		}
	}
	least, most := 0.0, 0.0
	step := func(i int) float64 { // times from 0 to the limit
		if i == 0 {
			return 0
		}
		return math.Ldexp(float64(limit), i-timeSteps)
	}
	for i := range timeSteps {
		longer, atLeast := 0, 0 // sampled benchmarks above this step, and at or above the next
		for _, b := range x.in {
			v := float64(abs(x.At(entry, b)[key]))
			if v > step(i) {
				longer++
			}
			if v >= step(i+1) {
				atLeast++
			}
		}
		_, high := x.bounds(longer, tail/timeSteps)
		low, _ := x.bounds(atLeast, tail/timeSteps)
		most += float64(high) * (step(i+1) - step(i))
		least += float64(low) * (step(i+1) - step(i))
	}
	least = max(least, float64(known))
	most = min(most, float64(known)+float64(open)*float64(limit))
	return Interval{least / 1e9, most / 1e9}
}

func (x *extension) ran(entry, benchmark int) bool {
	return x.Limit[entry*len(x.Benchmarks)+benchmark] > 0
}

// bounds returns bounds on how many of the division's benchmarks have a property, if found of the sample's benchmarks
// have it. Each bound has the given error probability.
func (x *extension) bounds(found int, tail float64) (low, high int) {
	return x.benchmarks - Most(x.size-found, x.size, x.benchmarks, tail), Most(found, x.size, x.benchmarks, tail)
}

// Most returns the largest number of marked benchmarks in the population for which a sample contains at most found
// marked ones with a probability above tail.
func Most(found, sample, all int, tail float64) int {
	low, high := found, all-sample+found
	for low < high {
		middle := (low + high + 1) / 2
		if hypergeometric(found, sample, middle, all) > tail {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// hypergeometric returns the probability that a sample without replacement contains at most found of the marked
// elements. It sums the tail that excludes the mean, because its first term is the largest.
func hypergeometric(found, sample, marked, all int) float64 {
	if float64(found)*float64(all) > float64(sample)*float64(marked) { // count the unmarked elements in the sample
		return 1 - hypergeometric(sample-found-1, sample, all-marked, all)
	}
	least := max(0, sample-(all-marked))
	top := min(found, marked, sample)
	if top < least {
		return 0
	}
	term := math.Exp(choose(marked, top) + choose(all-marked, sample-top) - choose(all, sample))
	sum := 0.0
	for i := top; i >= least && term > 0; i-- {
		sum += term
		// The term for i-1 found follows from the ratio of adjacent terms.
		term *= float64(i) * float64(all-marked-sample+i) / (float64(marked-i+1) * float64(sample-i+1))
	}
	return min(sum, 1)
}

// choose returns the logarithm of the binomial coefficient.
func choose(n, k int) float64 {
	lg := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	return lg(n) - lg(k) - lg(n-k)
}

func abs(v int64) int64 { return max(v, -v) }
