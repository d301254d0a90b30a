// Package limits bounds what is read from strangers: the size of a file before memory is allocated, and its lines or
// values and their nesting before they are decoded. kinds.go has the limits of every kind of file.
package limits

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Of bounds one kind of file. Zero means no bound, except for Bytes.
type Of struct {
	What    string // in errors, such as "a submission"
	Bytes   int64
	Items   int // lines of a text, or values of JSON
	Nesting int // of brackets
	Line    int // bytes of a line, for Reader
}

// Error reports a file that exceeds its limits.
type Error struct {
	Name string // of the file
	Has  string // such as "1000001 lines"
	What string
	Most int64
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s has %s, and %s has at most %d", e.Name, e.Has, e.What, e.Most)
}

// ReadFile reads a regular file. Its size is compared with the limit before anything is allocated.
func (l Of) ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > l.Bytes {
		return nil, &Error{path, fmt.Sprintf("%d bytes", info.Size()), l.What, l.Bytes}
	}
	src := make([]byte, 0, info.Size()+1) // the extra byte lets the reader see the end without growing
	return l.readInto(bytes.NewBuffer(src), f, path)
}

// Open opens a regular file for reading. It does not wait for a writer of a pipe.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read reads everything from r, at most as many bytes as the limit allows. name is for errors.
func (l Of) Read(r io.Reader, name string) ([]byte, error) {
	return l.readInto(&bytes.Buffer{}, r, name)
}

// Reader returns a reader of r that fails once there are too many bytes, or a line is too long to be kept in memory.
func (l Of) Reader(r io.Reader) io.Reader { return &reader{of: l, from: r} }

type reader struct {
	of   Of
	from io.Reader
	read int64
	line int // bytes since the last end of a line
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.read += int64(n)
	if r.read > r.of.Bytes {
		return 0, &Error{"it", fmt.Sprintf("more than %d bytes", r.of.Bytes), r.of.What, r.of.Bytes}
	}
	for at := p[:n]; r.of.Line > 0; {
		i := bytes.IndexByte(at, '\n')
		if i < 0 {
			r.line += len(at)
			break
		}
		at, r.line = at[i+1:], 0
	}
	if r.of.Line > 0 && r.line > r.of.Line {
		return 0, &Error{"it", "a longer line", "a line of " + r.of.What, int64(r.of.Line)}
	}
	return n, err
}

func (l Of) readInto(b *bytes.Buffer, r io.Reader, name string) ([]byte, error) {
	n, err := b.ReadFrom(io.LimitReader(r, l.Bytes+1))
	if err != nil {
		return nil, err
	}
	if n > l.Bytes {
		return nil, &Error{name, fmt.Sprintf("more than %d bytes", l.Bytes), l.What, l.Bytes}
	}
	return b.Bytes(), nil
}

// CheckLines returns an error for a text with too many lines.
func (l Of) CheckLines(src []byte, name string) error {
	if n := bytes.Count(src, []byte("\n")); l.Items > 0 && n > l.Items {
		return &Error{name, fmt.Sprintf("%d lines", n), l.What, int64(l.Items)}
	}
	return nil
}

// ReadJSON reads a JSON file into v.
func (l Of) ReadJSON(path string, v any) error {
	src, err := l.ReadFile(path)
	if err != nil {
		return err
	}
	return l.DecodeJSON(src, path, v)
}

// DecodeJSON decodes JSON into v, once its values are counted and their nesting is measured.
func (l Of) DecodeJSON(src []byte, name string, v any) error {
	if err := l.CheckJSON(src, name); err != nil {
		return err
	}
	if err := json.Unmarshal(src, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// CheckJSON returns an error for JSON that has too many bytes or values, or is nested too deep. It does not check the
// syntax.
func (l Of) CheckJSON(src []byte, name string) error {
	if int64(len(src)) > l.Bytes {
		return &Error{name, fmt.Sprintf("%d bytes", len(src)), l.What, l.Bytes}
	}
	items, depth, deepest := 0, 0, 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			i = endOfText(src, i)
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
			items++
		case ']', '}':
			depth--
		case ',':
			items++
		}
	}
	switch {
	case l.Nesting > 0 && deepest > l.Nesting:
		return &Error{name, fmt.Sprintf("brackets nested %d deep", deepest), l.What, int64(l.Nesting)}
	case l.Items > 0 && items > l.Items:
		return &Error{name, fmt.Sprintf("%d values", items), l.What, int64(l.Items)}
	}
	return nil
}

// endOfText returns the place of the quote that ends the text that begins at i, or the end of src.
func endOfText(src []byte, i int) int {
	for i++; i < len(src) && src[i] != '"'; i++ {
		if src[i] == '\\' {
			i++
		}
	}
	return i
}
