package compressed

import (
	"bufio"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// decoders holds unused decoders. Each decoder has a window of several megabytes, so creating one costs more than
// reading a small archive.
var decoders sync.Pool

// openZstd reads a zstd stream in the calling goroutine. It takes ownership of the buffer.
func openZstd(r *bufio.Reader) (io.ReadCloser, error) {
	d, ok := decoders.Get().(*zstd.Decoder)
	if !ok {
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return &zstdReader{d, r}, nil
	}
	if err := d.Reset(r); err != nil {
		return nil, err
	}
	return &zstdReader{d, r}, nil
}

// zstdReader returns its decoder and its buffer to their pools on Close.
type zstdReader struct {
	d  *zstd.Decoder
	in *bufio.Reader
}

func (z *zstdReader) Read(p []byte) (int, error) {
	if z.d == nil {
		return 0, os.ErrClosed
	}
	return z.d.Read(p)
}

// Close may be called repeatedly.
func (z *zstdReader) Close() error {
	if z.d == nil {
		return nil
	}
	d := z.d
	z.d = nil
	if err := d.Reset(nil); err != nil { // release the input
		return nil // the decoder will not be reused
	}
	decoders.Put(d)
	z.in.Reset(nil)
	inputs.Put(z.in)
	return nil
}
