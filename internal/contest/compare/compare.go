package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Run is one build's run.
type Run struct {
	Answer string `json:"answer"` // sat or unsat; empty if undecided
	Ending string `json:"ending"`
	run.Usage
	// Wait is the part of the wall time that the run spent waiting for a CPU because the machine was busy with other
	// work.
	Wait run.Seconds `json:"cpu_wait_ns,omitempty"`
}

func (r Run) wall() time.Duration { return r.WallTimeS.Duration() }
func (r Run) cpu() time.Duration  { return r.CPUTimeS.Duration() }

// Pair holds both builds' runs on one benchmark. Their times are comparable only if they were measured interleaved.
type Pair struct {
	Benchmark   Benchmark `json:"benchmark"`
	A           Run       `json:"a"`
	B           Run       `json:"b"`
	Interleaved bool      `json:"interleaved"`
}

// Options holds the thresholds for a regression.
type Options struct {
	Slower     float64       `json:"slower"`      // tolerated slowdown, as a fraction such as 0.05
	MoreMemory float64       `json:"more_memory"` // tolerated increase in memory, as a fraction
	Alpha      float64       `json:"alpha"`       // significance level after correction
	Lost       int           `json:"lost"`        // number of benchmarks that may be lost
	WallTime   time.Duration `json:"wall_time_ns"`
}

// Finding is a noteworthy difference in one pair.
type Finding struct {
	Kind string `json:"kind"`
	Pair
	Note    string `json:"note,omitempty"`    // reason why it does not count, unlike other findings of its kind
	Command string `json:"command,omitempty"` // command that repeats the second build's run
}

// The kinds of findings, worst first.
const (
	Wrong     = "wrong"
	Disagrees = "disagrees"
	Lost      = "lost"
	Gained    = "gained"
	Slow      = "slow"
)

// The possible notes.
const (
	NoteWrong = "A is wrong" // A is wrong, so the finding is not a regression
	NoteNear  = "near the limit"
)

// Group compares the pairs in a logic or family for which both builds gave the same answer.
type Group struct {
	Logic    string    `json:"logic,omitempty"`  // logic; empty: all logics
	Family   string    `json:"family,omitempty"` // family; empty: all families of the logic
	Pairs    int       `json:"pairs"`
	Measures []Measure `json:"measures,omitempty"` // comparisons of CPU time, wall time and memory
}

// Measure compares one figure. Ratios are the second build's value over the first's.
type Measure struct {
	Name         string  `json:"name"`
	Median       float64 `json:"median_ratio"`
	Mean         float64 `json:"geometric_mean_ratio"`
	RankBiserial float64 `json:"rank_biserial"`
	Tested       bool    `json:"tested"`
	P            float64 `json:"p"`      // 1 if not tested
	Holm         float64 `json:"p_holm"` // p-value corrected for all tests in the report
	Verdict      string  `json:"verdict"`
}

// Near counts the benchmarks lost and gained near the limit, where a build needed nearly all of the time.
type Near struct {
	Lost   int     `json:"lost"`
	Gained int     `json:"gained"`
	P      float64 `json:"p"`
	Holm   float64 `json:"p_holm"`
}

// format names the JSON format of reports. docs/tools/json.md describes it.
const format = "smtpipe/compare/1"

// Report is the result of a comparison.
type Report struct {
	Format    string  `json:"format"`
	A         string  `json:"a"`
	B         string  `json:"b"`
	Options   Options `json:"options"`
	Pairs     []Pair  `json:"pairs"`
	BySeed    []Pair  `json:"by_seed,omitempty"`    // pairs before merging, if there are several seeds
	Available int     `json:"available"`            // number of benchmarks that the sample was drawn from
	CoreHours float64 `json:"core_hours,omitempty"` // budget; 0: unlimited
	LeftOut   int     `json:"left_out"`             // number of sampled benchmarks that the budget did not cover
	// Answered is the number of benchmarks that either build answered; if it is 0, nothing is compared.
	Answered int       `json:"answered"`
	Solved   [2]int    `json:"solved"` // answers not known to be wrong, by A and by B
	Findings []Finding `json:"findings"`
	Near     Near      `json:"near_limit"`
	// Stability is the result over several seeds, or nil if there was only one.
	Stability  *Stability `json:"stability,omitempty"`
	Groups     []Group    `json:"groups"`
	Look       []Finding  `json:"look"`
	Reasons    []string   `json:"reasons"` // reasons why it is a regression
	Regression bool       `json:"regression"`
	Better     bool       `json:"better"` // whether B answers more and loses nothing
}

