package comp

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// EarlyPercent is how many percent of the benchmarks are in the early sample, on average.
const EarlyPercent = 5

// InEarlySample reports whether a benchmark is in the early sample, whose runs are executed first so that they allow an
// early estimate of a ranking. The SHA-256 of its script decides: the sample has those whose first 64 bits, as a
// big-endian number, are among the lowest EarlyPercent in a hundred. A script depends on the competition's seed, so
// nobody knows the sample before the seed is known. Any set of benchmarks that is formed independently of scripts, such
// as a division, has a simple random sample of its benchmarks in it.
func InEarlySample(script [sha256.Size]byte) bool {
	return binary.BigEndian.Uint64(script[:]) < math.MaxUint64/100*EarlyPercent
}
