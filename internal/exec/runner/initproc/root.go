package initproc

import (
	"errors"
	"os"
	"path"
	"strconv"
	"syscall"
)

// Root describes a run's root file system.
type Root struct {
	// Image shows the top-level folders and files of another root file system. Links contains its links, and everything
	// else is mounted over it.
	Image    []Bind
	Binds    []Bind
	Files    []File
	Links    []Link
	Hide     []string
	Scratch  int64 // size of the work folder, /tmp, /dev/shm and HOME together, in bytes; zero means half of the memory
	UID, GID int   // owner of the scratch space as this process sees it; -1 means this process
}

// Bind shows a part of the host in a run.
type Bind struct {
	Source, Target    string
	Writable, Overlay bool
	Optional          bool // whether the source may be missing
	Devices           bool // whether device nodes are usable
}

// File is a file with the given content.
type File struct {
	Target  string
	Content string
	Mode    uint32
	// Optional means that the file covers the image's own file, and is omitted if the image has none.
	Optional bool
}

// Link is a symbolic link.
type Link struct{ Target, To string }

// scratchDirs are the folders that the command can write to. They share one file system, and therefore one size limit.
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

// stageDir is the folder, present on every system, on which the new root is assembled. Its old content stays reachable,
// because every source is opened first.
const stageDir = "/tmp"

// build creates the root file system and moves this process into it. The old root is then gone.
func (r *Root) build() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return step("make mounts private", err)
	}
	defer syscall.Umask(syscall.Umask(0)) // creates files with exactly the given modes
	b := &builder{Root: r, made: map[string]bool{".": true}}
	if err := b.makeScratch(); err != nil {
		return step("make the scratch space", err)
	}
	base, err := b.openSources(r.Image)
	if err != nil {
		return err
	}
	trees, err := b.openSources(r.Binds)
	if err != nil {
		return err
	}
	root, err := b.mount()
	if err != nil {
		return step("mount the root", err)
	}
	if err := b.mountProc(); err != nil {
		return step("mount /proc", err)
	}
	// From here on, links in the image cannot lead outside.
	if err := enter(); err != nil {
		return step("change the root", err)
	}
	if err := b.fill(base, trees); err != nil {
		return err
	}
	for _, room := range b.rooms {
		if err := errors.Join(setMountFlags(room, mountReadOnly, 0), syscall.Close(room)); err != nil {
			return step("make a folder read-only", err)
		}
	}
	for _, h := range r.Hide {
		if err := hide(h); err != nil {
			return step("hide "+h, err)
		}
	}
	return step("make the root read-only", errors.Join(setMountFlags(root, mountReadOnly, 0), syscall.Close(root)))
}

// builder fills a new root in the current folder.
type builder struct {
	*Root
	scratch  int
	made     map[string]bool // existing folders
	overlays int
	covers   int
	rooms    []int // mounts made by makeRoom
}

// mount mounts an empty root and makes it the current folder.
func (b *builder) mount() (root int, err error) {
	root, err = tmpfs(0o755, "64m", mountNosuid|mountNodev)
	if err != nil {
		return -1, err
	}
	if err := moveMount(root, atFdcwd, stageDir, 0); err != nil {
		return -1, err
	}
	return root, syscall.Fchdir(root)
}

// mountProc mounts /proc while the old one is still visible; otherwise a user namespace may not mount it.
func (b *builder) mountProc() error {
	if err := b.makeDir("./proc"); err != nil {
		return err
	}
	const flags = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
	return syscall.Mount("proc", "./proc", "proc", flags, "")
}

// fill adds everything else to the root.
func (b *builder) fill(base, trees []tree) error {
	for _, l := range b.Links {
		if err := b.link(l); err != nil {
			return step("link "+l.Target, err)
		}
	}
	if err := b.show(b.Image, base); err != nil {
		return err
	}
	if err := b.showScratch(); err != nil {
		return err
	}
	if err := b.show(b.Binds, trees); err != nil {
		return err
	}
	for _, f := range b.Files {
		if err := b.writeFile(f); err != nil {
			return step("write "+f.Target, err)
		}
	}
	return nil
}

func (b *builder) show(binds []Bind, trees []tree) error {
	for i, m := range binds {
		if err := b.bind(m, trees[i]); err != nil {
			return step("show "+m.Source+" as "+m.Target, err)
		}
	}
	return nil
}

// enter makes the current folder the root and detaches the old root.
func enter() error {
	if err := syscall.PivotRoot(".", "."); err != nil {
		return err
	}
	if err := syscall.Unmount(".", syscall.MNT_DETACH); err != nil {
		return err
	}
	return syscall.Chdir("/")
}

// tree is a detached copy of a source's mounts.
type tree struct {
	fd  int // descriptor; -1 if an optional source is missing
	dir bool
}

// openSources opens a detached copy of every source's mounts, with their final flags.
func (b *builder) openSources(binds []Bind) ([]tree, error) {
	trees := make([]tree, len(binds))
	for i, m := range binds {
		var err error
		if trees[i], err = openSource(m.Source); err != nil {
			if !m.Optional || err != syscall.ENOENT && err != syscall.EACCES {
				return nil, step("show "+m.Source, err)
			}
			trees[i].fd = -1
			continue
		}
		if err := setMountFlags(trees[i].fd, m.flags(), atRecursive); err != nil {
			return nil, step("show "+m.Source, err)
		}
	}
	return trees, nil
}

