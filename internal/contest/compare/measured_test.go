package compare

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
)

// measured reads testdata/same-build.json.gz: 20 comparisons of Debian's z3 4.8.12 with a copy of itself, on 25
// benchmarks of the embedded release with a limit of 1 s. Each benchmark ran under three seeds, or four if these did
// not agree. Meanwhile other work kept both cores busy, so runs spent most of their time waiting for a CPU. measured
// returns the pairs of each comparison by benchmark. "smtpipe compare … --seeds 4 --wall 1s --sample 0 --seed 1 --json
// …" measured them, with the seeds 1 to 20 and a separate store for each. The file contains each comparison's by_seed.
func measured(t *testing.T) (repeats []map[string][]Pair) {
	t.Helper()
	f, err := os.Open("testdata/same-build.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(z); ; {
		var pairs []Pair
		if err := d.Decode(&pairs); errors.Is(err, io.EOF) {
			return repeats
		} else if err != nil {
			t.Fatal(err)
		}
		by := map[string][]Pair{}
		for _, p := range pairs {
			by[p.Benchmark.Path] = append(by[p.Benchmark.Path], p)
		}
		repeats = append(repeats, by)
	}
}

// TestSameBuildMeasured derives 200 comparisons of a build with itself from 20 measured ones. Each takes every
// benchmark from a random measured comparison. At the 5 % level, at most 10 are regressions, with one seed or several,
// whatever difference is tolerated.
func TestSameBuildMeasured(t *testing.T) {
	repeats := measured(t)
	if len(repeats) != 20 || len(repeats[0]) != 25 {
		t.Fatalf("%d comparisons", len(repeats))
	}
	paths := slices.Sorted(maps.Keys(repeats[0]))
	for _, m := range []struct {
		name    string
		seeds   bool
		options Options
	}{
		{"one seed", false, Options{Slower: 0.05, MoreMemory: 0.2}},
		{"one seed, no difference is tolerated", false, Options{}},
		{"several seeds", true, Options{Slower: 0.05, MoreMemory: 0.2}},
		{"several seeds, no difference is tolerated", true, Options{}},
	} {
		random := rand.New(rand.NewPCG(53, 0))
		m.options.Alpha, m.options.WallTime = 0.05, time.Second
		reasons := map[int][]string{}
		for trial := range 200 {
			var pairs []Pair
			for _, path := range paths {
				drawn := slices.Clone(repeats[random.IntN(len(repeats))][path])
				if !m.seeds {
					drawn = drawn[:1]
					drawn[0].Benchmark.Seed = 0
				}
				pairs = append(pairs, drawn...)
			}
			if r := Compare(pairs, m.options); r.Regression {
				reasons[trial] = r.Reasons
			}
		}
		t.Logf("%s: %d of 200", m.name, len(reasons))
		if len(reasons) > 10 {
			t.Errorf("%s: %d of 200 comparisons of a build with itself are a regression: %v", m.name, len(reasons), reasons)
		}
	}
}
