package confidence

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestMost uses numbers computed by hand. A sample of 2 from 4 finds none: with 2 marked, that happens in 1 of the
// C(4,2) = 6 samples; with 3, never. A sample of 5 from 10 finds none: with 1 marked in C(9,5)/C(10,5) = 126/252, with
// 4 in C(6,5)/252 = 6/252 = 0.0238, with 3 in C(7,5)/252 = 21/252 = 0.0833.
func TestMost(t *testing.T) {
	tests := []struct {
		found, sample, all int
		tail               float64
		want               int
	}{
		{0, 2, 4, 0.025, 2},
		{0, 2, 4, 0.2, 1},
		{0, 5, 10, 0.025, 3},
		{0, 5, 10, 0.023, 4},
		{0, 5, 10, 0.4, 1},
		{5, 5, 10, 0.025, 10},
		{0, 0, 10, 0.025, 10}, // an empty sample
		{3, 10, 10, 0.025, 3}, // a complete sample
	}
	for _, tt := range tests {
		if got := Most(tt.found, tt.sample, tt.all, tt.tail); got != tt.want {
			t.Errorf("Most(%d of %d, %d, %v) = %d, want %d", tt.found, tt.sample, tt.all, tt.tail, got, tt.want)
		}
	}
}

// TestHypergeometric compares with sums of exact binomial coefficients, including a sum with a term below 1e-308.
func TestHypergeometric(t *testing.T) {
	for _, tt := range [][4]int{{1, 2, 2, 4}, {0, 5, 4, 10}, {1980, 2000, 7000, 12000}, {20, 2000, 7000, 12000},
		{1160, 2000, 7000, 12000}, {1100, 2000, 7000, 12000}, {5, 5, 3, 10}, {2000, 2000, 12000, 12000},
		{-1, 5, 3, 10}} {
		found, sample, marked, all := tt[0], tt[1], tt[2], tt[3]
		sum := new(big.Int)
		for i := max(0, sample-(all-marked)); i <= min(found, marked, sample); i++ {
			x := new(big.Int).Binomial(int64(marked), int64(i))
			sum.Add(sum, x.Mul(x, new(big.Int).Binomial(int64(all-marked), int64(sample-i))))
		}
		want, _ := new(big.Rat).SetFrac(sum, new(big.Int).Binomial(int64(all), int64(sample))).Float64()
		if got := hypergeometric(found, sample, marked, all); math.Abs(got-want) > 1e-7 {
			t.Errorf("at most %d of %d, %d of %d marked: %v, want %v", found, sample, marked, all, got, want)
		}
	}
}

// TestEarlyOf extrapolates two solvers' runs to 4 benchmarks. a and b are the sample; c has also been run.
func TestEarlyOf(t *testing.T) {
	keys := []score.Key{{Column: "e"}, {Column: "n", Desc: true}, {Column: "w"}}
	p := points(keys, []string{"a", "b", "c", "d"},
		[]run{{0, 1, 2e9}, {0, 1, 3e9}, {0, 1, 8e9}, {}},
		[]run{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {}})
	for i := range p.Limit {
		if p.Limit[i] = 16e9; i%4 == 3 {
			p.Limit[i] = 0 // d has not been run
		}
	}
	r := EarlyOf(p, map[string]bool{"a": true, "b": true}, 4)
	if r.Benchmarks != 4 || r.Sample != 2 || r.Clock != "w" {
		t.Errorf("%+v, want 2 of 4 benchmarks and wall time", r)
	}
	// The sample alone allows up to 2 more of either kind. c narrows this by one: the first solver has 3 or 4 correct
	// answers, and the second at most 1.
	first, second := r.Entries[0], r.Entries[1]
	if first.Correct != (Interval{3, 4}) || second.Correct != (Interval{0, 1}) || first.Errors != (Interval{0, 1}) {
		t.Errorf("%+v and %+v, want 3 to 4 and 0 to 1 correct answers, and 0 to 1 wrong ones", first, second)
	}
	// 13 s are known, and d may take up to 16 s.
	if first.Time95 != (Interval{13, 29}) || second.Time95 != (Interval{0, 16}) {
		t.Errorf("times %v and %v, want 13 to 29 and 0 to 16", first.Time95, second.Time95)
	}
	// Unless an answer on d is wrong, the first solver leads.
	if first.Best != 1 || first.Worst != 1 || second.Best != 2 || second.Place != 2 || second.Worst != 2 {
		t.Errorf("places %+v and %+v, want 1 and 2", first, second)
	}
	for i := range p.Limit {
		p.Limit[i] = 16e9
	}
	r = EarlyOf(p, map[string]bool{"a": true, "b": true}, 4)
	first, second = r.Entries[0], r.Entries[1]
	if first.Worst != 1 || second.Best != 2 || first.Correct != (Interval{3, 3}) {
		t.Errorf("all runs done: %+v and %+v, want 3 correct answers and places 1 and 2", first, second)
	}
	p.At(0, 0)[1] = 2
	if r := EarlyOf(p, map[string]bool{"a": true}, 4); r != nil {
		t.Errorf("%+v for a benchmark with two correct answers, want nothing", r)
	}
}

