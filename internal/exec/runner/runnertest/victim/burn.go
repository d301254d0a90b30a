package main

import (
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func duration(args []string, i int) time.Duration {
	if i >= len(args) {
		fail("a duration is missing")
	}
	d, err := time.ParseDuration(args[i])
	if err != nil {
		fail("%v", err)
	}
	return d
}

func number(args []string, i, missing int) int {
	if i >= len(args) {
		return missing
	}
	n, err := strconv.Atoi(args[i])
	if err != nil {
		fail("%v", err)
	}
	return n
}

// burn TIME [THREADS] uses CPU time until the whole process has used TIME, by its own clock.
func burn(args []string) {
	spin(duration(args, 0), number(args, 1, 1), func() {})
}

// burnUser is like burn, but with most of the time in the kernel.
func burnUser(args []string) {
	spin(duration(args, 0), number(args, 1, 1), func() { _ = syscall.Getppid() })
}

func spin(limit time.Duration, threads int, work func()) {
	runtime.GOMAXPROCS(max(2, threads))
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			runtime.LockOSThread()
			for processCPU() < limit {
				for range 1000 {
					work()
				}
			}
		})
	}
	wg.Wait()
}

// processCPU returns this process's CPU time.
func processCPU() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		fail("%v", err)
	}
	return time.Duration(ts.Nano())
}

// sleep TIME sleeps.
func sleep(args []string) { time.Sleep(duration(args, 0)) }

// exit CODE exits with a code.
func exit(args []string) { os.Exit(number(args, 0, 0)) }

// kill SIGNAL [PID] sends a signal, to itself by default.
func kill(args []string) {
	sig := syscall.Signal(number(args, 0, 9))
	defaultAction(sig)
	pid := number(args, 1, os.Getpid())
	if err := syscall.Kill(pid, sig); err != nil {
		_, _ = os.Stdout.WriteString("kill: " + err.Error() + "\n")
	}
	time.Sleep(100 * time.Millisecond)
}

// defaultAction restores the default action of a signal that the Go runtime handles.
func defaultAction(sig syscall.Signal) {
	var action [32]byte // struct sigaction, all zero: SIG_DFL
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(ptr(&action)), 0, 8, 0, 0)
}

// killAll signals every process that it is allowed to signal.
func killAll([]string) {
	if err := syscall.Kill(-1, syscall.SIGKILL); err != nil {
		_, _ = os.Stdout.WriteString("kill -1: " + err.Error() + "\n")
	}
	time.Sleep(100 * time.Millisecond)
}

// stop stops this process, as job control does.
func stop([]string) { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }

// ignoreSignals ignores every signal that can be ignored. With "report", it exits with code 7 on SIGTERM instead.
func ignoreSignals(args []string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	if len(args) > 0 && args[0] == "report" {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		go func() {
			<-c
			_, _ = os.Stdout.WriteString("terminated\n")
			os.Exit(7)
		}()
	}
}

// self returns a command that executes this program again.
func self(args []string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// child COMMAND... executes commands in a child process, waits for it, and reports whether a signal ended it.
func child(args []string) {
	if err := self(args).Run(); err != nil {
		_, _ = os.Stdout.WriteString("child: " + err.Error() + "\n")
	}
}

// spawn N COMMAND... executes commands in N concurrent children without waiting for them.
func spawn(args []string) {
	for range number(args, 0, 1) {
		if err := self(args[1:]).Start(); err != nil {
			_, _ = os.Stdout.WriteString("spawn: " + err.Error() + "\n")
		}
	}
}

// daemon COMMAND... executes commands in an orphaned grandchild with its own session.
func daemon(args []string) {
	if len(args) > 0 && args[0] == "-2" {
		cmd := self(args[1:])
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			fail("daemon: %v", err)
		}
		os.Exit(0)
	}
	cmd := self(append([]string{"daemon", "-2"}, args...))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		fail("daemon: %v", err)
	}
}

// forkBomb creates children that create more children, endlessly.
func forkBomb([]string) {
	for {
		if err := self([]string{"forkbomb"}).Start(); err != nil {
			time.Sleep(time.Millisecond)
		}
	}
}
