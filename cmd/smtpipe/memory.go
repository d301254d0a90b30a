package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// The heap size below which no garbage is collected. Reading and planning a pipeline takes less memory, but would spend
// a fifth of its time collecting garbage that is freed anyway when the process ends. The same applies to the runs of a
// large track.
const (
	planMemory  = 64 << 20
	scoreMemory = 288 << 20
)

var delayed sync.Once

// delayGC postpones the first garbage collection until the process has used some memory. Afterwards, the usual rules
// apply, but the heap may grow only by the given part of the usual percentage. Only the first call has an effect.
func delayGC(memory int64, growth float64) { delayed.Do(func() { putOffGC(memory, growth) }) }

func putOffGC(memory int64, growth float64) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return // GOMEMLIMIT is set
	}
	usual := debug.SetGCPercent(-1)
	if usual < 0 {
		return // GOGC=off
	}
	debug.SetMemoryLimit(memory)
	sentinel := new([16]byte)                        // large enough for a separate allocation
	runtime.SetFinalizer(sentinel, func(*[16]byte) { // called when the first collection has ended
		debug.SetGCPercent(int(growth * float64(usual)))
		debug.SetMemoryLimit(math.MaxInt64)
	})
}