// TestEarlyOfficial predicts intervals from the 5 % of the 2022 runs that a seed selects. Over 100 seeds, the intervals
// must contain the final scores and places at least 93 times, and those of each solver and division at least 85 times.
func TestEarlyOfficial(t *testing.T) {
	testkit.Long(t)
	const seeds = 100
	type tally struct{ held, all int }
	sums := map[string]*tally{}
	count := func(of string, held bool) bool {
		s := sums[of]
		if s == nil {
			s = &tally{}
			sums[of] = s
		}
		s.all++
		if held {
			s.held++
		}
		return held
	}
	least := map[string]int{"e": seeds, "n": seeds, "time": seeds, "place": seeds}
	var width, narrow tally
	official(t, "2022-single-query", func(p *score.Points) error {
		if p.Ranking.View != "par" {
			return nil
		}
		final := finals(p)
		held := make([]map[string]int, len(final))
		for i := range held {
			held[i] = map[string]int{}
		}
		for seed := range uint64(seeds) {
			sample := map[string]bool{}
			early := *p // including the sample's runs
			early.Values, early.Limit = make([]int64, len(p.Values)), make([]int64, len(p.Limit))
			for b, name := range p.Benchmarks {
				if !comp.InEarlySample(drawn(seed, name)) {
					continue
				}
				sample[name] = true
				for i := range final {
					copy(early.At(i, b), p.At(i, b))
					early.Limit[i*len(p.Benchmarks)+b] = p.Limit[i*len(p.Benchmarks)+b]
				}
			}
			r := EarlyOf(&early, sample, len(p.Benchmarks))
			if r == nil && len(sample) == 0 {
				continue
			}
			known := true // all wrong answers are known
			for i := range r.Entries {
				known = known && float64(r.Entries[i].Wrong) == final[i].e
			}
			for i := range r.Entries {
				e, want := &r.Entries[i], &final[i]
				for of, ok := range map[string]bool{
					"e":    within(e.Errors, want.e),
					"n":    within(e.Correct, want.n),
					"time": r.Clock == "" || within(Interval{e.Time95.Low - 1e-6, e.Time95.High + 1e-6}, want.time),
					"place": e.Worst == 0 || !known || e.Best <= p.Ranking.Entries[i].Rank &&
						p.Ranking.Entries[i].Rank <= e.Worst,
				} {
					if count(of, ok) {
						held[i][of]++
					}
				}
				if width.all++; e.Correct.High-e.Correct.Low < 0.2*float64(r.Benchmarks) {
					width.held++
				}
				if narrow.all++; e.Worst-e.Best < len(r.Entries)/2 {
					narrow.held++
				}
			}
		}
		for i := range held {
			for of := range least {
				least[of] = min(least[of], held[i][of])
			}
		}
		return nil
	})
	for _, of := range []string{"e", "n", "time", "place"} {
		s := sums[of]
		t.Logf("%s: held %d of %d (%.2f %%), at least %d of %d of one solver", of, s.held, s.all,
			100*float64(s.held)/float64(s.all), least[of], seeds)
		if s.held*100 < s.all*93 || least[of] < 85 {
			t.Errorf("%s: held %d of %d, at least %d of one solver", of, s.held, s.all, least[of])
		}
	}
	t.Logf("n within a fifth of the benchmarks: %d of %d; places within half of the solvers: %d of %d", width.held,
		width.all, narrow.held, narrow.all)
}

type final struct{ e, n, time float64 }

// finals returns the scores over all runs.
func finals(p *score.Points) []final {
	out := make([]final, len(p.Ranking.Entries))
	for i := range out {
		c := &p.Ranking.Entries[i].Cell
		out[i] = final{float64(c.Errors), float64(c.Correct), c.Wall.Seconds()}
		if !slices.ContainsFunc(p.Order, func(k score.Key) bool { return k.Column == "w" }) {
			out[i].time = c.CPU.Seconds()
		}
	}
	return out
}

func within(i Interval, v float64) bool { return i.Low <= v && v <= i.High }

// drawn stands in for a script's digest, which depends on the competition's seed.
func drawn(seed uint64, benchmark string) [sha256.Size]byte {
	return sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, seed), benchmark...))
}
