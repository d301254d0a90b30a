package compare

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// Run is what one build did.
type Run struct {
	Answer   string        `json:"answer"` // sat, unsat, or empty: none that decides
	Ending   string        `json:"ending"`
	WallTime time.Duration `json:"wall_time_ns"`
	CPUTime  time.Duration `json:"cpu_time_ns"`
	Memory   int64         `json:"memory_bytes"`
}

// Pair is both builds on one benchmark. Its times may be compared only if they were measured interleaved.
type Pair struct {
	Benchmark   Benchmark `json:"benchmark"`
	A           Run       `json:"a"`
	B           Run       `json:"b"`
	Interleaved bool      `json:"interleaved"`
}

// Options are the thresholds of a regression.
type Options struct {
	Slower   float64       `json:"slower"` // share of time, as 0.05
	Alpha    float64       `json:"alpha"`  // level of significance, after correction
	Lost     int           `json:"lost"`   // benchmarks that may be lost
	WallTime time.Duration `json:"wall_time_ns"`
}

// Finding is a pair worth reporting.
type Finding struct {
	Kind string `json:"kind"`
	Pair
	// Excused findings are no regression: the first build was wrong too, or needed nearly all of its time.
	Excused bool   `json:"excused,omitempty"`
	Command string `json:"command,omitempty"` // repeats the second build's run
}

// The kinds of findings, the worst first.
const (
	Wrong     = "wrong"
	Disagrees = "disagrees"
	Lost      = "lost"
	Slow      = "slow"
	Gained    = "gained"
)

// Group compares the times of the pairs of a logic or family in which both builds gave the same answer. Ratios are of
// the second build to the first.
type Group struct {
	Logic        string  `json:"logic,omitempty"`  // empty: all
	Family       string  `json:"family,omitempty"` // empty: all of the logic
	Time         string  `json:"time"`             // CPU or wall
	Pairs        int     `json:"pairs"`
	Median       float64 `json:"median_ratio"`
	Mean         float64 `json:"geometric_mean_ratio"`
	Memory       float64 `json:"median_memory_ratio"`
	RankBiserial float64 `json:"rank_biserial"`
	Tested       bool    `json:"tested"`
	P            float64 `json:"p"`      // 1 if not tested
	Holm         float64 `json:"p_holm"` // corrected for all groups that were tested
	Verdict      string  `json:"verdict"`
}

// Report is what a comparison finds.
type Report struct {
	A          string    `json:"a"`
	B          string    `json:"b"`
	Options    Options   `json:"options"`
	Pairs      int       `json:"pairs"`
	Findings   []Finding `json:"findings"` // wrong, disagrees, lost, gained
	Groups     []Group   `json:"groups"`
	Look       []Finding `json:"look"`
	Reasons    []string  `json:"reasons"` // why it is a regression
	Regression bool      `json:"regression"`
}

const (
	leastPairs = 6   // with fewer, no outcome is significant at 0.05
	nearLimit  = 0.8 // of the wall time: a build that needed more may miss the limit by chance
	toLook     = 10
	tick       = time.Millisecond // CPU times below are taken as this
)

// The times that are compared.
const (
	CPU  = "CPU"
	Wall = "wall"
)

// of returns the CPU time or the wall time of a run, 1 ms at least.
func (r Run) of(time string) float64 {
	if time == Wall {
		return float64(max(r.WallTime, tick))
	}
	return float64(max(r.CPUTime, tick))
}

// Class names what became of the pair, in a word or two.
func (p Pair) Class() string {
	f, found := find(p, Options{})
	switch {
	case found:
		return f.Kind
	case p.A.Answer == "":
		return "no answer"
	}
	return "same answer"
}

