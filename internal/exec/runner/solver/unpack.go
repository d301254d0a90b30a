package solver

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
)

// UnpackOptions describes the requirements for an archive.
type UnpackOptions struct {
	SHA256 string         // expected digest of the archive; empty means unchecked
	Limits *packed.Limits // limits on the content; nil means packed.Default
}

// Unpack unpacks a zip, tar, tar.gz, tar.bz2, tar.xz or tar.zst archive, recognised by its first bytes, into a folder,
// which must not exist. It writes nothing outside the folder, whatever the archive contains: non-local names, links
// that lead out, devices and other special files are errors. Files get mode 0644, or 0755 if the archive marks them as
// executable. In a zip without Unix modes, files that start like programs are executable.
//
// Exceeding the limits is also an error. After an error the folder is removed, unless the context ended, because
// removing many files takes as long as writing them.
func Unpack(ctx context.Context, archive, dir string, opt UnpackOptions) (*Tree, error) {
	tree, err := unpack(ctx, archive, dir, opt)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", archive, err)
	}
	return tree, nil
}

func unpack(ctx context.Context, archive, dir string, opt UnpackOptions) (_ *Tree, err error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkDigest(ctx, f, opt.SHA256); err != nil {
		return nil, err
	}
	x, done, err := newExtractor(ctx, dir, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = done(err) }()
	if err := x.archive(f); err != nil {
		return nil, blame(ctx, remedy(err))
	}
	if err := x.checkLinks(); err != nil {
		return nil, blame(ctx, err)
	}
	if err := openFolders(ctx, dir); err != nil {
		return nil, err
	}
	tree, err := ReadTree(ctx, dir)
	if err != nil {
		return nil, err
	}
	if len(tree.Entries) == 0 {
		return nil, &ArchiveError{errors.New("the archive is empty")}
	}
	return tree, nil
}

// newExtractor creates the target folder. done closes it, and removes it after an error.
func newExtractor(ctx context.Context, dir string, opt UnpackOptions) (x *extractor, done func(error) error,
	err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	x = &extractor{ctx: ctx, root: root, limits: packed.Default, folders: map[string]bool{".": true}}
	if opt.Limits != nil {
		x.limits = *opt.Limits
	}
	return x, func(err error) error {
		root.Close()
		if err != nil && ctx.Err() == nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
		return err
	}, nil
}

// openFolders makes all folders accessible to the user of runs, regardless of the umask.
func openFolders(ctx context.Context, dir string) error {
	return filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil || !d.IsDir() {
			return err
		}
		return os.Chmod(p, 0o755)
	})
}

