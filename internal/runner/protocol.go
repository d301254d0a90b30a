package runner

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// initName is the argument zero by which this binary knows that it was started as the nursery of inits. It is the only
// thing that a look at the command line of an init can tell; all else comes over a socket.
const initName = "smtpipe-run-init"

// fdControl is the only descriptor that a nursery and an init have beside the first three: their end of a socket.
const fdControl = 3

// reply is what init tells the driver, as it lies in memory.
type reply struct {
	Kind uint64 // one of those below

	// exited
	Status uint64 // as wait4 gives it

	// Clock is CLOCK_MONOTONIC in nanoseconds: of started, just before the clone; of exited, when init saw the exit.
	Clock int64

	// exited (the command and what it waited for) and done (all descendants)
	User, System        int64 // nanoseconds
	InBlocks, OutBlocks int64
	MaxRSS              int64 // bytes, of the largest process

	// the failures
	Index uint64 // of the operation
	Errno uint64
}

const replySize = unsafe.Sizeof(reply{})

// Kinds of replies.
const (
	replyStarted = iota + 1
	replyExited
	replyDone
	replyEarlyFailed // an operation of the early program
	replyFailed      // an operation of the run's program
	replyEnterFailed // entering or leaving the run's cgroups
	replyCloneFailed
)

// birth is what the nursery tells of a new init; a descriptor of its process comes with it.
type birth struct {
	Pid, Errno uint64
	Base       uint64 // not zero: it has the nursery's base as its current folder
}

const birthSize = unsafe.Sizeof(birth{})

// bytesOf gives the memory of a message, which has no pointers.
func bytesOf[T reply | birth](m *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(m)), unsafe.Sizeof(*m))
}

func (r *reply) usage() usage {
	return usage{
		user: time.Duration(r.User), system: time.Duration(r.System), inBlocks: r.InBlocks, outBlocks: r.OutBlocks, maxRSS: r.MaxRSS,
	}
}

// receiveDescriptors reads some bytes from a Unix socket, with the open files that come with them.
func receiveDescriptors(socket int, p []byte) (n int, fds []int, err error) {
	oob := make([]byte, unix.CmsgSpace(4*4))
	n, oobn, _, _, err := unix.Recvmsg(socket, p, oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil || oobn == 0 {
		return n, nil, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return n, nil, err
	}
	for _, m := range messages {
		more, err := unix.ParseUnixRights(&m)
		if err != nil {
			return n, fds, err
		}
		fds = append(fds, more...)
	}
	return n, fds, nil
}

// monotonic reads CLOCK_MONOTONIC, which is the same clock in all processes of a machine.
func monotonic() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) // cannot fail for this clock
	return time.Duration(ts.Nano())
}