// Compare says what the pairs show.
func Compare(pairs []Pair, opt Options) *Report {
	r := &Report{Options: opt, Pairs: len(pairs), Findings: []Finding{}, Look: []Finding{}, Reasons: []string{}}
	groups := map[[2]string][]Pair{{}: nil}
	var slow []Finding
	for _, p := range pairs {
		if f, ok := find(p, opt); ok {
			r.Findings = append(r.Findings, f)
			continue
		}
		if p.A.Answer == "" || !p.Interleaved {
			continue
		}
		b := p.Benchmark
		for _, k := range slices.Compact([][2]string{{}, {b.Logic}, {b.Logic, b.Family}}) {
			groups[k] = append(groups[k], p)
		}
		if slowdown(p) > 0 {
			slow = append(slow, Finding{Kind: Slow, Pair: p})
		}
	}
	order := []string{Wrong, Disagrees, Lost, Gained}
	slices.SortStableFunc(r.Findings, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(order, x.Kind), slices.Index(order, y.Kind)),
			cmp.Compare(x.Benchmark.Path, y.Benchmark.Path))
	})
	maps.DeleteFunc(groups, func(k [2]string, pairs []Pair) bool { // the same pairs are tested once
		parent := [2]string{k[0], ""}
		if k[1] == "" {
			parent = [2]string{}
		}
		return k != [2]string{} && len(pairs) == len(groups[parent])
	})
	r.Groups = test(groups, opt)
	slices.SortStableFunc(slow, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(slowdown(y.Pair), slowdown(x.Pair)),
			cmp.Compare(x.Benchmark.Path, y.Benchmark.Path))
	})
	for _, f := range slices.Concat(r.Findings, slow) {
		if f.Kind != Gained && len(r.Look) < toLook {
			r.Look = append(r.Look, f)
		}
	}
	r.decide()
	return r
}

// slowdown is by how much longer the second build took, in CPU time or wall time.
func slowdown(p Pair) time.Duration {
	return max(p.B.CPUTime-p.A.CPUTime, p.B.WallTime-p.A.WallTime)
}

// find tells what is wrong, lost or gained in a pair.
func find(p Pair, opt Options) (Finding, bool) {
	status := p.Benchmark.Status
	wrong := func(run Run) bool {
		return run.Answer != "" && (status == "sat" || status == "unsat") && run.Answer != status
	}
	switch {
	case wrong(p.B):
		return Finding{Kind: Wrong, Pair: p, Excused: wrong(p.A)}, true
	case p.A.Answer != "" && p.B.Answer != "" && p.A.Answer != p.B.Answer:
		return Finding{Kind: Disagrees, Pair: p, Excused: wrong(p.A)}, true
	case p.A.Answer != "" && p.B.Answer == "":
		near := float64(p.A.WallTime) > nearLimit*float64(opt.WallTime)
		return Finding{Kind: Lost, Pair: p, Excused: near || wrong(p.A)}, true
	case p.A.Answer == "" && p.B.Answer != "":
		return Finding{Kind: Gained, Pair: p}, true
	}
	return Finding{}, false
}

// test compares the times of all groups.
func test(groups map[[2]string][]Pair, opt Options) []Group {
	keys := slices.SortedFunc(maps.Keys(groups), func(x, y [2]string) int {
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
	all := []Group{}
	var p []float64
	for _, k := range keys {
		for _, time := range []string{CPU, Wall} {
			g := Group{Logic: k[0], Family: k[1], Time: time, Pairs: len(groups[k]), P: 1, Holm: 1, Verdict: "too few"}
			if g.Pairs > 0 {
				g.measure(groups[k])
			}
			if g.Tested {
				p = append(p, g.P)
			}
			all = append(all, g)
		}
	}
	corrected := holm(p)
	for i := range all {
		g := &all[i]
		if !g.Tested {
			continue
		}
		g.Holm, corrected = corrected[0], corrected[1:]
		switch {
		case g.Holm < opt.Alpha && g.Median > 1+opt.Slower:
			g.Verdict = "slower"
		case g.Holm < opt.Alpha && g.Median < 1/(1+opt.Slower):
			g.Verdict = "faster"
		default:
			g.Verdict = "no claim"
		}
	}
	return all
}

func (g *Group) measure(pairs []Pair) {
	var times, memory []float64
	var sum float64
	for _, p := range pairs {
		x := math.Log(p.B.of(g.Time) / p.A.of(g.Time))
		times = append(times, x)
		memory = append(memory, float64(max(p.B.Memory, 1))/float64(max(p.A.Memory, 1)))
		sum += x
	}
	g.Median, g.Mean = math.Exp(median(times)), math.Exp(sum/float64(len(times)))
	g.Memory = median(memory)
	p, effect := signedRank(times)
	g.RankBiserial = effect
	if g.Tested = g.Pairs >= leastPairs; g.Tested {
		g.P = p
	}
}
