package compare

import (
	"cmp"
	"slices"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Spread is both builds' results on a benchmark under several seeds.
type Spread struct {
	Benchmark string `json:"benchmark"`
	Seeds     int    `json:"seeds"`
	A         int    `json:"a"` // number of seeds under which the build's answer is not known to be wrong
	B         int    `json:"b"`
	Class     string `json:"class"` // stable, unstable, lost or gained
}

// share returns B's share of answered seeds minus A's, between -1 and 1.
func (s Spread) share() float64 { return float64(s.B-s.A) / float64(s.Seeds) }

// The possible classes of a benchmark under several seeds. A build is stable on a benchmark if it answers under all
// seeds or none. Mariposa (Zhou, Bosamiya, Takashima, Li, Heule, Parno: "Mariposa: Measuring SMT Instability in
// Automated Program Verification", FMCAD 2023) calls a query unstable if only some of its mutations are solved.
const (
	Stable   = "stable"   // each build answers under all seeds or none, and both agree
	Unstable = "unstable" // a build answers under some seeds only
	// Lost means that A answers under all seeds and B under none; Gained is the reverse.
)

// Stability compares on how many benchmarks each build answers under fewer seeds than the other.
type Stability struct {
	Seeds     int      `json:"seeds"` // maximum number of seeds per benchmark
	Stable    int      `json:"stable"`
	UnstableA int      `json:"unstable_a"` // number of benchmarks that A answers under some seeds only
	UnstableB int      `json:"unstable_b"`
	Fewer     int      `json:"fewer"` // number of unstable benchmarks that B answers under fewer seeds than A
	More      int      `json:"more"`
	P         float64  `json:"p"`
	Holm      float64  `json:"p_holm"`
	Spreads   []Spread `json:"spreads"` // benchmarks that are not stable, worst first
}

// FirstSeeds is the number of seeds that suffice for a benchmark if all runs agree.
const FirstSeeds = 3

// Agree reports whether each build's runs agree under all seeds, which makes more seeds unnecessary.
func Agree(pairs []Pair) bool {
	s := spreadOf(pairs)
	return s.Class == Stable && !slices.ContainsFunc(pairs, bad)
}

// spreadOf counts the seeds under which each build answers a benchmark.
func spreadOf(pairs []Pair) Spread {
	s := Spread{Benchmark: pairs[0].Benchmark.Path, Seeds: len(pairs)}
	for _, p := range pairs {
		if p.A.Answer != "" && !p.wrong(p.A) {
			s.A++
		}
		if p.B.Answer != "" && !p.wrong(p.B) {
			s.B++
		}
	}
	n := s.Seeds
	switch {
	case s.A == s.B && (s.A == 0 || s.A == n):
		s.Class = Stable
	case s.A == n && s.B == 0:
		s.Class = Lost
	case s.A == 0 && s.B == n:
		s.Class = Gained
	default:
		s.Class = Unstable
	}
	return s
}

// bad reports whether a pair's answers are a finding, whatever the other seeds.
func bad(p Pair) bool {
	return p.wrong(p.A) || p.wrong(p.B) || p.A.Answer != "" && p.B.Answer != "" && p.A.Answer != p.B.Answer
}

// BySeeds merges the pairs of each benchmark, which differ in their seeds, and measures the builds' stability. A wrong
// answer under any seed makes the merged answer wrong. Times are medians over the seeds under which both builds
// answered.
func BySeeds(all []Pair) ([]Pair, *Stability) {
	by := map[string][]Pair{}
	var paths []string
	for _, p := range all {
		if by[p.Benchmark.Path] == nil {
			paths = append(paths, p.Benchmark.Path)
		}
		by[p.Benchmark.Path] = append(by[p.Benchmark.Path], p)
	}
	var merged []Pair
	st := &Stability{Holm: 1, Spreads: []Spread{}}
	for _, path := range paths {
		pairs := by[path]
		s := spreadOf(pairs)
		merged = append(merged, merge(pairs, s))
		st.add(s)
	}
	st.P = sign(st.Fewer, st.More)
	slices.SortFunc(st.Spreads, func(x, y Spread) int {
		return cmp.Or(cmp.Compare(x.share(), y.share()), cmp.Compare(x.Benchmark, y.Benchmark))
	})
	return merged, st
}

func (st *Stability) add(s Spread) {
	st.Seeds = max(st.Seeds, s.Seeds)
	if s.Class == Stable {
		st.Stable++
		return
	}
	st.Spreads = append(st.Spreads, s)
	if s.A > 0 && s.A < s.Seeds {
		st.UnstableA++
	}
	if s.B > 0 && s.B < s.Seeds {
		st.UnstableB++
	}
	switch {
	case s.Class != Unstable:
	case s.B < s.A:
		st.Fewer++
	case s.B > s.A:
		st.More++
	}
}

// merge merges a benchmark's pairs into one.
func merge(pairs []Pair, s Spread) Pair {
	if i := slices.IndexFunc(pairs, bad); i >= 0 {
		return pairs[i]
	}
	var both []Pair
	for _, p := range pairs {
		if p.A.Answer != "" && p.B.Answer != "" {
			both = append(both, p)
		}
	}
	p := pairs[0]
	switch {
	case s.Class == Lost: // near the limit if any seed's pair is
		p.A = slowest(pairs, func(p Pair) Run { return p.A })
	case s.Class == Gained:
		p.B = slowest(pairs, func(p Pair) Run { return p.B })
	case len(both) > 0:
		p = both[0]
		p.Benchmark.Seed = 0
		p.Interleaved = !slices.ContainsFunc(both, func(p Pair) bool { return !p.Interleaved })
		p.A.Usage = medians(both, func(p Pair) Run { return p.A })
		p.B.Usage = medians(both, func(p Pair) Run { return p.B })
	default: // a build that answers under some seeds only is a matter of stability
		p.A.Answer, p.B.Answer = "", ""
	}
	return p
}

func slowest(pairs []Pair, of func(Pair) Run) Run {
	return of(slices.MaxFunc(pairs, func(x, y Pair) int { return cmp.Compare(of(x).wall(), of(y).wall()) }))
}

// medians returns the median of each figure.
func medians(pairs []Pair, of func(Pair) Run) run.Usage {
	figure := func(value func(Run) float64) float64 {
		var all []float64
		for _, p := range pairs {
			all = append(all, value(of(p)))
		}
		return median(all)
	}
	return run.Usage{
		WallTimeS:   run.SecondsOf(time.Duration(figure(func(r Run) float64 { return float64(r.wall()) }))),
		CPUTimeS:    run.SecondsOf(time.Duration(figure(func(r Run) float64 { return float64(r.cpu()) }))),
		MemoryBytes: int64(figure(func(r Run) float64 { return float64(r.MemoryBytes) })),
	}
}
