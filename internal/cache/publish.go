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
	"time"

	"golang.org/x/sys/unix"
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

// treeMark is the file that identifies a published tree. Its first line is the tree's digest. Two lines for each file
// follow: its quoted name and its digest. Earlier versions wrote no digests, or no names either. A folder without this
// file was not written by smtpipe and must not be replaced.
const treeMark = ".smtpipe-tree"

// PublishTree writes a tree to a folder outside the store. It writes the tree next to the target and then replaces the
// target atomically, if its file system can. Files that the target already has are linked instead of written. It leaves
// a folder that already contains the tree alone unless files are missing or differ in size. It returns an error for a
// folder that smtpipe did not write, or that contains other files.
func (s *Store) PublishTree(m *Manifest, target string) error {
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real // keep the link and replace its target
	}
	s.sweepBeside(target)
	mark := markOf(m)
	old, err := publishedIn(target)
	switch {
	case err == nil:
		whole, foreign, err := old.lookAt(m)
		switch {
		case err != nil:
			return err
		case whole && strings.HasPrefix(mark, old.digest+"\n"):
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
	fresh := filepath.Join(temp, "new")
	if err := s.writeTree(m, fresh, mark, old); err != nil {
		return err
	}
	if unix.Renameat2(unix.AT_FDCWD, fresh, unix.AT_FDCWD, target, unix.RENAME_EXCHANGE) == nil {
		return nil
	}
	// There is no target yet, or its file system cannot exchange folders: then it is missing for a moment.
	if err := os.Rename(target, filepath.Join(temp, "old")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(fresh, target)
}

// markOf returns the content of a tree's mark.
func markOf(m *Manifest) string {
	var b strings.Builder
	fmt.Fprintln(&b, DigestOf(m.Encode()))
	for _, f := range m.Files {
		fmt.Fprintf(&b, "%q\n%s\n", f.Path, f.Digest)
	}
	return b.String()
}

// published is a published tree, according to its mark.
type published struct {
	dir    string
	digest string
	files  map[string]Digest // nil if the mark has no names; the digest is zero if the mark has none
	at     time.Time         // when the mark was written, after all files
}

func publishedIn(dir string) (*published, error) {
	path := filepath.Join(dir, treeMark)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	mark, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(mark), "\n"), "\n")
	p := &published{dir: dir, digest: lines[0], at: info.ModTime()}
	name := ""
	for _, line := range lines[1:] {
		if p.files == nil {
			p.files = map[string]Digest{treeMark: {}}
		}
		if d, err := ParseDigest(line); err == nil {
			p.files[name] = d
		} else if name, err = strconv.Unquote(line); err == nil {
			p.files[name] = Digest{}
		}
	}
	return p, nil
}

// lookAt reports whether a published folder contains all files of a tree with the right sizes. It also returns a file
// in the folder that its mark does not list. For marks without file names, it returns none.
func (p *published) lookAt(m *Manifest) (whole bool, foreign string, err error) {
	missing := map[string]int64{}
	for _, f := range m.Files {
		missing[f.Path] = f.Size
	}
	err = filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(p.dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if _, ours := p.files[name]; foreign == "" && p.files != nil && !ours {
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

// link links a file from the published tree into root, if it has the file and nobody has changed it.
func (p *published) link(root, name string, f *ManifestFile) bool {
	if p == nil || f.Digest == (Digest{}) || p.files[f.Path] != f.Digest {
		return false
	}
	path := filepath.Join(p.dir, name)
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == f.Size && !info.ModTime().After(p.at) &&
		(info.Mode()&0o100 != 0) == f.Executable && os.Link(path, filepath.Join(root, name)) == nil
}

func (s *Store) writeTree(m *Manifest, dir, mark string, old *published) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	made := ""
	for _, f := range m.Files {
		name := filepath.FromSlash(f.Path)
		if folder := filepath.Dir(name); folder != made {
			if err := root.MkdirAll(folder, 0o777); err != nil {
				return err
			}
			made = folder
		}
		if old.link(dir, name, &f) {
			continue
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
