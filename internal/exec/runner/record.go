package runner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Record describes one finished run. Its JSON is what workers write.
type Record struct {
	// Measured holds what every run has, on any executor. The runner's own outputs and flags are below. WallTimeS is
	// from just before the clone of the command to its exit. CPUTimeS and MemoryBytes cover the whole tree. Memory
	// includes files in its scratch space.
	run.Measured

	UserTime   time.Duration `json:"user_time_ns"`
	SystemTime time.Duration `json:"system_time_ns"`
	// Processes is the highest number of concurrent processes and threads, or zero if the kernel does not count them.
	Processes int `json:"processes,omitempty"`
	// ReadBytes and WrittenBytes are the bytes read from and written to block devices. The kernel charges them, in
	// units of 512 bytes, to the command's own process and the children that it waited for.
	ReadBytes    int64 `json:"read_bytes,omitempty"`
	WrittenBytes int64 `json:"written_bytes,omitempty"`
	// Pressure is the time during which some of the run's processes waited; nil if the kernel does not measure it.
	Pressure *Pressure `json:"pressure_ns,omitempty"`

	Stdout Output `json:"stdout"`
	Stderr Output `json:"stderr"`
	// Lines are the recorded stdout lines with their times.
	Lines []Line `json:"lines,omitempty"`

	// Flags are further remarks about the figures.
	Flags Flags `json:"flags,omitempty"`
	// Layout is the cgroup layout used for measuring: v2, hybrid, v1 or none.
	Layout string `json:"layout"`
	// Slot and CPUs are where the run was executed.
	Slot int    `json:"slot"`
	CPUs string `json:"cpus,omitempty"`
	// Started is the wall clock time at the start, in UTC. It is only for people.
	Started time.Time `json:"started"`
	// Env is the command's whole environment, sorted.
	Env []string `json:"environment"`
	// Collected lists the copied files with their sizes.
	Collected []CollectedFile `json:"-"`
}

// Pressure is a run's pressure stall information: the total time during which at least one of its tasks waited for the
// CPU, for memory, or for I/O.
type Pressure [3]time.Duration

// Output is what a run wrote to one of its streams.
type Output struct {
	Head  []byte `json:"head,omitempty"` // the beginning, or everything if nothing was dropped
	Tail  []byte `json:"tail,omitempty"` // the end, if something was dropped in between
	Total int64  `json:"total_bytes"`    // bytes written by the run
}

// Dropped returns the number of bytes between Head and Tail.
func (o *Output) Dropped() int64 { return o.Total - int64(len(o.Head)+len(o.Tail)) }

// Bytes returns the kept bytes, with a line that states how many bytes are missing.
func (o *Output) Bytes() []byte {
	dropped := o.Dropped()
	if dropped == 0 {
		return append(o.Head[:len(o.Head):len(o.Head)], o.Tail...)
	}
	mark := dropMark(dropped)
	b := make([]byte, 0, len(o.Head)+len(mark)+len(o.Tail))
	return append(append(append(b, o.Head...), mark...), o.Tail...)
}

// Line is one recorded line of stdout.
type Line struct {
	At   time.Duration `json:"wall_time_ns"`          // when the driver read its last byte, from the run's start
	CPU  time.Duration `json:"cpu_time_ns,omitempty"` // the run's CPU time at that moment; recorded only for answers
	Text Raw           `json:"text"`                  // without the line feed, at most 256 bytes
}

// Raw is text that may be invalid UTF-8. JSON stores such text as bytes.
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

// CollectedFile is a file copied out of the working folder.
type CollectedFile struct {
	Path string
	Size int64
}

// Flags are remarks on one run. They form a set.
type Flags uint32

// The flags.
const (
	FlagSoftLimit Flags = 1 << iota // SIGTERM was sent at the soft limit
	FlagTruncated                   // output was dropped
	FlagLateExit                    // the command exited by itself, but above a limit
	FlagThrottled                   // the kernel or the processor throttled the run
	FlagSwapped                     // the machine swapped during the run
	// the hypervisor certainly took more than 1 % of the wall time from the slot's CPUs
	FlagStolen
	FlagCoresShared   // another driver had a slot on the same cores
	FlagOvercommit    // the slots together have more cores or memory than the machine
	FlagSuspended     // the machine was suspended during the run
	FlagPidsLimit     // creating a process or thread was refused
	FlagScratchFull   // the scratch space was full at the end
	FlagLeftProcesses // processes outlived the command and were killed
	FlagSampled       // memory or CPU time comes from samples
	FlagNoMemoryLimit // the memory limit was enforced by samples or not at all
	FlagNotPinned     // the run was not bound to its cores
	FlagCollectPartly // some files to collect were rejected
	// the command was killed by a SIGKILL that the runner did not send and that no limit explains
	FlagForeignKill
	// processes left the run's cgroups: its figures lack their usage, and its limits did not apply to them
	FlagLeftCgroups
	FlagCrowded // all its cores were busy, and more of its threads waited for one
)

var flagNames = []string{
	"soft_limit", "truncated", "late_exit", "throttled", "swapped", "stolen", "cores_shared", "overcommit", "suspended",
	"pids_limit", "scratch_full", "left_processes", "sampled", "no_memory_limit", "not_pinned", "collect_partly",
	"foreign_kill", "left_cgroups", "crowded",
}

// Names returns the names of the set flags in a fixed order.
func (f Flags) Names() []string {
	var names []string
	for i, n := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// MarshalJSON implements json.Marshaler. It writes the names.
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

// String joins the names with commas.
func (f Flags) String() string { return strings.Join(f.Names(), ",") }

// Has reports whether all flags of g are set.
func (f Flags) Has(g Flags) bool { return f&g == g }
