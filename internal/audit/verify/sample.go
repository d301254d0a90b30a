package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Sample determines how many runs to repeat.
type Sample struct {
	Share float64 // fraction of all runs, from 0 to 1; if 0, Count applies
	Count int
	Seed  uint64
}

// ParseSample parses a sample size such as "2%" or "200".
func ParseSample(text string, seed uint64) (*Sample, error) {
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		share, err := strconv.ParseFloat(percent, 64)
		if err != nil || !(share > 0 && share <= 100) {
			return nil, fmt.Errorf("%q is not a share above 0%% and up to 100%%, such as 2%%", text)
		}
		return &Sample{Share: share / 100, Seed: seed}, nil
	}
	count, err := strconv.Atoi(text)
	if err != nil || count < 1 {
		return nil, fmt.Errorf("%q is not a number of runs, such as 200, or a share of them, such as 2%%", text)
	}
	return &Sample{Count: count, Seed: seed}, nil
}

// stratum identifies a solver's runs in a division. An equal share of each stratum is repeated.
type stratum struct{ solver, division string }

// size returns how many of n runs to repeat.
func (s *Sample) size(n int) int {
	if s.Share > 0 {
		return int(math.Ceil(s.Share * float64(n)))
	}
	return min(s.Count, n)
}

// choose takes runs from all strata in proportion, and at least one from each if the sample is large enough. Within a
// stratum, runs are taken in order of SHA-256(seed, run key), where the seed is 8 bytes, little-endian: anybody can
// repeat the draw.
func (s *Sample) choose(strata map[stratum][][32]byte) [][32]byte {
	names := slices.SortedFunc(maps.Keys(strata), func(a, b stratum) int {
		return strings.Compare(a.solver+"\x00"+a.division, b.solver+"\x00"+b.division)
	})
	sizes := make([]int, len(names))
	total := 0
	for i, name := range names {
		sizes[i] = len(strata[name])
		total += sizes[i]
	}
	var chosen [][32]byte
	for i, n := range proportional(sizes, s.size(total)) {
		keys := slices.Clone(strata[names[i]])
		slices.SortFunc(keys, func(a, b [32]byte) int {
			x, y := s.rank(a), s.rank(b)
			return slices.Compare(x[:], y[:])
		})
		chosen = append(chosen, keys[:n]...)
	}
	return chosen
}

func (s *Sample) rank(key [32]byte) [32]byte {
	var b [40]byte
	binary.LittleEndian.PutUint64(b[:8], s.Seed)
	copy(b[8:], key[:])
	return sha256.Sum256(b[:])
}

// proportional distributes n among groups in proportion to their sizes: first one each, if n suffices, and the rest by
// largest remainders. No group receives more than its size.
func proportional(sizes []int, n int) []int {
	shares := make([]int, len(sizes))
	total := 0
	for _, size := range sizes {
		total += size
	}
	n = min(n, total)
	for left := n; left > 0; left-- {
		best := -1
		for i, size := range sizes {
			if shares[i] < size && (best < 0 ||
				lacks(shares[i], size, n, total) > lacks(shares[best], sizes[best], n, total)) {
				best = i
			}
		}
		shares[best]++
	}
	return shares
}

// lacks returns how much more a group should receive. A group that has received nothing precedes all groups that have
// received something.
func lacks(share, size, n, total int) float64 {
	want := float64(n)*float64(size)/float64(total) - float64(share)
	if share == 0 && size > 0 {
		want += float64(n)
	}
	return want
}
