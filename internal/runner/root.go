package runner

import (
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rootSpec is the root file system of a run.
type rootSpec struct {
	Parts    []string // top-level folders of the nursery's base to show; see addBase
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
	Kind              sourceKind
}

// sourceKind is what the source of a bind is, as far as it is known before.
type sourceKind int

const (
	kindUnknown sourceKind = iota
	kindFolder
	kindFile
)

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

// addRoot adds the operations that make a new root file system and move init into it. The old root is gone afterwards.
func (p *program) addRoot(spec *rootSpec) {
	p.describe("make mounts private")
	p.call(unix.SYS_MOUNT, 0, "/", 0, unix.MS_REC|unix.MS_PRIVATE, 0)
	b := &rootBuilder{program: p, spec: spec, made: map[string]bool{".": true}}
	p.call(unix.SYS_UMASK, 0) // modes are as they are written here
	b.makeScratch()
	parts := b.openParts()
	trees := b.openSources()
	p.describe("mount the root")
	root := p.tmpfs(0o755, "64m", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	p.call(unix.SYS_MOVE_MOUNT, root, "", unix.AT_FDCWD, stageDir, unix.MOVE_MOUNT_F_EMPTY_PATH)
	p.describe("enter the root")
	p.call(unix.SYS_FCHDIR, root)
	b.showParts(parts)
	b.showScratch()
	if spec.Proc {
		p.describe("mount /proc")
		b.makeDir("./proc")
		p.call(unix.SYS_MOUNT, "proc", "./proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	}
	b.fill(trees)
	p.describe("change the root")
	p.call(unix.SYS_PIVOT_ROOT, ".", ".")
	p.describe("leave the old root")
	p.call(unix.SYS_UMOUNT2, ".", unix.MNT_DETACH)
	p.describe("enter the new root")
	p.call(unix.SYS_CHDIR, "/")
	for _, h := range spec.Hide {
		p.describe("hide " + h)
		p.hide(h)
	}
	p.describe("make the root read-only")
	p.setMount(root, "", unix.AT_EMPTY_PATH, unix.MOUNT_ATTR_RDONLY)
	p.call(unix.SYS_UMASK, 0o022)
}

// addBase adds the operations by which a nursery puts together what all its runs see alike. It is mounted over /proc, of which
// no run is shown anything, in a mount namespace of the nursery's own, and becomes the current folder. Each init gets a copy
// of these mounts with its own namespace, and leaves them with the old root. Nothing can be written to it.
func (p *program) addBase(spec *rootSpec) {
	p.call(unix.SYS_UNSHARE, unix.CLONE_NEWNS)
	// What the host mounts and unmounts later is to be so here, too, but not the other way round.
	p.call(unix.SYS_MOUNT, 0, "/", 0, unix.MS_REC|unix.MS_SLAVE, 0)
	b := &rootBuilder{program: p, spec: spec, made: map[string]bool{".": true}}
	p.call(unix.SYS_UMASK, 0)
	trees := b.openSources()
	base := p.tmpfs(0o755, "1m", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOATIME)
	p.call(unix.SYS_MOVE_MOUNT, base, "", unix.AT_FDCWD, "/proc", unix.MOVE_MOUNT_F_EMPTY_PATH)
	p.call(unix.SYS_FCHDIR, base)
	b.fill(trees)
	b.makeDir("./dev/shm") // to mount on
	p.setMount(base, "", unix.AT_EMPTY_PATH, unix.MOUNT_ATTR_RDONLY)
	fs := p.open(unix.SYS_FSPICK, base, "", unix.FSPICK_EMPTY_PATH|unix.FSPICK_CLOEXEC)
	p.call(unix.SYS_FSCONFIG, fs, unix.FSCONFIG_SET_FLAG, "ro", 0, 0) // the file system itself, not only its mounts
	p.call(unix.SYS_FSCONFIG, fs, unix.FSCONFIG_CMD_RECONFIGURE, 0, 0, 0)
	p.call(unix.SYS_CLOSE, fs)
	p.call(unix.SYS_CLOSE, base)
	p.call(unix.SYS_UMASK, 0o022)
}

// fill makes links, files and binds in the current folder.
func (b *rootBuilder) fill(trees []sourceTree) {
	b.makeLinks()
	for i, m := range b.spec.Binds {
		if trees[i].register != noTree {
			b.bind(m, trees[i])
		}
	}
	for _, f := range b.spec.Files {
		b.writeFile(f)
	}
}

// openParts opens detached copies of the base's folders, of which the current folder has all.
func (b *rootBuilder) openParts() []register {
	parts := make([]register, len(b.spec.Parts))
	for i, name := range b.spec.Parts {
		b.describe("show /" + name)
		at := len(b.ops)
		parts[i] = b.open(unix.SYS_OPEN_TREE, unix.AT_FDCWD, "./"+name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		b.ops[at].tolerate(unix.ENOENT) // the host may have had it when the driver looked, and not when the nursery began
	}
	return parts
}

// showParts mounts them.
func (b *rootBuilder) showParts(parts []register) {
	for i, name := range b.spec.Parts {
		b.describe("show /" + name)
		b.makeDir("./" + name)
		b.call(unix.SYS_MOVE_MOUNT, parts[i], "", unix.AT_FDCWD, "./"+name, unix.MOVE_MOUNT_F_EMPTY_PATH).tolerate(unix.EBADF)
		if name == "dev" {
			b.made["./dev/shm"] = true
		}
	}
}

// sourceTree is a detached copy of a source's mounts.
type sourceTree struct {
	register register
	dir      bool
}

// noTree stands for an optional source that is missing.
const noTree register = -1

// openSources opens a detached copy of every source's mounts.
func (b *rootBuilder) openSources() []sourceTree {
	trees := make([]sourceTree, len(b.spec.Binds))
	for i, m := range b.spec.Binds {
		dir := m.Kind == kindFolder
		if m.Kind == kindUnknown {
			info, err := os.Stat(m.Source)
			if err != nil && m.Optional {
				trees[i].register = noTree
				continue
			}
			dir = err != nil || info.IsDir() // an error is met again, by init
		}
		b.describe("show " + m.Source)
		at := len(b.ops)
		trees[i] = sourceTree{
			register: b.open(unix.SYS_OPEN_TREE, unix.AT_FDCWD, m.Source,
				unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE),
			dir: dir,
		}
		if m.Optional {
			b.ops[at].tolerate(unix.ENOENT, unix.EACCES)
		}
	}
	return trees
}

// tmpfs adds a new tmpfs that is not attached yet. An empty size is half of the memory.
func (p *program) tmpfs(mode uint32, size string, attrs int) register {
	fs := p.open(unix.SYS_FSOPEN, "tmpfs", unix.FSOPEN_CLOEXEC)
	p.call(unix.SYS_FSCONFIG, fs, unix.FSCONFIG_SET_STRING, "mode", strconv.FormatUint(uint64(mode), 8), 0)
	if size != "" {
		p.call(unix.SYS_FSCONFIG, fs, unix.FSCONFIG_SET_STRING, "size", size, 0)
	}
	p.call(unix.SYS_FSCONFIG, fs, unix.FSCONFIG_CMD_CREATE, 0, 0, 0)
	mount := p.open(unix.SYS_FSMOUNT, fs, unix.FSMOUNT_CLOEXEC, attrs)
	p.call(unix.SYS_CLOSE, fs)
	return mount
}

// setMount adds attributes to a mount, or a tree of them.
func (p *program) setMount(at register, name string, flags int, set uint64) *operation {
	attr := unix.MountAttr{Attr_set: set}
	data := p.bytes(unsafe.Slice((*byte)(unsafe.Pointer(&attr)), unsafe.Sizeof(attr)))
	return p.call(unix.SYS_MOUNT_SETATTR, at, name, flags, data, int(unsafe.Sizeof(attr)))
}

// rootBuilder fills a new root, which is the current folder.
type rootBuilder struct {
	*program
	spec    *rootSpec
	scratch register
	made    map[string]bool // folders that are there
}

// rel gives the path below the current folder of an absolute path inside.
func rel(p string) string { return "." + path.Clean("/"+p) }

// makeDir makes a folder and all above it.
func (b *rootBuilder) makeDir(p string) {
	if b.made[p] {
		return
	}
	b.makeDir(path.Dir(p))
	b.made[p] = true
	b.call(unix.SYS_MKDIRAT, unix.AT_FDCWD, p, 0o755).tolerate(unix.EEXIST)
}

// parent makes the folder that a path of the new root is in.
func (b *rootBuilder) parent(p string) { b.makeDir(path.Dir(path.Clean(p))) }

// fdScratch is the descriptor of the scratch space while the root is built, by which overlays name it. It is above all
// that come with a program.
const fdScratch = 64

// makeScratch makes the scratch file system and the folders of it that are shown.
func (b *rootBuilder) makeScratch() {
	b.describe("make the scratch space")
	size := ""
	if b.spec.Scratch > 0 {
		size = strconv.FormatInt(b.spec.Scratch, 10)
	}
	b.scratch = b.tmpfs(0o755, size, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	for i, d := range scratchDirs {
		b.scratchDir(strconv.Itoa(i), d.mode)
	}
}

// showScratch mounts the folders of the scratch space. Parts of a file system can be shown only when it is attached
// somewhere: so it is first mounted where its last folder comes to lie on top of it for good.
func (b *rootBuilder) showScratch() {
	hold := rel(scratchDirs[0].target)
	b.describe("mount the scratch space")
	b.makeDir(hold)
	b.call(unix.SYS_MOVE_MOUNT, b.scratch, "", unix.AT_FDCWD, hold, unix.MOVE_MOUNT_F_EMPTY_PATH)
	for i, d := range scratchDirs {
		b.describe("show " + d.target)
		b.makeDir(rel(d.target))
		tree := b.open(unix.SYS_OPEN_TREE, b.scratch, strconv.Itoa(i), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		b.call(unix.SYS_MOVE_MOUNT, tree, "", unix.AT_FDCWD, rel(d.target), unix.MOVE_MOUNT_F_EMPTY_PATH)
	}
}

// scratchDir makes a folder of the scratch file system that the command owns.
func (b *rootBuilder) scratchDir(name string, mode uint32) {
	b.call(unix.SYS_MKDIRAT, b.scratch, name, int(mode))
	if b.spec.UID >= 0 {
		b.call(unix.SYS_FCHOWNAT, b.scratch, name, b.spec.UID, b.spec.GID, unix.AT_SYMLINK_NOFOLLOW)
	}
}

func (b *rootBuilder) makeLinks() {
	for _, l := range b.spec.Links {
		b.describe("link " + l.Target)
		b.parent(rel(l.Target))
		b.call(unix.SYS_SYMLINKAT, l.Text, unix.AT_FDCWD, rel(l.Target))
	}
}

// bind attaches a detached tree at its target, which is made when it is missing.
func (b *rootBuilder) bind(m bindSpec, tree sourceTree) {
	b.describe(fmt.Sprintf("show %s as %s", m.Source, m.Target))
	set := uint64(unix.MOUNT_ATTR_NOSUID)
	if !m.Devices {
		set |= unix.MOUNT_ATTR_NODEV
	}
	if !m.Writable {
		set |= unix.MOUNT_ATTR_RDONLY
	}
	first := len(b.ops)
	attr := b.setMount(tree.register, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, set)
	if m.Optional {
		attr.tolerate(unix.EBADF)
	}
	before := len(b.made)
	target := rel(m.Target)
	if tree.dir {
		b.makeDir(target)
	} else {
		b.makeFile(target, unix.O_RDONLY, 0o444)
	}
	b.call(unix.SYS_MOVE_MOUNT, tree.register, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH)
	if m.Optional {
		b.leaveOutFrom(first)
		if len(b.made) > before {
			b.made = map[string]bool{".": true} // they may not be there
		}
	}
	if m.Overlay && tree.dir {
		b.overlay(m.Target)
	}
}

// makeFile makes a file that need not be new, and the folders above it.
func (b *rootBuilder) makeFile(p string, flags int, mode uint32) {
	b.parent(p)
	file := b.open(unix.SYS_OPENAT, unix.AT_FDCWD, p, unix.O_CREAT|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, int(mode))
	b.call(unix.SYS_CLOSE, file)
}

// overlay makes what is mounted at target writable; changes go to the scratch space.
func (b *rootBuilder) overlay(target string) {
	name := "overlay" + strings.ReplaceAll(target, "/", "-")
	for _, sub := range []string{name, name + "/upper", name + "/work"} {
		b.scratchDir(sub, 0o755)
	}
	b.call(unix.SYS_DUP3, b.scratch, fdScratch, unix.O_CLOEXEC)
	upper := fmt.Sprintf("./proc/self/fd/%d/%s", fdScratch, name) // no /proc of the host, see addBase
	data := fmt.Sprintf("lowerdir=%s,upperdir=%s/upper,workdir=%s/work,userxattr", rel(target), upper, upper)
	b.call(unix.SYS_MOUNT, "overlay", rel(target), "overlay", unix.MS_NOSUID|unix.MS_NODEV, data)
}

func (b *rootBuilder) writeFile(f fileSpec) {
	b.describe("write " + f.Target)
	p := rel(f.Target)
	b.parent(p)
	file := b.open(unix.SYS_OPENAT, unix.AT_FDCWD, p, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, int(f.Mode))
	if len(f.Content) > 0 {
		b.call(unix.SYS_WRITE, file, b.bytes(f.Content), len(f.Content)).exact = 1
	}
	b.call(unix.SYS_CLOSE, file)
}

// hide covers a path of the new root with an unreadable empty folder or with /dev/null. A path that is not there needs no
// cover.
func (p *program) hide(name string) {
	any := len(p.ops)
	target := p.open(unix.SYS_OPENAT, unix.AT_FDCWD, name, unix.O_PATH|unix.O_CLOEXEC, 0)
	p.ops[any].tolerate(unix.ENOENT)
	folder := len(p.ops)
	p.open(unix.SYS_OPENAT, unix.AT_FDCWD, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	p.ops[folder].tolerate(unix.ENOTDIR)
	cover := p.tmpfs(0, "4k", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	p.cover(cover, target)
	done := p.jump()
	p.leaveOutFrom(folder)
	null := p.open(unix.SYS_OPEN_TREE, unix.AT_FDCWD, "/dev/null", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	p.cover(null, target)
	p.leaveOutFrom(done)
	p.leaveOutFrom(any)
}

// cover mounts a tree on what is open as target.
func (p *program) cover(tree, target register) {
	p.call(unix.SYS_MOVE_MOUNT, tree, "", target, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}
