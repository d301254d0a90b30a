package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// warmth records whether a mount has been read. Concurrent runs with the same mount wait for the first one to read it.
type warmth struct {
	mu   sync.Mutex
	done bool
}

// warmTree reads the regular files below root once in the Host's lifetime. It skips unreadable files, which are the
// command's problem. It returns no error except ctx.Err().
func (h *Host) warmTree(ctx context.Context, root string) error {
	v, _ := h.warm.LoadOrStore(root, &warmth{})
	w := v.(*warmth)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return nil
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return nil
		}
		if d.IsDir() && kernelFolder(p) {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			return warmFile(ctx, p)
		}
		return nil
	})
	w.done = err == nil
	return err
}

// warmFile reads one file. It returns no error except ctx.Err().
func warmFile(ctx context.Context, path string) error {
	f, info, err := openRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	_ = readThrough(boundedReader(ctx, f, info))
	return context.Cause(ctx)
}

// openRegular opens a regular host file for reading. It never opens any other kind of file, which could block or have
// side effects.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, nil, err
	} else if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || kernelFile(f)) {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// kernelFolder reports whether a folder is on a file system that presents kernel state.
func kernelFolder(path string) bool {
	var st unix.Statfs_t
	return unix.Statfs(path, &st) == nil && showsKernel(&st)
}

// kernelFile is like kernelFolder, but for an open file.
func kernelFile(f *os.File) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &st) == nil && showsKernel(&st)
}

// showsKernel reports whether a file system presents kernel state and stores nothing. Reading its files can block
// forever, never end, or have side effects.
func showsKernel(st *unix.Statfs_t) bool {
	const configfs, fusectl = 0x62656570, 0x65735543 // missing in x/sys/unix
	return slices.Contains([]int64{
		unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.DEBUGFS_MAGIC,
		unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC, unix.SELINUX_MAGIC, unix.SMACK_MAGIC, unix.BPF_FS_MAGIC,
		unix.PSTOREFS_MAGIC, unix.EFIVARFS_MAGIC, unix.BINFMTFS_MAGIC, unix.RDTGROUP_SUPER_MAGIC,
		unix.DEVPTS_SUPER_MAGIC, configfs, fusectl,
	}, int64(st.Type))
}

// boundedReader reads a file up to the size in info and fails once ctx ends.
func boundedReader(ctx context.Context, f *os.File, info fs.FileInfo) io.Reader {
	_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_SEQUENTIAL)
	return &cancelReader{ctx, io.LimitReader(f, info.Size())}
}

// cancelReader is a reader that fails once its context ends.
type cancelReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancelReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}

// readThrough reads r to the end and discards everything.
func readThrough(r io.Reader) error {
	_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, make([]byte, 256<<10))
	return err
}
