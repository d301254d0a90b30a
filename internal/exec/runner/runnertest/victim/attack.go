package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

func ptr[T any](p *T) unsafe.Pointer { return unsafe.Pointer(p) }

// attack tries every escape that it knows and prints "NAME refused" or "NAME SUCCEEDED" for each.
func attack(args []string) {
	report := func(name string, err error) {
		if err == nil {
			fmt.Println(name, "SUCCEEDED")
			return
		}
		fmt.Println(name, "refused:", err)
	}
	report("unshare user", unix.Unshare(unix.CLONE_NEWUSER))
	report("unshare mount", unix.Unshare(unix.CLONE_NEWNS))
	report("clone user", cloneUser())
	report("mount tmpfs", unix.Mount("none", "/tmp", "tmpfs", 0, ""))
	report("remount root", unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, ""))
	report("unmount proc", unix.Unmount("/proc", unix.MNT_DETACH))
	report("chroot", unix.Chroot("/tmp"))
	report("setuid 0", unix.Setuid(0))
	report("setgid 0", unix.Setgid(0))
	report("ptrace init", unix.PtraceAttach(1))
	for _, f := range []string{"environ", "mem", "maps", "cwd", "root", "fd", "exe"} {
		report("read init's "+f, open("/proc/1/"+f, os.O_RDONLY))
	}
	report("kill init", survives(1))
	report("join init's mounts", setns("/proc/1/ns/mnt"))
	report("write core_pattern", open("/proc/sys/kernel/core_pattern", os.O_WRONLY))
	report("write hostname", unix.Sethostname([]byte("mine")))
	report("write sysrq", open("/proc/sysrq-trigger", os.O_WRONLY))
	report("read kcore", open("/proc/kcore", os.O_RDONLY))
	report("write root", open("/file", os.O_CREATE|os.O_WRONLY))
	report("write usr", open("/usr/file", os.O_CREATE|os.O_WRONLY))
	report("write etc", open("/etc/passwd", os.O_WRONLY))
	report("write cgroup", open("/sys/fs/cgroup/cgroup.procs", os.O_WRONLY))
	report("make device", unix.Mknod("/tmp/disk", unix.S_IFBLK|0o600, int(unix.Mkdev(254, 0))))
	report("read disk", open("/dev/vda", os.O_RDONLY))
	report("keyring", call(unix.SYS_KEYCTL, 0, 0, 0))
	report("userfaultfd", call(unix.SYS_USERFAULTFD, 0, 0, 0))
	report("io_uring", call(unix.SYS_IO_URING_SETUP, 1, uintptr(ptr(&[120]byte{})), 0))
	report("bpf", call(unix.SYS_BPF, 0, uintptr(ptr(&[128]byte{})), 128))
	report("open by handle", call(unix.SYS_OPEN_BY_HANDLE_AT, 3, uintptr(ptr(&[128]byte{})), 0))
	report("set clock", unix.ClockSettime(unix.CLOCK_REALTIME, &unix.Timespec{Sec: 1}))
	report("load module", call(unix.SYS_FINIT_MODULE, 0, 0, 0))
	report("inject terminal input", unix.IoctlSetInt(0, unix.TIOCSTI, 'x'))
	report("gain capabilities", gainCapabilities())
	for name, family := range map[string]int{"vsock": unix.AF_VSOCK, "packet": unix.AF_PACKET,
		"kernel crypto": unix.AF_ALG, "key": unix.AF_KEY} {
		report("socket of family "+name, socket(family, unix.SOCK_RAW))
		report("stream of family "+name, socket(family, unix.SOCK_STREAM))
	}
	report("raw socket", socket(unix.AF_INET, unix.SOCK_RAW))
	report("limit init", unix.Prlimit(1, unix.RLIMIT_NOFILE, &unix.Rlimit{}, nil))
	report("take init's descriptors", takeDescriptor(1))
	report("read init's memory", readMemory(1))
	report("copy the mounts", call(unix.SYS_OPEN_TREE, ^uintptr(99), uintptr(ptr(&[2]byte{'/'})), unix.OPEN_TREE_CLONE))
	report("new file system", call(unix.SYS_FSOPEN, uintptr(ptr(&[6]byte{'t', 'm', 'p', 'f', 's'})), 0, 0))
	report("clone into new namespaces", cloneThree(unix.CLONE_NEWUSER))
	report("raise the limit of core dumps", unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}))
	report("protect init from nobody", os.WriteFile("/proc/1/oom_score_adj", []byte("1000"), 0))
	report("open the terminal", open("/dev/tty", os.O_RDWR))
	report("read the kernel's log", open("/proc/kmsg", os.O_RDONLY))
	report("trace the kernel", call(unix.SYS_PERF_EVENT_OPEN, uintptr(ptr(&[128]byte{})), 0, 0))
	for _, p := range args {
		report("see "+p, open(p, os.O_RDONLY))
	}
}