// NearLimit is a fraction of the wall time limit. A run that needed more may miss the limit by chance.
const NearLimit = 0.8

const (
	leastPairs = 6 // with fewer pairs, no outcome is significant at 0.05
	toLook     = 10
	tick       = time.Millisecond      // shorter times are rounded up to a tick
	worthALook = 50 * time.Millisecond // a smaller loss is noise in a group that is not slower
)

// measures lists the compared figures, with verbs for an increase and a decrease.
var measures = []struct {
	name, more, less string
	of               func(Run) float64
}{
	{"CPU time", "slower", "faster", func(r Run) float64 { return float64(max(r.cpu(), tick)) }},
	{"wall time", "slower", "faster", func(r Run) float64 { return float64(max(r.wall(), tick)) }},
	{"memory", "more", "less", func(r Run) float64 { return float64(max(r.MemoryBytes, 1)) }},
}

// Compare returns the report on the pairs. Pairs on the same benchmark must differ in their seeds.
func Compare(pairs []Pair, opt Options) *Report {
	var stability *Stability
	var seeded []Pair
	if slices.ContainsFunc(pairs, func(p Pair) bool { return p.Benchmark.Seed != 0 }) {
		seeded = pairs
		pairs, stability = BySeeds(pairs)
	}
	r := &Report{Stability: stability, Format: format, Options: opt, Pairs: pairs, BySeed: seeded,
		Findings: []Finding{}, Look: []Finding{}, Reasons: []string{}}
	groups := map[[2]string][]Pair{{}: nil}
	var slow []Finding
	for _, p := range pairs {
		if p.A.Answer != "" || p.B.Answer != "" {
			r.Answered++
		}
		for i, run := range []Run{p.A, p.B} {
			if run.Answer != "" && !p.wrong(run) {
				r.Solved[i]++
			}
		}
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
		if p.slower() > 0 {
			slow = append(slow, Finding{Kind: Slow, Pair: p})
		}
	}
	slices.SortStableFunc(r.Findings, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.rank(), y.rank()), cmp.Compare(x.Benchmark.Path, y.Benchmark.Path))
	})
	r.test(groups)
	r.look(slow)
	r.decide()
	return r
}

// wrong reports whether a run contradicts the status.
func (p Pair) wrong(run Run) bool {
	return comp.Answer(run.Answer).Contradicts(comp.Status(p.Benchmark.Status))
}

// slower returns how much more time B needed, in CPU time or wall time, whichever is larger.
func (p Pair) slower() time.Duration { return max(p.B.cpu()-p.A.cpu(), p.B.wall()-p.A.wall()) }

// rank orders findings by kind; those that count precede others of their kind.
func (f Finding) rank() int {
	rank := 2 * slices.Index([]string{Wrong, Disagrees, Lost, Gained, Slow}, f.Kind)
	if f.Note != "" {
		rank++
	}
	return rank
}

// find returns a pair's finding, if any: wrong, lost or gained.
func find(p Pair, opt Options) (Finding, bool) {
	f := Finding{Pair: p}
	if p.wrong(p.A) {
		f.Note = NoteWrong
	}
	near := func(r Run) bool { return float64(r.wall()) > NearLimit*float64(opt.WallTime) }
	switch {
	case p.wrong(p.B):
		f.Kind = Wrong
	case p.A.Answer != "" && p.B.Answer != "" && p.A.Answer != p.B.Answer:
		f.Kind = Disagrees
	case p.A.Answer != "" && p.B.Answer == "":
		f.Kind = Lost
		if near(p.A) {
			f.Note = cmp.Or(f.Note, NoteNear)
		}
	case p.A.Answer == "" && p.B.Answer != "":
		f.Kind = Gained
		if near(p.B) {
			f.Note = NoteNear
		}
	default:
		return f, false
	}
	return f, true
}

