package runner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Record describes a finished run. Workers write it as JSON.
type Record struct {
	// Measured contains what every executor measures. The other fields are specific to this runner. WallTimeS is from
	// just before the clone of the command to its exit. CPUTimeS and MemoryBytes cover the whole process tree. Memory
	// includes files in the run's scratch space.
	run.Measured

	UserTime   time.Duration `json:"user_time_ns"`
	SystemTime time.Duration `json:"system_time_ns"`
	// Processes is the highest number of concurrent processes and threads, or zero if the kernel does not count them.
	Processes int `json:"processes,omitempty"`
	// ReadBytes and WrittenBytes are the numbers of bytes read from and written to block devices. The kernel counts
	// them in units of 512 bytes, for the command's own process and the children it waited for.
	ReadBytes    int64 `json:"read_bytes,omitempty"`
	WrittenBytes int64 `json:"written_bytes,omitempty"`
	// Pressure is how long some of the run's processes had to wait; nil if the kernel does not measure it.
	Pressure *Pressure `json:"pressure_ns,omitempty"`

	Stdout Output `json:"stdout"`
	Stderr Output `json:"stderr"`
	// Lines are the recorded lines of stdout.
	Lines []Line `json:"lines,omitempty"`

	// Flags are remarks on the measurements.
	Flags Flags `json:"flags,omitempty"`
	// Layout is the cgroup layout used for measuring: v2, hybrid, v1 or none.
	Layout string `json:"layout"`
	// Slot and CPUs identify where the run was executed.
	Slot int    `json:"slot"`
	CPUs string `json:"cpus,omitempty"`
	// Started is the wall clock time of the start in UTC, only for display.
	Started time.Time `json:"started"`
	// Env is the command's complete environment, sorted.
	Env []string `json:"environment"`
	// Collected lists the copied files with their sizes.
	Collected []CollectedFile `json:"-"`
}

// Pressure is a run's pressure stall information: how long at least one of its tasks waited for the CPU, for memory,
// and for I/O.
type Pressure [3]time.Duration

// Output is what a run wrote to a stream.
type Output struct {
	Head  []byte `json:"head,omitempty"` // start of the output, or all of it
	Tail  []byte `json:"tail,omitempty"` // end of the output, if bytes in between were dropped
	Total int64  `json:"total_bytes"`    // number of bytes written by the run
}

// Dropped returns the number of bytes between Head and Tail.
func (o *Output) Dropped() int64 { return o.Total - int64(len(o.Head)+len(o.Tail)) }

// Bytes returns the kept bytes, with a line in between that states how many bytes are missing.
func (o *Output) Bytes() []byte {
	dropped := o.Dropped()
	if dropped == 0 {
		return append(o.Head[:len(o.Head):len(o.Head)], o.Tail...)
	}
	mark := dropMark(dropped)
	b := make([]byte, 0, len(o.Head)+len(mark)+len(o.Tail))
	return append(append(append(b, o.Head...), mark...), o.Tail...)
}

// Line is a recorded line of stdout.
type Line struct {
	At   time.Duration `json:"wall_time_ns"`          // arrival of the last byte, since the run's start
	CPU  time.Duration `json:"cpu_time_ns,omitempty"` // the run's CPU time on arrival; only for answers
	Text Raw           `json:"text"`                  // text without the line feed, at most 256 bytes
}

// Raw is text that may be invalid UTF-8. In JSON it is base64-encoded.
type Raw string

// MarshalJSON implements json.Marshaler.
func (r Raw) MarshalJSON() ([]byte, error) { return json.Marshal([]byte(r)) }

// UnmarshalJSON implements json.Unmarshaler.
func (r *Raw) UnmarshalJSON(text []byte) error {
	var b []byte
	err := json.Unmarshal(text, &b)
	*r = Raw(b)
	return err
}

// CollectedFile describes a file copied out of the working folder.
type CollectedFile struct {
	Path string
	Size int64
}

// Flags is a set of remarks on a run.
type Flags uint32

// The flags.
const (
	FlagSoftLimit Flags = 1 << iota // SIGTERM was sent at a soft limit
	FlagTruncated                   // output was dropped
	FlagLateExit                    // the command exited by itself, but exceeded a limit
	FlagThrottled                   // the kernel or the processor throttled the run
	FlagSwapped                     // the machine swapped during the run
	// the hypervisor certainly took over 1 % of the wall time from the slot's CPUs
	FlagStolen
	FlagCoresShared   // another driver had a slot on the same cores
	FlagOvercommit    // the slots have more cores or memory in total than the machine
	FlagSuspended     // the machine was suspended during the run
	FlagPidsLimit     // the kernel refused to create a process or thread
	FlagScratchFull   // the scratch space was full at the end
	FlagLeftProcesses // processes outlived the command and were killed
	FlagSampled       // memory or CPU time was measured by sampling
	FlagNoMemoryLimit // the memory limit was enforced by sampling or not at all
	FlagNotPinned     // the run was not bound to the slot's cores
	FlagCollectPartly // some files to collect were rejected
	// the command was killed by a SIGKILL that the runner did not send and that no limit explains
	FlagForeignKill
	// processes left the run's cgroups: measurements exclude them, and limits did not apply to them
	FlagLeftCgroups
	FlagCrowded // all cores were busy, and further threads waited for a core
)

var flagNames = []string{
	"soft_limit", "truncated", "late_exit", "throttled", "swapped", "stolen", "cores_shared", "overcommit", "suspended",
	"pids_limit", "scratch_full", "left_processes", "sampled", "no_memory_limit", "not_pinned", "collect_partly",
	"foreign_kill", "left_cgroups", "crowded",
}

// Names returns the names of all set flags in a fixed order.
func (f Flags) Names() []string {
	var names []string
	for i, n := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// MarshalJSON implements json.Marshaler. It encodes the names.
func (f Flags) MarshalJSON() ([]byte, error) { return json.Marshal(f.Names()) }

// UnmarshalJSON implements json.Unmarshaler.
func (f *Flags) UnmarshalJSON(text []byte) error {
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		return err
	}
	*f = 0
	for _, n := range names {
		i := slices.Index(flagNames, n)
		if i < 0 {
			return fmt.Errorf("unknown flag %q of a run", n)
		}
		*f |= 1 << i
	}
	return nil
}

// String returns the names, separated by commas.
func (f Flags) String() string { return strings.Join(f.Names(), ",") }

// Has reports whether f contains all flags in g.
func (f Flags) Has(g Flags) bool { return f&g == g }
