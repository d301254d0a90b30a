package runner

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// launchInit starts the command by an init.
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
	prog := e.program(files.count(), p.base)
	// What keeps a command from starting for so long is a machine in trouble, as with a network file system that is away.
	killed := make(chan struct{})
	guard := time.AfterFunc(startTimeout, func() {
		defer close(killed)
		p.kill()
		if e.group != nil {
			_ = e.group.kill() // init may be in it, and frozen
		}
	})
	start, err := t.begin(prog, files, e.cmd.Argv[0])
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

// startTimeout is how long the start of a command may take.
const startTimeout = time.Minute

// program is what init is to do for the command, with a number of open files. base tells whether its nursery has one.
func (e *execution) program(files int, base bool) *program {
	p := &e.slot.program
	p.begin(files)
	command := commandSpec{
		argv: e.cmd.Argv, env: e.env, uid: -1, gid: -1, soft: defaultOpenFilesSoft, hard: defaultOpenFilesHard,
		preferVictim: os.Geteuid() == 0 && !e.host.sandbox.userNS,
	}
	if n := e.cmd.OpenFiles; n > 0 {
		command.soft, command.hard = n, n
	}
	if e.host.isolation == Unisolated {
		p.addWorkDir(e.workDir())
		p.addCommand(&command)
		return p
	}
	uid, gid := insideUID, insideUID
	if !e.host.sandbox.userNS {
		uid, gid = nobody, nobody
		command.uid, command.gid, command.setGroups = uid, gid, true
	}
	command.guard = true
	p.addRoot(e.root(uid, gid, base))
	p.addWorkDir(e.workDir())
	p.openWorkDir()
	p.addCommand(&command)
	return p
}

// addWorkDir adds the change to the command's working folder.
func (p *program) addWorkDir(dir string) {
	p.step = operationStep{name: "enter the working folder", command: true}
	p.call(unix.SYS_CHDIR, dir)
}

// openWorkDir adds what sends the working folder to the driver.
func (p *program) openWorkDir() {
	p.describe("open the working folder")
	p.head[headWork] = uint64(p.open(unix.SYS_OPENAT, unix.AT_FDCWD, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0))
}

// workDir is the working folder of the command as it sees it.
func (e *execution) workDir() string {
	if e.cmd.Dir != "" {
		return e.cmd.Dir
	}
	if e.host.isolation == Full || e.host.isolation == NamespacesOnly {
		return WorkDir
	}
	return e.staging
}

// root describes the root file system of the run, with the parts that the nursery has if there is a base.
func (e *execution) root(uid, gid int, base bool) *rootSpec {
	cmd := e.cmd
	spec := bareRoot(uid, gid, cmd.Limits.ScratchBytes)
	if cmd.HostSystem {
		*spec = e.host.systemRoot(uid, gid, base && !e.takesParts())
		spec.Scratch, spec.Hide = cmd.Limits.ScratchBytes, cmd.Hide
		spec.Binds, spec.Files = slices.Clip(spec.Binds), slices.Clip(spec.Files)
	}
	for _, m := range cmd.Mounts {
		spec.Binds = append(spec.Binds, bindSpec{Source: m.Source, Target: m.Target, Writable: m.Writable, Overlay: m.Overlay})
	}
	for _, in := range cmd.Inputs {
		if in.Source != "" {
			spec.Binds = append(spec.Binds, bindSpec{Source: in.Source, Target: in.Target})
			continue
		}
		mode := uint32(0o444)
		if in.Mode != 0 {
			mode = uint32(in.Mode.Perm())
		}
		spec.Files = append(spec.Files, fileSpec{Target: in.Target, Content: in.Content, Mode: mode})
	}
	return spec
}

// takesParts tells whether the command wants something where the base cannot take it.
func (e *execution) takesParts() bool {
	return slices.ContainsFunc(e.cmd.Mounts, func(m Mount) bool { return takesPart(m.Target) }) ||
		slices.ContainsFunc(e.cmd.Inputs, func(in Input) bool { return takesPart(in.Target) })
}

// systemRoot is the root of runs with the host's programs. What the machine has is looked at once.
func (h *Host) systemRoot(uid, gid int, base bool) rootSpec {
	h.lookSystem.Do(func() {
		h.system = systemRoot(uid, gid, 0)
		_, h.systemRest = h.system.base()
	})
	if base {
		return *h.systemRest
	}
	return *h.system
}

// initTool is a command below an init.
type initTool struct {
	*initHandle
	slot *Slot
	dir  string // working folder as the command sees it
}

// begin sends the program and waits for the start of the command.
func (t *initTool) begin(p *program, files toolFiles, name string) (time.Duration, error) {
	if err := t.send(p, files); err != nil {
		return 0, err
	}
	w := t.slot.waiter
	defer w.remove(t.control)
	if err := w.add(t.control, keyEnd); err != nil {
		return 0, err
	}
	if _, err := w.wait(-1); err != nil {
		return 0, err
	}
	r, err := t.receive()
	if s, ok := errors.AsType[*stepError](err); ok {
		if s.start {
			return 0, &StartError{Program: name, Err: s.err}
		}
		return 0, fmt.Errorf("prepare the run: %w", err)
	}
	return time.Duration(r.Clock), err
}

func (t *initTool) ready() int { return t.control }

func (t *initTool) wait() (exit, error) {
	r, err := t.receive()
	if err != nil {
		return exit{}, err
	}
	return exit{status: unix.WaitStatus(r.Status), clock: time.Duration(r.Clock), usage: r.usage()}, nil
}

func (t *initTool) finish(measure bool) (usage, error) {
	var all usage
	var err error
	if measure {
		if err = t.tell(); err == nil {
			var r reply
			if r, err = t.receive(); err == nil {
				all = r.usage()
			}
		}
	}
	return all, err
}

// leave waits for the end of init and its namespaces, one after the other.
func (t *initTool) leave() {
	closeAll(t.control) // at which it ends
	t.control = -1
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

// work uses the descriptor of the working folder that init sent: nobody else may look into the run.
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
		if no, ok := errors.AsType[syscall.Errno](err); ok && startErrno(no) {
			return nil, 0, &StartError{Program: program, Err: no}
		}
		return nil, 0, err
	}
	if t.process < 0 { // Linux before 5.2
		if err := t.waitByThread(); err != nil {
			_ = e.group.kill()
			return nil, 0, err
		}
	}
	none := unix.Rlimit{Cur: noCore, Max: noCore}
	_ = unix.Prlimit(t.pid, unix.RLIMIT_CORE, &none, nil)
	return t, start, nil
}

// directTool is a command that the driver started itself.
type directTool struct {
	pid     int
	process int // ready to read when it has ended
	dir     string
}

// waitByThread makes a descriptor that can be read when the command has ended.
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
	var status unix.WaitStatus
	var u unix.Rusage
	for {
		_, err := unix.Wait4(t.pid, &status, 0, &u)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return exit{}, os.NewSyscallError("wait4", err)
		}
		break
	}
	return exit{clock: monotonic(), status: status, usage: usage{
		user: time.Duration(u.Utime.Nano()), system: time.Duration(u.Stime.Nano()),
		inBlocks: u.Inblock, outBlocks: u.Oublock, maxRSS: u.Maxrss << 10,
	}}, nil
}

func (t *directTool) finish(bool) (usage, error) { return usage{}, nil }

func (t *directTool) leave() { closeAll(t.process) }

func (t *directTool) work() (folder string, full bool) { return t.dir, false }
