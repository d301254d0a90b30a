package compare

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/publish/report/draw"
)

var limits = Options{Slower: 0.05, Alpha: 0.05, WallTime: 10 * time.Second}

func pair(name, status, a, b string, timeA, timeB time.Duration) Pair {
	used := func(t time.Duration) run.Usage {
		return run.Usage{WallTimeS: run.SecondsOf(t), CPUTimeS: run.SecondsOf(t), MemoryBytes: 1}
	}
	return Pair{
		Benchmark: Benchmark{Path: name, Logic: "QF_UF", Family: "f", Status: status},
		A:         Run{Answer: a, Usage: used(timeA)},
		B:         Run{Answer: b, Usage: used(timeB)}, Interleaved: true,
	}
}

// TestSignedRank uses p-values computed by hand. If 1, 2, 3, 4, 5, 6 all have the same sign: 2 of 2^6 outcomes. For -1,
// 2, 3, the negative ranks add up to 1, as in {} and {1}: 2 * 2 / 2^3. With ranks 1.5, 1.5, 3, 4 and a negative first
// rank, sums of at most 1.5 are {}, {1.5}, {1.5}: 2 * 3 / 2^4.
func TestSignedRank(t *testing.T) {
	for _, c := range []struct {
		d         []float64
		p, effect float64
	}{
		{[]float64{1, 2, 3, 4, 5, 6}, 2. / 64, 1},
		{[]float64{-1, 2, 3}, 0.5, 4. / 6},
		{[]float64{-1, 1, 2, 3}, 6. / 16, 7. / 10},
		{[]float64{0, 0}, 1, 0},
	} {
		if p, e := signedRank(c.d); math.Abs(p-c.p) > 1e-12 || math.Abs(e-c.effect) > 1e-12 {
			t.Errorf("%v: p %v, effect %v; want %v, %v", c.d, p, e, c.p, c.effect)
		}
	}
}

// TestSign uses p-values computed with exact fractions, also of splits whose single outcomes are less likely than the
// smallest float64.
func TestSign(t *testing.T) {
	for _, c := range []struct {
		x, y int
		p    float64
	}{
		{0, 0, 1}, {3, 7, 0.34375}, {600, 600, 1}, {640, 560, 0.02253662756750957}, {4900, 5100, 0.04658552770494739},
	} {
		if p := sign(c.x, c.y); math.Abs(p-c.p) > 1e-12 {
			t.Errorf("sign(%d, %d) = %v, want %v", c.x, c.y, p, c.p)
		}
	}
}

// TestHolm expects 3*0.01, then 2*0.03, and for 0.04 the preceding 0.06, because values must not decrease.
func TestHolm(t *testing.T) {
	got := holm([]float64{0.04, 0.01, 0.03})
	for i, want := range []float64{0.06, 0.03, 0.06} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("%d: %v, want %v", i, got[i], want)
		}
	}
}

func TestFindings(t *testing.T) {
	r := Compare([]Pair{
		pair("wrong", "sat", "sat", "unsat", 1, 1),
		pair("wrong-both", "sat", "unsat", "unsat", 1, 1),
		pair("disagrees", "unknown", "sat", "unsat", 1, 1),
		pair("lost", "sat", "sat", "", time.Second, 1),
		pair("near", "sat", "sat", "", 9*time.Second, 1),
		pair("gained", "sat", "", "sat", 1, 1),
		pair("same", "sat", "sat", "sat", 1, 1),
	}, limits)
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprint(f.Kind, " ", f.Benchmark.Path, " ", f.Note))
	}
	want := []string{"wrong wrong ", "wrong wrong-both A is wrong", "disagrees disagrees ", "lost lost ",
		"lost near near the limit", "gained gained "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if s := strings.Join(r.Reasons, "; "); s != "wrong answers: 1; disagreements: 1; lost: 1, allowed 0" {
		t.Errorf("reasons %q", s)
	}
}

