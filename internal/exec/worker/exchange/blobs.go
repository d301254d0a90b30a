package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// Blobs stores scripts and solver trees by digest, once for all runs. Every reader checks content against its digest.
type Blobs struct {
	dir   string
	known sync.Map // digests known to exist
}

// NewBlobs returns the blobs in a folder, which the first Put creates.
func NewBlobs(dir string) *Blobs { return &Blobs{dir: dir} }

// Path returns the path of the content with a hexadecimal digest. Contents are spread over 256 folders.
func (b *Blobs) Path(digest string) string {
	return filepath.Join(b.dir, "files", shard(digest), digest)
}

// TreePath returns the path of the tree with the given digest.
func (b *Blobs) TreePath(digest string) string { return filepath.Join(b.dir, "trees", digest) }

func shard(digest string) string {
	if len(digest) < 2 {
		return "00"
	}
	return digest[:2]
}

// Put ensures that the content with a digest exists. It calls source only if the content does not exist.
func (b *Blobs) Put(digest string, source worker.Source) error {
	return b.once(digest, b.Path(digest), func(path string) error {
		content, _, err := source()
		if err != nil {
			return err
		}
		defer content.Close()
		sum := sha256.New()
		return writeFile(path, 0o644, func(w io.Writer) error {
			if _, err := io.Copy(io.MultiWriter(w, sum), content); err != nil {
				return err
			}
			return same(sum, digest)
		})
	})
}

// PutProgram ensures that a program exists and returns its path, which ends with the program's name.
func (b *Blobs) PutProgram(name string, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	target := filepath.Join(b.dir, "programs", digest, name)
	return target, b.once(digest, target, func(path string) error {
		return writeFile(path, 0o755, bytesTo(content))
	})
}

// PutTree ensures that the tree with a digest exists. It copies the tree from a folder: symbolic links, and files with
// their executable bits.
func (b *Blobs) PutTree(digest, source string) error {
	return b.once(digest, b.TreePath(digest), func(path string) error { return worker.CopyTree(source, path) })
}

// once calls put unless the path already exists.
func (b *Blobs) once(digest, path string, put func(path string) error) error {
	if _, known := b.known.Load(digest); known {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		err = put(path)
		if err != nil {
			return fmt.Errorf("put %s into the exchange folder: %w", digest, err)
		}
	} else if err != nil {
		return err
	}
	b.known.Store(digest, true)
	return nil
}

// Read returns the content with the given digest after checking it.
func (b *Blobs) Read(digest string) ([]byte, error) {
	f, err := Open(b.Path(digest))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	content, err := io.ReadAll(io.TeeReader(f, sum))
	if err != nil {
		return nil, err
	}
	return content, same(sum, digest)
}

// Renew removes content that does not match its digest, to let it be stored again.
func (b *Blobs) Renew(digest string) error {
	if b.whole(digest) {
		return nil
	}
	b.known.Delete(digest)
	if err := os.Remove(b.Path(digest)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// whole reports whether the content exists and matches its digest.
func (b *Blobs) whole(digest string) bool {
	f, err := Open(b.Path(digest))
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return err == nil && same(sum, digest) == nil
}

func same(sum hash.Hash, digest string) error {
	if got := hex.EncodeToString(sum.Sum(nil)); got != strings.ToLower(digest) {
		return fmt.Errorf("the content has the digest %s, not %s", got, digest)
	}
	return nil
}

// Open opens a regular file in the exchange folder for reading. It treats anything else as missing, such as a FIFO,
// which could block forever, or a link to a file elsewhere.
func Open(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open a regular file", Path: path, Err: fs.ErrNotExist}
	}
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
}

// WriteFile writes a file atomically: the file is renamed once its content is on disk. WriteFile creates missing
// folders.
func WriteFile(path string, content []byte) error { return writeFile(path, 0o644, bytesTo(content)) }

func bytesTo(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}
}

func writeFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(folder), renameio.WithStaticPermissions(mode))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if err := write(f); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
