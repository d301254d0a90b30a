// Package scoreio reads and writes the formats of the scoring: runs as CSV (plain or gzipped) or Parquet, tables of
// verdicts, the folders of official results, and results as JSON, CSV and tables for people.
package scoreio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/smtpipe/smtpipe/internal/limits"
	"github.com/smtpipe/smtpipe/internal/packed"
)

// table reads a CSV file with a header, line by line, or the rows of a Parquet file. Fields are valid until the next
// call of next.
type table struct {
	name    string
	in      *lineReader  // nil: packed
	packed  *parquetRows // nil: in
	columns map[string]int
	header  []string
	fields  []string
	line    int // of a CSV file, from 1; the header is the first
	row     int // number of the row, from 1
}

// close ends the reading.
func (t *table) close() error {
	if t.packed != nil {
		return t.packed.close()
	}
	t.in.close()
	return nil
}

// mostExpected bounds the number of rows that a file may claim.
const mostExpected = 1 << 24

// expected returns the approximate number of rows; 0: not known.
func (t *table) expected() int {
	if t.packed == nil {
		return 0
	}
	return int(min(t.packed.file.Len(), mostExpected))
}

// setHeader takes in the names of the columns.
func (t *table) setHeader(names []string) error {
	t.columns = make(map[string]int, len(names))
	for i, f := range names {
		column := strings.Clone(f)
		if _, twice := t.columns[column]; twice {
			return fmt.Errorf("%s names the column %q twice", t.name, column)
		}
		t.columns[column] = i
		t.header = append(t.header, column)
	}
	return nil
}

// openTable reads the header of the CSV in r.
func openTable(r io.Reader, name string) (*table, error) {
	t := &table{name: name, in: newLineReader(r)}
	raw, err := t.in.next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s is empty; the first line must name the columns", name)
		}
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	t.line = 1
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if err := t.split(raw); err != nil {
		return nil, err
	}
	return t, t.setHeader(t.fields)
}

// next reads a line. io.EOF ends the table. A line with the wrong number of fields is a lineError.
func (t *table) next() error {
	if t.packed != nil {
		t.row++
		return t.packed.next()
	}
	for {
		raw, err := t.in.next()
		if err != nil {
			return err
		}
		t.line++
		if len(raw) == 0 {
			continue // an empty line, as at the end of a file
		}
		t.row++
		if raw, err = t.whole(raw); err != nil {
			return err
		}
		if err := t.split(raw); err != nil {
			return err
		}
		if len(t.fields) != len(t.columns) {
			return t.bad(fmt.Errorf("there are %d fields, and the header names %d columns", len(t.fields),
				len(t.columns)))
		}
		return nil
	}
}

// maxRow bounds a row of several lines: without it, a quote that is never closed would take the rest of the file.
const maxRow = 16 << 20

// whole returns the row that begins with a line. A line break in a quoted field is part of the field.
func (t *table) whole(line []byte) ([]byte, error) {
	if bytes.IndexByte(line, '"') < 0 || !endsInQuotes(line, false) {
		return line, nil
	}
	row, begin := bytes.Clone(line), t.line
	for open := true; open; {
		more, err := t.in.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err != nil || len(row)+len(more) > maxRow {
			return nil, &lineError{t.name, begin, t.row, errors.New("a quote is not closed")}
		}
		row = append(append(row, '\n'), more...)
		open = endsInQuotes(more, true)
		t.line++
	}
	return row, nil
}

// endsInQuotes reports whether a quoted field is open at the end of a line; inside means that one is open at its
// beginning. A quote in the middle of an unquoted field has no effect.
func endsInQuotes(line []byte, inside bool) bool {
	for first := true; ; first = false {
		if !inside {
			if !first {
				i := bytes.IndexByte(line, ',')
				if i < 0 {
					return false
				}
				line = line[i+1:]
			}
			if inside = len(line) > 0 && line[0] == '"'; !inside {
				continue
			}
			line = line[1:]
		}
		i := bytes.IndexByte(line, '"')
		if i < 0 {
			return true
		}
		line = line[i+1:]
		if len(line) > 0 && line[0] == '"' {
			line = line[1:] // a quote of the text
			continue
		}
		inside = false
	}
}

// lineError is an error of one row of a table.
type lineError struct {
	name      string
	line, row int // line 0: the table has no lines; row 0: the header
	err       error
}

func (e *lineError) Error() string {
	switch {
	case e.line == 0:
		return fmt.Sprintf("%s row %d: %v", e.name, e.row, e.err)
	case e.row == 0:
		return fmt.Sprintf("%s line %d: %v", e.name, e.line, e.err)
	}
	return fmt.Sprintf("%s line %d (row %d): %v", e.name, e.line, e.row, e.err)
}

func (e *lineError) Unwrap() error { return e.err }

// bad adds the place to an error.
func (t *table) bad(err error) error { return &lineError{t.name, t.line, t.row, err} }

// split cuts a row at its commas, except those in quoted fields.
func (t *table) split(raw []byte) error {
	t.fields = t.fields[:0]
	line := string(raw)
	if strings.IndexByte(line, '"') >= 0 {
		return t.splitQuoted(line)
	}
	for {
		i := strings.IndexByte(line, ',')
		if i < 0 {
			t.fields = append(t.fields, line)
			return nil
		}
		t.fields = append(t.fields, line[:i])
		line = line[i+1:]
	}
}

