package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// initOptions says how inits are started.
type initOptions struct {
	namespaces bool
	userNS     bool
	cgroup     folder // where inits live in v2, or none
}

// nest is the driver's side of a nursery: the process of this program that forks inits. It starts with the first of them.
type nest struct {
	opt     initOptions
	spawner *spawner

	mu      sync.Mutex
	process *os.Process // nil when there is none
	control int         // socket
	wait    *waiter     // for it
	mounts  int         // mounts of the host, as they were when the nursery was started; see outdated
	stderr  *os.File    // what the Go runtime of the nursery says when it crashes
}

// toolFiles is what init gets open with its program.
type toolFiles struct {
	streams      []int  // stdin, stdout and stderr of the command; none for a trial
	cgroup       folder // where the command lives in v2, or none
	enter, leave []int  // tasks files of v1
}

// count is the number of the files.
func (f *toolFiles) count() int {
	n := len(f.streams) + len(f.enter) + len(f.leave)
	if f.cgroup.is() {
		n++
	}
	return n
}

// initHandle is the driver's side of an init. Descriptors that it does not have are -1.
type initHandle struct {
	pid        int
	process    int      // ready to read when init has ended
	control    int      // socket
	folder     int      // working folder of the command, when init sent it
	program    *program // that it executes
	namespaces bool
	base       bool // its nursery has one; see addBase
}

// nurseryEnv keeps the runtime of the nursery small.
var nurseryEnv = []string{"GOMAXPROCS=1"}

// bear gives a new init. A nursery that died, as by the machine for lack of memory, is started again. What is to be done
// meanwhile is done once, whatever comes of it.
func (n *nest) bear(meanwhile func()) (*initHandle, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	meanwhile = sync.OnceFunc(meanwhile)
	defer meanwhile()
	old := n.process != nil
	h, err := n.tryBear(meanwhile)
	if err != nil && old {
		n.stop()
		h, err = n.tryBear(meanwhile)
	}
	if err != nil {
		return nil, fmt.Errorf("start the init of a run: %w", err)
	}
	return h, nil
}

func (n *nest) tryBear(meanwhile func()) (*initHandle, error) {
	if n.process == nil {
		if err := n.start(); err != nil {
			return nil, err
		}
	}
	ours, theirs, err := controlPair()
	if err != nil {
		return nil, err
	}
	h := &initHandle{process: -1, control: ours, folder: -1, namespaces: n.opt.namespaces}
	word := []byte{bearPlain}
	if n.opt.namespaces {
		word[0] = bearIsolated
	}
	err = sendFiles(n.control, word, []int{theirs})
	_ = unix.Close(theirs)
	var b birth
	if err == nil {
		meanwhile()
		_, err = n.wait.wait(-1)
	}
	if err == nil {
		err = readReply(n.control, bytesOf(&b), &h.process)
	}
	if err == nil && b.Errno != 0 {
		err = syscall.Errno(b.Errno)
	}
	if err == nil && h.process < 0 {
		err = errors.New("the nursery sent no descriptor of it")
	}
	if err != nil {
		h.close()
		return nil, fmt.Errorf("%w%s", err, n.crash())
	}
	h.pid, h.base = int(b.Pid), b.Base != 0
	return h, nil
}

// controlPair makes a socket between the driver and another process.
func controlPair() (ours, theirs int, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	return pair[0], pair[1], os.NewSyscallError("socketpair", err)
}

// start starts the nursery.
func (n *nest) start() error {
	ours, end, err := controlPair()
	if err != nil {
		return err
	}
	theirs := os.NewFile(uintptr(end), "control")
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		_ = unix.Close(ours)
		return err
	}
	defer null.Close()
	crash, err := unix.MemfdCreate("init-stderr", unix.MFD_CLOEXEC)
	if err != nil {
		_ = unix.Close(ours)
		return os.NewSyscallError("memfd_create", err)
	}
	n.control, n.stderr = ours, os.NewFile(uintptr(crash), "init-stderr")
	if n.mounts, err = unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		n.mounts = -1
	}
	if n.wait, err = newWaiter(); err == nil {
		err = n.wait.add(n.control, keyEnd)
	}
	if err != nil {
		n.closeFiles()
		return err
	}
	attr := &os.ProcAttr{Files: []*os.File{null, null, n.stderr, theirs}, Env: nurseryEnv, Sys: n.sysProcAttr()}
	_, err = n.spawner.start(nil, nil, func() (pid int, err error) {
		if n.process, err = os.StartProcess("/proc/self/exe", []string{initName}, attr); err != nil {
			return 0, err
		}
		return n.process.Pid, nil
	})
	if err != nil {
		n.closeFiles()
	}
	return err
}

func (n *nest) closeFiles() {
	n.wait.close()
	closeAll(n.control, n.mounts)
	_ = n.stderr.Close()
	n.wait, n.control, n.mounts = nil, -1, -1
}

func (n *nest) sysProcAttr() *syscall.SysProcAttr {
	attr := sysProcAttr(n.opt.cgroup)
	if n.opt.userNS {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: insideUID, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: insideUID, HostID: os.Getegid(), Size: 1}}
		attr.AmbientCaps = initCapabilities
	}
	return attr
}

// insideUID is the user that a command is in a user namespace of its own.
const insideUID = 1000

// initCapabilities are what the nursery keeps over its execve in a user namespace without a root user.
var initCapabilities = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE, unix.CAP_CHOWN, unix.CAP_FOWNER,
	unix.CAP_KILL, unix.CAP_SYS_RESOURCE,
}

