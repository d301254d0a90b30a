package runner

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// initStarter starts a slot's inits.
type initStarter struct {
	spawner    *spawner
	namespaces bool
	userNS     bool
	cgroup     folder // v2 cgroup for inits, if any

	null   int // descriptor of /dev/null
	crash  int // file that receives the Go runtime's message if an init crashes
	mounts int // the host's mounts, to detect changes; -1 if not possible

	mu    sync.Mutex
	ended []int // IDs of inits that have ended but have not been waited for
}

// openInits returns a starter, which the caller must close. group holds the slot's cgroups, or is nil.
func openInits(namespaces, userNS bool, group *slotGroup) (*initStarter, error) {
	n := &initStarter{spawner: newSpawner(), namespaces: namespaces, userNS: userNS, null: -1, crash: -1, mounts: -1}
	if err := n.open(group); err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

func (n *initStarter) open(group *slotGroup) (err error) {
	if group != nil {
		n.cgroup = group.init
		if err := n.spawner.enter(group.cores); err != nil {
			return err
		}
	}
	if n.null, err = unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0); err != nil {
		return os.NewSyscallError("open "+os.DevNull, err)
	}
	if n.crash, err = unix.MemfdCreate("init-stderr", unix.MFD_CLOEXEC); err != nil {
		return os.NewSyscallError("memfd_create", err)
	}
	if n.namespaces {
		n.mounts, _ = unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0) // -1 after an error
	}
	return nil
}

func (n *initStarter) close() {
	n.reap()
	closeAll(n.null, n.crash, n.mounts)
	n.spawner.close()
}

// reap waits for the inits that have ended. It is called a while after they end; otherwise the kernel would make this
// thread spin while it removes the init's threads from /proc.
func (n *initStarter) reap() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, pid := range n.ended {
		for {
			if _, err := unix.Wait4(pid, nil, 0, nil); err != unix.EINTR {
				break
			}
		}
	}
	n.ended = n.ended[:0]
}

// reapDelay is the time between an init's end and the wait for it.
const reapDelay = 10 * time.Millisecond

func (n *initStarter) addEnded(pid int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = append(n.ended, pid)
	time.AfterFunc(reapDelay, n.reap)
}

// mountsChanged reports whether the host's mounts changed since the last call. An init has its own mount namespace,
// into which the host's mounts propagate only if the host shares them.
func (n *initStarter) mountsChanged() bool {
	if n.mounts < 0 {
		return false
	}
	poll := []unix.PollFd{{Fd: int32(n.mounts), Events: unix.POLLPRI}}
	changed, err := unix.Poll(poll, 0)
	return err == nil && changed > 0
}

// toolFiles are the open files that init receives with its request.
type toolFiles struct {
	streams      []int  // the command's stdin, stdout and stderr; empty for a trial
	cgroup       folder // the command's v2 cgroup, if any
	enter, leave []int  // tasks files of v1 cgroups to enter and to return to
}

// initHandle is the driver's side of an init. Missing descriptors are -1.
type initHandle struct {
	pid     int
	process int // pidfd, readable when init has ended
	control *initproc.Reader
	replies *os.File // the control socket once the request has been sent; nil before
	folder  int      // the command's working folder, once init has sent it
	starter *initStarter
}

// initEnv keeps an init's Go runtime small. It allows two threads: one clones the command while the other lets the
// clone pass the filter.
var initEnv = []string{"GOMAXPROCS=2", "GOGC=off", "GODEBUG=containermaxprocs=0"}

// start starts an init.
func (n *initStarter) start() (*initHandle, error) {
	ours, theirs, err := controlPair()
	if err != nil {
		return nil, err
	}
	defer unix.Close(theirs)
	h := &initHandle{process: -1, control: &initproc.Reader{Socket: ours}, folder: -1, starter: n}
	attr := &syscall.ProcAttr{
		Files: []uintptr{uintptr(n.null), uintptr(n.null), uintptr(n.crash), uintptr(theirs)}, Env: initEnv,
		Sys: n.sysProcAttr(),
	}
	attr.Sys.PidFD = &h.process
	n.spawner.do(func() { h.pid, err = startBlocked("/proc/self/exe", []string{initproc.Name}, attr) })
	if err == nil && h.process < 0 {
		err = errors.New("the kernel lacks process descriptors (Linux before 5.2)")
	}
	if err != nil {
		h.close()
		return nil, fmt.Errorf("start the init of a run: %w", err)
	}
	return h, nil
}

// startBlocked starts a process from this thread, with all signals blocked.
func startBlocked(program string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	all := unix.Sigset_t{}
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	var before unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &before); err != nil {
		return 0, os.NewSyscallError("rt_sigprocmask", err)
	}
	pid, _, err = syscall.StartProcess(program, argv, attr)
	return pid, errors.Join(err, unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil))
}

