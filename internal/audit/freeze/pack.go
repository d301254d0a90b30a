package freeze

import (
	"archive/tar"
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// packerOf returns the function that packs a folder, chosen by the archive's name. It returns nil if target is a
// folder.
func packerOf(target string) func(archive, dir string) error {
	switch {
	case strings.HasSuffix(target, ".zip"):
		return packZip
	case strings.HasSuffix(target, ".tar.zst"):
		return packTar
	}
	return nil
}

// packZip writes a folder as a zip archive without times.
func packZip(archive, dir string) error {
	return create(archive, func(w io.Writer) error {
		z := zip.NewWriter(w)
		err := eachFile(dir, func(name string, info fs.FileInfo, content io.Reader) error {
			h := &zip.FileHeader{Name: name, Method: zip.Deflate}
			h.SetMode(modeOf(info))
			member, err := z.CreateHeader(h)
			if err == nil {
				_, err = io.Copy(member, content)
			}
			return err
		})
		return errors.Join(err, z.Close())
	})
}

// packTar writes a folder as a tar archive without times or owners, compressed with zstd.
func packTar(archive, dir string) error {
	return create(archive, func(w io.Writer) error {
		// With a single goroutine, the output does not depend on the number of cores.
		compressed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		t := tar.NewWriter(compressed)
		err = eachFile(dir, func(name string, info fs.FileInfo, content io.Reader) error {
			err := t.WriteHeader(&tar.Header{Name: name, Mode: int64(modeOf(info)), Size: info.Size(),
				Typeflag: tar.TypeReg, Format: tar.FormatPAX})
			if err == nil {
				_, err = io.Copy(t, content)
			}
			return err
		})
		return errors.Join(err, t.Close(), compressed.Close())
	})
}

func create(path string, write func(io.Writer) error) error {
	w, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(w), w.Close())
}

func modeOf(info fs.FileInfo) fs.FileMode {
	if info.Mode()&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// eachFile visits a folder's files in path order. Each name starts with the folder's name.
func eachFile(dir string, visit func(name string, info fs.FileInfo, content io.Reader) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		r, err := os.Open(path)
		if err != nil {
			return err
		}
		defer r.Close()
		rel, err := filepath.Rel(filepath.Dir(dir), path)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(rel), info, r)
	})
}
