package builds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/smtpipe/smtpipe/internal/contest/bisect"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// Candidate is a build that a bisection can try.
type Candidate struct {
	Name string
	// Open finds or builds the candidate. On a NotBuiltError, the bisection skips it.
	Open func(ctx context.Context) (*Build, error)
}

// NotBuiltError explains why a candidate cannot be tried.
type NotBuiltError struct{ error }

// Unwrap returns the cause.
func (e NotBuiltError) Unwrap() error { return e.error }

// Bisection looks for the first bad build in a list that starts with a good build and ends with a bad one.
type Bisection struct {
	Lab        *Lab
	Candidates []Candidate
	Sample     []compare.Benchmark
	AtOnce     int        // number of runs after which a test is evaluated again
	Say        func(Step) // called after each step
}

// Step is the result of a bisection for one build.
type Step struct {
	Build      string         `json:"build"`
	Verdict    bisect.Verdict `json:"verdict"`
	Runs       int            `json:"runs"`
	LikeBad    int            `json:"like_bad"`      // number of these runs that were like the bad build's
	Confidence float64        `json:"confidence"`    // confidence in the verdict
	Why        string         `json:"why,omitempty"` // reason why the build was skipped
}

// Bisected is the result of a bisection.
type Bisected struct {
	Format     string   `json:"format"`
	LastGood   string   `json:"last_good"`
	First      []string `json:"first_bad"` // candidates for the first bad build
	Confidence float64  `json:"confidence"`
	Builds     int      `json:"builds"` // number of builds in the list
	Runs       int      `json:"runs"`   // number of executed runs
	// By is the measure in which the first and the last build differ: answers or cpu_time.
	By      string `json:"by"`
	LeftOut int    `json:"left_out"`     // number of benchmarks that did not run on both builds for lack of budget
	Spent   bool   `json:"budget_spent"` // whether the search ended because the budget was spent
	Steps   []Step `json:"steps"`
	// Differ lists runs in which the first (good) and the last (bad) build differ.
	Differ []compare.Finding `json:"differ"`
	// Build is the first bad build, or the last candidate for it.
	Build *Build `json:"-"`
}

const bisectFormat = "smtpipe/bisect/1"

// Find looks for the first bad build.
func (x *Bisection) Find(ctx context.Context) (*Bisected, error) {
	out := &Bisected{Format: bisectFormat, Builds: len(x.Candidates), Confidence: 1}
	last := len(x.Candidates) - 1
	good, err := x.Candidates[0].Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("the good build %s: %w", x.Candidates[0].Name, err)
	}
	bad, err := x.Candidates[last].Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("the bad build %s: %w", x.Candidates[last].Name, err)
	}
	judge, err := x.ends(ctx, good, bad, out)
	if err != nil {
		return nil, err
	}
	search := bisect.NewSearch(len(x.Candidates))
	for i, ok := search.Next(); ok; i, ok = search.Next() {
		step, err := x.try(ctx, x.Candidates[i], good, judge, out)
		if errors.Is(err, errSpent) {
			out.Spent = true
			break
		}
		if err != nil {
			return nil, err
		}
		search.Say(i, step.Verdict)
		out.Steps = append(out.Steps, step)
		x.Say(step)
	}
	i, first := search.Found()
	out.LastGood = x.Candidates[i].Name
	for _, i := range first {
		out.First = append(out.First, x.Candidates[i].Name)
	}
	for _, s := range out.Steps {
		if s.Verdict != bisect.Skipped {
			out.Confidence *= s.Confidence
		}
	}
	out.Build, err = x.Candidates[first[len(first)-1]].Open(ctx)
	return out, err
}

// differing is the smallest share of a benchmark's seeds in which the first and the last build must differ for the
// benchmark to be used.
const differing = 0.25

// errSpent ends a bisection whose remaining budget is too small for another step.
var errSpent = errors.New("the budget of core hours is spent")