func (t *table) splitQuoted(line string) error {
	for {
		if !strings.HasPrefix(line, `"`) {
			i := strings.IndexByte(line, ',')
			if i < 0 {
				t.fields = append(t.fields, line)
				return nil
			}
			t.fields = append(t.fields, line[:i])
			line = line[i+1:]
			continue
		}
		var b strings.Builder
		line = line[1:]
		for {
			i := strings.IndexByte(line, '"')
			if i < 0 {
				return t.bad(errors.New("a quote is not closed"))
			}
			b.WriteString(line[:i])
			line = line[i+1:]
			if !strings.HasPrefix(line, `"`) {
				break
			}
			b.WriteByte('"')
			line = line[1:]
		}
		t.fields = append(t.fields, b.String())
		if line == "" {
			return nil
		}
		if line[0] != ',' {
			return t.bad(errors.New("there is text after a closing quote"))
		}
		line = line[1:]
	}
}

// get returns a field by the index of its column; -1 stands for a missing column.
func (t *table) get(i int) string {
	switch {
	case i < 0:
		return ""
	case t.packed != nil:
		return t.packed.text(i)
	}
	return t.fields[i]
}

// column returns the index of the first of the names that the table has, or -1.
func (t *table) column(names ...string) int {
	for _, n := range names {
		if i, ok := t.columns[n]; ok {
			if t.packed != nil {
				t.packed.want(i, n)
			}
			return i
		}
	}
	return -1
}

// lineReader reads lines from blocks that another goroutine fills, so that decompression and parsing overlap.
type lineReader struct {
	blocks chan block
	free   chan []byte
	stop   chan struct{}
	buf    []byte
	pos    int
	rest   []byte
	err    error
}

type block struct {
	data []byte
	err  error
}

const blockSize = 1 << 20

func newLineReader(r io.Reader) *lineReader {
	l := &lineReader{blocks: make(chan block, 2), free: make(chan []byte, 4), stop: make(chan struct{})}
	for range cap(l.free) {
		l.free <- make([]byte, blockSize)
	}
	go l.fill(r)
	return l
}

// fill is the body of the other goroutine. It returns at the end of r, or when the reader is closed.
func (l *lineReader) fill(r io.Reader) {
	defer close(l.blocks)
	for {
		var buf []byte
		select {
		case buf = <-l.free:
		case <-l.stop:
			return
		}
		n, err := io.ReadFull(r, buf[:blockSize])
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		select {
		case l.blocks <- block{buf[:n], err}:
		case <-l.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// close ends the other goroutine and waits for it.
func (l *lineReader) close() {
	close(l.stop)
	for range l.blocks {
	}
}

// next returns a line without its end. It is valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	l.rest = l.rest[:0]
	for {
		if i := bytes.IndexByte(l.buf[l.pos:], '\n'); i >= 0 {
			line := l.buf[l.pos : l.pos+i]
			l.pos += i + 1
			if len(l.rest) > 0 {
				l.rest = append(l.rest, line...)
				line = l.rest
			}
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		l.rest = append(l.rest, l.buf[l.pos:]...)
		if err := l.more(); err != nil {
			if errors.Is(err, io.EOF) && len(l.rest) > 0 {
				line := bytes.TrimSuffix(l.rest, []byte("\r"))
				return line, nil
			}
			return nil, err
		}
	}
}

// more replaces the current block by the next.
func (l *lineReader) more() error {
	if l.buf != nil {
		l.free <- l.buf[:blockSize]
		l.buf = nil
	}
	l.pos = 0
	if l.err != nil {
		return l.err
	}
	b, ok := <-l.blocks
	if !ok {
		return io.EOF
	}
	l.buf, l.err = b.data, b.err
	return nil
}

// openFile opens the table in a file.
func openFile(path string) (t *table, done func() error, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if t, err = openStream(f, path); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return t, func() error { return errors.Join(t.close(), f.Close()) }, nil
}

// openStream opens a table of any form: CSV, gzipped CSV or Parquet, recognised by its first bytes.
func openStream(r io.Reader, name string) (*table, error) {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && startsLike(f, parquetMagic) {
			return openParquet(f, info.Size(), name)
		}
	}
	in := bufio.NewReaderSize(r, 1<<16)
	magic, _ := in.Peek(len(parquetMagic))
	switch {
	case string(magic) == parquetMagic: // its index is at the end
		all, err := limits.Stream.Read(in, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		return openParquet(bytes.NewReader(all), int64(len(all)), name)
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		meter := packed.Default.Start(0)
		z, err := gzip.NewReader(meter.Input(in))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		return openTable(limits.Table.Reader(meter.Output(z, new(int64))), name)
	}
	return openTable(limits.Table.Reader(in), name)
}

// startsLike reports whether a file begins with the given bytes.
func startsLike(f io.ReaderAt, magic string) bool {
	start := make([]byte, len(magic))
	n, _ := f.ReadAt(start, 0)
	return string(start[:n]) == magic
}
