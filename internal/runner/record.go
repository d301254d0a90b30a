package runner

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// Record describes one finished run.
type Record struct {
	Ending comp.Ending
	// ExitCode is the exit code of a command that ended by itself, and -1 if a signal ended it.
	ExitCode int
	// Signal is the signal that ended the command, whoever sent it; zero if none did.
	Signal syscall.Signal

	WallTime   time.Duration // from just before the clone of the command to its exit
	CPUTime    time.Duration // of the whole tree
	UserTime   time.Duration
	SystemTime time.Duration

	// MemoryBytes is the highest memory use of the whole tree, including files in its scratch space.
	MemoryBytes int64
	// Processes is the highest number of processes and threads at a time; zero if the kernel does not count it.
	Processes int
	// ReadBytes and WrittenBytes are the bytes read from and written to block devices, as the kernel charged them to
	// the command's own process and the children it waited for, in units of 512 bytes.
	ReadBytes, WrittenBytes int64
	// Pressure is the time in which some of the run's processes waited; nil if the kernel does not measure it.
	Pressure *Pressure

	Stdout, Stderr Output
	// Lines are the recorded lines of stdout with their times.
	Lines []Line

	// Flags are further remarks for readers of the figures.
	Flags Flags
	// Isolation is the level that the run had.
	Isolation Isolation
	// Layout is the cgroup layout that measured it: v2, hybrid, v1 or none.
	Layout string
	// Slot and CPUs are the place of the run.
	Slot int
	CPUs string
	// Started is the wall clock at the start, for people only.
	Started time.Time
	// Env is the whole environment of the command, sorted.
	Env []string
	// Collected lists the files that were copied out, with their sizes.
	Collected []CollectedFile
}

// Pressure is pressure stall information of one run: the total time in which at least one of its tasks waited.
type Pressure struct {
	CPU, Memory, IO time.Duration
}

// Output is what a run wrote to one of its streams.
type Output struct {
	Head    []byte // the beginning, everything if nothing was dropped
	Tail    []byte // the end, if something was dropped in between
	Total   int64  // bytes written by the run
	Dropped int64  // bytes between Head and Tail
}

// Bytes returns the kept bytes, with a line in place of the missing ones that gives their number.
func (o *Output) Bytes() []byte {
	if o.Dropped == 0 {
		return append(o.Head[:len(o.Head):len(o.Head)], o.Tail...)
	}
	mark := dropMark(o.Dropped)
	b := make([]byte, 0, len(o.Head)+len(mark)+len(o.Tail))
	return append(append(append(b, o.Head...), mark...), o.Tail...)
}

// Line is one recorded line of stdout.
type Line struct {
	At   time.Duration // wall time of the run when its last byte was read by the driver
	CPU  time.Duration // CPU time of the run at that time; recorded for answers only
	Text string        // without the line feed, at most 256 bytes
}

// CollectedFile is a file copied out of the working folder.
type CollectedFile struct {
	Path string
	Size int64
}

// Flags are remarks on one run. They are a set.
type Flags uint32

// The flags.
const (
	FlagSoftLimit Flags = 1 << iota // SIGTERM was sent at the soft limit
	FlagTruncated                   // output was dropped
	FlagLateExit                    // the command exited by itself, but above a limit
	FlagThrottled                   // the kernel or the processor slowed the run
	FlagSwapped                     // the machine swapped during the run
	// the hypervisor certainly took more than 1 % of the wall time from the slot's CPUs
	FlagStolen
	FlagCoresShared   // another driver had a slot on the same cores
	FlagOvercommit    // the slots together have more than the machine
	FlagSuspended     // the machine slept during the run
	FlagPidsLimit     // creating a process or thread was refused
	FlagScratchFull   // the scratch space was full at the end
	FlagLeftProcesses // processes outlived the command and were killed
	FlagSampled       // memory or CPU time come from samples
	FlagNoMemoryLimit // the memory limit was enforced by samples or not at all
	FlagNotPinned     // the run was not tied to its cores
	FlagCollectPartly // some files to collect were refused
	// the command was ended by a SIGKILL that the runner did not send and no limit explains
	FlagForeignKill
	// processes left the cgroups of the run: its figures lack what they used, and its limits did not apply to them
	FlagLeftCgroups
)

var flagNames = []string{
	"soft_limit", "truncated", "late_exit", "throttled", "swapped", "stolen", "cores_shared", "overcommit", "suspended",
	"pids_limit", "scratch_full", "left_processes", "sampled", "no_memory_limit", "not_pinned", "collect_partly",
	"foreign_kill", "left_cgroups",
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

// ParseFlags is the inverse of Names.
func ParseFlags(names []string) (Flags, error) {
	var f Flags
	for _, n := range names {
		i := slices.Index(flagNames, n)
		if i < 0 {
			return 0, fmt.Errorf("unknown flag %q of a run", n)
		}
		f |= 1 << i
	}
	return f, nil
}

// String joins the names with commas.
func (f Flags) String() string { return strings.Join(f.Names(), ",") }

// Has reports whether all flags of g are set.
func (f Flags) Has(g Flags) bool { return f&g == g }
