package limits

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
)

// CSV reads CSV with rows that are limited like lines. Without a limit, an unclosed quote would swallow the rest of the
// file.
type CSV struct {
	*csv.Reader
	in *rowBound
}

// CSV returns a reader that reads CSV from r and fails once the total, a line or a row is too long.
func (l Of) CSV(r io.Reader) *CSV {
	in := &rowBound{Reader: l.Reader(r), most: int64(l.Line)}
	return &CSV{csv.NewReader(bufio.NewReaderSize(in, 1<<16)), in}
}

// Read reads a row, like Read of csv.Reader.
func (c *CSV) Read() ([]string, error) {
	record, err := c.Reader.Read()
	c.in.row = c.InputOffset()
	return record, err
}

// rowBound returns an error if a row is too long.
type rowBound struct {
	io.Reader
	most      int64 // maximum bytes per row
	read, row int64 // bytes read so far, and bytes read before the row
}

func (b *rowBound) Read(p []byte) (int, error) {
	if b.most > 0 && b.read-b.row > b.most {
		return 0, errors.New("a quote is not closed")
	}
	n, err := b.Reader.Read(p)
	b.read += int64(n)
	return n, err
}
