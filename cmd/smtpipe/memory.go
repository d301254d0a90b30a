package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// gcThreshold is the size of the memory up to which no garbage is collected. Reading and planning a pipeline takes
// less, and would spend a fifth of its time on collecting what the end of the process frees anyway.
const gcThreshold = 64 << 20

// delayGC puts off the first garbage collection until the process has taken some memory. From then on the usual rules
// hold.
var delayGC = sync.OnceFunc(func() {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return // somebody has set GOMEMLIMIT
	}
	usual := debug.SetGCPercent(-1)
	if usual < 0 {
		return // GOGC=off
	}
	debug.SetMemoryLimit(gcThreshold)
	sentinel := new([16]byte)                        // large enough not to share its memory with others
	runtime.SetFinalizer(sentinel, func(*[16]byte) { // the first collection is over
		debug.SetGCPercent(usual)
		debug.SetMemoryLimit(math.MaxInt64)
	})
})
