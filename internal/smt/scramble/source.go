package scramble

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// ReadSource reads a whole file; "-" is standard input.
func ReadSource(stdin io.Reader, file string) ([]byte, error) {
	if file == "-" {
		return readAll(stdin)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads r to its end. If the size is known, it allocates a large enough buffer at the start.
func readAll(r io.Reader) ([]byte, error) {
	var text bytes.Buffer
	if size := regularSize(r); size > 0 {
		text.Grow(int(size) + bytes.MinRead)
	}
	_, err := text.ReadFrom(r)
	return text.Bytes(), err
}

// regularSize returns the size of a regular file, or 0 for other files.
func regularSize(r io.Reader) int64 {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// benchmark is the text of a file to scramble. A large file is mapped, so its bytes are loaded on access. Input from a
// pipe is first written to a temporary file.
type benchmark struct {
	Text   []byte
	mapped bool
}

// OpenBenchmark reads or maps a whole file; "-" is standard input.
func OpenBenchmark(stdin io.Reader, file string) (*benchmark, error) {
	in := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	if text := mapFile(in); text != nil {
		return &benchmark{text, true}, nil
	}
	if size := regularSize(in); size > 0 && size < leastMapped {
		text, err := readAll(in)
		return &benchmark{text, false}, err
	}
	text, err := readAll(io.LimitReader(in, leastMapped))
	if err != nil || len(text) < leastMapped {
		return &benchmark{text, false}, err
	}
	rest := io.MultiReader(bytes.NewReader(text), in)
	kept, err := os.CreateTemp("", "smtpipe-scramble-*")
	if err != nil { // temporary files cannot be created
		text, err = readAll(rest)
		return &benchmark{text, false}, err
	}
	defer kept.Close()
	if err := errors.Join(os.Remove(kept.Name()), copyToStart(kept, rest)); err != nil {
		return nil, fmt.Errorf("keep the input in a temporary file: %w", err)
	}
	if text := mapFile(kept); text != nil {
		return &benchmark{text, true}, nil
	}
	text, err = readAll(kept)
	return &benchmark{text, false}, err
}

// copyToStart writes all of r to a file and seeks back to the start.
func copyToStart(f *os.File, r io.Reader) error {
	_, err := io.Copy(f, r)
	_, seekErr := f.Seek(0, io.SeekStart)
	return errors.Join(err, seekErr)
}

func (b *benchmark) Close() {
	if b.mapped {
		_ = unix.Munmap(b.Text)
	}
}

// Release returns the memory of part of the text to the system if the same bytes can be read again.
func (b *benchmark) Release(part []byte) {
	if b.mapped {
		_ = unix.Madvise(part, unix.MADV_DONTNEED) // only a hint
	}
}

// leastMapped is the minimum size of mapped files. Reading smaller files is faster.
const leastMapped = 256 << 10

// mapFile maps a regular file that is read from its start, and returns nil for anything else.
func mapFile(r io.Reader) []byte {
	size := regularSize(r)
	if size < leastMapped {
		return nil
	}
	f := r.(*os.File)
	if at, err := f.Seek(0, io.SeekCurrent); err != nil || at != 0 {
		return nil
	}
	text, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return text
}

// CatchFault calls f, which reads a mapped file, and returns an error if the file has been truncated meanwhile.
func CatchFault(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = errors.New("the benchmark changed while it was being read, or its disk failed")
		default:
			panic(r)
		}
	}()
	return f()
}
