package runner

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MaybeInit must be called first thing in main. When this process was started by a Host as the init of a run, it does
// that work and never returns; otherwise it returns at once. The same holds for the trial runs of Diagnose.
func MaybeInit() {
	maybeTrial()
	if len(os.Args) != 1 || os.Args[0] != initName {
		return
	}
	onWorkerThread(func() {
		in := &initProcess{control: os.NewFile(fdControl, "control"), work: -1}
		if err := in.run(); err != nil {
			_ = writeMessage(in.control, errorReply(err))
		}
		os.Exit(0)
	})
	select {}
}

// initProcess is the state of one init.
type initProcess struct {
	control *os.File
	req     request
	fds     []int // that came with the request
	tool    int   // process id of the command
	work    int   // its working folder; -1 without a private root
}

// stepError is an error of init with what it tried.
type stepError struct {
	step  string
	err   error
	start bool // the command is at fault
}

func (e *stepError) Error() string { return e.step + ": " + e.err.Error() }

func (e *stepError) Unwrap() error { return e.err }

func step(name string, err error) error {
	if err == nil {
		return nil
	}
	return &stepError{step: name, err: err}
}

func errorReply(err error) *reply {
	r := &reply{Kind: "error", Text: err.Error()}
	if s, ok := errors.AsType[*stepError](err); ok {
		r.Step, r.Text, r.Start = s.step, s.err.Error(), s.start
	}
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		r.Errno = int(no)
	}
	return r
}

func (in *initProcess) run() error {
	preferVictim(true) // before the next step, which takes /proc/self from an ordinary user
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return step("make init unreadable", err)
	}
	if err := unix.CloseRange(fdControl, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return step("keep descriptors from the command", err)
	}
	if err := in.prepareEarly(); err != nil {
		return err
	}
	socket := &descriptorReader{socket: fdControl}
	if err := readMessage(socket, &in.req); err == io.EOF {
		os.Exit(0) // the driver has no use for us
	} else if err != nil {
		return step("read the request", err)
	}
	in.fds = socket.fds
	if err := in.prepare(); err != nil {
		return err
	}
	if len(in.req.Argv) == 0 { // only a trial of what works here
		return step("report", writeMessage(in.control, &reply{Kind: "done"}))
	}
	if err := in.start(); err != nil {
		return err
	}
	return in.reap()
}

// prepareEarly does what is the same for every command, before there is one.
func (in *initProcess) prepareEarly() error {
	ignoreSignals()
	unix.Umask(0o022)
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 0) // the driver may be nice; only root can go back
	if unix.Getpid() != 1 {
		return step("become a subreaper", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	}
	if err := unix.Sethostname([]byte(Hostname)); err != nil { // all namespaces come together
		return step("name the machine", err)
	}
	return step("bring up the loopback interface", loopbackUp())
}

// ignoreSignals keeps a command of the same user from ending init by a signal. What the Go runtime itself needs stays; the
// command gets all signals back to their defaults, see forkChild.
func ignoreSignals() {
	ignore := sigAction{handler: 1} // SIG_IGN
	for _, sig := range []unix.Signal{
		unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGABRT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGPIPE, unix.SIGALRM,
		unix.SIGTERM, unix.SIGXCPU, unix.SIGXFSZ, unix.SIGVTALRM, unix.SIGPROF, unix.SIGIO, unix.SIGPWR, unix.SIGSYS,
	} {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&ignore)), 0, sigSetSize, 0, 0)
	}
}

// prepare brings the process into the state that the command inherits.
func (in *initProcess) prepare() error {
	req := &in.req
	if req.Root != nil {
		if err := buildRoot(req.Root); err != nil {
			return err
		}
	}
	if err := os.Chdir(req.Dir); err != nil {
		return &stepError{step: "enter the working folder", err: err, start: true}
	}
	if req.Root != nil {
		var err error
		if in.work, err = unix.Open(".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
			return step("open the working folder", err)
		}
	}
	return nil
}

// preferVictim makes what is cloned next the first to die when the whole machine runs out of memory. Init goes back to
// normal afterwards, where it may.
func preferVictim(on bool) {
	value := map[bool]string{true: "500", false: "0"}[on]
	_ = writeFile("/proc/self/oom_score_adj", value)
}

// limits are the resource limits of the command.
func (in *initProcess) limits() []childLimit {
	limit := func(which int, soft, hard uint64) childLimit {
		var have unix.Rlimit
		if unix.Getrlimit(which, &have) == nil {
			hard = min(hard, have.Max)
		}
		return childLimit{which, unix.Rlimit{Cur: min(soft, hard), Max: hard}}
	}
	return []childLimit{
		limit(unix.RLIMIT_CORE, noCore, noCore),
		limit(unix.RLIMIT_NOFILE, in.req.OpenFilesSoft, in.req.OpenFilesHard),
		limit(unix.RLIMIT_STACK, 8<<20, unix.RLIM_INFINITY), // solvers may raise it
	}
}

