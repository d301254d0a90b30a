package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/smtpipe/smtpipe/internal/base/random"
)

// Benchmark is a benchmark that both builds run on.
type Benchmark struct {
	Path   string `json:"path"`
	Logic  string `json:"logic"`
	Family string `json:"family"`
	Status string `json:"status"` // sat, unsat or unknown
	// SecondFirst means that the second build runs first. Sample draws it at random.
	SecondFirst bool `json:"second_first"`
	// Seed is the seed that the benchmark was scrambled with, or 0 if it was not.
	Seed int64 `json:"seed,omitempty"`
}

// ID identifies the benchmark and its seed.
func (b Benchmark) ID() string {
	if b.Seed == 0 {
		return b.Path
	}
	return fmt.Sprintf("%s#%d", b.Path, b.Seed)
}

// Seeds returns n seeds for the scrambler. With the same first seed, a larger n only appends seeds.
func Seeds(seed int64, n int) (all []int64) {
	mt := random.NewMT(big.NewInt(seed))
	for len(all) < n {
		if s := int64(mt.Bits(31)); s > 0 && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// Sample returns n of the benchmarks in a random order that represents every logic and family in proportion to its
// size. A sample is a prefix of every larger one with the same seed. If n is 0, Sample returns all.
//
// It draws with CPython's generator. For each logic and family, by name, it draws a shift, then a shuffle of the
// benchmarks by path, then the build that runs first on each of them. The k-th of m benchmarks takes the position (k +
// shift) / m.
func Sample(all []Benchmark, n int, seed int64) []Benchmark {
	type placed struct {
		Benchmark
		at float64
	}
	strata := map[[2]string][]placed{}
	for _, b := range all {
		k := [2]string{b.Logic, b.Family}
		strata[k] = append(strata[k], placed{Benchmark: b})
	}
	mt := random.NewMT(big.NewInt(seed))
	var order []placed
	for _, k := range slices.SortedFunc(maps.Keys(strata), compareKeys) {
		s := strata[k]
		slices.SortFunc(s, func(x, y placed) int { return cmp.Compare(x.Path, y.Path) })
		shift := float64(mt.Bits(53)) / (1 << 53)
		for i := len(s) - 1; i > 0; i-- {
			j := mt.Choice(i + 1)
			s[i], s[j] = s[j], s[i]
		}
		for i := range s {
			s[i].SecondFirst = mt.Bits(1) == 1
			s[i].at = (float64(i) + shift) / float64(len(s))
		}
		order = append(order, s...)
	}
	slices.SortFunc(order, func(x, y placed) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.Path, y.Path))
	})
	if n > 0 && n < len(order) {
		order = order[:n]
	}
	out := make([]Benchmark, len(order))
	for i, p := range order {
		out[i] = p.Benchmark
	}
	return out
}

func compareKeys(x, y [2]string) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) }
