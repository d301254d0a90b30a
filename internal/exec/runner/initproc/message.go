package initproc

import (
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Name is argument zero of a program started as a run's first process. The command line contains nothing else;
// everything else arrives over a socket.
const Name = "smtpipe-run-init"

// ControlFD is the descriptor of the process's end of the socket. The process's only other descriptors are the first
// three.
const ControlFD = 3

// Request is the only message from the driver; it is sent with open files.
//
// The open files are, in this order: the command's standard input, output and error; the folder of the cgroup to clone
// it into, if Command.IntoCgroup is set; the tasks files of the v1 cgroups to enter before cloning, and those to return
// to.
type Request struct {
	Root *Root // root to build; nil means the host's root
	// Dir is the command's working folder. With a Root, the reply contains this folder as an open file.
	Dir     string
	Command *Command // command to execute; nil only tests this machine
}

// Command describes a command to execute.
type Command struct {
	Programs     []string // candidate paths of the program; the first that exists is used
	Argv, Env    []string
	User         *User                // user to run as; nil means this process's user
	Filter       []syscall.SockFilter // system call filter; if set, all privileges are also removed
	SoftFiles    uint64
	HardFiles    uint64 // hard limit on open files
	PreferVictim bool   // whether the kernel kills the command first if the machine runs out of memory
	IntoCgroup   bool
	Enter, Leave int // numbers of tasks files to enter and to return to
}

// User is the user that a command runs as.
type User struct{ UID, GID uint32 }

// Reply is a report to the driver.
type Reply struct {
	Kind Kind

	// Clock is a CLOCK_MONOTONIC time: just before the clone for Started, and when the exit was seen for Exited.
	Clock time.Duration

	Status uint32 // status returned by wait4; only for Exited
	Usage  Usage  // usage of the command and its awaited children (Exited), or of all descendants (Done)

	// Step, Text and Errno report, for Failed, which step failed and why.
	Step  string
	Text  string
	Errno syscall.Errno // error number; 0: see Text
	Start bool          // whether the command is at fault
}

// Kind is the kind of a reply.
type Kind string

// The kinds of replies. Started and Failed answer the request. Exited is sent unprompted when the command ends. Done
// answers Finish, or a request that only tests the machine.
const (
	Started Kind = "started"
	Exited  Kind = "exited"
	Done    Kind = "done"
	Failed  Kind = "failed"
)

// Finish is the byte with which the driver asks to kill, wait for and measure all descendants.
const Finish = 'f'

// Usage is the result of getrusage.
type Usage struct {
	User, System        time.Duration
	InBlocks, OutBlocks int64
	MaxRSS              int64 // maximum resident set of the largest process, in bytes
}

// UsageOf converts a result of getrusage.
func UsageOf(u *syscall.Rusage) Usage {
	return Usage{
		User: time.Duration(u.Utime.Nano()), System: time.Duration(u.Stime.Nano()),
		InBlocks: u.Inblock, OutBlocks: u.Oublock, MaxRSS: u.Maxrss << 10,
	}
}

// maxMessage limits the size of a message: a corrupt message must be an error rather than exhaust memory.
const maxMessage = 256 << 20

// WriteRequest sends a request with its files.
func WriteRequest(socket int, r *Request, files []int) error {
	message := frame(r)
	if len(message) > maxMessage {
		return errors.New("arguments, environment and inputs of the command take " + strconv.Itoa(len(message)) +
			" bytes; at most " + strconv.Itoa(maxMessage) + " do")
	}
	return send(socket, message, files)
}

// send writes data with open files to a Unix socket.
func send(socket int, data []byte, files []int) error {
	rights := syscall.UnixRights(files...)
	for len(data) > 0 {
		sent, err := syscall.SendmsgN(socket, data, rights, nil, syscall.MSG_NOSIGNAL)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return os.NewSyscallError("sendmsg", err)
		}
		data, rights = data[sent:], nil
	}
	return nil
}

// SendFinish sends Finish.
func SendFinish(socket int) error { return send(socket, []byte{Finish}, nil) }

// Reader reads from one end of the socket and keeps the open files that it receives.
type Reader struct {
	Socket int
	Files  []int // received files, which are close-on-exec
}

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	oob := make([]byte, syscall.CmsgSpace(4*64))
	for {
		n, oobn, _, _, err := syscall.Recvmsg(r.Socket, p, oob, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return 0, os.NewSyscallError("recvmsg", err)
		}
		if err := r.keep(oob[:oobn]); err != nil {
			return 0, err
		}
		if n == 0 && len(p) > 0 {
			return 0, io.EOF
		}
		return n, nil
	}
}

func (r *Reader) keep(oob []byte) error {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return err
	}
	for i := range messages {
		files, err := syscall.ParseUnixRights(&messages[i])
		if err != nil {
			return err
		}
		r.Files = append(r.Files, files...)
	}
	return nil
}

// readMessage reads a message written by frame. At the end of the socket, it returns io.EOF.
func readMessage(r io.Reader, m message) error {
	head := &codec{reading: true, b: make([]byte, numberSize)}
	if _, err := io.ReadFull(r, head.b); err != nil {
		return err
	}
	var size int
	if number(head, &size); size < 0 || size > maxMessage {
		return errors.New("a message of " + strconv.Itoa(size) + " bytes")
	}
	c := &codec{reading: true, b: make([]byte, size)}
	if _, err := io.ReadFull(r, c.b); err != nil {
		return err
	}
	m.fields(c)
	return c.err
}

// ReadReply reads the next reply. It returns a failure as a reply, not as an error.
func (r *Reader) ReadReply() (Reply, error) {
	var reply Reply
	err := readMessage(r, &reply)
	if errors.Is(err, io.EOF) {
		err = errors.New("it ended too early")
	}
	return reply, err
}

// StepError is an error together with the step that failed.
type StepError struct {
	Step  string
	Err   error
	Start bool // whether the command is at fault
}

func (e *StepError) Error() string { return e.Step + ": " + e.Err.Error() }

func (e *StepError) Unwrap() error { return e.Err }

// Err returns the failure in a reply, or nil.
func (r *Reply) Err() error {
	if r.Kind != Failed {
		return nil
	}
	var cause error = r.Errno
	if r.Errno == 0 {
		cause = errors.New(r.Text)
	}
	return &StepError{Step: r.Step, Err: cause, Start: r.Start}
}

// failure is the inverse of Err.
func failure(err error) *Reply {
	r := &Reply{Kind: Failed, Text: err.Error()}
	if s, ok := errors.AsType[*StepError](err); ok {
		r.Step, r.Text, r.Start = s.Step, s.Err.Error(), s.Start
	}
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		r.Errno = no
	}
	return r
}

func step(name string, err error) error {
	if err == nil {
		return nil
	}
	return &StepError{Step: name, Err: err}
}
