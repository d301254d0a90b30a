package runner

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// machineState holds counters of the machine that are compared before and after a run.
type machineState struct {
	swap      bool          // there is swap space, and swapped was read
	swapped   int64         // pages
	throttled int64         // events of the slot's CPUs
	stolen    stolenReading // from the slot's CPUs
	asleep    time.Duration // CLOCK_BOOTTIME minus CLOCK_MONOTONIC
}

// stolenReading is the time, in whole ticks, that the hypervisor had stolen from each of a slot's CPUs at some moment.
type stolenReading struct {
	at    time.Duration
	ticks []int64
}

// readMachine reads the counters for some CPUs. Counters that the machine lacks are zero. Reading /proc/stat is slow
// and its values count ticks, so a reading less than a tick old is reused.
func readMachine(cpus []int, last *stolenReading) machineState {
	s := readCheap(cpus, false)
	if now := monotonic(); last.at == 0 || now-last.at > clockTick {
		*last = stolenReading{now, stolenTicks(cpus)}
	}
	s.stolen = *last
	return s
}

// readMachineAfter is readMachine after a run with the given wall time. Stolen time cannot be proved for a run shorter
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

// readCheap reads everything except the stolen time. Nothing is swapped without swap space; swap reports whether there
// was some before.
func readCheap(cpus []int, swap bool) machineState {
	var s machineState
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil || info.Totalswap > 0 || swap {
		s.swap = true
		if vmstat, err := readSmall("/proc/vmstat"); err == nil {
			in, _ := findKey(vmstat, "pswpin")
			out, _ := findKey(vmstat, "pswpout")
			s.swapped = in + out
		}
	}
	for _, c := range cpus {
		core, err := readInt(throttleFile(c, "core"))
		if err != nil {
			break // the machine does not count it
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

// stolenTicks returns the time stolen from each of the CPUs, read from /proc/stat, which lists them in order
func stolenTicks(cpus []int) []int64 {
	data, err := readSmall("/proc/stat")
	if err != nil {
		return nil
	}
	ticks := make([]int64, 0, len(cpus))
	for line := range bytes.Lines(data) {
		rest, ok := bytes.CutPrefix(line, []byte("cpu"))
		if !ok {
			break // the lines of CPUs come first
		}
		if len(rest) == 0 || rest[0] == ' ' {
			continue // the total of all CPUs
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

// provedSince returns how much time was certainly stolen between start and end, if s was read after the end and before
// was read before the start. A counter that advanced by n ticks proves more than n-1, and all the time outside the run
// may have been stolen.
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

// compare returns the flags for the changes between two states, around a run from start to end.
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