func (m *Bind) flags() uint64 {
	flags := uint64(mountNosuid)
	if !m.Devices {
		flags |= mountNodev
	}
	if !m.Writable {
		flags |= mountReadOnly
	}
	return flags
}

func openSource(source string) (tree, error) {
	fd, err := openTree(atFdcwd, source, atRecursive)
	if err != nil {
		return tree{}, err
	}
	var info syscall.Stat_t
	err = syscall.Fstat(fd, &info)
	return tree{fd: fd, dir: info.Mode&syscall.S_IFMT == syscall.S_IFDIR}, err
}

// tmpfs creates a tmpfs without attaching it. An empty size means half of the memory.
func tmpfs(mode uint32, size string, attrs uintptr) (mount int, err error) {
	fs, err := fsopen("tmpfs")
	if err != nil {
		return -1, err
	}
	defer syscall.Close(fs)
	if err := fsconfig(fs, "mode", strconv.FormatUint(uint64(mode), 8)); err != nil {
		return -1, err
	}
	if size != "" {
		if err := fsconfig(fs, "size", size); err != nil {
			return -1, err
		}
	}
	return fsmount(fs, attrs)
}

// below converts an absolute path in the sandbox to one relative to the current folder.
func below(p string) string { return "." + path.Clean("/"+p) }

// makeDir creates a folder and its parents.
func (b *builder) makeDir(p string) error {
	if b.made[p] {
		return nil
	}
	if err := b.makeDir(path.Dir(p)); err != nil {
		return err
	}
	err := syscall.Mkdir(p, 0o755)
	if err == syscall.EROFS && len(b.Image) > 0 {
		if err = b.makeRoom(path.Dir(p)); err == nil {
			err = syscall.Mkdir(p, 0o755)
		}
	}
	if err != nil && err != syscall.EEXIST {
		return err
	}
	b.made[p] = true
	return nil
}

