package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// printText TEXT... prints its arguments as lines.
func printText(args []string) {
	for _, a := range args {
		_, _ = os.Stdout.WriteString(a + "\n")
	}
}

// printArgs prints its arguments, quoted.
func printArgs(args []string) {
	for _, a := range args {
		fmt.Printf("%q\n", a)
	}
}

// list DIR... prints the names in each folder.
func list(args []string) {
	for _, dir := range args {
		entries, err := os.ReadDir(dir)
		if err != nil {
			fmt.Println("ls:", err)
			continue
		}
		for _, e := range entries {
			fmt.Println(e.Name())
		}
	}
}

// read FILE... prints the content of files.
func read(args []string) {
	for _, name := range args {
		data, err := os.ReadFile(name)
		if err != nil {
			fmt.Println("read:", err)
			continue
		}
		_, _ = os.Stdout.Write(data)
	}
}

// facts prints what a process inherits as key=value lines.
func facts([]string) {
	dir, _ := os.Getwd()
	umask := unix.Umask(0)
	unix.Umask(umask)
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, 0)
	fds, _ := os.ReadDir("/proc/self/fd")
	var open []string
	for _, f := range fds {
		if target, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && !strings.Contains(target, "/proc/") &&
			// descriptors of the Go runtime
			!strings.Contains(target, "anon_inode") && !strings.HasPrefix(target, "/sys/fs/cgroup") {
			open = append(open, f.Name())
		}
	}
	fmt.Printf("cwd=%s\numask=%03o\nnice=%d\nfds=%s\n", dir, umask, 20-nice, strings.Join(open, ","))
	for name, which := range map[string]int{"core": unix.RLIMIT_CORE, "nofile": unix.RLIMIT_NOFILE} {
		var l unix.Rlimit
		_ = unix.Getrlimit(which, &l)
		fmt.Printf("limit_%s=%d,%d\n", name, l.Cur, l.Max)
	}
	sid, _ := unix.Getsid(0)
	host, _ := os.Hostname()
	fmt.Printf("pid=%d\nppid=%d\nsession_leader=%v\nuid=%d\nhost=%s\ncpus=%d\n",
		os.Getpid(), os.Getppid(), sid == os.Getpid(), os.Getuid(), host, runtime.NumCPU())
	for _, env := range os.Environ() {
		fmt.Println("env", env)
	}
	for _, key := range []string{"SigBlk", "SigIgn", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs",
		"Seccomp",
		"Cpus_allowed_list"} {
		fmt.Printf("%s=%s\n", key, status(key))
	}
}

func status(key string) string {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// connect tries to reach the network and the abstract socket that its argument names.
func connect(args []string) {
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		fmt.Printf("interface %s up=%v\n", i.Name, i.Flags&net.FlagUp != 0)
	}
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		c, err := net.Dial("tcp", l.Addr().String())
		fmt.Println("loopback", err == nil)
		if err == nil {
			_ = c.Close()
		}
		_ = l.Close()
	}
	for _, a := range args {
		network := "unix"
		if strings.Contains(a, ":") {
			network = "tcp"
		}
		c, err := net.DialTimeout(network, a, time.Second)
		fmt.Printf("connected %s %v\n", a, err == nil)
		if err == nil {
			_ = c.Close()
		}
	}
}

// ipc KEY reports whether a System V shared memory segment exists, then creates it.
func ipc(args []string) {
	key := number(args, 0, 4711)
	_, err := unix.SysvShmGet(key, 4096, 0o600)
	fmt.Println("found", err == nil)
	_, err = unix.SysvShmGet(key, 4096, 0o600|unix.IPC_CREAT)
	fmt.Println("made", err == nil)
}

// raisePriority tries to obtain more than its share of the machine.
func raisePriority([]string) {
	err := unix.Setpriority(unix.PRIO_PROCESS, 0, -10)
	fmt.Println("nice", err == nil)
	param := struct{ priority int32 }{1}
	_, _, e := unix.Syscall(unix.SYS_SCHED_SETSCHEDULER, 0, 1, uintptr(ptr(&param)))
	fmt.Println("realtime", e == 0)
	var all unix.CPUSet
	for i := range 1024 {
		all.Set(i)
	}
	err = unix.SchedSetaffinity(0, &all)
	fmt.Println("affinity", err == nil, status("Cpus_allowed_list"))
}

// leaveFiles creates every kind of file that a file system supports in the working folder.
func leaveFiles([]string) {
	put := func(name, content string) {
		_ = os.MkdirAll(filepath.Dir(name), 0o755)
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			fmt.Printf("%q: %v\n", name, err)
		}
	}
	put("plain.txt", "plain")
	put("dir/deep/file", "deep")
	put("with space\tand\nnewline", "space")
	put("ünïcödé", "unicode")
	put("bad-\xff\xfe-name", "no UTF-8")
	put("secret", "secret")
	_ = os.Chmod("secret", 0)
	put("closed/file", "in a closed folder")
	_ = os.Chmod("closed", 0)
	_ = os.Symlink("/etc/passwd", "link-out")
	_ = os.Symlink("/", "root")
	_ = os.Symlink("plain.txt", "link-in")
	_ = syscall.Mkfifo("fifo", 0o644)
	if l, err := net.Listen("unix", "socket"); err == nil {
		defer l.Close()
	}
	if f, err := os.Create("sparse"); err == nil {
		_ = f.Truncate(1 << 40)
		_ = f.Close()
	}
	_ = os.WriteFile("program", []byte("#!/bin/false\n"), 0o4755)
	fmt.Println("left")
	_, _ = io.WriteString(os.Stderr, "")
}
