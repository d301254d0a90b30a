package comp

import (
	"fmt"
	"time"
)

// LongestTime is the longest wall or CPU time that a scorable run may have. MostCores is the largest number of cores.
const (
	LongestTime = 106 * 24 * time.Hour
	MostCores   = 1 << 20
)

// Scorable returns an error for limits under which a run could take longer than can be scored. Call it before executing
// anything.
func Scorable(wallTime time.Duration, cores int64) error {
	if cores > MostCores {
		return fmt.Errorf("%d cores exceed the maximum that can be scored (%d)", cores, MostCores)
	}
	if wallTime > LongestTime/time.Duration(max(cores, 1)) {
		return fmt.Errorf("a run of %v on %d cores can take more CPU time than can be scored (%v)", wallTime,
			max(cores, 1), LongestTime)
	}
	return nil
}

// Limits are a run's limits. A zero field means no limit, except that zero Cores means one core.
type Limits struct {
	WallTime    time.Duration `json:"wall_time_ns,omitempty"`
	CPUTime     time.Duration `json:"cpu_time_ns,omitempty"`
	MemoryBytes int64         `json:"memory_bytes,omitempty"` // memory of the whole process tree, excluding swap
	Cores       int           `json:"cores,omitempty"`
	// OutputBytes is the total size of stdout and stderr. Excess output is cut from the middle.
	OutputBytes  int64 `json:"output_bytes,omitempty"`
	ScratchBytes int64 `json:"scratch_bytes,omitempty"` // total size of the working folder and /tmp
	Processes    int   `json:"processes,omitempty"`     // number of concurrent processes and threads
}

// Validate returns an error if a time, the memory or the number of cores is negative.
func (l Limits) Validate() error {
	switch {
	case l.WallTime < 0:
		return fmt.Errorf("wall time limit is %v; it must be at least 0", l.WallTime)
	case l.CPUTime < 0:
		return fmt.Errorf("CPU time limit is %v; it must be at least 0", l.CPUTime)
	case l.MemoryBytes < 0:
		return fmt.Errorf("memory limit is %d; it must be at least 0", l.MemoryBytes)
	case l.Cores < 0:
		return fmt.Errorf("number of cores %d is negative", l.Cores)
	}
	return nil
}
