package runner

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// trialName is the first argument that tells this binary that it is executed as the command of a trial run.
const trialName = "smtpipe-trial-run"

// A process that Diagnose started as the command of a trial run is handled here and never returns.
func init() {
	if len(os.Args) != 4 || os.Args[1] != trialName {
		return
	}
	n, err := strconv.Atoi(os.Args[3])
	if err != nil {
		os.Exit(64)
	}
	switch os.Args[2] {
	case "burn": // n milliseconds of CPU time, then print the exact amount in nanoseconds
		for processCPU() < time.Duration(n)*time.Millisecond {
		}
		fmt.Println(processCPU().Nanoseconds())
	case "touch": // n bytes of memory
		mem, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			os.Exit(65)
		}
		for i := 0; i < n; i += os.Getpagesize() {
			mem[i] = 1
		}
		runtime.KeepAlive(mem)
	case "sleep": // n milliseconds
		time.Sleep(time.Duration(n) * time.Millisecond)
	case "spawn": // n processes at a time
		for range n {
			if err := exec.Command("/proc/self/exe", trialName, "sleep", "2000").Start(); err != nil {
				time.Sleep(time.Second)
			}
		}
	}
	os.Exit(0)
}

// processCPU reads the CPU time of this process.
func processCPU() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts) // cannot fail for the own process
	return time.Duration(ts.Nano())
}