// ends measures the first and the last build, using at most half of the budget, and decides how to judge the other
// builds: by answers if the two differ in them, and otherwise by the CPU times of pairs measured back to back, which
// cancels the influence of other work on the machine.
func (x *Bisection) ends(ctx context.Context, good, bad *Build, out *Bisected) (*judge, error) {
	budget := x.Lab.Budget
	x.Lab.Budget /= 2
	found, err := x.Lab.Measure(ctx, good, bad, x.Sample)
	x.Lab.Budget = budget
	if out.Runs += found.Executed; err != nil {
		return nil, err
	}
	j := &judge{Bisection: x}
	out.By, out.LeftOut = "answers", found.LeftOut
	used := x.pick(found.Pairs, j.answersDiffer, out)
	if len(used) == 0 {
		j.times, out.By = true, "cpu_time"
		used = x.pick(found.Pairs, j.timesDiffer, out)
		if len(used) == 0 {
			j.family = true
			used = x.slower(found.Pairs, out)
		}
	}
	if len(used) == 0 {
		return nil, fmt.Errorf("%s and %s behave the same in all %d runs, so there is nothing to look for; take other "+
			"benchmarks, another --wall, or more --seeds", good.Name, bad.Name, len(found.Pairs))
	}
	x.Lab.Answers = !j.times // all other builds can then reuse the good build's runs
	all := used
	if len(x.Lab.Seeds) > 0 {
		all = nil
	}
	for _, seed := range x.Lab.Seeds { // ordered by seed, so a test covers all benchmarks early
		more, err := x.Lab.variants(ctx, used, []int64{seed})
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	if all = all[:x.Lab.Affords(len(all), 2)]; len(all) == 0 {
		return nil, errSpent
	}
	found, err = x.Lab.measureAll(ctx, good, bad, all)
	out.Runs += found.Executed
	j.set(found.Pairs)
	return j, err
}

// pick returns the benchmarks on which the first and the last build differ in enough seeds, and records the
// differences.
func (x *Bisection) pick(pairs []compare.Pair, differ func(compare.Pair) bool, out *Bisected) (
	used []compare.Benchmark,
) {
	of, differs := map[string]int{}, map[string]int{}
	for _, p := range pairs {
		of[p.Benchmark.Path]++
		if differ(p) {
			differs[p.Benchmark.Path]++
			out.Differ = append(out.Differ, compare.Finding{Kind: "differs", Pair: p})
		}
	}
	for _, b := range x.Sample {
		if n := differs[b.Path]; n > 0 && float64(n) >= differing*float64(of[b.Path]) {
			used = append(used, b)
		}
	}
	return used
}

// slower returns the benchmarks of the families in which a comparison's test finds the bad build slower.
func (x *Bisection) slower(pairs []compare.Pair, out *Bisected) (used []compare.Benchmark) {
	slow := compare.Compare(pairs, compare.Options{Slower: leastSlower, Alpha: alpha, WallTime: x.Lab.Limits.WallTime}).
		Slower()
	for _, b := range x.Sample {
		if slow(b) {
			used = append(used, b)
		}
	}
	for _, p := range pairs {
		if slow(p.Benchmark) {
			out.Differ = append(out.Differ, compare.Finding{Kind: "differs", Pair: p})
		}
	}
	return used
}

// judge decides, based on runs of the first and the last build, whether another run is like the bad build's.
type judge struct {
	*Bisection
	times         bool // whether to judge by CPU times rather than answers
	family        bool // whether most benchmarks of a family take a little longer, rather than a few clearly longer
	ends          []compare.Pair
	slowdown      float64 // median log ratio of the last build's CPU times to the first's
	ofGood, ofBad float64 // shares of the first and the last build's runs that look like the bad build's
}

// set records both builds' pairs on the selected benchmarks.
func (j *judge) set(ends []compare.Pair) {
	j.ends = ends
	var all []float64
	for _, p := range ends {
		if x, ok := slowdown(p); ok {
			all = append(all, x)
		}
	}
	if len(all) > 0 {
		slices.Sort(all)
		j.slowdown = all[len(all)/2]
	}
	count := 0.0
	for _, p := range ends {
		if j.likeBad(p, p) {
			count++
		}
	}
	n := float64(len(ends))
	j.ofBad = count / n
	if j.family { // the first and the last build's runs are noisy too, so two runs are not decisive
		j.ofBad = min((count+1)/(n+2), 0.9)
	}
	if j.times { // noise is equally large in both directions
		j.ofGood = 1 - j.ofBad
	}
}

// try determines whether a candidate is good or bad.
func (x *Bisection) try(ctx context.Context, c Candidate, good *Build, j *judge, out *Bisected) (Step, error) {
	test := bisect.NewTest(j.ofGood, j.ofBad)
	step := Step{Build: c.Name, Verdict: bisect.Skipped}
	b, err := c.Open(ctx)
	for at := 0; err == nil && at < len(j.ends) && !test.Decided(); at += x.AtOnce {
		some := j.ends[at:min(at+x.AtOnce, len(j.ends))]
		if x.Lab.Affords(len(some), 2) < len(some) {
			return step, errSpent
		}
		benchmarks := make([]compare.Benchmark, len(some))
		for i, p := range some {
			benchmarks[i] = p.Benchmark
		}
		var found Measured
		found, err = x.Lab.measureAll(ctx, good, b, benchmarks)
		out.Runs += found.Executed
		for i, p := range found.Pairs {
			test.Add(j.likeBad(some[i], p))
		}
	}
	if _, ok := errors.AsType[NotBuiltError](err); ok {
		step.Why = err.Error()
		return step, nil
	}
	if start, ok := errors.AsType[*runner.StartError](err); ok {
		step.Why = start.Error()
		return step, nil
	}
	step.Runs, step.LikeBad, step.Confidence = test.Runs, test.LikeBad, test.Confidence()
	if err == nil && !test.Clear() {
		step.Why = "its runs are inconclusive; use more --seeds or benchmarks"
		return step, nil
	}
	step.Verdict = test.Verdict()
	return step, err
}

const (
	// slower is the smallest ratio of CPU times for which a single run shows a difference. A test over a family needs a
	// smaller one.
	slower = 1.5
	// leastSlower is the smallest significant slowdown of a family; alpha is the level of its test.
	leastSlower = 0.05
	alpha       = 0.05
	// shortest replaces shorter CPU times, because their ratios are noise.
	shortest = 10 * time.Millisecond
)

// worth places a run on a scale where larger is worse: the logarithm of its CPU time; above the limit, no answer; above
// that, a wrong answer.
func (x *Bisection) worth(b compare.Benchmark, r compare.Run) float64 {
	limit := max(x.Lab.Limits.WallTime.Seconds()*float64(max(x.Lab.Limits.Cores, 1)), 1)
	switch {
	case r.Answer == "":
		return math.Log(4 * limit)
	case comp.Answer(r.Answer).Contradicts(comp.Status(b.Status)):
		return math.Log(100 * limit)
	}
	return math.Log(max(r.CPUTimeS.Duration(), shortest).Seconds())
}

// answersDiffer reports whether the bad build does not answer, or answers differently, where the good build answers,
// excluding chance near the limit.
func (j *judge) answersDiffer(p compare.Pair) bool {
	near := float64(p.A.WallTimeS) > compare.NearLimit*j.Lab.Limits.WallTime.Seconds()
	switch {
	case p.A.Answer == "":
		return comp.Answer(p.B.Answer).Contradicts(comp.Status(p.Benchmark.Status))
	case p.B.Answer == "":
		return !near
	}
	return p.A.Answer != p.B.Answer
}

// timesDiffer reports whether the bad build's run is clearly slower.
func (j *judge) timesDiffer(p compare.Pair) bool {
	x, ok := slowdown(p)
	return ok && x > math.Log(slower)
}

// slowdown returns the log ratio of a pair's CPU times if the answers are equal.
func slowdown(p compare.Pair) (float64, bool) {
	of := func(r compare.Run) float64 { return max(r.CPUTimeS.Duration(), shortest).Seconds() }
	return math.Log(of(p.B) / of(p.A)), p.A.Answer != "" && p.A.Answer == p.B.Answer
}

// likeBad reports whether a build's run, measured together with one of the good build, is closer to the last build's
// run than to the first's. Where these two do not differ, a run without an answer looks bad: an unstable build also
// fails to answer under other seeds.
func (j *judge) likeBad(ends, p compare.Pair) bool {
	r := p.B
	switch {
	case j.times:
		x, ok := slowdown(p)
		least := j.slowdown
		if own, _ := slowdown(ends); !j.family && j.timesDiffer(ends) {
			least = min(least, own)
		}
		return ok && x > least/2 || p.A.Answer != "" && p.B.Answer == ""
	case !j.answersDiffer(ends):
		return ends.A.Answer != "" && cmp.Or(r.Answer, "none") != ends.A.Answer
	case ends.B.Answer != "":
		return r.Answer == ends.B.Answer
	}
	w := j.worth(ends.Benchmark, r)
	return math.Abs(w-j.worth(ends.Benchmark, ends.B)) < math.Abs(w-j.worth(ends.Benchmark, ends.A))
}
