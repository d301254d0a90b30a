package comp

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// EarlyPercent is the average percentage of benchmarks that are in the early sample.
const EarlyPercent = 5

// InEarlySample reports whether a benchmark is in the early sample, whose runs are executed first to allow an early
// estimate of a ranking. The SHA-256 of the benchmark's script decides: the sample contains the scripts whose first 64
// digest bits, as a big-endian number, are in the lowest EarlyPercent percent. A script depends on the competition's
// seed, so the sample is unknown until the seed is known. From any set of benchmarks chosen independently of the
// scripts, such as a division, the early sample takes a simple random sample.
func InEarlySample(script [sha256.Size]byte) bool {
	return binary.BigEndian.Uint64(script[:]) < math.MaxUint64/100*EarlyPercent
}
