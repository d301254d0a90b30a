package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/verify"
)

// confinedVariable tells a process of verify that it is the child that checks: the bytes of memory that it may use, and
// whether it has no network.
const confinedVariable = "SMTPIPE_VERIFY_CONFINED"

// ownNetwork is the value for a child in a network namespace of its own, which has no network.
const ownNetwork = "no-network"

// finishedFD is the file descriptor on which the child says that it came to its end.
const finishedFD = 3

// verifyInChild executes the same command in a child with bounded memory and, where the system allows it, without
// network: what it reads comes from strangers.
func verifyInChild(cmd *cobra.Command, args []string, memory int64) error {
	err := startChild(cmd, args, memory, true)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.ENOSYS) {
		err = startChild(cmd, args, memory, false)
	}
	return err
}

// startChild starts the child and waits for its end. The error of a start is that of the system.
func startChild(cmd *cobra.Command, args []string, memory int64, cutOff bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	finished, said, err := os.Pipe()
	if err != nil {
		return err
	}
	defer finished.Close()
	value := strconv.FormatInt(memory, 10)
	child := exec.CommandContext(cmd.Context(), self)
	child.Args = append([]string{"smtpipe"}, args...)
	child.Stdout, child.Stderr, child.ExtraFiles = cmd.OutOrStdout(), cmd.ErrOrStderr(), []*os.File{said}
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) }
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if cutOff {
		value += " " + ownNetwork
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
	child.Env = append(os.Environ(), confinedVariable+"="+value, "GOTRACEBACK=none")
	runtime.LockOSThread() // the child is killed when the thread that started it ends
	defer runtime.UnlockOSThread()
	err = child.Start()
	said.Close()
	if err != nil {
		return err
	}
	err = child.Wait()
	if n, _ := finished.Read(make([]byte, 1)); n == 0 && cmd.Context().Err() == nil {
		return withExit(exitCannotVerify, fmt.Errorf("the process that checks the folder ended before its time (%w). "+
			"It may use %s of memory; if you trust the folder, give it more with --memory", err, bytesText(memory)))
	}
	if code := child.ProcessState.ExitCode(); code > 0 {
		return withExit(code, nil)
	}
	return err
}

// confine bounds the memory of this process if it is the child of verifyInChild. It returns what confines it, or nil if
// it is not the child, and a function to call at the end.
func confine() (c *verify.Confined, finished func(), err error) {
	value, isChild := os.LookupEnv(confinedVariable)
	if !isChild {
		return nil, nil, nil
	}
	if err := os.Unsetenv(confinedVariable); err != nil {
		return nil, nil, err
	}
	text, network, _ := strings.Cut(value, " ")
	memory, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", confinedVariable, err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &limit); err != nil {
		return nil, nil, os.NewSyscallError("getrlimit", err)
	}
	limit.Cur = min(limit.Max, uint64(memory)) // programs that it starts may raise it again
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &limit); err != nil {
		return nil, nil, os.NewSyscallError("setrlimit", err)
	}
	debug.SetMemoryLimit(memory / 4 * 3)
	said := os.NewFile(finishedFD, "finished")
	unix.CloseOnExec(finishedFD)
	return &verify.Confined{MemoryBytes: memory, NoNetwork: network == ownNetwork}, func() {
		_, _ = said.Write([]byte{1}) // the parent may be gone
		said.Close()
	}, nil
}
