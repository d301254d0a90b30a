package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// confinedVariable is the environment variable that tells a verify process that it is the child. Its value is a
// confinement as JSON.
const confinedVariable = "SMTPIPE_VERIFY_CONFINED"

// confinement describes what the child may use.
type confinement struct {
	MemoryBytes int64  `json:"memory_bytes"`
	NoNetwork   bool   `json:"no_network"` // the child has a separate network namespace
	Temp        string `json:"temp"`       // path of an empty folder
}

// verifyGrowth is the heap growth, in percent, at which garbage is collected. Large tables are most of the heap, so
// this takes hardly any time.
const verifyGrowth = 40

// finishedFD is the file descriptor through which the child reports that it has finished.
const finishedFD = 3

// verifyInChild executes the same command in a child process with limited memory and, if the system allows it, without
// network access, because the child reads untrusted data. The child's working folder is removed however the child ends.
// If this process is killed, the next verify removes the folder.
func verifyInChild(cmd *cobra.Command, args []string, memory int64) error {
	defer endsItself()()
	temp, done, err := worker.Scratch("smtpipe-verify-")
	if err != nil {
		return err
	}
	defer done()
	err = startChild(cmd, args, memory, temp, true)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.ENOSYS) {
		err = startChild(cmd, args, memory, temp, false)
	}
	return err
}

// startChild starts the child and waits for it to end. It returns the system's error if the child cannot be started.
func startChild(cmd *cobra.Command, args []string, memory int64, temp string, cutOff bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	finished, said, err := os.Pipe()
	if err != nil {
		return err
	}
	defer finished.Close()
	value := confinement{MemoryBytes: memory, NoNetwork: cutOff, Temp: temp}
	child := exec.CommandContext(cmd.Context(), self)
	child.Args = append([]string{"smtpipe"}, args...)
	child.Stdout, child.Stderr, child.ExtraFiles = cmd.OutOrStdout(), cmd.ErrOrStderr(), []*os.File{said}
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) }
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if cutOff {
		child.SysProcAttr.Cloneflags = unix.CLONE_NEWNET
		if os.Geteuid() != 0 {
			child.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
			itself := func(id int) []syscall.SysProcIDMap {
				return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
			}
			child.SysProcAttr.UidMappings = itself(os.Geteuid())
			child.SysProcAttr.GidMappings = itself(os.Getegid())
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	child.Env = append(os.Environ(), confinedVariable+"="+string(text), "GOTRACEBACK=none")
	runtime.LockOSThread() // the child is killed when the thread that started it ends
	defer runtime.UnlockOSThread()
	err = child.Start()
	said.Close()
	if err != nil {
		return err
	}
	err = child.Wait()
	if n, _ := finished.Read(make([]byte, 1)); n == 0 && cmd.Context().Err() == nil {
		return exit.With(exit.CannotVerify, fmt.Errorf("the process that checks the folder ended too early (%w). "+
			"It may use %s of memory; if you trust the folder, give it more with --memory", err, words.Bytes(memory)))
	}
	if code := child.ProcessState.ExitCode(); code > 0 {
		return exit.With(code, nil)
	}
	return err
}

// confine limits this process's memory if it is verifyInChild's child. It returns the confinement (nil if it is not the
// child), the folder that it may write to, and a function to call at the end.
func confine() (c *verify.Confined, temp string, finished func(), err error) {
	value, isChild := os.LookupEnv(confinedVariable)
	if !isChild {
		return nil, "", nil, nil
	}
	if err := os.Unsetenv(confinedVariable); err != nil {
		return nil, "", nil, err
	}
	var may confinement
	if err := json.Unmarshal([]byte(value), &may); err != nil {
		return nil, "", nil, fmt.Errorf("%s: %w", confinedVariable, err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &limit); err != nil {
		return nil, "", nil, os.NewSyscallError("getrlimit", err)
	}
	limit.Cur = min(limit.Max, uint64(may.MemoryBytes)) // programs that the child starts may raise the limit again
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &limit); err != nil {
		return nil, "", nil, os.NewSyscallError("setrlimit", err)
	}
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), may.MemoryBytes/4*3))
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(verifyGrowth)
	}
	said := os.NewFile(finishedFD, "finished")
	unix.CloseOnExec(finishedFD)
	return &verify.Confined{MemoryBytes: may.MemoryBytes, NoNetwork: may.NoNetwork}, may.Temp, func() {
		_, _ = said.Write([]byte{1}) // the parent may have ended
		said.Close()
	}, nil
}
