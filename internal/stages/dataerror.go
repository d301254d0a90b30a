package stages

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
)

// DataError is an error in the data that a stage's attribute names. It is reported at the attribute, with the file's
// line and a remedy.
type DataError struct {
	Attr   string
	File   string // the file's name; empty if the error is not in exactly one file
	Line   int    // line number, from 1; 0 if unknown
	Column int    // byte in the line, from 1; 0 if unknown
	Source string // the line, or the part around the column
	Remedy string // a sentence that tells the user what to do
	Err    error
}

func (e *DataError) Error() string {
	text := e.Err.Error()
	if e.File != "" {
		text = e.File + ": " + text
	}
	if e.Source != "" {
		text += fmt.Sprintf("\n%d: %s", e.Line, e.Source)
	}
	if e.Remedy != "" {
		text += "\n" + e.Remedy
	}
	return text
}

// Unwrap returns the underlying error.
func (e *DataError) Unwrap() error { return e.Err }

// InFile returns the error of a file that an attribute names. If the error has a location in the file, that line is
// shown. Table readers begin their errors with the path on this machine, which InFile removes.
func InFile(attr string, f File, err error, remedy string) error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range many.Unwrap() {
			all = append(all, InFile(attr, f, one, remedy))
		}
		return errors.Join(all...)
	}
	e := &DataError{Attr: attr, File: f.Name, Remedy: remedy, Err: err}
	if rest, ok := strings.CutPrefix(err.Error(), f.Path+": "); ok {
		e.Err = &located{rest, err}
	}
	var offset int64 = -1
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		e.Line, e.Column = p.Line, p.Column
		if errors.Is(p.Err, csv.ErrFieldCount) {
			e.Column = 0 // the column of the first field, not of the error
			e.Remedy = strings.TrimSpace("Every line must have as many fields as the first. " + remedy)
		}
	} else if p, ok := errors.AsType[*comp.LineError](err); ok {
		e.Line, e.Column = p.Line, p.Column
	} else if p, ok := errors.AsType[*comp.ByteError](err); ok {
		offset = p.Offset
	}
	if e.Line > 0 || offset >= 0 {
		e.show(f.Path, offset)
	}
	return e
}

// located is an error without the path at its start.
type located struct {
	text string
	err  error
}

func (e *located) Error() string { return e.text }
func (e *located) Unwrap() error { return e.err }

// shownBytes is the number of bytes shown of a long line.
const shownBytes = 120

// show sets the source to the error's line, or to the line at offset if offset is at least 0. It sets nothing if the
// file cannot be read again.
func (e *DataError) show(path string, offset int64) {
	f, err := compressed.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var tail []byte // the part of the line before the error
	line, column := 1, 1
	for at := int64(0); at < offset || offset < 0 && line < e.Line; at++ {
		b, err := in.ReadByte()
		if err != nil {
			break
		}
		if b == '\n' {
			line, column, tail = line+1, 1, tail[:0]
			continue
		}
		column++
		if tail = append(tail, b); len(tail) > shownBytes {
			tail = append(tail[:0], tail[len(tail)-shownBytes/2:]...)
		}
	}
	if offset >= 0 {
		e.Line, e.Column = line, column
	}
	rest, err := in.Peek(shownBytes)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return
	}
	text, _, _ := strings.Cut(string(rest), "\n")
	if keep := min(len(tail), shownBytes/2); len(tail) > keep || column > len(tail)+1 {
		tail = append([]byte("..."), tail[len(tail)-keep:]...)
	}
	if len(text) > shownBytes-min(len(tail), shownBytes/2) {
		text = text[:shownBytes-min(len(tail), shownBytes/2)] + "..."
	}
	e.Source = printable(string(tail) + text)
}

// printable replaces characters that terminals do not print.
func printable(s string) string {
	s = strings.TrimRight(strings.ToValidUTF8(s, "\uFFFD"), "\r")
	return strings.Map(func(r rune) rune {
		if r != '\t' && !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}