// checkDigest reads the whole archive and rewinds it, unless no digest is expected.
func checkDigest(ctx context.Context, f *os.File, want string) error {
	if want == "" {
		return nil
	}
	expected, err := ParseDigest(want)
	if err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.Copy(h, limits.UntilEnd(ctx, f)); err != nil {
		return err
	}
	if have := Digest(h.Sum(nil)); have != expected {
		return fmt.Errorf("its SHA-256 is %s, but %s was declared; fetch it again or correct the submission", have,
			expected)
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// ArchiveError is an error in the archive itself, which occurs on every machine.
type ArchiveError struct{ Err error }

func (e *ArchiveError) Error() string { return e.Err.Error() }

func (e *ArchiveError) Unwrap() error { return e.Err }

// blame wraps an error in an ArchiveError unless an operation on this machine failed or was interrupted.
func blame(ctx context.Context, err error) error {
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	_, errno := errors.AsType[syscall.Errno](err)
	if ctx.Err() != nil || path || link || errno || errors.Is(err, packed.ErrTime) {
		return err
	}
	return &ArchiveError{err}
}

// remedy adds advice to the error about an excessive compression ratio.
func remedy(err error) error {
	if errors.Is(err, packed.ErrRatio) {
		return fmt.Errorf("%w; if you trust it, repack it without compression (tar, or zip -0)", err)
	}
	return err
}

// extractor writes an archive's members below a root folder.
type extractor struct {
	ctx     context.Context
	root    *os.Root
	limits  packed.Limits
	meter   *packed.Meter
	written int64 // total size of all files in bytes
	files   int   // number of files, links and folders
	folders map[string]bool
	links   []string

	// only for layers of a root file system
	ofLayer  map[string]bool   // names that the layer contains
	resolved map[string]string // folders with all links resolved, keyed by their names in the layer
}

// archive unpacks an archive in the format that its first bytes indicate.
func (x *extractor) archive(f *os.File) error {
	x.meter = x.limits.Start(0)
	r := bufio.NewReaderSize(x.meter.Input(limits.UntilEnd(x.ctx, f)), 1<<20)
	magic, _ := r.Peek(512)
	switch {
	case bytes.HasPrefix(magic, []byte("PK\x03\x04")), bytes.HasPrefix(magic, []byte("PK\x05\x06")):
		info, err := f.Stat()
		if err != nil {
			return err
		}
		x.meter = x.limits.Start(info.Size())
		return x.zip(f, info.Size())
	}
	z, leave, err := decompress(r)
	if err != nil {
		return err
	}
	defer leave()
	return x.tar(z)
}

// decompress returns the bytes of a tar archive. Its first bytes show whether it is compressed.
func decompress(in io.Reader) (r io.Reader, leave func(), err error) {
	b := bufio.NewReaderSize(in, 1<<20)
	z, err := compressed.Unpack(b)
	if z != nil || err != nil {
		return z, func() { z.Close() }, err
	}
	magic, _ := b.Peek(512)
	if len(magic) >= 262 && string(magic[257:262]) == "ustar" || isZero(magic) {
		return b, func() {}, nil
	}
	return nil, nil, errors.New("it must be zip, tar, tar.gz, tar.bz2, tar.xz or tar.zst")
}

// isZero reports whether a block marks the end of a tar archive. An empty archive starts with such a block.
func isZero(b []byte) bool { return len(b) == 512 && len(bytes.Trim(b, "\x00")) == 0 }

func (x *extractor) tar(r io.Reader) error {
	t := tar.NewReader(x.meter.Output(r, new(int64)))
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := x.tarMember(t, h); err != nil {
			return fmt.Errorf("member %q: %w", h.Name, err)
		}
	}
}

func (x *extractor) tarMember(t *tar.Reader, h *tar.Header) error {
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	name, err := localName(h.Name)
	if err != nil || name == "." {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return x.folder(name)
	case tar.TypeReg:
		return x.file(name, t, h.FileInfo().Mode()&0o111 != 0)
	case tar.TypeSymlink:
		return x.symlink(name, h.Linkname)
	case tar.TypeLink:
		target, err := localName(h.Linkname)
		if err != nil {
			return err
		}
		if text, err := x.root.Readlink(target); err == nil { // at another place, it may lead out
			return x.symlink(name, text)
		}
		if err := x.begin(name); err != nil {
			return err
		}
		info, err := x.root.Lstat(target)
		if err != nil {
			return err
		}
		if err := x.add(info.Size()); err != nil { // the digest reads the bytes of every link
			return err
		}
		return x.root.Link(target, name)
	}
	return fmt.Errorf("it is of type %q, which no solver needs", h.Typeflag)
}

func (x *extractor) zip(f *os.File, size int64) error {
	z, err := limits.NewZip(f, size)
	if err != nil {
		return err
	}
	for _, m := range z.File {
		if err := x.zipMember(m); err != nil {
			return fmt.Errorf("member %q: %w", m.Name, err)
		}
	}
	return nil
}

func (x *extractor) zipMember(m *zip.File) error {
	name, err := localName(m.Name)
	if err != nil || name == "." {
		return err
	}
	mode := m.Mode()
	if mode.IsDir() {
		return x.folder(name)
	}
	r, err := m.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	switch {
	case mode&os.ModeSymlink != 0:
		text, err := io.ReadAll(io.LimitReader(r, 4096))
		if err != nil {
			return err
		}
		return x.symlink(name, string(text))
	case !mode.IsRegular():
		return fmt.Errorf("it is a %s, which no solver needs", mode)
	}
	const unix = 3 // "version made by" of Unix systems (APPNOTE.TXT 4.4.2)
	if m.CreatorVersion>>8 == unix {
		return x.file(name, r, mode&0o111 != 0)
	}
	b := bufio.NewReader(r)
	head, _ := b.Peek(4)
	return x.file(name, b, bytes.HasPrefix(head, []byte("#!")) || bytes.HasPrefix(head, []byte("\x7fELF")))
}

// localName returns a member's cleaned name. It rejects a name that leaves the folder.
func localName(name string) (string, error) {
	clean := path.Clean(name)
	if !filepath.IsLocal(clean) || strings.IndexByte(clean, 0) >= 0 {
		return "", errors.New("its name leads out of the archive's folder")
	}
	return clean, nil
}

// begin creates a member's parent folder and removes anything at its path. A later member replaces an earlier one with
// the same name, as in tar.
func (x *extractor) begin(name string) error {
	if err := x.count(); err != nil {
		return err
	}
	if err := x.folder(path.Dir(name)); err != nil {
		return err
	}
	if info, err := x.root.Lstat(name); err == nil {
		if info.IsDir() {
			return errors.New("the archive already contains a folder of this name")
		}
		return x.root.Remove(name)
	}
	return nil
}

// count counts a file, link or folder.
func (x *extractor) count() error {
	if x.files++; x.limits.Files > 0 && x.files > x.limits.Files {
		return fmt.Errorf("the archive has too many files; at most %d files and folders are unpacked", x.limits.Files)
	}
	return errors.Join(x.meter.InTime(), x.ctx.Err())
}

// add adds to the total size of files.
func (x *extractor) add(n int64) error {
	if x.written += n; x.limits.Bytes > 0 && x.written > x.limits.Bytes {
		return fmt.Errorf("the archive's files are too large together; at most %d bytes are unpacked", x.limits.Bytes)
	}
	return nil
}

// folder creates a folder and its parents.
func (x *extractor) folder(name string) error {
	for at := name; !x.folders[at]; at = path.Dir(at) {
		x.folders[at] = true
		if err := x.count(); err != nil {
			return err
		}
	}
	return x.root.MkdirAll(name, 0o755)
}

func (x *extractor) file(name string, r io.Reader, program bool) error {
	if err := x.begin(name); err != nil {
		return err
	}
	return x.write(name, r, program)
}

// write writes a new file, which must not exist.
func (x *extractor) write(name string, r io.Reader, program bool) error {
	r = limits.UntilEnd(x.ctx, r)
	mode := os.FileMode(0o644)
	if program {
		mode = 0o755
	}
	f, err := x.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	r = x.meter.Output(r, &x.written) // also counts holes of sparse files, which are not read
	if x.limits.Bytes > 0 {
		r = io.LimitReader(r, x.limits.Bytes-x.written+1)
	}
	if _, err = io.Copy(f, r); err == nil {
		err = x.add(0)
	}
	if err == nil {
		err = f.Chmod(mode) // regardless of the umask
	}
	return errors.Join(err, f.Close())
}

func (x *extractor) symlink(name, text string) error {
	if path.IsAbs(text) || !filepath.IsLocal(path.Join(path.Dir(name), text)) {
		return fmt.Errorf("its target %q leads out of the archive's folder", text)
	}
	if err := x.begin(name); err != nil {
		return err
	}
	x.links = append(x.links, name)
	return x.root.Symlink(text, name)
}

// checkLinks follows every link in the finished tree, because a chain of individually local links can still lead out.
// It keeps dangling links.
func (x *extractor) checkLinks() error {
	for _, name := range x.links {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		if _, err := x.root.Stat(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("symbolic link %q: %w", name, err)
		}
	}
	return nil
}