// controlPair creates a socket pair that connects the driver and another process.
func controlPair() (ours, theirs int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	return pair[0], pair[1], os.NewSyscallError("socketpair", err)
}

func (n *initStarter) sysProcAttr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true, CgroupFD: -1}
	if n.cgroup.is() {
		attr.UseCgroupFD, attr.CgroupFD = true, n.cgroup.fd
	}
	if !n.namespaces {
		// Without a pid namespace, an init must kill all its descendants before it ends. The end of the socket tells it
		// to do so.
		return attr
	}
	attr.Pdeathsig = syscall.SIGKILL
	attr.Cloneflags = isolationFlags
	if n.userNS {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: insideUID, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: insideUID, HostID: os.Getegid(), Size: 1}}
		attr.AmbientCaps = initCapabilities
	}
	return attr
}

// insideUID is a command's user ID in its user namespace.
const insideUID = 1000

// initCapabilities are the capabilities that an init keeps across execve in a user namespace without a root user.
var initCapabilities = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE, unix.CAP_CHOWN, unix.CAP_FOWNER,
	unix.CAP_KILL, unix.CAP_SYS_RESOURCE,
}

// stderrText returns what inits wrote to stderr.
func (n *initStarter) stderrText() string {
	buf := make([]byte, 2048)
	got, _ := unix.Pread(n.crash, buf, 0)
	if got <= 0 {
		return ""
	}
	return ": " + string(buf[:got])
}

// initTimeout limits the time that an idle process may take to end.
const initTimeout = 5 * time.Second

// send sends init its request with the open files.
func (h *initHandle) send(r *initproc.Request, files toolFiles) error {
	fds := append([]int{}, files.streams...)
	if files.cgroup.is() {
		r.Command.IntoCgroup = true
		fds = append(fds, files.cgroup.fd)
	}
	fds = append(append(fds, files.enter...), files.leave...)
	if r.Command != nil {
		r.Command.Enter, r.Command.Leave = len(files.enter), len(files.leave)
	}
	err := initproc.WriteRequest(h.control.Socket, r, fds)
	if err == nil {
		h.replies, err = pollable(h.control.Socket)
	}
	if err != nil {
		return fmt.Errorf("talk to init: %w%s", err, h.starter.stderrText())
	}
	return nil
}

// receive waits for the next reply. It returns a reply that reports a failure as an error.
func (h *initHandle) receive() (initproc.Reply, error) {
	var r initproc.Reply
	err := await(h.replies)
	if err == nil {
		r, err = h.control.ReadReply()
	}
	if len(h.control.Files) > 0 {
		closeAll(h.folder)
		h.folder, h.control.Files = h.control.Files[0], nil
	}
	if err != nil {
		return r, fmt.Errorf("the init of the run: %w%s", err, h.starter.stderrText())
	}
	return r, r.Err()
}

// readable reports whether a descriptor is readable or at its end.
func readable(fd int) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		if err != unix.EINTR {
			return n > 0 || err != nil
		}
	}
}

// await waits until a file is readable or at its end, or until its read deadline.
func await(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	return conn.Read(func(fd uintptr) bool { return readable(int(fd)) })
}

// alive reports whether init still holds its end of the socket. Before its request, an init sends nothing.
func (h *initHandle) alive() bool { return !readable(h.control.Socket) }

// kill kills init, and with it all processes in its namespace.
func (h *initHandle) kill() { _ = unix.PidfdSendSignal(h.process, unix.SIGKILL, nil, 0) }

// end closes the socket, which makes init exit, and waits until init and its namespaces are gone. This takes the kernel
// a while. If init hangs, end kills it.
func (h *initHandle) end() {
	h.hangUp()
	if ended, err := pollable(h.process); err == nil {
		_ = ended.SetReadDeadline(time.Now().Add(initTimeout))
		if await(ended) != nil {
			h.kill()
			_ = ended.SetReadDeadline(time.Time{})
			_ = await(ended)
		}
		_ = ended.Close()
	}
	h.process = -1
	h.starter.addEnded(h.pid)
	h.close()
}

// hangUp closes the driver's end of the socket.
func (h *initHandle) hangUp() {
	if h.replies == nil {
		closeAll(h.control.Socket)
	}
	_ = h.replies.Close() // no-op for nil
	h.control.Socket = -1
}

// close closes all descriptors.
func (h *initHandle) close() {
	h.hangUp()
	closeAll(h.process, h.folder)
	h.process, h.folder = -1, -1
}

// closeAll closes the non-negative descriptors.
func closeAll(fds ...int) {
	for _, fd := range fds {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
