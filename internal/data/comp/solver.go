package comp

import (
	"fmt"
	"time"
)

// LongestTime is the longest wall or CPU time of a run that can be scored. MostCores is the largest number of cores.
const (
	LongestTime = 106 * 24 * time.Hour
	MostCores   = 1 << 20
)

// Scorable returns an error for limits under which a run could take longer than can be scored. Call it before anything
// is run.
func Scorable(wallTime time.Duration, cores int64) error {
	if cores > MostCores {
		return fmt.Errorf("%d cores are more than can be scored (%d)", cores, MostCores)
	}
	if wallTime > LongestTime/time.Duration(max(cores, 1)) {
		return fmt.Errorf("a run of %v on %d cores can take more CPU time than can be scored (%v)", wallTime,
			max(cores, 1), LongestTime)
	}
	return nil
}

// Limits limit one run. A zero field means no limit, except that zero Cores means one.
type Limits struct {
	WallTime     time.Duration `json:"wall_time_ns,omitempty"`
	CPUTime      time.Duration `json:"cpu_time_ns,omitempty"`
	MemoryBytes  int64         `json:"memory_bytes,omitempty"` // of the whole process tree, without swap
	Cores        int           `json:"cores,omitempty"`
	OutputBytes  int64         `json:"output_bytes,omitempty"`  // of stdout and stderr together; head and tail are kept
	ScratchBytes int64         `json:"scratch_bytes,omitempty"` // of the working folder and /tmp together
	Processes    int           `json:"processes,omitempty"`     // concurrent processes and threads
}

// Validate returns an error for the first field that is out of range.
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
