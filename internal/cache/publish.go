package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// CopyBlob writes a blob to w after checking it against its digest.
func (s *Store) CopyBlob(w io.Writer, d Digest) error {
	if err := s.Verify(d); err != nil {
		return err
	}
	b, err := s.OpenBlob(d)
	if err != nil {
		return err
	}
	defer b.Close()
	_, err = io.Copy(w, b.Reader())
	return err
}

// treeMark is the file in a published tree that says which tree it is. A folder without it is not ours to replace.
const treeMark = ".smtpipe-tree"

// PublishTree writes a tree as a folder outside of the store. It is made beside the target and takes its place at once.
// A folder that has the tree already is left alone; one that was not written by us is an error.
func (s *Store) PublishTree(m *Manifest, target string) error {
	s.sweepBeside(target)
	digest := DigestOf(m.Encode()).String() + "\n"
	switch mark, err := os.ReadFile(filepath.Join(target, treeMark)); {
	case err == nil && string(mark) == digest:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		if entries, err := os.ReadDir(target); err == nil && len(entries) > 0 {
			return fmt.Errorf("%s has files that smtpipe did not write; move them away, or choose another path", target)
		}
	case err != nil:
		return err
	}
	temp, err := s.tempBeside(target)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	fresh, old := filepath.Join(temp, "new"), filepath.Join(temp, "old")
	if err := s.writeTree(m, fresh, digest); err != nil {
		return err
	}
	if err := os.Rename(target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(fresh, target)
}

func (s *Store) writeTree(m *Manifest, dir, mark string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range m.Files {
		name := filepath.FromSlash(f.Path)
		if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := s.writeTreeFile(root, name, &f); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
	}
	return root.WriteFile(treeMark, []byte(mark), 0o666)
}

func (s *Store) writeTreeFile(root *os.Root, name string, f *ManifestFile) error {
	mode := os.FileMode(0o666)
	if f.Executable {
		mode = 0o777
	}
	w, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if err := s.CopyBlob(w, f.Digest); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}
