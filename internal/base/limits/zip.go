package limits

import (
	"archive/zip"
	"errors"
	"io"
	"os"
)

// ZipDirectory limits the bytes of a zip archive's directory, which is held in memory. It allows about 900,000 files
// named by their digests.
const ZipDirectory = 96 << 20

// errDirectory reports that a zip archive's directory is too large.
var errDirectory = errors.New("it has more than 96 MiB of file names")

// Zip is an open zip archive.
type Zip struct {
	*zip.Reader

	Size int64
	file *os.File
}

// OpenZip opens a zip archive, which must be a regular file.
func OpenZip(path string) (*Zip, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	z, err := NewZip(f, info.Size())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Zip{z, info.Size(), f}, nil
}

// Close closes the file.
func (z *Zip) Close() error { return z.file.Close() }

// NewZip reads a zip archive's directory within the limit.
func NewZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	in := &directory{r: r, left: ZipDirectory}
	z, err := zip.NewReader(in, size)
	in.read = err == nil
	return z, err
}

// directory reads an archive, but at most left bytes until the directory has been read.
type directory struct {
	r    io.ReaderAt
	left int64
	read bool
}

// ReadAt implements io.ReaderAt.
func (d *directory) ReadAt(p []byte, at int64) (int, error) {
	if !d.read {
		if d.left -= int64(len(p)); d.left < 0 {
			return 0, errDirectory
		}
	}
	return d.r.ReadAt(p, at)
}
