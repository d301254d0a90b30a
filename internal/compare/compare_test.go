package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var limits = Options{Slower: 0.05, Alpha: 0.05, WallTime: 10 * time.Second}

func pair(name, status, a, b string, timeA, timeB time.Duration) Pair {
	return Pair{
		Benchmark: Benchmark{name, "QF_UF", "f", status},
		A:         Run{Answer: a, WallTime: timeA, CPUTime: timeA, Memory: 1},
		B:         Run{Answer: b, WallTime: timeB, CPUTime: timeB, Memory: 1}, Interleaved: true,
	}
}

// TestSignedRank has p-values by hand. 1, 2, 3, 4, 5, 6 all of one sign: 2 of 2^6 outcomes. -1, 2, 3: the negative
// ranks sum up to 1, as in {} and {1}: 2 * 2 / 2^3. With ranks 1.5, 1.5, 3, 4 and the first negative, 1.5 or less are
// {}, {1.5}, {1.5}: 2 * 3 / 2^4.
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

// TestHolm: 3*0.01, then 2*0.03, and 0.04, which must not be below 0.06.
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
		got = append(got, fmt.Sprint(f.Kind, " ", f.Benchmark.Path, " ", f.Excused))
	}
	want := []string{"wrong wrong false", "wrong wrong-both true", "disagrees disagrees false", "lost lost false",
		"lost near true", "gained gained false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if s := strings.Join(r.Reasons, "; "); s != "wrong answers: 1; disagreements: 1; lost: 1, allowed 0" {
		t.Errorf("reasons %q", s)
	}
}

// TestSlower: twelve pairs with a third more time are a slowdown; by only 1 % they are none, though as significant.
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

// TestSameBuild compares a build with itself, with 20 % of noise, 2,000 times. By Holm's method at most 5 % have a
// claim, so by chance at most 100 + 4*sqrt(2000*0.05*0.95) = 139.
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

// TestSample: a sample begins every larger one, and has of each family its share, 10 of 100 and 20 of 200, up to one.
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
