package runner

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// rootSpec is the root file system of a run, as init builds it.
type rootSpec struct {
	Binds    []bindSpec
	Files    []fileSpec
	Links    []linkSpec
	Hide     []string
	Scratch  int64 // bytes of the work folder, /tmp, /dev/shm and HOME together; zero is half of the memory
	UID, GID int   // owner of the scratch space, as init sees it
	Proc     bool  // mount an own /proc, which needs an own pid namespace
}

// bindSpec shows a part of the host.
type bindSpec struct {
	Source, Target    string
	Writable, Overlay bool
	Optional          bool // a missing source is no error
	Devices           bool // device nodes work
}

// fileSpec is a file with bytes.
type fileSpec struct {
	Target  string
	Content []byte
	Mode    uint32
}

// linkSpec is a symbolic link.
type linkSpec struct{ Target, Text string }

// scratchDirs are the folders that the command can write to. All are on one file system, so that one size bounds them.
var scratchDirs = []struct {
	target string
	mode   uint32
}{
	{WorkDir, 0o700},
	{HomeDir, 0o700},
	{"/tmp", 0o1777},
	{"/var/tmp", 0o1777},
	{"/dev/shm", 0o1777},
}

// stageDir is where the new root is put together, on top of a folder that every system has. Its old content stays
// reachable, because every source is opened before.
const stageDir = "/tmp"

// buildRoot makes a new root file system and moves the process into it. The old root is gone afterwards.
func buildRoot(spec *rootSpec) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return step("make mounts private", err)
	}
	trees, err := openSources(spec.Binds)
	if err != nil {
		return err
	}
	root, err := mountTmpfs(stageDir, 0o755, "64m", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return step("mount the root", err)
	}
	if err := unix.Fchdir(root); err != nil {
		return step("enter the root", err)
	}
	b := &rootBuilder{spec: spec, root: root}
	if err := b.populate(trees); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return step("change the root", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return step("leave the old root", err)
	}
	if err := os.Chdir("/"); err != nil {
		return step("enter the new root", err)
	}
	for _, p := range spec.Hide {
		if err := hide(p); err != nil {
			return step("hide "+p, err)
		}
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	return step("make the root read-only", unix.MountSetattr(root, "", unix.AT_EMPTY_PATH, &readOnly))
}

// openSources opens a detached copy of every source's mounts. A missing optional source is -1.
func openSources(binds []bindSpec) ([]int, error) {
	trees := make([]int, len(binds))
	for i, m := range binds {
		fd, err := unix.OpenTree(unix.AT_FDCWD, m.Source,
			unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if m.Optional && (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES)) {
			trees[i] = -1
			continue
		}
		if err != nil {
			return nil, step("show "+m.Source, err)
		}
		trees[i] = fd
	}
	return trees, nil
}

// mountTmpfs mounts a new tmpfs on dir and gives its descriptor.
func mountTmpfs(dir string, mode uint32, size string, attrs int) (int, error) {
	fs, err := newTmpfs(mode, size, attrs)
	if err != nil {
		return -1, err
	}
	if err := unix.MoveMount(fs, "", unix.AT_FDCWD, dir, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return -1, err
	}
	return fs, nil
}

// newTmpfs makes a tmpfs that is not attached yet.
func newTmpfs(mode uint32, size string, attrs int) (int, error) {
	fs, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fs)
	if err := unix.FsconfigSetString(fs, "mode", strconv.FormatUint(uint64(mode), 8)); err != nil {
		return -1, err
	}
	if size != "" {
		if err := unix.FsconfigSetString(fs, "size", size); err != nil {
			return -1, err
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, err
	}
	return unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, attrs)
}

// rootBuilder fills a new root, which is the current folder.
type rootBuilder struct {
	spec    *rootSpec
	root    int
	scratch int // descriptor of the scratch file system
}

// populate makes everything inside the root. Scratch folders come before binds, so that files can be shown in them.
func (b *rootBuilder) populate(trees []int) error {
	if err := b.makeScratch(); err != nil {
		return err
	}
	if err := b.makeLinks(); err != nil {
		return err
	}
	for i, m := range b.spec.Binds {
		if trees[i] < 0 {
			continue
		}
		if err := b.bind(m, trees[i]); err != nil {
			return step(fmt.Sprintf("show %s as %s", m.Source, m.Target), err)
		}
	}
	for _, f := range b.spec.Files {
		if err := b.writeFile(f); err != nil {
			return step("write "+f.Target, err)
		}
	}
	if b.spec.Proc {
		if err := b.mountProc(); err != nil {
			return step("mount /proc", err)
		}
	}
	if err := unix.Unmount(scratchHold, unix.MNT_DETACH); err != nil {
		return step("cover the scratch space", err)
	}
	if err := os.Remove(scratchHold); err != nil {
		return step("cover the scratch space", err)
	}
	return nil
}

// rel gives the path below the current folder of an absolute path inside.
func rel(p string) string { return "." + path.Clean("/"+p) }

