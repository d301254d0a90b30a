package cache

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// FileIndex computes the digests of files on this machine. It remembers them by path, size, times and inode, and reads
// each unchanged file only once. It does not remember a file that changed just now: another change in the same clock
// tick would go unnoticed.
type FileIndex struct {
	path   string
	rehash bool
	ctx    context.Context

	mu      sync.Mutex
	files   map[string]fileEntry
	sets    map[string][]string // name → paths of the files in the set
	changed bool
}

// fileEntry describes a file at the time it was digested.
type fileEntry struct {
	Size    int64
	MTimeNS int64
	CTimeNS int64
	Inode   uint64
	Digest  Digest

	executable bool // whether it is executable; never remembered
}

// FileIndex opens the store's index of files. If rehash is true, it ignores the remembered digests.
func (s *Store) FileIndex(rehash bool) *FileIndex {
	x := &FileIndex{path: filepath.Join(s.dir, "files"), rehash: rehash, ctx: context.Background()}
	if data, err := os.ReadFile(x.path); err != nil || !x.decode(string(data)) {
		x.files, x.sets = map[string]fileEntry{}, map[string][]string{}
	}
	return x
}

// EndWith makes all reads fail once the context ends.
func (x *FileIndex) EndWith(ctx context.Context) *FileIndex {
	x.ctx = ctx
	return x
}

// DigestSet returns one digest for a set of files, such as the program at path name and the libraries that it loads.
// list returns the paths of these files. It is called again only if one of the files it returned before has changed.
// Libraries contribute their full paths to the digest, but the program only its base name: its digest is the same in
// another folder or on another machine.
func (x *FileIndex) DigestSet(name string, list func() ([]string, error)) (Digest, error) {
	x.mu.Lock()
	paths := x.sets[name]
	x.mu.Unlock()
	if len(paths) == 0 || x.rehash || !x.unchanged(paths) {
		var err error
		if paths, err = list(); err != nil {
			return Digest{}, err
		}
		x.mu.Lock()
		x.sets[name], x.changed = paths, true
		x.mu.Unlock()
	}
	k := NewKeyWriter("files/2")
	var program Digest
	for _, p := range paths {
		d, _, err := x.Digest(p)
		if err != nil {
			return Digest{}, err
		}
		if p == name {
			program = d
			continue
		}
		k.Digest(p, d)
	}
	k.Digest(filepath.Base(name), program)
	return Digest(k.Key()), nil
}

// unchanged reports whether the digests of all files are remembered.
func (x *FileIndex) unchanged(paths []string) bool {
	for _, p := range paths {
		entry, err := statEntry(p)
		if err != nil {
			return false
		}
		if _, ok := x.remembered(p, entry); !ok {
			return false
		}
	}
	return true
}

// Digest returns the digest and size of a regular file.
func (x *FileIndex) Digest(path string) (Digest, int64, error) {
	d, entry, err := x.digest(path)
	return d, entry.Size, err
}

func (x *FileIndex) digest(path string) (Digest, fileEntry, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Digest{}, fileEntry{}, err
	}
	entry, err := statEntry(abs)
	if err != nil {
		return Digest{}, fileEntry{}, err
	}
	settled := entry.settled(time.Now())
	if d, ok := x.remembered(abs, entry); ok {
		return d, entry, nil
	}
	f, err := os.Open(abs)
	if err != nil {
		return Digest{}, fileEntry{}, err
	}
	defer f.Close()
	d, size, err := DigestAll(limits.UntilEnd(x.ctx, f))
	if err != nil {
		return Digest{}, fileEntry{}, err
	}
	if size == entry.Size && settled {
		known := entry
		known.Digest, known.executable = d, false
		x.mu.Lock()
		x.files[abs], x.changed = known, true
		x.mu.Unlock()
	}
	entry.Size = size
	return d, entry, nil
}

// settled reports whether every later change of the file will show in its times. Linux updates them at least every 10
// ms, but some file systems store only whole or even seconds.
func (e *fileEntry) settled(now time.Time) bool {
	const tick, coarse = 20 * time.Millisecond, 2 * time.Second
	changed := time.Unix(0, max(e.MTimeNS, e.CTimeNS))
	if changed.Nanosecond() == 0 {
		return now.Sub(changed) > coarse
	}
	return now.Sub(changed) > tick
}

func (x *FileIndex) remembered(abs string, now fileEntry) (Digest, bool) {
	x.mu.Lock()
	old, ok := x.files[abs]
	x.mu.Unlock()
	now.Digest, now.executable = old.Digest, false
	return old.Digest, ok && !x.rehash && now == old
}

func statEntry(path string) (fileEntry, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return fileEntry{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return fileEntry{}, fmt.Errorf("%s is not a regular file", path)
	}
	return fileEntry{Size: st.Size, MTimeNS: st.Mtim.Nano(), CTimeNS: st.Ctim.Nano(), Inode: st.Ino,
		executable: st.Mode&0o111 != 0}, nil
}

// DigestTree returns the digest of a folder's manifest, which lists the regular files by relative path, sorted, with
// size and digest. DigestTree rejects special files and links that lead out of the folder or to other folders.
func (x *FileIndex) DigestTree(dir string) (Digest, *Manifest, error) {
	m := &Manifest{}
	var paths []string
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Digest{}, nil, err
	}
	defer root.Close()
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			err = x.ctx.Err()
		}
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if e.Type()&fs.ModeSymlink != 0 {
			if _, err := root.Stat(rel); err != nil {
				const text = "%s is a link that leads out of the folder or nowhere; replace it with the file itself"
				return fmt.Errorf(text, path)
			}
		}
		m.Files = append(m.Files, ManifestFile{Path: filepath.ToSlash(rel)})
		paths = append(paths, path)
		return nil
	})
	if err != nil {
		return Digest{}, nil, err
	}
	var group errgroup.Group
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	const chunk = 256
	for from := 0; from < len(paths); from += chunk {
		group.Go(func() error {
			for i := from; i < min(from+chunk, len(paths)); i++ {
				d, entry, err := x.digest(paths[i])
				if err != nil {
					return err
				}
				f := &m.Files[i]
				f.Size, f.Digest, f.Executable = entry.Size, d, entry.executable
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Digest{}, nil, err
	}
	m.Sort()
	return DigestOf(m.Encode()), m, nil
}

// Save stores the new digests. It ignores a read-only store, since the index only saves time.
func (x *FileIndex) Save() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.changed && writeFileAtomic(x.path, x.encode()) == nil {
		x.changed = false
	}
}
