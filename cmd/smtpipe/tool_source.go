package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// readSource reads a whole file; "-" is standard input.
func readSource(stdin io.Reader, file string) ([]byte, error) {
	var text bytes.Buffer
	if file == "-" {
		err := readInto(&text, stdin)
		return text.Bytes(), err
	}
	err := readFileInto(&text, file)
	return text.Bytes(), err
}

// readFileInto adds a whole file to a buffer.
func readFileInto(text *bytes.Buffer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return readInto(text, f)
}

// readInto adds what r has to a buffer, which is large enough from the beginning if the size is known.
func readInto(text *bytes.Buffer, r io.Reader) error {
	if size := regularSize(r); size > 0 {
		text.Grow(int(size) + bytes.MinRead)
	}
	_, err := text.ReadFrom(r)
	return err
}

// regularSize returns the size of a regular file, 0 of all else.
func regularSize(r io.Reader) int64 {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size()
		}
	}
	return 0
}

// openBenchmark reads a whole file; "-" is standard input. A regular file is mapped, so that its bytes come into memory
// when they are looked at; then forget gives the memory of whole pages back, and their bytes come again when they are
// looked at again. Otherwise forget is nil.
func openBenchmark(stdin io.Reader, file string) (text []byte, forget func(part []byte), err error) {
	in := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		in = f
	}
	if text := mapFile(in); text != nil {
		return text, func(part []byte) { _ = unix.Madvise(part, unix.MADV_DONTNEED) }, nil
	}
	var b bytes.Buffer
	err = readInto(&b, in)
	return b.Bytes(), nil, err
}

// mapFile maps a regular file that is read from its beginning. For all else it returns nil.
func mapFile(r io.Reader) []byte {
	size := regularSize(r)
	if size == 0 {
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

// catchFault calls f, which reads a mapped file. That the file has become shorter in the meantime is an error.
func catchFault(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = errors.New("the benchmark cannot be read to its end; it was changed in the meantime, or its disk failed")
		default:
			panic(r)
		}
	}()
	return f()
}
