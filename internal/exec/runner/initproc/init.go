package initproc

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// Names and paths inside a run.
const (
	WorkDir  = "/work"
	HomeDir  = "/home/solver"
	Hostname = "competition" // host name
)

func init() {
	if len(os.Args) != 1 || os.Args[0] != Name {
		return
	}
	p := &process{socket: &Reader{Socket: ControlFD}}
	if err := p.live(); err != nil {
		_ = p.reply(failure(err))
	}
	os.Exit(0)
}

// process is a run's first process.
type process struct {
	socket *Reader
	req    Request
	tool   int // process ID of the command
	end    int // cgroup.kill of the command's cgroup, or not positive
}

func (p *process) isolated() bool { return os.Getpid() == 1 }

func (p *process) live() error {
	if err := p.setUp(); err != nil {
		return err
	}
	if err := readMessage(p.socket, &p.req); errors.Is(err, io.EOF) {
		return nil // the driver no longer needs this process
	} else if err != nil {
		return step("read the request", err)
	}
	work, err := p.prepare()
	if err != nil {
		return err
	}
	if p.req.Command == nil {
		return p.reply(&Reply{Kind: Done})
	}
	clock, err := p.start()
	if err != nil {
		return err
	}
	if err := p.reply(&Reply{Kind: Started, Clock: clock}, work...); err != nil {
		return err
	}
	for _, fd := range append(p.socket.Files, work...) {
		_ = syscall.Close(fd) // from now on, only the command holds the pipes
	}
	return p.reap()
}

// reply sends a reply with open files.
func (p *process) reply(r *Reply, files ...int) error {
	return send(p.socket.Socket, frame(r), files)
}

// setUp performs the steps that are the same for every command, before the first request arrives.
func (p *process) setUp() error {
	if os.Geteuid() != 0 { // must precede the next step, which makes /proc/self inaccessible to ordinary users
		_ = raiseOOMScore(true)
	}
	if err := prctl(syscall.PR_SET_DUMPABLE, 0, 0); err != nil {
		return step("make init unreadable", err)
	}
	if err := closeRange(ControlFD, closeRangeCloexec); err != nil {
		return step("keep open files from the command", err)
	}
	syscall.Umask(0o022)
	resetSignals()
	if !p.isolated() {
		return step("become a subreaper", prctl(prSetSubreaper, 1, 0))
	}
	if err := syscall.Sethostname([]byte(Hostname)); err != nil {
		return step("name the machine", err)
	}
	return step("bring up the loopback interface", loopbackUp())
}

// raiseOOMScore makes the next cloned process the first one that the kernel kills if the machine runs out of memory.
// With on false, it restores this process's score, if permitted.
func raiseOOMScore(on bool) error {
	score := "0"
	if on {
		score = "500"
	}
	return os.WriteFile("/proc/self/oom_score_adj", []byte(score), 0)
}

// prepare sets up the state that the command inherits. It returns the working folder, open for the driver.
func (p *process) prepare() (work []int, err error) {
	if p.req.Root != nil {
		if err := p.req.Root.build(); err != nil {
			return nil, err
		}
	}
	if err := syscall.Chdir(p.req.Dir); err != nil {
		return nil, &StepError{Step: "enter the working folder", Err: err, Start: true}
	}
	if p.req.Root == nil {
		return nil, nil
	}
	fd, err := syscall.Open(".", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	return []int{fd}, step("open the working folder", err)
}

// reap waits for all descendants until the driver closes the socket. It reports when the command ends. At the driver's
// request, it kills the remaining descendants, waits for them and reports their total usage.
func (p *process) reap() error {
	finish := make(chan struct{})
	var alone atomic.Bool // no descendant is left to kill
	go func() {
		var word [1]byte
		_, err := io.ReadFull(p.socket, word[:])
		if !alone.Load() {
			p.killDescendants()
		}
		if err != nil { // the driver has finished or died
			os.Exit(0)
		}
		close(finish)
		_, _ = io.ReadFull(p.socket, word[:])
		os.Exit(0)
	}()
	for {
		var status syscall.WaitStatus
		var usage syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, 0, &usage)
		clock := Monotonic()
		switch {
		case err == syscall.EINTR:
		case err == syscall.ECHILD:
			alone.Store(true)
			<-finish
			if err := p.replyDone(); err != nil {
				return err
			}
			select {}
		case err != nil:
			return step("wait", err)
		case pid == p.tool:
			p.tool = -1 // the process ID may be reused from now on
			// An error means that the driver is dead. Returning it would end this process while the goroutine above is
			// still killing the remaining processes.
			_ = p.reply(&Reply{Kind: Exited, Clock: clock, Status: uint32(status), Usage: UsageOf(&usage)})
		}
	}
}

func (p *process) replyDone() error {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		return step("read what the run used", err)
	}
	return p.reply(&Reply{Kind: Done, Usage: UsageOf(&usage)})
}

// killDescendants kills all descendants. A pid namespace ends with its first process. Without a namespace, orphans
// become children of this process, so it kills children until there are none. A cgroup prevents them from multiplying
// faster.
func (p *process) killDescendants() {
	if p.isolated() {
		_ = syscall.Kill(-1, syscall.SIGKILL)
		return
	}
	if p.end > 0 {
		_, _ = syscall.Write(p.end, []byte{'1'}) // fails if the cgroup no longer exists
	}
	for range 5000 {
		children := listChildren()
		if len(children) == 0 {
			return
		}
		for _, pid := range children {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// listChildren returns the children of this process's first thread, which clones the command and adopts orphans.
func listChildren() []int {
	list, _ := os.ReadFile("/proc/self/task/" + strconv.Itoa(os.Getpid()) + "/children")
	var pids []int
	for word := range bytes.FieldsSeq(list) {
		if pid, err := strconv.Atoi(string(word)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
