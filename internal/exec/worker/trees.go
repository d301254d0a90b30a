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
		if err := writeTree(&size, dir, func(_ string, size int64) (io.ReadCloser, error) {
			return io.NopCloser(io.LimitReader(zeros{}, size)), nil
		}); err != nil {
			return nil, 0, err
		}
		r, w := io.Pipe()
		go func() {
			w.CloseWithError(writeTree(w, dir, func(path string, _ int64) (io.ReadCloser, error) {
				return os.Open(path)
			}))
		}()
		return r, int64(size), nil
	}
}

// counter is a writer that counts bytes.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// zeros is an endless reader, for files whose content is irrelevant.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// writeTree writes a folder as a tar archive. open returns a file's content.
func writeTree(w io.Writer, dir string, open func(path string, size int64) (io.ReadCloser, error)) error {
	archive := tar.NewWriter(w)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h := &tar.Header{Name: filepath.ToSlash(name), Mode: int64(info.Mode().Perm())}
		switch {
		case d.IsDir():
			h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		case d.Type() == fs.ModeSymlink:
			h.Typeflag = tar.TypeSymlink
			if h.Linkname, err = os.Readlink(path); err != nil {
				return err
			}
		default:
			h.Typeflag, h.Size = tar.TypeReg, info.Size()
		}
		if err := archive.WriteHeader(h); err != nil || h.Typeflag != tar.TypeReg {
			return err
		}
		content, err := open(path, h.Size)
		if err != nil {
			return err
		}
		defer content.Close()
		_, err = io.Copy(archive, content)
		return err
	})
	if err != nil {
		return err
	}
	return archive.Close()
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
	c.looking.Lock() // each tree is read only once
	found, looked := c.here[v]
	if !looked {
		digest, err := Fingerprint(v.Path)
		found = err == nil && digest == v.SHA256
		c.here[v] = found
	}
	c.looking.Unlock()
	if found {
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
	u, err := solver.Unpack(context.Background(), archive, dir, solver.UnpackOptions{})
	if err != nil {
		return nil, err
	}
	return u.Tree, nil
}