// look chooses the findings to inspect: those that count, then the pairs that lost the most time, excluding noise and
// starting with slower groups, then findings with a note.
func (r *Report) look(slow []Finding) {
	claimed := map[[2]string]bool{}
	for _, g := range r.Groups {
		for _, m := range g.Measures {
			if m.Verdict == "slower" {
				claimed[[2]string{g.Logic, g.Family}] = true
			}
		}
	}
	in := func(f Finding) int {
		b := f.Benchmark
		switch {
		case claimed[[2]string{b.Logic, b.Family}]:
			return 0
		case claimed[[2]string{b.Logic}]:
			return 1
		}
		return 2
	}
	slow = slices.DeleteFunc(slow, func(f Finding) bool { return in(f) == 2 && f.slower() < worthALook })
	slices.SortStableFunc(slow, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(in(x), in(y)), cmp.Compare(y.slower(), x.slower()),
			cmp.Compare(x.Benchmark.Path, y.Benchmark.Path))
	})
	var count, noted []Finding
	for _, f := range r.Findings {
		switch {
		case f.Kind == Gained:
		case f.Note == "":
			count = append(count, f)
		default:
			noted = append(noted, f)
		}
	}
	all := slices.Concat(count, slow, noted)
	r.Look = append(r.Look, all[:min(toLook, len(all))]...)
}

