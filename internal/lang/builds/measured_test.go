package builds

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/contest/bisect"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// measured reads pairs of a build with itself, by benchmark. contest/compare/measured_test.go explains how they were
// measured.
func measured(t *testing.T) (paths []string, by map[string][]compare.Pair) {
	t.Helper()
	f, err := os.Open("../../contest/compare/testdata/same-build.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	by = map[string][]compare.Pair{}
	for d := json.NewDecoder(z); ; {
		var pairs []compare.Pair
		if err := d.Decode(&pairs); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for _, p := range pairs {
			if by[p.Benchmark.Path] == nil {
				paths = append(paths, p.Benchmark.Path)
			}
			by[p.Benchmark.Path] = append(by[p.Benchmark.Path], p)
		}
	}
	slices.Sort(paths)
	return paths, by
}

// TestSameBuildJudged draws the ends of a bisection and the builds in between from measured pairs of a build with
// itself. In at most 1 % of 2,000 trials, the level of the test, may a build equal to the good one be called bad, or
// one equal to the bad one good. BAD is slightly or much slower, or does not answer on three benchmarks.
func TestSameBuildJudged(t *testing.T) {
	paths, by := measured(t)
	slower := func(p compare.Pair, share float64) compare.Pair {
		p.B.CPUTimeS = run.SecondsOf(time.Duration(float64(p.B.CPUTimeS.Duration()) * share))
		return p
	}
	without := func(p compare.Pair) compare.Pair {
		p.B.Answer = ""
		return p
	}
	for _, m := range []struct {
		name          string
		times, family bool
		used          int // number of benchmarks used
		worse         func(compare.Pair) compare.Pair
	}{
		{"a quarter slower", true, true, 25, func(p compare.Pair) compare.Pair { return slower(p, 1.25) }},
		{"half slower", true, true, 10, func(p compare.Pair) compare.Pair { return slower(p, 1.5) }},
		{"three times as slow", true, false, 4, func(p compare.Pair) compare.Pair { return slower(p, 3) }},
		{"without answers", false, false, 3, without},
	} {
		random := rand.New(rand.NewPCG(53, 1))
		const trials = 2000
		wrong, open := map[bisect.Verdict]int{}, 0
		for range trials {
			j := &judge{Bisection: &Bisection{Lab: &Lab{Limits: comp.Limits{WallTime: time.Second}}}, times: m.times,
				family: m.family}
			var ends []compare.Pair
			for _, i := range random.Perm(len(paths))[:m.used] {
				for range 3 { // for each seed
					of := by[paths[i]]
					ends = append(ends, m.worse(of[random.IntN(len(of))]))
				}
			}
			j.set(ends)
			for _, truth := range []bisect.Verdict{bisect.Good, bisect.Bad} {
				test := bisect.NewTest(j.ofGood, j.ofBad)
				for _, end := range ends {
					of := by[end.Benchmark.Path]
					p := of[random.IntN(len(of))]
					if truth == bisect.Bad {
						p = m.worse(p)
					}
					if test.Add(j.likeBad(end, p)); test.Decided() {
						break
					}
				}
				switch {
				case !test.Clear():
					open++
				case test.Verdict() != truth:
					wrong[truth]++
				}
			}
		}
		t.Logf("%s: of %d trials %d are wrong about the good build and %d about the bad one; %d are open", m.name, trials,
			wrong[bisect.Good], wrong[bisect.Bad], open)
		if most := trials / 100; wrong[bisect.Good] > most || wrong[bisect.Bad] > most {
			t.Errorf("%s: %v of %d decisions are wrong, at most %d may be", m.name, wrong, trials, most)
		}
	}
}
