package scrambling

import (
	"errors"
	"io"
	"os"
	"slices"

	"github.com/smtpipe/smtpipe/internal/scramble"
)

// readError is an input that could not be read.
type readError struct {
	what string
	err  error
}

func (e *readError) Error() string { return "read " + e.what + ": " + e.err.Error() }

func (e *readError) Unwrap() error { return e.err }

// ReadSource reads a whole file; "-" is standard input.
func ReadSource(stdin io.Reader, file string) ([]byte, error) {
	if file != "-" {
		return ReadFile(nil, file)
	}
	if f, ok := stdin.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return readSized(nil, f, info.Size())
		}
	}
	src, err := io.ReadAll(stdin)
	if err != nil {
		return nil, &readError{"standard input", err}
	}
	return src, nil
}

// ReadFile reads a file into the memory of buffer if that is large enough.
func ReadFile(buffer []byte, file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readSized(buffer, f, info.Size())
}

// readSized reads a file of a known size into the memory of buffer if that is large enough. Unlike io.ReadAll it does not
// copy while it reads.
func readSized(buffer []byte, f *os.File, size int64) ([]byte, error) {
	src := slices.Grow(buffer[:0], int(size)+1)
	scramble.AdviseLarge(src)
	for {
		n, err := f.Read(src[len(src):cap(src)])
		src = src[:len(src)+n]
		if errors.Is(err, io.EOF) {
			return src, nil
		}
		if err != nil {
			return nil, &readError{f.Name(), err}
		}
		if len(src) == cap(src) {
			src = append(src, 0)[:len(src)]
		}
	}
}
