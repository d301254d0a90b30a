package runner

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// launchInit starts the command by an init.
func (e *execution) launchInit() (tool, time.Duration, error) {
	p, err := e.slot.takeInit(e.host)
	if err != nil {
		return nil, 0, err
	}
	t := &initTool{initHandle: p, slot: e.slot, dir: e.workDir()}
	files := toolFiles{streams: e.pipes.files()}
	if e.group != nil {
		files.cgroup, files.enter, files.leave = e.group.tool, e.group.enter, e.slot.group.leave
	} else {
		e.sampler = &sampler{init: p.process.Pid}
	}
	req := e.request()
	// What keeps a command from starting for so long is a machine in trouble, as with a network file system that is away.
	guard := time.AfterFunc(startTimeout, func() { _ = p.process.Kill() })
	start, err := t.begin(&req, files, e.cmd.Argv[0])
	guard.Stop()
	if err != nil {
		if e.group != nil {
			_ = e.group.kill()
		}
		return nil, 0, errors.Join(err, p.end())
	}
	return t, start, nil
}

// startTimeout is how long the start of a command may take.
const startTimeout = time.Minute

// request is what init is to do for the command.
func (e *execution) request() request {
	req := request{
		Argv: e.cmd.Argv, Env: e.env, Dir: e.workDir(), UID: -1, GID: -1,
		OpenFilesSoft: defaultOpenFilesSoft, OpenFilesHard: defaultOpenFilesHard,
	}
	if n := e.cmd.OpenFiles; n > 0 {
		req.OpenFilesSoft, req.OpenFilesHard = n, n
	}
	if e.host.isolation == Unisolated {
		return req
	}
	uid, gid := insideUID, insideUID
	if !e.host.sandbox.userNS {
		uid, gid = nobody, nobody
		req.UID, req.GID = uid, gid
	}
	req.Guard = true
	req.Root = e.root(uid, gid)
	return req
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

// root describes the root file system of the run.
func (e *execution) root(uid, gid int) *rootSpec {
	cmd := e.cmd
	spec := bareRoot(uid, gid, cmd.Limits.ScratchBytes)
	if cmd.HostSystem {
		spec = systemRoot(uid, gid, cmd.Limits.ScratchBytes)
		spec.Hide = cmd.Hide
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

// initTool is a command below an init.
type initTool struct {
	*initHandle
	slot *Slot
	dir  string // working folder as the command sees it
}

// begin sends the request and waits for the start of the command.
func (t *initTool) begin(req *request, files toolFiles, name string) (time.Duration, error) {
	if err := t.send(req, files); err != nil {
		return 0, err
	}
	r, err := t.receive()
	if err != nil {
		return 0, err
	}
	switch {
	case r.Kind == "error" && r.Start:
		cause := errors.New(r.Text)
		if r.Errno != 0 {
			cause = syscall.Errno(r.Errno)
		}
		return 0, &StartError{Program: name, Err: cause}
	case r.Kind == "error":
		return 0, fmt.Errorf("prepare the run: %w", r.err())
	}
	return r.Clock, nil
}

func (t *initTool) wait() (exit, error) {
	r, err := t.receive()
	if err != nil {
		return exit{}, err
	}
	if r.Kind == "error" {
		return exit{}, r.err()
	}
	return exit{status: r.Status, clock: r.Clock, usage: r.usage()}, nil
}

func (r *reply) usage() usage {
	return usage{user: r.User, system: r.System, inBlocks: r.InBlocks, outBlocks: r.OutBlocks, maxRSS: r.MaxRSS}
}

func (t *initTool) finish(measure bool) (usage, error) {
	var all usage
	var err error
	if measure {
		if err = t.tell("finish"); err == nil {
			var r reply
			if r, err = t.receive(); err == nil {
				all = r.usage()
			}
		}
	}
	if err != nil {
		return all, errors.Join(err, t.end())
	}
	// The command and all its children are gone; taking down init's namespaces takes the kernel some milliseconds more,
	// for which nobody has to wait.
	t.slot.wait.Go(func() { _ = t.end() })
	return all, nil
}

// work uses the descriptor of the working folder that init sent: nobody else may look into the run.
func (t *initTool) work() (folder string, full bool) {
	if t.folder == nil {
		return t.dir, false
	}
	var st unix.Statfs_t
	full = unix.Fstatfs(int(t.folder.Fd()), &st) == nil && st.Type == unix.TMPFS_MAGIC && st.Blocks > 0 && st.Bavail == 0
	return "/proc/self/fd/" + strconv.Itoa(int(t.folder.Fd())), full
}

// launchDirect starts the command as a child of the driver.
func (e *execution) launchDirect() (tool, time.Duration, error) {
	program, err := lookProgram(e.cmd.Argv[0], e.env)
	if err != nil {
		return nil, 0, &StartError{Program: e.cmd.Argv[0], Err: err}
	}
	attr := &os.ProcAttr{Dir: e.workDir(), Env: e.env, Files: e.pipes.files(), Sys: sysProcAttr(e.group.tool)}
	start := monotonic()
	process, err := e.slot.spawner.start(program, e.cmd.Argv, attr, e.group.enter, e.slot.group.leave)
	if err != nil {
		if no, ok := errors.AsType[syscall.Errno](err); ok && startErrno(no) {
			return nil, 0, &StartError{Program: program, Err: no}
		}
		return nil, 0, err
	}
	none := unix.Rlimit{Cur: noCore, Max: noCore}
	_ = unix.Prlimit(process.Pid, unix.RLIMIT_CORE, &none, nil)
	return &directTool{process: process, dir: e.workDir()}, start, nil
}

// directTool is a command that the driver started itself.
type directTool struct {
	process *os.Process
	dir     string
}

func (t *directTool) wait() (exit, error) {
	state, err := t.process.Wait()
	clock := monotonic()
	if err != nil {
		return exit{}, err
	}
	end := exit{clock: clock, status: unix.WaitStatus(state.Sys().(syscall.WaitStatus))}
	if u, ok := state.SysUsage().(*syscall.Rusage); ok {
		end.usage = usage{
			user: time.Duration(u.Utime.Nano()), system: time.Duration(u.Stime.Nano()),
			inBlocks: u.Inblock, outBlocks: u.Oublock, maxRSS: u.Maxrss << 10,
		}
	}
	return end, nil
}

func (t *directTool) finish(bool) (usage, error) { return usage{}, nil }

func (t *directTool) work() (folder string, full bool) { return t.dir, false }
