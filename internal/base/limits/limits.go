// Package limits bounds input from untrusted sources: a file's size before memory is allocated, and its lines or values
// and their nesting before they are decoded. kinds.go defines the limits for each kind of file.
package limits

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Of limits one kind of file. Zero means no limit, except for Bytes.
type Of struct {
	What    string // name in errors, such as "a submission"
	Bytes   int64
	Items   int // maximum number of lines of a text, or of JSON values
	Nesting int // maximum depth of brackets
	Line    int // maximum bytes per line, for Reader
}

// Error reports a file that exceeds its limits.
type Error struct {
	Name string // name of the file
	Has  string // actual amount, such as "1000001 lines"
	What string
	Most int64
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("%s has %s, and %s has at most %d", e.Name, e.Has, e.What, e.Most)
}

// ReadFile reads a regular file. It compares the size with the limit before allocating memory.
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
	src := make([]byte, 0, info.Size()+1) // the extra byte lets ReadFrom detect the end without growing the buffer
	return l.readInto(bytes.NewBuffer(src), f, path)
}

// Open opens a regular file for reading. It rejects a pipe without waiting for a writer.
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

// Read reads all of r, up to the limit. Errors contain name.
func (l Of) Read(r io.Reader, name string) ([]byte, error) {
	return l.readInto(&bytes.Buffer{}, r, name)
}

// UntilEnd returns a reader that reads from r and fails once ctx ends.
func UntilEnd(ctx context.Context, r io.Reader) io.Reader { return &contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// Reader returns a reader that reads from r and fails once the total or a single line is too long.
func (l Of) Reader(r io.Reader) io.Reader { return &reader{of: l, from: r} }

type reader struct {
	of   Of
	from io.Reader
	read int64
	line int // bytes since the last newline
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

// CheckLines returns an error if a text has too many lines.
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

// DecodeJSON decodes JSON into v after counting its values and measuring their nesting.
func (l Of) DecodeJSON(src []byte, name string, v any) error {
	if err := l.CheckJSON(src, name); err != nil {
		return err
	}
	if err := json.Unmarshal(src, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// CheckJSON returns an error for JSON that has too many bytes or values, or is nested too deeply. It does not check the
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

// endOfText returns the index of the quote that ends the string starting at i, or the length of src.
func endOfText(src []byte, i int) int {
	for i++; i < len(src) && src[i] != '"'; i++ {
		if src[i] == '\\' {
			i++
		}
	}
	return i
}
