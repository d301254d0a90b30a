package worker

import (
	"crypto/sha256"
	"runtime"
	"syscall"
	"time"
)

// Reference executes a fixed amount of work and returns the CPU-seconds that it takes. The work uses computation and
// memory beyond a core's caches, and takes a few hundredths of a second. The shortest of several measurements counts. A
// node that takes much longer than others of its kind is slow, for example because it is hot.
func Reference() float64 {
	const times, size, steps = 5, 1 << 24, 1 << 19
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	memory := make([]byte, size)
	least := time.Duration(0)
	for range times {
		before := threadTime()
		x := uint32(1)
		for range steps {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			memory[x%size] += byte(x)
		}
		sum := sha256.Sum256(memory)
		memory[0] = sum[0]
		if took := threadTime() - before; least == 0 || took < least {
			least = took
		}
	}
	return least.Seconds()
}

// threadTime returns this thread's CPU time.
func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	_ = syscall.Getrusage(thread, &u) // never fails
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
