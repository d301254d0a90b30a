package builds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/smtpipe/smtpipe/internal/contest/bisect"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// Candidate is a build that a bisection may try.
type Candidate struct {
	Name string
	// Open makes or finds the build. A NotBuiltError skips it.
	Open func(ctx context.Context) (*Build, error)
}

// NotBuiltError says why a candidate cannot be tried.
type NotBuiltError struct{ error }

// Unwrap returns the cause.
func (e NotBuiltError) Unwrap() error { return e.error }

// Bisection looks for the first bad build of a list, whose first one is good and whose last one is bad.
type Bisection struct {
	Lab        *Lab
	Candidates []Candidate
	Sample     []compare.Benchmark
	AtOnce     int        // runs after which a test looks at them
	Say        func(Step) // hears of each step
}

// Step is what a bisection found out about a build.
type Step struct {
	Build      string         `json:"build"`
	Verdict    bisect.Verdict `json:"verdict"`
	Runs       int            `json:"runs"`
	LikeBad    int            `json:"like_bad"`      // of these, runs that were as those of the bad build
	Confidence float64        `json:"confidence"`    // of the verdict
	Why        string         `json:"why,omitempty"` // it was skipped
}

// Bisected is the result of a bisection.
type Bisected struct {
	Format     string   `json:"format"`
	LastGood   string   `json:"last_good"`
	First      []string `json:"first_bad"` // the first bad build is one of these
	Confidence float64  `json:"confidence"`
	Builds     int      `json:"builds"` // in the list
	Runs       int      `json:"runs"`   // that were executed
	Steps      []Step   `json:"steps"`
	// Differ are runs in which the good and the bad build at the ends of the list differ.
	Differ []compare.Pair `json:"differ"`
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
	x.Lab.Answers = true // runs of the good build serve for all
	ends, err := x.ends(ctx, good, bad, out)
	if err != nil {
		return nil, err
	}
	search := bisect.NewSearch(len(x.Candidates))
	for i, ok := search.Next(); ok; i, ok = search.Next() {
		step, err := x.try(ctx, x.Candidates[i], good, ends, out)
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
	return out, nil
}

// differing is the smallest share of the seeds of a benchmark in which the ends differ, for it to be used.
const differing = 0.25

// ends measures the builds at both ends, and returns their pairs on the benchmarks on which they differ.
func (x *Bisection) ends(ctx context.Context, good, bad *Build, out *Bisected) ([]compare.Pair, error) {
	pairs, n, err := x.Lab.Measure(ctx, good, bad, x.Sample)
	if out.Runs += n; err != nil {
		return nil, err
	}
	of, differ := map[string]int{}, map[string]int{}
	for _, p := range pairs {
		of[p.Benchmark.Path]++
		if x.differ(p) {
			differ[p.Benchmark.Path]++
			out.Differ = append(out.Differ, p)
		}
	}
	var used []compare.Benchmark
	for _, b := range x.Sample {
		if n := differ[b.Path]; n > 0 && float64(n) >= differing*float64(of[b.Path]) {
			used = append(used, b)
		}
	}
	if len(used) == 0 {
		return nil, fmt.Errorf("%s and %s do the same in all %d runs, so that there is nothing to look for; take other "+
			"benchmarks, another --wall, or more --seeds", good.Name, bad.Name, len(pairs))
	}
	var all []compare.Benchmark // by seed, so that a test soon sees all benchmarks
	for _, seed := range x.Lab.Seeds {
		more, err := x.Lab.variants(ctx, used, []int64{seed})
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	if len(x.Lab.Seeds) == 0 {
		all = used
	}
	pairs, n, err = x.Lab.measure(ctx, good, bad, all)
	out.Runs += n
	return pairs, err
}

// try finds out what a candidate is.
func (x *Bisection) try(ctx context.Context, c Candidate, good *Build, ends []compare.Pair, out *Bisected) (Step,
	error,
) {
	share := 0.0
	for _, p := range ends {
		if x.likeBad(p, p.B) {
			share++
		}
	}
	test := bisect.NewTest(0, share/float64(len(ends)))
	step := Step{Build: c.Name, Verdict: bisect.Skipped}
	b, err := c.Open(ctx)
	for at := 0; err == nil && at < len(ends) && !test.Decided(); at += x.AtOnce {
		some := ends[at:min(at+x.AtOnce, len(ends))]
		benchmarks := make([]compare.Benchmark, len(some))
		for i, p := range some {
			benchmarks[i] = p.Benchmark
		}
		var pairs []compare.Pair
		var n int
		pairs, n, err = x.Lab.measure(ctx, good, b, benchmarks)
		out.Runs += n
		for i, p := range pairs {
			test.Add(x.likeBad(some[i], p.B))
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
	step.Verdict, step.Confidence = test.Verdict(), test.Confidence()
	step.Runs, step.LikeBad = test.Runs, test.LikeBad
	return step, err
}

const (
	// slower is the ratio of CPU times from which builds differ.
	slower = 1.5
	// shortest is what shorter CPU times are taken as: below it, ratios are noise.
	shortest = 10 * time.Millisecond
)

// worth places a run on a scale on which larger is worse: the logarithm of its CPU time, and beyond the limit no answer
// and a wrong one.
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

// differ reports whether the bad build is worse in a run than the good one, by more than chance near the limit.
func (x *Bisection) differ(p compare.Pair) bool {
	if p.B.Answer == "" && float64(p.A.WallTimeS) > compare.NearLimit*x.Lab.Limits.WallTime.Seconds() {
		return false
	}
	return x.worth(p.Benchmark, p.B)-x.worth(p.Benchmark, p.A) > math.Log(slower) ||
		p.A.Answer != "" && p.B.Answer != "" && p.A.Answer != p.B.Answer
}

// likeBad reports whether a run is nearer to that of the bad build than to that of the good one. Where these do not
// differ, it is if it has no answer: an unstable build has none under other seeds, too.
func (x *Bisection) likeBad(ends compare.Pair, r compare.Run) bool {
	if !x.differ(ends) {
		return ends.A.Answer != "" && cmp.Or(r.Answer, "none") != ends.A.Answer
	}
	if ends.A.Answer != "" && ends.B.Answer != "" && ends.A.Answer != ends.B.Answer {
		return r.Answer == ends.B.Answer
	}
	w := x.worth(ends.Benchmark, r)
	return math.Abs(w-x.worth(ends.Benchmark, ends.B)) < math.Abs(w-x.worth(ends.Benchmark, ends.A))
}
