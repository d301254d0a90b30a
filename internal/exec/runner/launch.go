package runner

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/exec/runner/filter"
	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// launchInit starts the command through an init.
func (e *execution) launchInit() (tool, time.Duration, error) {
	p, err := e.slot.takeInit()
	if err != nil {
		return nil, 0, err
	}
	t := &initTool{initHandle: p, slot: e.slot, dir: e.workDir()}
	files := toolFiles{streams: e.pipes.files()}
	if e.group != nil {
		files.cgroup, files.enter, files.leave = e.group.v2, e.group.enter, e.slot.group.leave
	} else {
		e.sampler = &sampler{init: p.pid}
	}
	request, err := e.request()
	if err != nil {
		p.end()
		return nil, 0, err
	}
	// A command that takes this long to start indicates a machine failure, such as a lost network file system.
	killed := make(chan struct{})
	guard := time.AfterFunc(startTimeout, func() {
		defer close(killed)
		p.kill()
		if e.group != nil {
			_ = e.group.kill() // the cgroup may contain init, and may be frozen
		}
	})
	start, err := t.begin(request, files, e.cmd.Argv[0])
	if !guard.Stop() {
		<-killed
	}
	if err != nil {
		if e.group != nil {
			_ = e.group.kill()
		}
		p.end()
		return nil, 0, err
	}
	return t, start, nil
}

// startTimeout limits the time that a command may take to start.
const startTimeout = time.Minute

// request returns the request that makes init start the command.
func (e *execution) request() (*initproc.Request, error) {
	c := &initproc.Command{
		Programs: programs(e.cmd.Argv[0], e.env), Argv: e.cmd.Argv, Env: e.env,
		SoftFiles: defaultOpenFilesSoft, HardFiles: defaultOpenFilesHard,
		PreferVictim: os.Geteuid() == 0 && !e.host.sandbox.userNS,
	}
	if n := e.cmd.OpenFiles; n > 0 {
		c.SoftFiles, c.HardFiles = n, n
	}
	r := &initproc.Request{Dir: e.workDir(), Command: c}
	if e.host.isolation == Unisolated {
		return r, nil
	}
	uid, gid := insideUID, insideUID
	if !e.host.sandbox.userNS {
		uid, gid = nobody, nobody
		c.User = &initproc.User{UID: nobody, GID: nobody}
	}
	c.Filter = filter.Program()
	var err error
	r.Root, err = e.root(uid, gid)
	return r, err
}

// workDir returns the command's working folder as seen by the command.
func (e *execution) workDir() string {
	if e.cmd.Dir != "" {
		return e.cmd.Dir
	}
	if e.host.isolation == Full || e.host.isolation == NamespacesOnly {
		return WorkDir
	}
	return e.staging
}

// root describes the run's root file system.
func (e *execution) root(uid, gid int) (*initproc.Root, error) {
	cmd := e.cmd
	root := bareRoot(uid, gid, cmd.Limits.ScratchBytes)
	if cmd.HostSystem {
		system := e.host.system()
		root.Binds, root.Links = append(root.Binds, system.Binds...), append(root.Links, system.Links...)
		root.Hide = cmd.Hide
	}
	for _, m := range cmd.Mounts {
		if m.Target == ImageRoot {
			if err := addImage(root, m.Source, cmd); err != nil {
				return nil, fmt.Errorf("the root file system of the run: %w", err)
			}
			continue
		}
		root.Binds = append(root.Binds, initproc.Bind{Source: m.Source, Target: m.Target, Writable: m.Writable,
			Overlay: m.Overlay})
	}
	for _, in := range cmd.Inputs {
		if in.Source != "" {
			root.Binds = append(root.Binds, initproc.Bind{Source: in.Source, Target: in.Target})
			continue
		}
		mode := os.FileMode(0o444)
		if in.Mode != 0 {
			mode = in.Mode.Perm()
		}
		root.Files = append(root.Files, file(in.Target, in.Content, mode))
	}
	return root, nil
}

// initTool is a command started by an init.
type initTool struct {
	*initHandle
	slot *Slot
	dir  string // working folder as seen by the command
}

// begin sends the request and waits until the command has started.
func (t *initTool) begin(request *initproc.Request, files toolFiles, name string) (time.Duration, error) {
	if err := t.send(request, files); err != nil {
		return 0, err
	}
	w := t.slot.waiter
	defer w.remove(t.ready())
	if err := w.add(t.ready(), keyEnd); err != nil {
		return 0, err
	}
	if _, err := w.wait(-1); err != nil {
		return 0, err
	}
	r, err := t.receive()
	if s, ok := errors.AsType[*initproc.StepError](err); ok {
		if s.Start {
			return 0, &StartError{Program: name, Err: s.Err}
		}
		return 0, fmt.Errorf("prepare the run: %w", err)
	}
	return r.Clock, err
}

func (t *initTool) ready() int { return t.control.Socket }

func (t *initTool) wait() (exit, error) {
	r, err := t.receive()
	if err != nil {
		return exit{}, err
	}
	return exit{status: unix.WaitStatus(r.Status), clock: r.Clock, usage: r.Usage}, nil
}

