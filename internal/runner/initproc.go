package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// initOptions says how an init is started.
type initOptions struct {
	namespaces bool
	userNS     bool
	cgroup     *os.File // where init lives in v2, or nil
}

// toolFiles is what init gets open with the request.
type toolFiles struct {
	streams      []*os.File // stdin, stdout and stderr of the command; none for a trial
	cgroup       *os.File   // where the command lives in v2, or nil
	enter, leave []*os.File
}

// initHandle is the driver's side of an init.
type initHandle struct {
	opt     initOptions
	process *os.Process
	control *os.File
	stderr  *os.File // what the Go runtime of init says when it crashes
	folder  *os.File // working folder of the command, when init sent it
}

// initEnv keeps the runtime of init small: two threads at once do, and what it allocates is little.
var initEnv = []string{"GOMAXPROCS=2", "GOGC=off"}

// startInit starts this binary as the init of a run.
func startInit(s *spawner, opt initOptions) (*initHandle, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	if err := unix.SetNonblock(pair[0], true); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	h := &initHandle{opt: opt, control: os.NewFile(uintptr(pair[0]), "control")}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		h.control.Close()
		return nil, err
	}
	defer null.Close()
	crash, err := unix.MemfdCreate("init-stderr", unix.MFD_CLOEXEC)
	if err != nil {
		h.control.Close()
		return nil, os.NewSyscallError("memfd_create", err)
	}
	h.stderr = os.NewFile(uintptr(crash), "init-stderr")
	attr := &os.ProcAttr{Files: []*os.File{null, null, h.stderr, theirs}, Env: initEnv, Sys: h.sysProcAttr()}
	h.process, err = s.start("/proc/self/exe", []string{initName}, attr, nil, nil)
	if err != nil {
		h.control.Close()
		h.stderr.Close()
		return nil, fmt.Errorf("start the init of a run: %w", err)
	}
	return h, nil
}

func (h *initHandle) sysProcAttr() *syscall.SysProcAttr {
	attr := sysProcAttr(h.opt.cgroup)
	if h.opt.namespaces {
		attr.Cloneflags = isolationFlags
	} else {
		attr.Pdeathsig = 0 // init sees the end of the socket, and has to kill others before it ends
	}
	if h.opt.userNS {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: insideUID, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: insideUID, HostID: os.Getegid(), Size: 1}}
		attr.AmbientCaps = initCapabilities
	}
	return attr
}

// insideUID is the user that a command is in a user namespace of its own.
const insideUID = 1000

// initCapabilities are what init keeps over its own execve in a user namespace without a root user.
var initCapabilities = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE, unix.CAP_CHOWN, unix.CAP_FOWNER,
	unix.CAP_KILL, unix.CAP_SYS_RESOURCE,
}

// send completes a request with what init must know of its namespaces and sends it with the open files.
func (h *initHandle) send(req *request, files toolFiles) error {
	n := h.opt.namespaces
	req.PidNS, req.NetNS, req.UTSNS, req.UserNS = n, n, n, h.opt.userNS
	req.ToolCgroup, req.Enter, req.Leave = files.cgroup != nil, len(files.enter), len(files.leave)
	all := append([]*os.File{}, files.streams...)
	if files.cgroup != nil {
		all = append(all, files.cgroup)
	}
	all = append(append(all, files.enter...), files.leave...)
	fds := make([]int, len(all))
	for i, f := range all {
		fds[i] = int(f.Fd()) // puts pipes into blocking mode, which commands expect
	}
	frame := frameOf(req)
	conn, err := h.control.SyscallConn()
	if err != nil {
		return err
	}
	var sendErr error
	err = conn.Write(func(fd uintptr) bool {
		sendErr = unix.Sendmsg(int(fd), frame[:4], unix.UnixRights(fds...), nil, 0)
		return sendErr != unix.EAGAIN && sendErr != unix.EINTR
	})
	if err = errors.Join(err, sendErr); err == nil {
		_, err = h.control.Write(frame[4:])
	}
	if err != nil {
		return fmt.Errorf("talk to init: %w%s", err, h.crash())
	}
	return nil
}

// tell sends a word without open files.
func (h *initHandle) tell(kind string) error { return writeMessage(h.control, &reply{Kind: kind}) }

func (h *initHandle) receive() (reply, error) {
	var r reply
	if err := readMessage(h, &r); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it ended before its time")
		}
		return r, fmt.Errorf("the init of the run: %w%s", err, h.crash())
	}
	return r, nil
}

// Read reads from the socket and keeps a descriptor that comes with the bytes.
func (h *initHandle) Read(p []byte) (n int, err error) {
	conn, err := h.control.SyscallConn()
	if err != nil {
		return 0, err
	}
	var fds []int
	var recvErr error
	err = conn.Read(func(fd uintptr) bool {
		n, fds, recvErr = receiveDescriptors(int(fd), p)
		return recvErr != unix.EAGAIN && recvErr != unix.EINTR
	})
	if err = errors.Join(err, recvErr); err != nil {
		return 0, err
	}
	for _, fd := range fds {
		_ = h.folder.Close() // of a nil file does nothing
		h.folder = os.NewFile(uintptr(fd), "working folder")
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// crash gives what init said on its stderr.
func (h *initHandle) crash() string {
	buf := make([]byte, 2048)
	n, _ := h.stderr.ReadAt(buf, 0)
	if n == 0 {
		return ""
	}
	return ": " + string(buf[:n])
}

// err makes an error of an error reply.
func (r *reply) err() error {
	cause := errors.New(r.Text)
	if r.Errno != 0 {
		cause = fmt.Errorf("%w", syscall.Errno(r.Errno))
	}
	return fmt.Errorf("%s: %w", r.Step, cause)
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

// end closes the socket, at which init exits, and waits for it. An init that hangs is killed.
func (h *initHandle) end() error {
	_ = h.control.Close()
	timer := time.AfterFunc(5*time.Second, func() { _ = h.process.Kill() })
	_, err := h.process.Wait()
	timer.Stop()
	_ = h.stderr.Close()
	_ = h.folder.Close()
	return err
}