// noCore is the limit of a core dump. Zero would not keep the kernel from starting the program that a machine may have for
// them (core(5), "Piping core dumps to a program"); one does both, being below the smallest dump (fs/coredump.c).
const noCore = 1

// start clones the command. The calling thread must be locked.
func (in *initProcess) start() error {
	req := &in.req
	program, err := lookProgram(req.Argv[0], req.Env)
	if err != nil {
		return &stepError{step: "find " + req.Argv[0], err: err, start: true}
	}
	cgroup, enter, leave, err := in.cgroupFiles()
	if err != nil {
		return step("read the request", err)
	}
	spec := &childSpec{
		program: program, argv: req.Argv, env: req.Env, files: [3]int(in.fds[:3]), cgroup: cgroup,
		uid: req.UID, gid: req.GID, setGroups: req.UID >= 0 && !req.UserNS, limits: in.limits(), guard: req.Guard,
	}
	if err := writeTasks(enter); err != nil {
		return step("enter the run's cgroups", err)
	}
	clock := monotonic()
	pid, err := cloneChild(spec)
	if back := writeTasks(leave); back != nil && err == nil {
		return step("leave the run's cgroups", back)
	}
	preferVictim(false)
	if err != nil {
		return err
	}
	in.tool = pid
	for _, fd := range in.fds {
		_ = unix.Close(fd) // only the command holds the pipes now
	}
	started := &reply{Kind: "started", Clock: clock}
	if in.work >= 0 {
		return step("report the start", writeMessageWith(fdControl, started, in.work))
	}
	return step("report the start", writeMessage(in.control, started))
}

// cgroupFiles divides what came after the streams.
func (in *initProcess) cgroupFiles() (cgroup int, enter, leave []int, err error) {
	rest := in.fds[min(len(in.fds), fdFirstCgroup):]
	cgroup = -1
	if in.req.ToolCgroup && len(rest) > 0 {
		cgroup, rest = rest[0], rest[1:]
	}
	if len(in.fds) < fdFirstCgroup || len(rest) != in.req.Enter+in.req.Leave {
		return -1, nil, nil, fmt.Errorf("%d open files came with the request, which do not fit it", len(in.fds))
	}
	return cgroup, rest[:in.req.Enter], rest[in.req.Enter:], nil
}

// writeTasks moves the calling thread into the cgroups of v1 whose tasks files are open as fds.
func writeTasks(fds []int) error {
	for _, fd := range fds {
		if _, err := unix.Write(fd, []byte("0")); err != nil {
			return err
		}
	}
	return nil
}

// reap waits for all descendants until the driver closes the control socket. It reports the command's end, and, after
// the driver's word, kills what is left, waits for it and reports what all used together.
func (in *initProcess) reap() error {
	finish := make(chan struct{})
	go func() {
		var word reply
		err := readMessage(in.control, &word)
		if err != nil { // the driver is done with us, or dead
			if !in.req.PidNS {
				killDescendants(false) // a pid namespace ends with us, other processes do not
			}
			os.Exit(0)
		}
		close(finish)
		killDescendants(in.req.PidNS)
	}()
	for {
		var status unix.WaitStatus
		var usage unix.Rusage
		pid, err := unix.Wait4(-1, &status, 0, &usage)
		clock := monotonic()
		switch {
		case err == unix.EINTR:
		case err == unix.ECHILD:
			<-finish
			return step("report the use", in.reportAll())
		case err != nil:
			return step("wait", err)
		case pid == in.tool && (status.Exited() || status.Signaled()):
			r := usageReply("exited", &usage)
			r.Clock, r.Status = clock, status
			if err := writeMessage(in.control, r); err != nil {
				return step("report the end", err)
			}
		}
	}
}

func (in *initProcess) reportAll() error {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &usage); err != nil {
		return err
	}
	return writeMessage(in.control, usageReply("done", &usage))
}

func usageReply(kind string, u *unix.Rusage) *reply {
	return &reply{
		Kind: kind, User: time.Duration(u.Utime.Nano()), System: time.Duration(u.Stime.Nano()),
		InBlocks: u.Inblock, OutBlocks: u.Oublock, MaxRSS: u.Maxrss << 10,
	}
}

// killDescendants kills everything below init until nothing is left to kill. Init itself is immune to the signal.
func killDescendants(pidNS bool) {
	if pidNS {
		_ = unix.Kill(-1, unix.SIGKILL)
		return
	}
	for range 1000 {
		below := descendants(os.Getpid())
		if len(below) == 0 {
			return
		}
		for _, pid := range below {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		time.Sleep(time.Millisecond)
	}
}

// lookProgram finds a program as execvp does, with the PATH of env.
func lookProgram(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	var firstErr error = syscall.ENOENT
	for _, kv := range env {
		list, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for dir := range strings.SplitSeq(list, ":") {
			p := filepath.Join("/", dir, name)
			info, err := os.Stat(p)
			if err != nil || info.IsDir() {
				continue
			}
			if info.Mode()&0o111 != 0 {
				return p, nil
			}
			firstErr = syscall.EACCES
		}
	}
	return "", fmt.Errorf("%w in the PATH of the run", firstErr)
}
