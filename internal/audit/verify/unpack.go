package verify

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/packed"
)

// Unpacked returns the folder at path. If path is an archive, it unpacks the archive to a new folder dir and returns
// the folder inside.
func Unpacked(path, dir string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no folder or archive %s", path)
	}
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return path, nil
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir) // keeps the archive's files inside the folder
	if err != nil {
		return "", err
	}
	defer root.Close()
	u := &unpacker{root: root}
	switch {
	case strings.HasSuffix(path, ".zip"):
		err = u.zip(path)
	case strings.HasSuffix(path, ".tar.zst"):
		err = u.tar(path)
	default:
		return "", fmt.Errorf("%s is neither a folder nor an archive that ends in .zip or .tar.zst", path)
	}
	if errors.Is(err, packed.ErrRatio) || errors.Is(err, packed.ErrTime) {
		err = fmt.Errorf("%w; if you trust it, unpack it yourself and name the folder", err)
	}
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", path, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		return "", errors.Join(err, fmt.Errorf("%s contains %d folders; it must contain "+
			"exactly one", path, len(entries)))
	}
	return filepath.Join(dir, entries[0].Name()), nil
}

// unpacker writes the files of an archive below a root folder, within limits on compression ratio and time.
type unpacker struct {
	root    *os.Root
	meter   *packed.Meter
	written int64
}

func (u *unpacker) zip(path string) error {
	z, err := limits.OpenZip(path)
	if err != nil {
		return err
	}
	defer z.Close()
	u.meter = packed.Default.Start(z.Size)
	for _, m := range z.File {
		if strings.HasSuffix(m.Name, "/") {
			continue
		}
		r, err := m.Open()
		if err != nil {
			return err
		}
		if err := errors.Join(u.file(m.Name, m.Mode(), r), r.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacker) tar(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	u.meter = packed.Default.Start(0)
	z, err := zstd.NewReader(u.meter.Input(f))
	if err != nil {
		return err
	}
	defer z.Close()
	for t := tar.NewReader(u.meter.Output(z, new(int64))); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir:
		case tar.TypeReg:
			if err := u.file(h.Name, h.FileInfo().Mode(), t); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s is neither a file nor a folder", h.Name)
		}
	}
}

func (u *unpacker) file(name string, mode fs.FileMode, content io.Reader) error {
	name = filepath.FromSlash(name)
	if !mode.IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	if err := u.root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	w, err := u.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644|mode&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, u.meter.Output(content, &u.written))
	return errors.Join(err, w.Close())
}