// crash gives what the nursery said on its stderr.
func (n *nest) crash() string {
	buf := make([]byte, 2048)
	got, _ := n.stderr.ReadAt(buf, 0)
	if got == 0 {
		return ""
	}
	return ": " + string(buf[:got])
}

// outdated tells whether mounts of the host changed since the last look. A nursery with a base has a mount namespace of its
// own, into which the host's mounts come by themselves only where the host shares them.
func (n *nest) outdated() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process == nil || n.mounts < 0 || !n.opt.namespaces {
		return false
	}
	poll := []unix.PollFd{{Fd: int32(n.mounts), Events: unix.POLLPRI}}
	changed, err := unix.Poll(poll, 0)
	return err == nil && changed > 0
}

// stop ends the nursery, and with it inits that have namespaces. n.mu is held.
func (n *nest) stop() {
	if n.process == nil {
		return
	}
	closeAll(n.control) // at which it ends
	n.control = -1
	timer := time.AfterFunc(initTimeout, func() { _ = n.process.Kill() })
	_, _ = n.process.Wait()
	timer.Stop()
	n.closeFiles()
	n.process = nil
}

// close ends the nursery. All its inits must have ended.
func (n *nest) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stop()
}

// initTimeout is how long a process that has nothing to do may take to end.
const initTimeout = 5 * time.Second

// send gives init its program with the open files.
func (h *initHandle) send(p *program, files toolFiles) error {
	fds := make([]int, 0, files.count())
	fds = append(fds, files.streams...)
	if files.cgroup.is() {
		p.head[headCgroup] = uint64(len(fds))
		fds = append(fds, files.cgroup.fd)
	}
	p.head[headEnter], p.head[headEnterN] = uint64(len(fds)), uint64(len(files.enter))
	fds = append(fds, files.enter...)
	p.head[headLeave], p.head[headLeaveN] = uint64(len(fds)), uint64(len(files.leave))
	fds = append(fds, files.leave...)
	h.program = p
	block := p.finish()
	if len(block) > maxRequest {
		return fmt.Errorf("arguments, environment and inputs of the command take %d bytes, and init takes %d", len(block), maxRequest)
	}
	if err := sendFiles(h.control, block, fds); err != nil {
		return fmt.Errorf("talk to init: %w", err)
	}
	return nil
}

// sendFiles writes to a Unix socket, with open files.
func sendFiles(socket int, data []byte, fds []int) error {
	rights := unix.UnixRights(fds...)
	for len(data) > 0 {
		sent, err := unix.SendmsgN(socket, data, rights, nil, unix.MSG_NOSIGNAL)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return os.NewSyscallError("sendmsg", err)
		}
		data, rights = data[sent:], nil
	}
	return nil
}

// tell says that all descendants are to be killed, waited for and measured.
func (h *initHandle) tell() error {
	return sendFiles(h.control, []byte{'f'}, nil)
}

// receive waits for the next reply. Failures are errors.
func (h *initHandle) receive() (reply, error) {
	var r reply
	if err := readReply(h.control, bytesOf(&r), &h.folder); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it ended before its time")
		}
		return r, fmt.Errorf("the init of the run: %w", err)
	}
	errno := syscall.Errno(r.Errno)
	switch r.Kind {
	case replyEarlyFailed:
		return r, earlyProgram(h.namespaces).failure(int(r.Index), errno)
	case replyFailed:
		return r, h.program.failure(int(r.Index), errno)
	case replyEnterFailed:
		return r, step("enter or leave the run's cgroups", errno)
	case replyCloneFailed:
		return r, step("clone", errno)
	}
	return r, nil
}

// readReply fills data from a Unix socket and keeps a descriptor that comes with it.
func readReply(socket int, data []byte, file *int) error {
	for len(data) > 0 {
		n, fds, err := receiveDescriptors(socket, data)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return os.NewSyscallError("recvmsg", err)
		}
		for _, fd := range fds {
			closeAll(*file)
			*file = fd
		}
		if n == 0 {
			return io.EOF
		}
		data = data[n:]
	}
	return nil
}

// readable waits until a descriptor can be read, or is at its end. A negative limit is none.
func readable(fd int, limit time.Duration) bool {
	var until *unix.Timespec
	if limit >= 0 {
		ts := unix.NsecToTimespec(int64(limit))
		until = &ts
	}
	for {
		n, err := unix.Ppoll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, until, nil)
		if err != unix.EINTR {
			return n > 0 || err != nil
		}
	}
}

// alive tells whether init still holds its end of the socket. It has nothing to say before it is told what to do.
func (h *initHandle) alive() bool { return !readable(h.control, 0) }

// kill kills init, and with it the processes of its namespace.
func (h *initHandle) kill() { _ = unix.PidfdSendSignal(h.process, unix.SIGKILL, nil, 0) }

// end closes the socket, at which init exits, and waits until it and its namespaces are gone. The nursery need not wait for
// it. An init that hangs is killed.
func (h *initHandle) end() {
	h.leave(func() bool { return readable(h.process, initTimeout) })
}

// leave is end with a way to wait.
func (h *initHandle) leave(wait func() bool) {
	closeAll(h.control)
	h.control = -1
	if h.process >= 0 && !wait() {
		h.kill()
		readable(h.process, -1)
	}
	h.close()
}

// close closes the descriptors.
func (h *initHandle) close() {
	closeAll(h.control, h.process, h.folder)
	h.control, h.process, h.folder = -1, -1, -1
}

// closeAll closes descriptors, but negative ones.
func closeAll(fds ...int) {
	for _, fd := range fds {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
