package main

import (
	"bytes"
	"io"
	"os"
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
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			text.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	_, err := text.ReadFrom(r)
	return err
}
