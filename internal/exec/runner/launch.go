package runner

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/exec/runner/filter"
	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// launch starts the command through an init.
func (e *execution) launch() error {
	defer e.pipes.closeTheirs()
	p, err := e.slot.takeInit()
	if err != nil {
		return err
	}
	t := &tool{initHandle: p, dir: e.workDir()}
	files := toolFiles{streams: e.pipes.files()}
	if e.group != nil {
		files.cgroup, files.enter, files.leave = e.group.v2, e.group.enter, e.slot.group.leave
	} else {
		e.sampler = &sampler{init: p.pid}
	}
	if e.host.isolation == CgroupOnly {
		e.strays = &strays{group: e.group, init: p.pid}
	}
	request, err := e.request()
	if err != nil {
		p.end()
		return err
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
		return err
	}
	e.tool, e.start = t, start
	return nil
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
	if !e.host.isolation.Private() {
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
	if e.host.isolation.Private() {
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
		root.Files = append(root.Files, initproc.File{Target: in.Target, Content: string(in.Content),
			Mode: uint32(mode)})
	}
	return root, nil
}

// tool is a command started by an init.
type tool struct {
	*initHandle
	dir string // working folder as seen by the command
}

// begin sends the request and waits until the command has started.
func (t *tool) begin(request *initproc.Request, files toolFiles, name string) (time.Duration, error) {
	if err := t.send(request, files); err != nil {
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

// wait waits until the command has ended, even if its children live on, and returns how it ended.
func (t *tool) wait() (exit, error) {
	r, err := t.receive()
	if err != nil {
		return exit{}, err
	}
	return exit{status: unix.WaitStatus(r.Status), clock: r.Clock, usage: r.Usage}, nil
}

// finish kills all descendants, waits for them and returns their usage.
func (t *tool) finish() (usage, error) {
	if err := initproc.SendFinish(t.control.Socket); err != nil {
		return usage{}, err
	}
	r, err := t.receive()
	return r.Usage, err
}

// work returns the command's working folder as a path that the driver can open, and whether its file system is full. A
// path into a private root goes through the descriptor that init sent, because other processes have no access to it.
func (t *tool) work() (folder string, full bool) {
	if t.folder < 0 {
		return t.dir, false
	}
	var st unix.Statfs_t
	full = unix.Fstatfs(t.folder, &st) == nil && st.Type == unix.TMPFS_MAGIC && st.Blocks > 0 && st.Bavail == 0
	return "/proc/self/fd/" + strconv.Itoa(t.folder), full
}

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
