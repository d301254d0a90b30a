package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// roomy is up to which size of the memory no garbage is collected. Reading and planning a pipeline takes less, and a fifth of its
// time would be spent on collecting what the end of the process frees anyway.
const roomy = 64 << 20

// delayGC puts the first collection of garbage off until the process has taken some memory. From there the usual rules hold.
var delayGC = sync.OnceFunc(func() {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return // somebody has set GOMEMLIMIT
	}
	usual := debug.SetGCPercent(-1)
	if usual < 0 {
		return // GOGC=off
	}
	debug.SetMemoryLimit(roomy)
	sentinel := new([16]byte)                        // large enough not to share its memory with others
	runtime.SetFinalizer(sentinel, func(*[16]byte) { // the first collection is over
		debug.SetGCPercent(usual)
		debug.SetMemoryLimit(math.MaxInt64)
	})
})