// scratchHold is where the scratch file system is attached while the root is built: parts of it can be shown, and lie
// below an overlay, only then.
const scratchHold = "./.scratch"

func (b *rootBuilder) makeScratch() error {
	size := ""
	if b.spec.Scratch > 0 {
		size = strconv.FormatInt(b.spec.Scratch, 10)
	}
	scratch, err := newTmpfs(0o755, size, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return step("make the scratch space", err)
	}
	b.scratch = scratch
	if err := os.Mkdir(scratchHold, 0o755); err != nil {
		return step("make the scratch space", err)
	}
	if err := unix.MoveMount(scratch, "", unix.AT_FDCWD, scratchHold, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return step("mount the scratch space", err)
	}
	for i, d := range scratchDirs {
		name := strconv.Itoa(i)
		if err := b.scratchDir(name, d.mode); err != nil {
			return step("make "+d.target, err)
		}
		if err := os.MkdirAll(rel(d.target), 0o755); err != nil {
			return step("make "+d.target, err)
		}
		tree, err := unix.OpenTree(scratch, name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err != nil {
			return step("show "+d.target, err)
		}
		err = unix.MoveMount(tree, "", unix.AT_FDCWD, rel(d.target), unix.MOVE_MOUNT_F_EMPTY_PATH)
		_ = unix.Close(tree)
		if err != nil {
			return step("show "+d.target, err)
		}
	}
	return nil
}

// scratchDir makes a folder of the scratch file system that the command owns.
func (b *rootBuilder) scratchDir(name string, mode uint32) error {
	if err := unix.Mkdirat(b.scratch, name, 0o700); err != nil {
		return err
	}
	if err := unix.Fchownat(b.scratch, name, b.spec.UID, b.spec.GID, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	return unix.Fchmodat(b.scratch, name, mode, 0)
}

func (b *rootBuilder) makeLinks() error {
	for _, l := range b.spec.Links {
		if err := os.MkdirAll(path.Dir(rel(l.Target)), 0o755); err != nil {
			return step("make the folder of "+l.Target, err)
		}
		if err := os.Symlink(l.Text, rel(l.Target)); err != nil {
			return step("link "+l.Target, err)
		}
	}
	return nil
}

// bind attaches a detached tree at its target, which is made when it is missing.
func (b *rootBuilder) bind(m bindSpec, tree int) error {
	defer unix.Close(tree)
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !m.Devices {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !m.Writable {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(tree, &st); err != nil {
		return err
	}
	dir := st.Mode&unix.S_IFMT == unix.S_IFDIR
	if err := b.makeTarget(m.Target, dir); err != nil {
		return err
	}
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, rel(m.Target), unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return err
	}
	if m.Overlay && dir {
		return b.overlay(m.Target)
	}
	return nil
}

// makeTarget makes the folder or the empty file on which something is mounted.
func (b *rootBuilder) makeTarget(target string, dir bool) error {
	p := rel(target)
	if dir {
		return os.MkdirAll(p, 0o755)
	}
	if err := os.MkdirAll(path.Dir(p), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(p, os.O_CREATE|os.O_RDONLY|unix.O_NOFOLLOW, 0o444)
	if err != nil {
		return err
	}
	return f.Close()
}

// overlay makes what is mounted at target writable; changes go to the scratch space.
func (b *rootBuilder) overlay(target string) error {
	name := "overlay" + strings.ReplaceAll(target, "/", "-")
	for _, sub := range []string{name, name + "/upper", name + "/work"} {
		if err := b.scratchDir(sub, 0o755); err != nil {
			return err
		}
	}
	upper := scratchHold + "/" + name
	data := fmt.Sprintf("lowerdir=%s,upperdir=%s/upper,workdir=%s/work,userxattr", rel(target), upper, upper)
	if err := unix.Mount("overlay", rel(target), "overlay", unix.MS_NOSUID|unix.MS_NODEV, data); err != nil {
		return fmt.Errorf("overlay: %w", err)
	}
	return nil
}

func (b *rootBuilder) writeFile(f fileSpec) error {
	p := rel(f.Target)
	if err := os.MkdirAll(path.Dir(p), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(p, os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NOFOLLOW, os.FileMode(f.Mode))
	if err != nil {
		return err
	}
	if _, err := out.Write(f.Content); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

func (b *rootBuilder) mountProc() error {
	if err := os.MkdirAll(rel("/proc"), 0o555); err != nil {
		return err
	}
	return unix.Mount("proc", rel("/proc"), "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}

// hide covers a path of the new root with an unreadable empty folder or with /dev/null. A path that is not there needs no
// cover.
func hide(p string) error {
	real, err := filepath.EvalSymlinks(p)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Lstat(real)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return unix.Mount("/dev/null", real, "", unix.MS_BIND, "")
	}
	fs, err := newTmpfs(0, "4k", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fs)
	return unix.MoveMount(fs, "", unix.AT_FDCWD, real, unix.MOVE_MOUNT_F_EMPTY_PATH)
}
