package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// The size of the memory up to which no garbage is collected. Reading and planning a pipeline takes less memory, and
// would spend a fifth of its time on collecting garbage that the end of the process frees anyway. The same holds for
// the runs of a large track.
const (
	planMemory  = 64 << 20
	scoreMemory = 320 << 20
)

var delayed sync.Once

// delayGC puts off the first garbage collection until the process has taken some memory. From then on the usual rules
// hold. Only the first call does something.
func delayGC(memory int64) { delayed.Do(func() { putOffGC(memory) }) }

func putOffGC(memory int64) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return // GOMEMLIMIT is set
	}
	usual := debug.SetGCPercent(-1)
	if usual < 0 {
		return // GOGC=off
	}
	debug.SetMemoryLimit(memory)
	sentinel := new([16]byte)                        // large enough not to share its memory with others
	runtime.SetFinalizer(sentinel, func(*[16]byte) { // the first collection is over
		debug.SetGCPercent(usual)
		debug.SetMemoryLimit(math.MaxInt64)
	})
}