func (t *initTool) finish(measure bool) (usage, error) {
	if !measure {
		return usage{}, nil
	}
	if err := initproc.SendFinish(t.control.Socket); err != nil {
		return usage{}, err
	}
	r, err := t.receive()
	return r.Usage, err
}

// leave waits until init, and then its namespaces, are gone.
func (t *initTool) leave() {
	t.hangUp() // makes init end
	t.slot.leaving.Lock()
	defer t.slot.leaving.Unlock()
	w := t.slot.leaver
	t.initHandle.leave(func() bool {
		defer w.remove(t.process)
		if w.add(t.process, keyEnd) != nil {
			return readable(t.process, initTimeout)
		}
		events, err := w.wait(initTimeout)
		return err == nil && len(events) > 0
	})
}

// work returns the working folder through the descriptor that init sent, because other processes have no access to the
// run.
func (t *initTool) work() (folder string, full bool) {
	if t.folder < 0 {
		return t.dir, false
	}
	var st unix.Statfs_t
	full = unix.Fstatfs(t.folder, &st) == nil && st.Type == unix.TMPFS_MAGIC && st.Blocks > 0 && st.Bavail == 0
	return "/proc/self/fd/" + strconv.Itoa(t.folder), full
}

// launchDirect starts the command as a child of the driver.
func (e *execution) launchDirect() (tool, time.Duration, error) {
	program, err := lookProgram(e.cmd.Argv[0], e.env)
	if err != nil {
		return nil, 0, &StartError{Program: e.cmd.Argv[0], Err: err}
	}
	t := &directTool{process: -1, dir: e.workDir()}
	attr := &syscall.ProcAttr{Dir: e.workDir(), Env: e.env, Sys: sysProcAttr(e.group.v2)}
	attr.Sys.PidFD = &t.process
	for _, fd := range e.pipes.files() {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	start := monotonic()
	t.pid, err = e.slot.spawner.start(e.group.enter, e.slot.group.leave, func() (int, error) {
		pid, _, err := syscall.StartProcess(program, e.cmd.Argv, attr)
		return pid, err
	})
	if err != nil {
		if no, ok := errors.AsType[syscall.Errno](err); ok && initproc.StartErrno(no) {
			return nil, 0, &StartError{Program: program, Err: no}
		}
		return nil, 0, err
	}
	e.strays = &strays{group: e.group, pid: t.pid, found: map[int]string{}}
	t.strays = e.strays
	if t.process < 0 { // before Linux 5.2
		if err := t.waitByThread(); err != nil {
			_ = e.group.kill()
			return nil, 0, err
		}
	}
	none := unix.Rlimit{Cur: initproc.NoCore, Max: initproc.NoCore}
	_ = unix.Prlimit(t.pid, unix.RLIMIT_CORE, &none, nil)
	return t, start, nil
}

// directTool is a command that the driver itself started.
type directTool struct {
	pid     int
	process int // pidfd, readable when the command has ended
	dir     string
	strays  *strays
}

// waitByThread creates a descriptor that becomes readable when the command has ended.
func (t *directTool) waitByThread() error {
	read, write, err := pipe()
	if err != nil {
		return err
	}
	t.process = read
	go func() {
		for unix.Waitid(unix.P_PID, t.pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
		_ = unix.Close(write)
	}()
	return nil
}

func (t *directTool) ready() int { return t.process }

func (t *directTool) wait() (exit, error) {
	var status syscall.WaitStatus
	var u syscall.Rusage
	if t.strays != nil {
		t.strays.end()
	}
	for {
		_, err := syscall.Wait4(t.pid, &status, 0, &u)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return exit{}, os.NewSyscallError("wait4", err)
		}
		break
	}
	return exit{clock: monotonic(), status: unix.WaitStatus(status), usage: initproc.UsageOf(&u)}, nil
}

func (t *directTool) finish(bool) (usage, error) { return usage{}, nil }

func (t *directTool) leave() { closeAll(t.process) }

func (t *directTool) work() (folder string, full bool) { return t.dir, false }

// noPath is a folder that never exists. It stands in for an empty PATH.
const noPath = "/nonexistent/"

// programs returns the candidate paths for a program name in PATH order, like execvp. There is at least one.
func programs(name string, env []string) []string {
	if strings.Contains(name, "/") {
		return []string{name}
	}
	var files []string
	for _, kv := range env {
		if list, ok := strings.CutPrefix(kv, "PATH="); ok {
			for dir := range strings.SplitSeq(list, ":") {
				files = append(files, path.Join("/", dir, name))
			}
		}
	}
	if files == nil {
		return []string{noPath + name}
	}
	return files
}

// lookProgram finds a program like execvp, using the PATH in env.
func lookProgram(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	err := syscall.ENOENT
	for _, p := range programs(name, env) {
		info, statErr := os.Stat(p)
		if statErr != nil || info.IsDir() {
			continue
		}
		if info.Mode()&0o111 != 0 {
			return p, nil
		}
		err = syscall.EACCES
	}
	return "", &initproc.StepError{Step: "look in the PATH of the run", Err: err}
}
