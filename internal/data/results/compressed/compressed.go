// Package compressed opens result files that may be compressed, regardless of their names.
package compressed

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/smtpipe/smtpipe/internal/base/packed"
)

const bufferSize = 256 << 10

const magicSize = 6

// formats lists the compressions by their magic bytes.
var formats = []struct {
	name  string
	magic []byte
	open  func(*bufio.Reader) (io.ReadCloser, error)
}{
	{"gzip", []byte{0x1f, 0x8b}, func(r *bufio.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
	{"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd}, func(r *bufio.Reader) (io.ReadCloser, error) {
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) // decode in the calling goroutine
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}},
	{"bzip2", []byte("BZh"), func(r *bufio.Reader) (io.ReadCloser, error) {
		return io.NopCloser(bzip2.NewReader(r)), nil
	}},
	{"xz", []byte{0xfd, '7', 'z', 'X', 'Z', 0}, func(r *bufio.Reader) (io.ReadCloser, error) {
		d, err := xz.NewReader(r)
		return io.NopCloser(d), err
	}},
}

// NewReader returns a reader for the unpacked bytes of r, whose first bytes show whether it is plain or compressed with
// gzip, zstd, bzip2 or xz. Closing the reader does not close r. It returns an error if the data exceeds packed.Default.
func NewReader(r io.Reader) (io.ReadCloser, error) { return NewReaderWithin(r, packed.Default) }

// NewReaderWithin is like NewReader, but uses the given limits for ratio and time.
func NewReaderWithin(r io.Reader, limits packed.Limits) (io.ReadCloser, error) {
	meter := limits.Start(0)
	buffered := bufio.NewReaderSize(meter.Input(r), bufferSize)
	if _, err := buffered.Peek(magicSize); err != nil && err != io.EOF {
		return nil, err
	}
	d, err := Unpack(buffered)
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		return io.NopCloser(buffered), nil
	}
	return &metered{meter.Output(d, new(int64)), d}, nil
}

// Unpack is like NewReader, but sets no limits. If the data is plain, it returns nil.
func Unpack(r *bufio.Reader) (io.ReadCloser, error) {
	head, _ := r.Peek(magicSize)
	for _, f := range formats {
		if bytes.HasPrefix(head, f.magic) {
			d, err := f.open(r)
			if err != nil {
				return nil, fmt.Errorf("read as %s: %w", f.name, err)
			}
			return d, nil
		}
	}
	return nil, nil
}

// metered reads through a meter. Close closes the underlying reader.
type metered struct {
	io.Reader
	io.Closer
}

// Open opens a file and reads it like NewReader. Closing the reader closes the file.
func Open(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	unpacked, err := NewReader(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &fileReader{ReadCloser: unpacked, file: file}, nil
}

type fileReader struct {
	io.ReadCloser
	file *os.File
}

func (f *fileReader) Close() error {
	f.ReadCloser.Close()
	return f.file.Close()
}
