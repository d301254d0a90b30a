package initproc

import (
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Name is argument zero of a program that was started as the first process of a run. The command line has no other
// content. Everything else arrives over a socket.
const Name = "smtpipe-run-init"

// ControlFD is the descriptor of the process's end of the socket. It has only this and the first three descriptors.
const ControlFD = 3

// Request is the driver's single message, sent with open files. The bytes of Root.Files follow it, in order.
//
// The open files are, in this order: the command's standard input, output and error; the folder of the cgroup to clone
// it into, if Command.IntoCgroup; the tasks files of the v1 cgroups to enter before cloning, and those to return to.
type Request struct {
	Root *Root // nil: the host's
	// Dir is the command's working folder. With a Root, the reply contains it as an open file.
	Dir     string
	Command *Command // nil: only a trial of this machine
}

// Command describes what to execute, and how.
type Command struct {
	Programs     []string // candidates for the program; the first that exists is used
	Argv, Env    []string
	User         *User                // nil: the same as this process
	Filter       []syscall.SockFilter // for system calls; if set, all privileges are also removed
	SoftFiles    uint64
	HardFiles    uint64 // limits on open files
	PreferVictim bool   // be killed first if the whole machine runs out of memory
	IntoCgroup   bool
	Enter, Leave int // numbers of tasks files
}

// User is the user that a command runs as.
type User struct{ UID, GID uint32 }

// Reply is what the process reports to the driver.
type Reply struct {
	Kind Kind

	// Clock is the time of CLOCK_MONOTONIC: just before the clone for Started, when the exit was seen for Exited.
	Clock time.Duration

	Status uint32 // of Exited, as returned by wait4
	Usage  Usage  // of Exited (the command and the children it waited for) and Done (all descendants)

	// Of Failed: the step that failed, and why.
	Step  string
	Text  string
	Errno syscall.Errno // 0: see Text
	Start bool          // the command is at fault
}

// Kind is the kind of a reply.
type Kind string

// The kinds of replies. Started and Failed answer the request. Exited is sent unprompted when the command ends. Done
// answers Finish, or a request that is only a trial.
const (
	Started Kind = "started"
	Exited  Kind = "exited"
	Done    Kind = "done"
	Failed  Kind = "failed"
)

// Finish is the byte with which the driver requests that all descendants be killed, waited for and measured.
const Finish = 'f'

// Usage is what getrusage returns.
type Usage struct {
	User, System        time.Duration
	InBlocks, OutBlocks int64
	MaxRSS              int64 // in bytes, of the largest process
}

// UsageOf converts the result of getrusage.
func UsageOf(u *syscall.Rusage) Usage {
	return Usage{
		User: time.Duration(u.Utime.Nano()), System: time.Duration(u.Stime.Nano()),
		InBlocks: u.Inblock, OutBlocks: u.Oublock, MaxRSS: u.Maxrss << 10,
	}
}

// maxMessage limits the size of a message, so that a corrupt message is an error and does not exhaust memory.
const maxMessage = 256 << 20

// WriteRequest sends a request with its files.
func WriteRequest(socket int, r *Request, files []int) error {
	message := frame(r)
	if r.Root != nil {
		for _, f := range r.Root.Files {
			message = append(message, f.Content...)
		}
	}
	if len(message) > maxMessage {
		return errors.New("arguments, environment and inputs of the command take " + strconv.Itoa(len(message)) +
			" bytes; at most " + strconv.Itoa(maxMessage) + " do")
	}
	return send(socket, message, files)
}

// send writes to a Unix socket, with open files.
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

// Reader reads from one end of the socket, and keeps the open files that arrive.
type Reader struct {
	Socket int
	Files  []int // closed on execve
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

// readMessage reads what frame wrote. At the end of the socket it returns io.EOF.
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

// ReadReply reads the next reply. A failure is a reply, not an error.
func (r *Reader) ReadReply() (Reply, error) {
	var reply Reply
	err := readMessage(r, &reply)
	if errors.Is(err, io.EOF) {
		err = errors.New("it ended too early")
	}
	return reply, err
}

// StepError is an error with the step that failed.
type StepError struct {
	Step  string
	Err   error
	Start bool // the command is at fault
}

func (e *StepError) Error() string { return e.Step + ": " + e.Err.Error() }

func (e *StepError) Unwrap() error { return e.Err }

// Err returns the failure that a reply reports, or nil.
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
