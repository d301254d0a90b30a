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
	control *os.File
	stderr  *os.File // what the Go runtime of the nursery says when it crashes
}

// toolFiles is what init gets open with its program.
type toolFiles struct {
	streams      []*os.File // stdin, stdout and stderr of the command; none for a trial
	cgroup       folder     // where the command lives in v2, or none
	enter, leave []int      // tasks files of v1
}

// count is the number of the files.
func (f *toolFiles) count() int {
	n := len(f.streams) + len(f.enter) + len(f.leave)
	if f.cgroup.is() {
		n++
	}
	return n
}

// initHandle is the driver's side of an init.
type initHandle struct {
	pid        int
	process    *os.File // ready to read when init has ended
	control    *os.File
	folder     *os.File // working folder of the command, when init sent it
	program    *program // that it executes
	namespaces bool
}

// nurseryEnv keeps the runtime of the nursery small.
var nurseryEnv = []string{"GOMAXPROCS=1"}

// bear gives a new init. A nursery that died, as by the machine for lack of memory, is started again.
func (n *nest) bear() (*initHandle, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	old := n.process != nil
	h, err := n.tryBear()
	if err != nil && old {
		n.stop()
		h, err = n.tryBear()
	}
	if err != nil {
		return nil, fmt.Errorf("start the init of a run: %w", err)
	}
	return h, nil
}

func (n *nest) tryBear() (*initHandle, error) {
	if n.process == nil {
		if err := n.start(); err != nil {
			return nil, err
		}
	}
	ours, theirs, err := controlPair()
	if err != nil {
		return nil, err
	}
	h := &initHandle{control: ours, namespaces: n.opt.namespaces}
	word := []byte{bearPlain}
	if n.opt.namespaces {
		word[0] = bearIsolated
	}
	err = sendFiles(n.control, word, []int{int(theirs.Fd())})
	_ = theirs.Close()
	var b birth
	if err == nil {
		err = readReply(n.control, bytesOf(&b), &h.process)
	}
	if err == nil && b.Errno != 0 {
		err = syscall.Errno(b.Errno)
	}
	if err == nil && h.process == nil {
		err = errors.New("the nursery sent no descriptor of it")
	}
	if err != nil {
		h.close()
		return nil, fmt.Errorf("%w%s", err, n.crash())
	}
	h.pid = int(b.Pid)
	return h, nil
}

// controlPair makes a socket between the driver, whose end does not block, and another process.
func controlPair() (ours, theirs *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if err := unix.SetNonblock(pair[0], true); err != nil {
		_, _ = unix.Close(pair[0]), unix.Close(pair[1])
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control"), nil
}

// start starts the nursery.
func (n *nest) start() error {
	ours, theirs, err := controlPair()
	if err != nil {
		return err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		_ = ours.Close()
		return err
	}
	defer null.Close()
	crash, err := unix.MemfdCreate("init-stderr", unix.MFD_CLOEXEC)
	if err != nil {
		_ = ours.Close()
		return os.NewSyscallError("memfd_create", err)
	}
	n.control, n.stderr = ours, os.NewFile(uintptr(crash), "init-stderr")
	attr := &os.ProcAttr{Files: []*os.File{null, null, n.stderr, theirs}, Env: nurseryEnv, Sys: n.sysProcAttr()}
	n.process, err = n.spawner.start("/proc/self/exe", []string{initName}, attr, nil, nil)
	if err != nil {
		_, _ = n.control.Close(), n.stderr.Close()
	}
	return err
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

// stop ends the nursery, and with it inits that have namespaces. n.mu is held.
func (n *nest) stop() {
	if n.process == nil {
		return
	}
	_ = n.control.Close()
	timer := time.AfterFunc(initTimeout, func() { _ = n.process.Kill() })
	_, _ = n.process.Wait()
	timer.Stop()
	_ = n.stderr.Close()
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
	for _, f := range files.streams {
		fds = append(fds, int(f.Fd())) // puts pipes into blocking mode, which commands expect
	}
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
func sendFiles(socket *os.File, data []byte, fds []int) error {
	conn, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	sent := 0
	var sendErr error
	rights := unix.UnixRights(fds...)
	err = conn.Write(func(fd uintptr) bool {
		for {
			sent, sendErr = unix.SendmsgN(int(fd), data, rights, nil, unix.MSG_NOSIGNAL)
			if sendErr != unix.EINTR {
				return sendErr != unix.EAGAIN
			}
		}
	})
	if err = errors.Join(err, sendErr); err == nil && sent < len(data) {
		_, err = socket.Write(data[sent:])
	}
	return err
}

// tell says that all descendants are to be killed, waited for and measured.
func (h *initHandle) tell() error {
	_, err := h.control.Write([]byte{'f'})
	return err
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
func readReply(socket *os.File, data []byte, file **os.File) error {
	conn, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	for len(data) > 0 {
		var n int
		var fds []int
		var recvErr error
		err := conn.Read(func(fd uintptr) bool {
			for {
				n, fds, recvErr = receiveDescriptors(int(fd), data)
				if recvErr != unix.EINTR {
					return recvErr != unix.EAGAIN
				}
			}
		})
		if err = errors.Join(err, recvErr); err != nil {
			return err
		}
		for _, fd := range fds {
			_ = (*file).Close() // of a nil file does nothing
			_ = unix.SetNonblock(fd, true)
			*file = os.NewFile(uintptr(fd), "of init")
		}
		if n == 0 {
			return io.EOF
		}
		data = data[n:]
	}
	return nil
}

// alive tells whether init still holds its end of the socket.
func (h *initHandle) alive() bool {
	conn, err := h.control.SyscallConn()
	if err != nil {
		return false
	}
	dead := false
	err = conn.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, pollErr := unix.Poll(p, 0)
		dead = pollErr == nil && n > 0 // it has nothing to say before it is told what to do
	})
	return err == nil && !dead
}

// kill kills init, and with it the processes of its namespace.
func (h *initHandle) kill() {
	if conn, err := h.process.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _ = unix.PidfdSendSignal(int(fd), unix.SIGKILL, nil, 0) })
	}
}

// end closes the socket, at which init exits, and waits for it. An init that hangs is killed.
func (h *initHandle) end() error {
	_ = h.control.Close()
	timer := time.AfterFunc(initTimeout, h.kill)
	err := h.wait()
	timer.Stop()
	h.close()
	return err
}

// wait waits until init and its namespaces are gone. The nursery need not wait for it.
func (h *initHandle) wait() error {
	conn, err := h.process.SyscallConn()
	if err != nil {
		return err
	}
	return conn.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && err != unix.EINTR
	})
}

// close closes the descriptors. Closing a nil file does nothing.
func (h *initHandle) close() {
	for _, f := range []*os.File{h.control, h.process, h.folder} {
		_ = f.Close()
	}
}
