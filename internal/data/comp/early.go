package comp

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// EarlyPercent is the average percentage of benchmarks in the early sample.
const EarlyPercent = 5

// InEarlySample reports whether a benchmark is in the early sample, whose runs are executed first to allow an early
// estimate of a ranking. The SHA-256 of its script decides: the sample contains the scripts whose first 64 bits, as a
// big-endian number, are in the lowest EarlyPercent percent. A script depends on the competition's seed, so nobody
// knows the sample before the seed is known. For any set of benchmarks that is formed independently of scripts, such as
// a division, the sample contains a simple random sample of the set.
func InEarlySample(script [sha256.Size]byte) bool {
	return binary.BigEndian.Uint64(script[:]) < math.MaxUint64/100*EarlyPercent
}