// makeRoom covers an image folder with a new one that contains the same entries and has room for mount points.
func (b *builder) makeRoom(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	fds := make([]int, len(entries))
	for i, e := range entries {
		if e.Type() != os.ModeSymlink {
			if fds[i], err = openTree(atFdcwd, dir+"/"+e.Name(), atRecursive); err != nil {
				return err
			}
		}
	}
	texts := make([]string, len(entries))
	for i, e := range entries {
		if e.Type() == os.ModeSymlink {
			if texts[i], err = os.Readlink(dir + "/" + e.Name()); err != nil {
				return err
			}
		}
	}
	room, err := tmpfs(0o755, "64m", mountNosuid|mountNodev)
	if err != nil {
		return err
	}
	b.rooms = append(b.rooms, room)
	if err := moveMount(room, atFdcwd, dir, 0); err != nil {
		return err
	}
	for i, e := range entries {
		name := dir + "/" + e.Name()
		switch {
		case e.Type() == os.ModeSymlink:
			err = syscall.Symlink(texts[i], name)
		case e.IsDir():
			if err = syscall.Mkdir(name, 0o755); err == nil {
				err = attach(fds[i], name)
			}
		default:
			if err = emptyFile(name); err == nil {
				err = attach(fds[i], name)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// emptyFile creates a file to mount on, unless it exists.
func emptyFile(name string) error {
	fd, err := syscall.Open(name, syscall.O_CREAT|syscall.O_NOFOLLOW|syscall.O_CLOEXEC|syscall.O_RDONLY, 0o444)
	if err != nil {
		return err
	}
	return syscall.Close(fd)
}

// makeScratch creates the scratch file system and those of its folders that the run sees.
func (b *builder) makeScratch() (err error) {
	size := ""
	if b.Scratch > 0 {
		size = strconv.FormatInt(b.Scratch, 10)
	}
	if b.scratch, err = tmpfs(0o755, size, mountNosuid|mountNodev); err != nil {
		return err
	}
	for i, d := range scratchDirs {
		if err := b.scratchDir(strconv.Itoa(i), d.mode); err != nil {
			return err
		}
	}
	return nil
}

// scratchDir creates a folder in the scratch file system, owned by the command.
func (b *builder) scratchDir(name string, mode uint32) error {
	if err := syscall.Mkdirat(b.scratch, name, mode); err != nil {
		return err
	}
	if b.UID < 0 {
		return nil
	}
	return syscall.Fchownat(b.scratch, name, b.UID, b.GID, atSymlinkNofollow)
}

// showScratch mounts the scratch folders. Parts of a file system can only be shown while the file system is attached
// somewhere, so it is first mounted where its last folder will finally cover it.
func (b *builder) showScratch() error {
	hold := below(scratchDirs[0].target)
	if err := b.makeDir(hold); err != nil {
		return step("mount the scratch space", err)
	}
	if err := moveMount(b.scratch, atFdcwd, hold, 0); err != nil {
		return step("mount the scratch space", err)
	}
	for i, d := range scratchDirs {
		if err := b.showFolder(strconv.Itoa(i), below(d.target)); err != nil {
			return step("show "+d.target, err)
		}
	}
	return nil
}

func (b *builder) showFolder(name, target string) error {
	if err := b.makeDir(target); err != nil {
		return err
	}
	fd, err := openTree(b.scratch, name, 0)
	if err != nil {
		return err
	}
	return attach(fd, target)
}

// attach mounts a detached tree and closes it.
func attach(fd int, target string) error {
	return errors.Join(moveMount(fd, atFdcwd, target, 0), syscall.Close(fd))
}

func (b *builder) link(l Link) error {
	target := below(l.Target)
	if err := b.makeDir(path.Dir(target)); err != nil {
		return err
	}
	return syscall.Symlink(l.To, target)
}

// bind attaches a detached tree at its target, creating the target if necessary.
func (b *builder) bind(m Bind, t tree) error {
	if t.fd < 0 {
		return nil
	}
	target := below(m.Target)
	if err := b.makeTarget(target, t.dir); err != nil {
		return err
	}
	if err := attach(t.fd, target); err != nil {
		return err
	}
	if m.Overlay && t.dir {
		return b.overlay(target)
	}
	return nil
}

// makeTarget creates a folder or file to mount on, unless it exists.
func (b *builder) makeTarget(target string, dir bool) error {
	if dir {
		return b.makeDir(target)
	}
	if err := b.makeDir(path.Dir(target)); err != nil {
		return err
	}
	err := emptyFile(target)
	if err == syscall.EROFS && len(b.Image) > 0 {
		if err = b.makeRoom(path.Dir(target)); err == nil {
			err = emptyFile(target)
		}
	}
	return err
}

// overlay makes the mount at target writable by directing changes to the scratch space.
func (b *builder) overlay(target string) error {
	name := "overlay" + strconv.Itoa(b.overlays)
	b.overlays++
	for _, sub := range []string{name, name + "/upper", name + "/work"} {
		if err := b.scratchDir(sub, 0o755); err != nil {
			return err
		}
	}
	upper := "./proc/self/fd/" + strconv.Itoa(b.scratch) + "/" + name
	data := "lowerdir=" + target + ",upperdir=" + upper + "/upper,workdir=" + upper + "/work,userxattr"
	return syscall.Mount("overlay", target, "overlay", syscall.MS_NOSUID|syscall.MS_NODEV, data)
}

// writeFile writes a file. An optional file covers the image's own file, and is omitted if the image has none.
func (b *builder) writeFile(f File) error {
	target := below(f.Target)
	if err := b.makeDir(path.Dir(target)); err != nil {
		return err
	}
	const flags = syscall.O_CREAT | syscall.O_EXCL | syscall.O_WRONLY | syscall.O_NOFOLLOW | syscall.O_CLOEXEC
	fd, err := syscall.Open(target, flags, f.Mode)
	switch {
	case err == syscall.EROFS && f.Optional:
		return nil
	case err == syscall.EEXIST && f.Optional:
		return b.cover(target, f)
	case err != nil:
		return err
	}
	return f.writeTo(fd)
}

// writeTo writes the content to a new file and closes it.
func (f *File) writeTo(fd int) error {
	file := os.NewFile(uintptr(fd), f.Target)
	_, err := file.WriteString(f.Content)
	return errors.Join(err, file.Close())
}

// cover mounts a file over the one at target, or over the file at the end of a link.
func (b *builder) cover(target string, f File) error {
	name := "cover" + strconv.Itoa(b.covers)
	b.covers++
	fd, err := syscall.Openat(b.scratch, name, syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_CLOEXEC,
		f.Mode)
	if err != nil {
		return err
	}
	if err := f.writeTo(fd); err != nil {
		return err
	}
	fd, err = openTree(b.scratch, name, 0)
	if err != nil {
		return err
	}
	if err := setMountFlags(fd, mountReadOnly|mountNosuid|mountNodev|mountNoexec, 0); err != nil {
		return err
	}
	err = moveMount(fd, atFdcwd, target, moveMountToLinks)
	if err == syscall.ENOENT || err == syscall.ELOOP {
		err = nil // a dangling link in the image
	}
	return errors.Join(err, syscall.Close(fd))
}

// hide covers a path in the new root with an unreadable empty folder or with /dev/null. It ignores missing paths.
func hide(name string) error {
	target, err := syscall.Open(name, openPath|syscall.O_CLOEXEC, 0)
	if err == syscall.ENOENT {
		return nil
	}
	if err != nil {
		return err
	}
	defer syscall.Close(target)
	var info syscall.Stat_t
	if err := syscall.Fstat(target, &info); err != nil {
		return err
	}
	var cover int
	if info.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		cover, err = tmpfs(0, "4k",
			mountReadOnly|mountNosuid|mountNodev|mountNoexec)
	} else {
		cover, err = openTree(atFdcwd, "/dev/null", 0)
	}
	if err != nil {
		return err
	}
	return errors.Join(moveMount(cover, target, "", moveMountToEmpty), syscall.Close(cover))
}
