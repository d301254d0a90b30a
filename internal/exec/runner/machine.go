package runner

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// machineState holds the machine's counters to compare before and after a run.
type machineState struct {
	swap      bool          // whether there is swap space; if not, swapped is not read
	swapped   int64         // number of pages swapped
	throttled int64         // number of throttling events on the slot's CPUs
	stolen    stolenReading // time stolen from the slot's CPUs
	asleep    time.Duration // CLOCK_BOOTTIME minus CLOCK_MONOTONIC
}

// stolenReading holds the time, in whole ticks, that the hypervisor had stolen from each of a slot's CPUs at a certain
// moment.
type stolenReading struct {
	at    time.Duration
	ticks []int64
}

// readMachine reads the counters for the given CPUs. Counters that the machine lacks are zero. Reading /proc/stat is
// slow and its resolution is a tick, so a reading less than a tick old is reused.
func readMachine(cpus []int, last *stolenReading) machineState {
	s := readCheap(cpus, false)
	if now := monotonic(); last.at == 0 || now-last.at > clockTick {
		*last = stolenReading{now, stolenTicks(cpus)}
	}
	s.stolen = *last
	return s
}

// readMachineAfter is like readMachine, but for the state after a run. Stolen time cannot be proved for a run shorter
// than a tick.
func readMachineAfter(cpus []int, wall time.Duration, before machineState, last *stolenReading) machineState {
	s := readCheap(cpus, before.swap)
	s.stolen = before.stolen
	if wall > clockTick {
		ticks := stolenTicks(cpus)
		*last = stolenReading{monotonic(), ticks}
		s.stolen = *last
	}
	return s
}

// readCheap reads everything except the stolen time. swap reports whether there was swap space before the run. Without
// swap space, nothing is swapped.
func readCheap(cpus []int, swap bool) machineState {
	var s machineState
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil || info.Totalswap > 0 || swap {
		s.swap = true
		if vmstat, err := readKernel("/proc/vmstat"); err == nil {
			in, _ := findKey(vmstat, "pswpin")
			out, _ := findKey(vmstat, "pswpout")
			s.swapped = in + out
		}
	}
	for _, c := range cpus {
		core, err := readInt(throttleFile(c, "core"))
		if err != nil {
			break // this machine does not count throttling
		}
		pkg, _ := readInt(throttleFile(c, "package"))
		s.throttled += core + pkg
	}
	var boot unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) == nil {
		s.asleep = time.Duration(boot.Nano()) - monotonic()
	}
	return s
}

func throttleFile(cpu int, of string) string {
	return "/sys/devices/system/cpu/cpu" + strconv.Itoa(cpu) + "/thermal_throttle/" + of + "_throttle_count"
}

// stolenTicks returns the time stolen from each of the CPUs. /proc/stat lists the CPUs in order.
func stolenTicks(cpus []int) []int64 {
	data, err := readKernel("/proc/stat")
	if err != nil {
		return nil
	}
	ticks := make([]int64, 0, len(cpus))
	for line := range bytes.Lines(data) {
		rest, ok := bytes.CutPrefix(line, []byte("cpu"))
		if !ok {
			break // all CPU lines have been read
		}
		if len(rest) == 0 || rest[0] == ' ' {
			continue // the line with the sum over all CPUs
		}
		f := bytes.Fields(rest)
		id, err := strconv.Atoi(string(f[0]))
		if err != nil || len(f) < 9 || !slices.Contains(cpus, id) {
			continue
		}
		n, _ := strconv.ParseInt(string(f[8]), 10, 64)
		ticks = append(ticks, n)
	}
	return ticks
}

// provedSince returns the minimum time that the hypervisor stole between start and end. before must have been read
// before start, and s after end. A counter that advanced by n ticks proves that more than n-1 were stolen, and all of
// the time outside the run may have been stolen.
func (s stolenReading) provedSince(before stolenReading, start, end time.Duration) time.Duration {
	if len(s.ticks) != len(before.ticks) {
		return 0 // a CPU appeared or disappeared
	}
	outside := max(0, start-before.at) + max(0, s.at-end)
	var sum time.Duration
	for i, n := range s.ticks {
		sum += max(0, time.Duration(n-before.ticks[i]-1)*clockTick-outside)
	}
	return sum
}

// compare returns the flags for changes between two states, around a run from start to end.
func (s machineState) compare(after machineState, start, end time.Duration) Flags {
	var f Flags
	if after.swapped > s.swapped {
		f |= FlagSwapped
	}
	if after.throttled > s.throttled {
		f |= FlagThrottled
	}
	if after.stolen.provedSince(s.stolen, start, end) > (end-start)/100 {
		f |= FlagStolen
	}
	if after.asleep-s.asleep > 100*time.Millisecond {
		f |= FlagSuspended
	}
	return f
}
