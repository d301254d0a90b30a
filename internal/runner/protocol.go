package runner

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// initName is the argument zero by which this binary knows that it was started as the init of a run. It is the only
// thing that a look at the command line of init can tell; all else comes over a socket.
const initName = "smtpipe-run-init"

// fdControl is the only descriptor that init has from the start: its end of the socket. All others come with the request.
const fdControl = 3

// Descriptors of a request, by their place in the list that comes with it.
const (
	fdStdin = iota
	fdStdout
	fdStderr
	fdFirstCgroup // the folder to clone into, if any, then what to enter, then what to leave
)

// maxDescriptors is more than a request ever comes with.
const maxDescriptors = 3 + 1 + 2*8

// request is what init must do.
type request struct {
	Argv   []string
	Env    []string
	Dir    string
	Root   *rootSpec
	PidNS  bool // init is pid 1 of its own namespace
	NetNS  bool // bring up the loopback interface
	UTSNS  bool // set the name of the machine
	UserNS bool // capabilities are those of an own user namespace
	Guard  bool // no new privileges, no capabilities, no dangerous system calls
	UID    int  // of the tool; -1 keeps init's
	GID    int

	ToolCgroup bool // a folder to clone the tool into comes with the request
	Enter      int  // number of "tasks" files of cgroup v1 that the cloning thread enters before
	Leave      int  // and of those that it goes back to

	OpenFilesSoft, OpenFilesHard uint64
}

// reply is what init tells the driver.
type reply struct {
	Kind string // started, exited, done, or error

	// started
	Pid   int           // as init sees it
	Clock time.Duration // CLOCK_MONOTONIC just before the clone; of exited: when init saw the exit

	// exited
	Status unix.WaitStatus

	// exited (the command and what it waited for) and done (all descendants)
	User, System        time.Duration
	InBlocks, OutBlocks int64
	MaxRSS              int64 // bytes, of the largest process

	// error
	Step  string // what was tried
	Errno int
	Text  string
	Start bool // the command is at fault, not the machine
}

const maxMessage = 64 << 20

// message is a request or a reply.
type message interface{ walk(*walker) }

// frameOf gives a message with its length in front.
func frameOf(m message) []byte {
	w := &walker{out: make([]byte, 4, 4096)}
	m.walk(w)
	binary.LittleEndian.PutUint32(w.out, uint32(len(w.out)-4))
	return w.out
}

func writeMessage(w io.Writer, m message) error {
	_, err := w.Write(frameOf(m))
	return err
}

// writeMessageWith is writeMessage over a Unix socket with an open file.
func writeMessageWith(socket int, m message, fd int) error {
	return unix.Sendmsg(socket, frameOf(m), unix.UnixRights(fd), nil, 0)
}

// receiveDescriptors reads some bytes from a Unix socket, with the open files that come with them.
func receiveDescriptors(socket int, p []byte) (n int, fds []int, err error) {
	oob := make([]byte, unix.CmsgSpace(4*maxDescriptors))
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

// descriptorReader is a Unix socket that keeps the open files that come.
type descriptorReader struct {
	socket int
	fds    []int
}

func (r *descriptorReader) Read(p []byte) (int, error) {
	for {
		n, fds, err := receiveDescriptors(r.socket, p)
		r.fds = append(r.fds, fds...)
		if err == unix.EINTR {
			continue
		}
		if err == nil && n == 0 {
			err = io.EOF
		}
		return n, err
	}
}

// readMessage is the inverse of writeMessage.
func readMessage(r io.Reader, m message) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxMessage {
		return fmt.Errorf("a message of %d bytes between driver and init is too long", n)
	}
	w := &walker{in: make([]byte, n), read: true}
	if _, err := io.ReadFull(r, w.in); err != nil {
		return err
	}
	m.walk(w)
	return w.err
}

// monotonic reads CLOCK_MONOTONIC, which is the same clock in all processes of a machine.
func monotonic() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) // cannot fail for this clock
	return time.Duration(ts.Nano())
}
