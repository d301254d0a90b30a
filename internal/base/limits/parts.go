package limits

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// Parts reads a stream of parts, such as rows, and fails once the total or a part is too long.
type Parts struct {
	io.Reader
	most        int64 // maximum bytes per part
	tooLong     error
	read, begun int64 // bytes read so far, and bytes before the part
}

// Parts returns a reader of parts from r, which are limited like lines. They may consist of several lines.
func (l Of) Parts(r io.Reader) *Parts {
	err := &Error{"it", fmt.Sprintf("a part of more than %d bytes", l.Line), "a part of " + l.What, int64(l.Line)}
	l.Line = 0
	return &Parts{Reader: l.Reader(r), most: err.Most, tooLong: err}
}

// Begin records that a part begins at an offset.
func (p *Parts) Begin(offset int64) { p.begun = offset }

// Read implements io.Reader.
func (p *Parts) Read(b []byte) (int, error) {
	if p.most > 0 && p.read-p.begun > p.most {
		return 0, p.tooLong
	}
	n, err := p.Reader.Read(b)
	p.read += int64(n)
	return n, err
}

// CSV reads CSV with rows that are limited like lines. Without a limit, an unclosed quote would swallow the rest of the
// file.
type CSV struct {
	*csv.Reader
	in *Parts
}

// CSV returns a reader that reads CSV from r and fails once the total, a line or a row is too long.
func (l Of) CSV(r io.Reader) *CSV {
	in := &Parts{Reader: l.Reader(r), most: int64(l.Line), tooLong: errors.New("a quote is not closed")}
	return &CSV{csv.NewReader(bufio.NewReaderSize(in, 1<<16)), in}
}

// Read reads a row, like Read of csv.Reader.
func (c *CSV) Read() ([]string, error) {
	record, err := c.Reader.Read()
	c.in.Begin(c.InputOffset())
	return record, err
}