func open(name string, flags int) error {
	f, err := os.OpenFile(name, flags, 0o600)
	if err == nil {
		_ = f.Close()
		if strings.HasSuffix(name, "/environ") || strings.HasSuffix(name, "/maps") {
			if data, _ := os.ReadFile(name); len(data) == 0 {
				return errors.New("it is empty")
			}
		}
	}
	return err
}

func call(nr, a, b, c uintptr) error {
	if _, _, e := unix.Syscall(nr, a, b, c); e != 0 {
		return e
	}
	return nil
}

// cloneUser creates a child in a new user namespace with clone and with clone3.
func cloneUser() error {
	pid, _, e := unix.RawSyscall6(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if e != 0 {
		return e
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
	}
	var status unix.WaitStatus
	_, _ = unix.Wait4(int(pid), &status, 0, nil)
	return nil
}

// leaveCgroup [CONTROLLER] moves this process to the root of all cgroup hierarchies, or only of a v1 controller's
// hierarchy.
func leaveCgroup(args []string) {
	roots := []string{"/sys/fs/cgroup"}
	if _, err := os.Stat(roots[0] + "/cgroup.procs"); err != nil { // cgroups v1
		roots, _ = filepath.Glob("/sys/fs/cgroup/*")
	}
	for _, root := range roots {
		if len(args) > 0 && filepath.Base(root) != args[0] {
			continue
		}
		if err := os.WriteFile(root+"/cgroup.procs", []byte("0"), 0); err != nil {
			fmt.Println("leave:", err)
		}
	}
}

func setns(file string) error {
	fd, err := unix.Open(file, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return unix.Setns(fd, 0)
}

// survives reports whether a process still exists after SIGKILL. If so, the attack was refused.
func survives(pid int) error {
	_ = unix.Kill(pid, unix.SIGKILL)
	if err := unix.Kill(pid, 0); err == nil || err == unix.EPERM {
		return errors.New("it lives")
	}
	return nil
}

// gainCapabilities tries to extend its permitted capabilities.
func gainCapabilities() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	data := [2]unix.CapUserData{{Effective: 1 << unix.CAP_SYS_ADMIN, Permitted: 1 << unix.CAP_SYS_ADMIN}}
	return unix.Capset(&head, &data[0])
}

func socket(family, kind int) error {
	fd, err := unix.Socket(family, kind, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

// takeDescriptor tries to duplicate another process's file descriptor.
func takeDescriptor(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err
	}
	_, err = unix.PidfdGetfd(fd, 3, 0)
	return err
}

// cloneThree creates a child with clone3.
func cloneThree(flags uint64) error {
	args := [11]uint64{0: flags, 4: uint64(unix.SIGCHLD)}
	pid, _, e := unix.RawSyscall(unix.SYS_CLONE3, uintptr(ptr(&args)), unsafe.Sizeof(args), 0)
	if e != 0 {
		return e
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
	}
	return nil
}

// readMemory tries to read a word from another process's memory, at the address of this program's own code.
func readMemory(pid int) error {
	var word [8]byte
	local := []unix.Iovec{{Base: &word[0], Len: uint64(len(word))}}
	remote := []unix.RemoteIovec{{Base: reflect.ValueOf(readMemory).Pointer(), Len: len(word)}}
	_, err := unix.ProcessVMReadv(pid, local, remote, 0)
	return err
}
