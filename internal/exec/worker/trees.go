package worker

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
)

// TreeSource returns a Source for a folder's tree as a tar archive.
func TreeSource(dir string) Source {
	return func() (io.ReadCloser, int64, error) {
		var size counter
		if err := writeTree(&size, dir); err != nil {
			return nil, 0, err
		}
		r, w := io.Pipe()
		go func() { w.CloseWithError(writeTree(w, dir)) }()
		return r, int64(size), nil
	}
}

// counter is a writer that counts bytes.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

func writeTree(w io.Writer, dir string) error {
	archive := tar.NewWriter(w)
	return errors.Join(archive.AddFS(os.DirFS(dir)), archive.Close())
}

// CopyTree copies a file or a folder with its links and executable bits, unless the target exists. It creates the
// target's parents. A visible target is complete and on disk.
func CopyTree(from, to string) error {
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return err
	}
	made := filepath.Join(temp, "made")
	if err = copyAll(from, made); err == nil {
		err = os.Rename(made, to)
	}
	if _, there := os.Lstat(to); there == nil {
		err = nil // perhaps another process was faster
	}
	return errors.Join(err, os.RemoveAll(temp))
}

func copyAll(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return errors.Join(os.Mkdir(target, 0o755), os.Chmod(target, 0o755)) // regardless of the umask
		case d.Type() == fs.ModeSymlink:
			text, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(text, target)
		}
		return copyFile(path, target)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Sync(), out.Close())
}

// place ensures that a work's trees are on this machine. It uses trees that exist at the driver's path and requests the
// others.
func (c *contents) place(ctx context.Context, w *Work) error {
	for i, v := range w.Verify {
		if !v.Tree {
			continue
		}
		there, err := c.tree(ctx, v)
		if err != nil {
			return fmt.Errorf("the solver %s: %w", v.Path, err)
		}
		if there != v.Path {
			w.MoveTree(i, there)
		}
	}
	return nil
}

// tree returns a tree's path on this machine.
func (c *contents) tree(ctx context.Context, v Digest) (path string, err error) {
	if digest, err := c.here.Of(v.Path); err == nil && digest == v.SHA256 {
		return v.Path, nil
	}
	if v.Root {
		c.mu.Lock()
		c.roots[v.SHA256] = true
		c.mu.Unlock()
	}
	err = c.await(ctx, v.SHA256, func() bool { path = c.trees[v.SHA256]; return path != "" })
	return path, err
}

// unpack unpacks a tree from an archive of the given size and checks its digest.
func (c *contents) unpack(digest string, archive io.Reader, size int64) (path string, broken, wrong error) {
	if c.scratch == "" {
		if c.scratch, c.leave, broken = newScratch(); broken != nil {
			return "", broken, nil
		}
	}
	path = filepath.Join(c.scratch, digest)
	f, err := os.Create(path + ".tar")
	if err != nil {
		return "", err, nil
	}
	defer os.Remove(f.Name())
	_, err = io.CopyN(f, archive, size)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", err, nil
	}
	c.mu.Lock()
	root := c.roots[digest]
	c.mu.Unlock()
	tree, err := unpackTree(f.Name(), path, root)
	if err != nil {
		return "", nil, err
	}
	if got := tree.Digest().String(); got != digest {
		return "", nil, errors.Join(fmt.Errorf("the blob received has the digest %s, not %s", got, digest),
			os.RemoveAll(path))
	}
	return path, nil, nil
}

// unpackTree unpacks an archive that contains a tree or a root file system.
func unpackTree(archive, dir string, root bool) (*solver.Tree, error) {
	if root {
		layer := solver.Layer{Open: func() (io.ReadCloser, error) { return os.Open(archive) }}
		return solver.UnpackRoot(context.Background(), []solver.Layer{layer}, dir, solver.UnpackOptions{})
	}
	return solver.Unpack(context.Background(), archive, dir, solver.UnpackOptions{})
}