// TestSlower checks that taking a third longer on twelve pairs is a slowdown, and that 1 % longer is not, although it
// is just as significant.
func TestSlower(t *testing.T) {
	for _, c := range []struct {
		factor float64
		want   bool
	}{{1.3, true}, {1.01, false}, {0.7, false}} {
		var all []Pair
		for i := range 12 {
			a := time.Duration(100+10*i) * time.Millisecond
			all = append(all, pair(fmt.Sprint(i), "sat", "sat", "sat", a, time.Duration(float64(a)*c.factor)))
		}
		if r := Compare(all, limits); r.Regression != c.want {
			t.Errorf("factor %v: %v", c.factor, r.Reasons)
		}
	}
}

// TestSleep checks that only wall time reveals a build that sleeps, and only CPU time one that uses another core. The
// p-value is the smallest of three: 3 * 2 / 2^12 = 0.00146.
func TestSleep(t *testing.T) {
	for _, c := range []struct {
		change func(*Run)
		want   string
	}{
		{func(r *Run) { r.WallTimeS *= 1.3 }, "wall time of all: slower, median ratio 1.300, p 0.0015"},
		{func(r *Run) { r.CPUTimeS *= 1.3 }, "CPU time of all: slower, median ratio 1.300, p 0.0015"},
		{func(r *Run) { r.MemoryBytes = r.MemoryBytes * 13 / 10 }, "memory of all: more, median ratio 1.300, p 0.0015"},
	} {
		var all []Pair
		for i := range 12 {
			p := pair(fmt.Sprint(i), "sat", "sat", "sat", time.Second, time.Second)
			p.Benchmark.Family, p.A.MemoryBytes, p.B.MemoryBytes = "", 1000, 1000
			p.Benchmark.Logic = ""
			c.change(&p.B)
			all = append(all, p)
		}
		opt := limits
		opt.MoreMemory = 0.2
		r := Compare(all, opt)
		if len(r.Reasons) != 1 || r.Reasons[0] != c.want {
			t.Errorf("%q, want %q", r.Reasons, c.want)
		}
	}
}

// TestNear: eight benchmarks lost near the limit are more than chance, 2 / 2^8 = 0.0078. Eight lost and five gained are
// not: 2 * (1 + 13 + 78 + 286 + 715 + 1287) / 2^13 = 0.581.
func TestNear(t *testing.T) {
	var all []Pair
	for i := range 8 {
		all = append(all, pair(fmt.Sprint("lost", i), "sat", "sat", "", 9*time.Second, 10*time.Second))
	}
	r := Compare(all, limits)
	if len(r.Reasons) != 1 || r.Reasons[0] != "near the limit: 8 lost, 0 gained, p 0.0078" {
		t.Errorf("%q", r.Reasons)
	}
	for i := range 5 {
		all = append(all, pair(fmt.Sprint("gained", i), "sat", "", "sat", 10*time.Second, 9*time.Second))
	}
	r = Compare(all, limits)
	if r.Regression || math.Abs(r.Near.P-2*2380./8192) > 1e-12 {
		t.Errorf("%q, p %v", r.Reasons, r.Near.P)
	}
}

// TestNotInterleaved checks that runs from different sessions support no claim about time.
func TestNotInterleaved(t *testing.T) {
	var all []Pair
	for i := range 12 {
		p := pair(fmt.Sprint(i), "sat", "sat", "sat", time.Second, 2*time.Second)
		p.Interleaved = false
		all = append(all, p)
	}
	if r := Compare(all, limits); r.Regression || r.Groups[0].Pairs != 0 {
		t.Errorf("%q, %d pairs", r.Reasons, r.Groups[0].Pairs)
	}
}