// test tests the figures of all groups, and the losses and gains near the limit.
func (r *Report) test(groups map[[2]string][]Pair) {
	for _, f := range r.Findings {
		switch {
		case f.Note == NoteNear && f.Kind == Lost:
			r.Near.Lost++
		case f.Note == NoteNear && f.Kind == Gained:
			r.Near.Gained++
		}
	}
	r.Near.P = sign(r.Near.Lost, r.Near.Gained)
	r.Groups = []Group{}
	// Skip duplicates: a logic with one family equals that family, and a single logic equals the total.
	for k, pairs := range groups {
		if k[1] != "" && len(groups[[2]string{k[0]}]) == len(pairs) {
			delete(groups, [2]string{k[0]})
		}
		if k[0] != "" && len(groups[[2]string{}]) == len(pairs) {
			delete(groups, [2]string{})
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(groups), compareKeys) {
		g := Group{Logic: k[0], Family: k[1], Pairs: len(groups[k])}
		if g.Pairs > 0 {
			g.measure(groups[k])
		}
		r.Groups = append(r.Groups, g)
	}
	p := []float64{r.Near.P}
	holmTo := []*float64{&r.Near.Holm}
	for _, g := range r.Groups {
		for i := range g.Measures {
			if m := &g.Measures[i]; m.Tested {
				p, holmTo = append(p, m.P), append(holmTo, &m.Holm)
			}
		}
	}
	if s := r.Stability; s != nil && s.Fewer+s.More >= leastPairs {
		p, holmTo = append(p, s.P), append(holmTo, &s.Holm)
	}
	if r.Near.Lost+r.Near.Gained < leastPairs { // too few to test
		r.Near.Holm, p, holmTo = 1, p[1:], holmTo[1:]
	}
	for i, c := range holm(p) {
		*holmTo[i] = c
	}
	for _, g := range r.Groups {
		for i := range g.Measures {
			g.Measures[i].judge(i, r.Options)
		}
	}
}

// judge returns the verdict on the i-th measure.
func (m *Measure) judge(i int, opt Options) {
	least := opt.Slower
	if measures[i].name == "memory" {
		least = opt.MoreMemory
	}
	switch {
	case !m.Tested:
		m.Verdict = "too few"
	case m.Holm < opt.Alpha && m.Median > 1+least:
		m.Verdict = measures[i].more
	case m.Holm < opt.Alpha && m.Median < 1/(1+least):
		m.Verdict = measures[i].less
	default:
		m.Verdict = "no claim"
	}
}

// busy counts the pairs measured while the machine was busy with other work.
func busy(pairs []Pair) (n int) {
	for _, p := range pairs {
		if p.A.busy() || p.B.busy() {
			n++
		}
	}
	return n
}

// busy reports whether a run waited for at least a twentieth of its time.
func (r Run) busy() bool { return r.Wait.Duration() > max(r.wall()/20, tick) }

// undisturbed returns the wall time minus the time spent waiting for a CPU. It replaces the wall time in groups where
// more than a tenth of the pairs were disturbed.
func (r Run) undisturbed() float64 { return float64(max(r.wall()-r.Wait.Duration(), tick)) }

func (g *Group) measure(pairs []Pair) {
	busy := busy(pairs) > len(pairs)/10
	for _, kind := range measures {
		if busy && kind.name == "wall time" {
			kind.name, kind.of = "wall time less waits", Run.undisturbed
		}
		var ratios []float64
		var sum float64
		for _, p := range pairs {
			x := math.Log(kind.of(p.B) / kind.of(p.A))
			ratios = append(ratios, x)
			sum += x
		}
		m := Measure{Name: kind.name, Median: math.Exp(median(ratios)), Mean: math.Exp(sum / float64(len(ratios))),
			P: 1, Holm: 1, Tested: g.Pairs >= leastPairs}
		p, effect := signedRank(ratios)
		m.RankBiserial = effect
		if m.Tested {
			m.P = p
		}
		g.Measures = append(g.Measures, m)
	}
}

// decide records the reasons if this is a regression. A build that answers more and loses nothing is not, whatever its
// times.
func (r *Report) decide() {
	count, all := map[string]int{}, map[string]int{}
	for _, f := range r.Findings {
		all[f.Kind]++
		if f.Note == "" {
			count[f.Kind]++
		}
	}
	say := func(format string, args ...any) { r.Reasons = append(r.Reasons, fmt.Sprintf(format, args...)) }
	if n := count[Wrong]; n > 0 {
		say("wrong answers: %d", n)
	}
	if n := count[Disagrees]; n > 0 {
		say("disagreements: %d", n)
	}
	if n := count[Lost]; n > r.Options.Lost {
		say("lost: %d, allowed %d", n, r.Options.Lost)
	}
	if n := r.Near; n.Holm < r.Options.Alpha && n.Lost > n.Gained {
		say("near the limit: %d lost, %d gained, p %.2g", n.Lost, n.Gained, n.Holm)
	}
	if s := r.Stability; s != nil && s.Holm < r.Options.Alpha && s.Fewer > s.More {
		say("stability: %d unstable benchmarks are answered for fewer seeds, %d for more, p %.2g", s.Fewer, s.More, s.Holm)
	}
	for _, g := range r.Groups {
		for i, m := range g.Measures {
			if m.Verdict == measures[i].more {
				say("%s of %s: %s, median ratio %.3f, p %.2g", m.Name, g.Name(), m.Verdict, m.Median, m.Holm)
			}
		}
	}
	r.Better = all[Gained] > 0 && all[Wrong]+all[Disagrees]+all[Lost] == 0 &&
		(r.Stability == nil || r.Stability.Fewer == 0)
	r.Regression = len(r.Reasons) > 0 && !r.Better
}

// Slower selects the benchmarks in groups that need more CPU time: slower families, or else slower logics, or else all
// benchmarks.
func (r *Report) Slower() func(Benchmark) bool {
	slow := map[[2]string]bool{}
	for _, g := range r.Groups {
		for i, m := range g.Measures {
			if i == 0 && m.Verdict == measures[0].more {
				slow[[2]string{g.Logic, g.Family}] = true
			}
		}
	}
	of := func(b Benchmark) [][2]string { return [][2]string{{b.Logic, b.Family}, {b.Logic}, {}} }
	for level := range of(Benchmark{}) {
		in := func(b Benchmark) bool { return slow[of(b)[level]] }
		if slices.ContainsFunc(r.Pairs, func(p Pair) bool { return in(p.Benchmark) }) {
			return in
		}
	}
	return func(Benchmark) bool { return false }
}

// Name returns a group's logic and family.
func (g Group) Name() string {
	switch {
	case g.Logic == "":
		return "all"
	case g.Family == "":
		return g.Logic
	}
	return g.Logic + "/" + g.Family
}
