package solver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Digest is a SHA-256 hash.
type Digest [sha256.Size]byte

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ParseDigest parses 64 hexadecimal digits in either case.
func ParseDigest(s string) (d Digest, err error) {
	b, err := hex.DecodeString(strings.ToLower(s))
	if err != nil || len(b) != len(d) {
		return d, fmt.Errorf("%q is not a SHA-256: it must have 64 hexadecimal digits", s)
	}
	copy(d[:], b)
	return d, nil
}

// Entry is a file or symbolic link of a tree.
type Entry struct {
	Path       string // relative path, with slashes
	Size       int64
	Digest     Digest // digest of the content
	Executable bool
	Link       string // target of a symbolic link, whose size and digest are zero
}

// Tree lists a solver's files and links, sorted by path. It omits empty folders, owners and times.
type Tree struct{ Entries []Entry }

// Digest returns the digest of the tree's canonical text, which has one line per entry with type, size, digest and
// quoted path.
func (t *Tree) Digest() Digest {
	h := sha256.New()
	for _, e := range t.Entries {
		kind := "file"
		switch {
		case e.Link != "":
			kind = "link " + strconv.Quote(e.Link)
		case e.Executable:
			kind = "program"
		}
		fmt.Fprintf(h, "%s %d %s %s\n", kind, e.Size, e.Digest, strconv.Quote(e.Path))
	}
	return Digest(h.Sum(nil))
}

func (t *Tree) sort() {
	slices.SortFunc(t.Entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
}

// ReadTree reads the tree below a folder. It rejects everything other than files, folders and symbolic links.
func ReadTree(ctx context.Context, dir string) (*Tree, error) {
	t := &Tree{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		e, err := readEntry(ctx, p, d)
		e.Path = filepath.ToSlash(rel)
		t.Entries = append(t.Entries, e)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the tree of a solver: %w", err)
	}
	t.sort()
	return t, nil
}

func readEntry(ctx context.Context, p string, d fs.DirEntry) (Entry, error) {
	switch d.Type() {
	case fs.ModeSymlink:
		text, err := os.Readlink(p)
		return Entry{Link: text}, err
	case 0:
		return hashFile(ctx, p)
	}
	return Entry{}, fmt.Errorf("%s is a %s, which no solver needs", p, d.Type())
}

// hashFile reads a regular file and returns its entry.
func hashFile(ctx context.Context, p string) (Entry, error) {
	f, err := os.Open(p)
	if err != nil {
		return Entry{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Entry{}, err
	}
	h := sha256.New()
	n, err := io.Copy(h, limits.UntilEnd(ctx, f))
	if err != nil {
		return Entry{}, err
	}
	return Entry{Size: n, Digest: Digest(h.Sum(nil)), Executable: info.Mode()&0o111 != 0}, nil
}
