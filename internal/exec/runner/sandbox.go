package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

const (
	defaultOpenFilesSoft = 1024
	defaultOpenFilesHard = 4096
	defaultProcesses     = 4096
	nobody               = 65534 // user and group of commands if the driver is root
)

// systemDirs are the host folders that HostSystem shows. Links on the host become equal links in the run.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt"}

// SystemShows reports whether HostSystem shows a path.
func SystemShows(path string) bool {
	return slices.ContainsFunc(systemDirs, func(dir string) bool { return strings.HasPrefix(path, dir+"/") })
}

// systemFiles are the files in /etc and /sys that dynamic linking, time zones and thread libraries read.
var systemFiles = []string{
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime",
	"/etc/java-11-openjdk", "/etc/java-17-openjdk", "/etc/java-21-openjdk",
	"/sys/devices/system/cpu", "/sys/devices/system/node",
}

// systemRoot returns the parts of the host visible to a run with HostSystem.
func systemRoot() *initproc.Root {
	var root initproc.Root
	for _, dir := range systemDirs {
		if text, err := os.Readlink(dir); err == nil {
			root.Links = append(root.Links, initproc.Link{Target: dir, To: text})
		} else {
			root.Binds = append(root.Binds, initproc.Bind{Source: dir, Target: dir, Optional: true})
		}
	}
	for _, f := range systemFiles {
		root.Binds = append(root.Binds, initproc.Bind{Source: f, Target: f, Optional: true})
	}
	return &root
}

// bareRoot returns a root with devices, scratch folders and user names, but no programs. uid and gid own the scratch
// space.
func bareRoot(uid, gid int, scratch int64) *initproc.Root {
	root := &initproc.Root{Scratch: scratch, UID: uid, GID: gid}
	for _, d := range []string{"null", "zero", "full", "random", "urandom"} {
		p := filepath.Join("/dev", d)
		root.Binds = append(root.Binds, initproc.Bind{Source: p, Target: p, Devices: true, Writable: true})
	}
	root.Links = []initproc.Link{
		{Target: "/dev/fd", To: "/proc/self/fd"}, {Target: "/dev/stdin", To: "/proc/self/fd/0"},
		{Target: "/dev/stdout", To: "/proc/self/fd/1"}, {Target: "/dev/stderr", To: "/proc/self/fd/2"},
	}
	root.Files = []initproc.File{
		user("/etc/passwd", "root:x:0:0:root:/:/bin/false\nsolver:x:1000:1000:solver:"+HomeDir+":/bin/false\n"+
			"nobody:x:65534:65534:nobody:"+HomeDir+":/bin/false\n"),
		user("/etc/group", "root:x:0:\nsolver:x:1000:\nnogroup:x:65534:\n"),
		user("/etc/hosts", "127.0.0.1 localhost "+Hostname+"\n::1 localhost\n"),
		user("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
	}
	return root
}

// user returns a file with data on users and hosts that an image may lack.
func user(target, content string) initproc.File {
	return initproc.File{Target: target, Content: content, Mode: 0o444, Optional: true}
}

// ImageRoot is the target of a mount whose source is the run's root file system instead of the host's.
const ImageRoot = "/"

// ownFolders are the top-level folders that a run never takes from an image.
var ownFolders = []string{"dev", "proc", "sys", "tmp", filepath.Base(WorkDir)}

// addImage adds a root file system to the root. Its links become the run's links, wherever they point. The image's
// folders /solver and /input are visible unless the command mounts something there.
func addImage(root *initproc.Root, tree string, cmd *Command) error {
	entries, err := os.ReadDir(tree)
	if err != nil {
		return err
	}
	own := slices.Clone(ownFolders)
	targets := make([]string, 0, len(cmd.Mounts)+len(cmd.Inputs))
	for _, m := range cmd.Mounts {
		targets = append(targets, m.Target)
	}
	for _, in := range cmd.Inputs {
		targets = append(targets, in.Target)
	}
	for _, dir := range []string{SolverDir, InputDir} {
		if slices.ContainsFunc(targets, func(t string) bool { return t == dir || strings.HasPrefix(t, dir+"/") }) {
			own = append(own, filepath.Base(dir))
		}
	}
	for _, e := range entries {
		name, target := filepath.Join(tree, e.Name()), filepath.Join("/", e.Name())
		switch {
		case slices.Contains(own, e.Name()):
		case e.Type() == os.ModeSymlink:
			text, err := os.Readlink(name)
			if err != nil {
				return err
			}
			root.Links = append(root.Links, initproc.Link{Target: target, To: text})
		default:
			root.Image = append(root.Image, initproc.Bind{Source: name, Target: target})
		}
	}
	for _, f := range systemFiles {
		if strings.HasPrefix(f, "/sys/") {
			root.Binds = append(root.Binds, initproc.Bind{Source: f, Target: f, Optional: true})
		}
	}
	return nil
}
