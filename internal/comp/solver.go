package comp

import (
	"fmt"
	"time"
)

// Limits bound one run. A zero field means no limit, except for Cores, where it means one.
type Limits struct {
	WallTime     time.Duration
	CPUTime      time.Duration
	MemoryBytes  int64 // of the whole process tree, without swap
	Cores        int
	OutputBytes  int64 // of stdout and stderr together, head and tail kept
	ScratchBytes int64 // of the working folder and /tmp
	Processes    int   // processes and threads at one time
}

// Validate reports the first field that is out of range.
func (l Limits) Validate() error {
	switch {
	case l.WallTime < 0:
		return fmt.Errorf("wall time limit %v is negative", l.WallTime)
	case l.CPUTime < 0:
		return fmt.Errorf("CPU time limit %v is negative", l.CPUTime)
	case l.MemoryBytes < 0:
		return fmt.Errorf("memory limit %d is negative", l.MemoryBytes)
	case l.Cores < 0:
		return fmt.Errorf("number of cores %d is negative", l.Cores)
	}
	return nil
}
