package compare

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// Benchmark is one that both builds are run on.
type Benchmark struct {
	Path   string `json:"path"`
	Logic  string `json:"logic"`
	Family string `json:"family"`
	Status string `json:"status"` // sat, unsat or unknown
}

// Sample returns n benchmarks of all in a random order, of each logic and family as large a share as of all. A sample
// with the same seed is the beginning of every larger one. With n 0 it returns all.
func Sample(all []Benchmark, n int, seed int64) []Benchmark {
	type placed struct {
		b        Benchmark
		draw, at float64
	}
	strata := map[[2]string][]placed{}
	for _, b := range all {
		k := [2]string{b.Logic, b.Family}
		strata[k] = append(strata[k], placed{b: b, draw: uniform(seed, "benchmark", b.Path)})
	}
	var order []placed
	for k, s := range strata {
		slices.SortFunc(s, func(x, y placed) int {
			return cmp.Or(cmp.Compare(x.draw, y.draw), cmp.Compare(x.b.Path, y.b.Path))
		})
		shift := uniform(seed, "stratum", k[0]+"\x00"+k[1])
		for i := range s {
			s[i].at = (float64(i) + shift) / float64(len(s))
		}
		order = append(order, s...)
	}
	slices.SortFunc(order, func(x, y placed) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.b.Path, y.b.Path))
	})
	if n > 0 && n < len(order) {
		order = order[:n]
	}
	out := make([]Benchmark, len(order))
	for i, p := range order {
		out[i] = p.b
	}
	return out
}

// SecondFirst reports whether the second build is measured before the first on a benchmark.
func SecondFirst(seed int64, path string) bool { return uniform(seed, "order", path) < 0.5 }

// uniform is a number in [0, 1) that depends on nothing but its arguments.
func uniform(seed int64, what, name string) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s", seed, what, name))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}
