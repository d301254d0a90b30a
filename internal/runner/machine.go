package runner

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// machineState is counters of the machine that are compared before and after a run.
type machineState struct {
	swap      bool          // there is some, and swapped was read
	swapped   int64         // pages
	throttled int64         // events of the slot's CPUs
	stolen    time.Duration // from the slot's CPUs
	asleep    time.Duration // CLOCK_BOOTTIME minus CLOCK_MONOTONIC
}

// stolenReading is when the stolen time of a slot's CPUs was read last, and what it was.
type stolenReading struct {
	at, stolen time.Duration
}

// readMachine reads the counters for some CPUs. What the machine does not count is zero. The kernel takes long to write
// /proc/stat, so a reading of less than a tick ago is used again: it counts in ticks.
func readMachine(cpus []int, last *stolenReading) machineState {
	s := readCheap(cpus, false)
	if now := monotonic(); last.at == 0 || now-last.at > clockTick {
		*last = stolenReading{now, stolenTime(cpus)}
	}
	s.stolen = last.stolen
	return s
}

// readMachineAfter is readMachine after a run that took wall time. In a run of less than a tick nothing that matters can have
// been stolen.
func readMachineAfter(cpus []int, wall time.Duration, before machineState, last *stolenReading) machineState {
	s := readCheap(cpus, before.swap)
	s.stolen = before.stolen
	if wall > clockTick {
		*last = stolenReading{monotonic(), stolenTime(cpus)}
		s.stolen = last.stolen
	}
	return s
}

// readCheap reads all but the stolen time. Without swap space nothing is swapped; swap says that there was some before.
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
			break // a machine that does not count it
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

// stolenTime adds up what the hypervisor took from CPUs, from /proc/stat.
func stolenTime(cpus []int) time.Duration {
	data, err := readSmall("/proc/stat")
	if err != nil {
		return 0
	}
	var ticks int64
	for line := range bytes.Lines(data) {
		rest, ok := bytes.CutPrefix(line, []byte("cpu"))
		if !ok {
			break // the lines of CPUs come first
		}
		if len(rest) == 0 || rest[0] == ' ' {
			continue // the sum of all
		}
		f := bytes.Fields(rest)
		id, err := strconv.Atoi(string(f[0]))
		if err != nil || len(f) < 9 || !slices.Contains(cpus, id) {
			continue
		}
		n, _ := strconv.ParseInt(string(f[8]), 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * clockTick
}

// compare gives the flags of what happened between two states, which are wall time apart.
func (s machineState) compare(after machineState, wall time.Duration) Flags {
	var f Flags
	if after.swapped > s.swapped {
		f |= FlagSwapped
	}
	if after.throttled > s.throttled {
		f |= FlagThrottled
	}
	if stolen := after.stolen - s.stolen; stolen > clockTick && stolen > wall/100 {
		f |= FlagStolen
	}
	if after.asleep-s.asleep > 100*time.Millisecond {
		f |= FlagSuspended
	}
	return f
}
