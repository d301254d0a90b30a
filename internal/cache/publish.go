package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// treeMark is the file that identifies a published tree. Its first line is the tree's digest; each further line names a
// file. A folder without this file was not written by smtpipe and must not be replaced.
const treeMark = ".smtpipe-tree"

// PublishTree writes a tree to a folder outside the store. It writes the tree next to the target and then replaces the
// target atomically. It leaves a folder that already contains the tree alone unless files are missing or differ in
// size. It returns an error for a folder that smtpipe did not write, or that contains other files.
func (s *Store) PublishTree(m *Manifest, target string) error {
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real // keep the link and replace its target
	}
	s.sweepBeside(target)
	mark := markOf(m)
	switch before, err := os.ReadFile(filepath.Join(target, treeMark)); {
	case err == nil:
		whole, foreign, err := lookAt(target, m, string(before))
		digest, _, _ := strings.Cut(string(before), "\n")
		switch {
		case err != nil:
			return err
		case whole && strings.HasPrefix(mark, digest+"\n"):
			return nil
		case foreign != "":
			return fmt.Errorf("%s contains files that smtpipe did not write, such as %s; move them, or choose "+
				"another path", target, foreign)
		}
	case errors.Is(err, fs.ErrNotExist):
		if entries, err := os.ReadDir(target); err == nil && len(entries) > 0 {
			return fmt.Errorf("%s contains files that smtpipe did not write; move them, or choose another path", target)
		}
	default:
		return err
	}
	temp, err := s.tempBeside(target)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	fresh, old := filepath.Join(temp, "new"), filepath.Join(temp, "old")
	if err := s.writeTree(m, fresh, mark); err != nil {
		return err
	}
	if err := os.Rename(target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(fresh, target)
}

// markOf returns the content of a tree's mark.
func markOf(m *Manifest) string {
	var b strings.Builder
	fmt.Fprintln(&b, DigestOf(m.Encode()))
	for _, f := range m.Files {
		fmt.Fprintf(&b, "%q\n", f.Path)
	}
	return b.String()
}

// lookAt reports whether a published folder contains all files of a tree with the right sizes. It also returns a file
// in the folder that its mark does not list. For marks without file names, which earlier versions wrote, it returns
// none.
func lookAt(target string, m *Manifest, mark string) (whole bool, foreign string, err error) {
	lines := strings.Split(strings.TrimSuffix(mark, "\n"), "\n")
	ours := map[string]bool{treeMark: true}
	for _, line := range lines[1:] {
		if path, err := strconv.Unquote(line); err == nil {
			ours[path] = true
		}
	}
	missing := map[string]int64{}
	for _, f := range m.Files {
		missing[f.Path] = f.Size
	}
	err = filepath.WalkDir(target, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(target, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if foreign == "" && len(lines) > 1 && !ours[name] {
			foreign = name
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && missing[name] == info.Size() {
			delete(missing, name)
		}
		return err
	})
	return len(missing) == 0, foreign, err
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
