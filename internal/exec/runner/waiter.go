package runner

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// waiter waits for several descriptors in one goroutine without occupying a thread. Its epoll descriptor stays
// registered with the runtime's poller: a thread that waits in a system call would keep the runtime's monitor awake.
// Only one goroutine may use a waiter at any time.
type waiter struct {
	fd     int
	file   *os.File
	conn   syscall.RawConn
	events [4]unix.EpollEvent
}

func newWaiter() (*waiter, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	file, err := pollable(fd)
	if err != nil {
		return nil, err
	}
	conn, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &waiter{fd: fd, file: file, conn: conn}, nil
}

// add adds a descriptor; wait returns key for it. It ignores negative descriptors.
func (w *waiter) add(fd, key int) error {
	if fd < 0 {
		return nil
	}
	err := unix.EpollCtl(w.fd, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(key)})
	return os.NewSyscallError("epoll_ctl", err)
}

// remove stops waiting for a descriptor. It must be called before the descriptor is closed.
func (w *waiter) remove(fd int) {
	if fd >= 0 {
		_ = unix.EpollCtl(w.fd, unix.EPOLL_CTL_DEL, fd, nil)
	}
}

// wait returns the keys of descriptors that are readable or at their end, or nothing after limit. A negative limit
// means to wait indefinitely.
func (w *waiter) wait(limit time.Duration) ([]unix.EpollEvent, error) {
	var deadline time.Time
	if limit >= 0 {
		deadline = time.Now().Add(limit)
	}
	if err := w.file.SetReadDeadline(deadline); err != nil {
		return nil, err
	}
	var n int
	var failed error
	err := w.conn.Read(func(uintptr) bool {
		n, failed = unix.EpollWait(w.fd, w.events[:], 0)
		return n > 0 || failed != nil && failed != unix.EINTR
	})
	if os.IsTimeout(err) {
		return nil, nil
	}
	if err == nil {
		err = os.NewSyscallError("epoll_wait", failed)
	}
	return w.events[:max(n, 0)], err
}

func (w *waiter) close() {
	if w != nil {
		_ = w.file.Close()
	}
}