// TestLookNothing checks that, for two equal builds, the only pair to inspect is one that lost 60 ms.
func TestLookNothing(t *testing.T) {
	var pairs []Pair
	for i := range 12 {
		pairs = append(pairs, pair(fmt.Sprint(i), "sat", "sat", "sat", time.Second, time.Second+time.Duration(i%2)*
			time.Millisecond))
	}
	if r := Compare(pairs, limits); len(r.Look) != 0 {
		t.Errorf("%v", r.Look)
	}
	pairs[5].B.WallTimeS = 1.06
	if r := Compare(pairs, limits); len(r.Look) != 1 || r.Look[0].Benchmark.Path != "5" {
		t.Errorf("%v", r.Look)
	}
}

// TestLook checks that wrong answers precede slow ones and that pairs from the slower family come first.
func TestLook(t *testing.T) {
	all := []Pair{pair("wrong", "sat", "sat", "unsat", 1, 1), pair("other", "sat", "sat", "sat", 1, time.Minute)}
	all[1].Benchmark.Family = "g"
	for i := range 12 {
		all = append(all, pair(fmt.Sprint(i), "sat", "sat", "sat", time.Second, time.Second+time.Duration(i+10)*1e7))
	}
	r := Compare(all, limits)
	if len(r.Look) != 10 || r.Look[0].Kind != Wrong || r.Look[1].Benchmark.Path != "11" {
		t.Errorf("%v", r.Look)
	}
}

// TestText checks that a benchmark's name cannot inject Markdown or HTML.
func TestText(t *testing.T) {
	r := Compare([]Pair{pair("a|<b>`@c", "sat", "sat", "unsat", time.Second, time.Second)}, limits)
	var md, html strings.Builder
	if err := errors.Join(r.Document(InComment).WriteMarkdown(&md), r.Document(OnPage).WritePage(&html)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(md.String(), "- wrong: a\\|&lt;b>\\`&#64;c: status sat") {
		t.Error(md.String())
	}
	title := "<title>wrong: a|&lt;b&gt;`@c: status sat"
	if strings.Contains(html.String(), "<b>") || !strings.Contains(html.String(), title) {
		t.Error(html.String())
	}
	plot := r.plot().Chart // the diagonal, and a wrong answer
	if wrong := plot.Series[1]; len(plot.Series) != 2 || !slices.Equal(wrong.Points, []draw.Point{{X: 1, Y: 1}}) {
		t.Errorf("%+v", plot.Series)
	}
}

// TestSameBuild compares a build with itself 2,000 times, with 20 % noise. By Holm's method, at most 5 % of the
// comparisons make a claim: with four standard deviations, at most 100 + 4*sqrt(2000*0.05*0.95) = 139.
func TestSameBuild(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	bad := 0
	for range 2000 {
		var all []Pair
		for i := range 40 {
			noisy := func() time.Duration { return time.Duration(math.Exp(0.2*random.NormFloat64()) * 1e9) }
			p := pair(fmt.Sprint(i), "sat", "sat", "sat", noisy(), noisy())
			p.Benchmark.Family = fmt.Sprint(i % 4)
			all = append(all, p)
		}
		if Compare(all, Options{Alpha: 0.05, WallTime: time.Minute}).Regression {
			bad++
		}
	}
	if bad == 0 || bad > 139 {
		t.Errorf("%d of 2000 comparisons of a build with itself are a regression", bad)
	}
}

// TestSample checks that a sample is a prefix of every larger one and contains each family's share (10 of 100, 20 of
// 200), within one benchmark.
func TestSample(t *testing.T) {
	var all []Benchmark
	for i := range 300 {
		all = append(all, Benchmark{Path: fmt.Sprint(i), Logic: "QF_UF", Family: []string{"x", "y", "y"}[i%3]})
	}
	small, large := Sample(all, 30, 7), Sample(all, 60, 7)
	if !slices.Equal(small, large[:30]) {
		t.Error("the smaller sample is not in the larger one")
	}
	if slices.Equal(small, Sample(all, 30, 8)) {
		t.Error("another seed gives the same sample")
	}
	x := 0
	for _, b := range small {
		if b.Family == "x" {
			x++
		}
	}
	if x < 9 || x > 11 || len(Sample(all, 0, 7)) != 300 {
		t.Errorf("%d of the small family", x)
	}
}
