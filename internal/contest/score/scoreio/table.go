// Package scoreio reads and writes the formats of scoring: runs as CSV (plain or gzipped) or Parquet, tables of
// verdicts, folders with official results, and results as JSON, CSV and readable tables.
package scoreio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/gzip"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	column "github.com/smtpipe/smtpipe/internal/data/table"
)

// table reads the rows of a CSV file with a header, or of a Parquet file. It reads only columns that were requested
// before the first row.
type table struct {
	name    string
	rows    int // approximate number of rows; 0: unknown
	columns map[string]int
	header  []string
	open    func(names ...string) (batches, error)
	file    *results.Columns // the Parquet file; nil for CSV

	names  []string // names of the requested columns
	place  []int    // index in names by header index, or -1
	reader batches  // nil before the first row
	batch  *results.Batch
	at     int // current row in batch
	row    int // number of the row, starting at 1
}

// batches returns one batch after another.
type batches interface {
	Next() (*results.Batch, error)
	Close() error
}

// newTable returns a table with the columns in a header.
func newTable(name string, header []string, open func(names ...string) (batches, error)) (*table, error) {
	t := &table{name: name, header: header, columns: make(map[string]int, len(header)), open: open}
	for i, column := range header {
		if _, twice := t.columns[column]; twice {
			return nil, fmt.Errorf("%s names the column %q twice", name, column)
		}
		t.columns[column], t.place = i, append(t.place, -1)
	}
	return t, nil
}

// mostExpected caps the number of rows that a file claims to have.
const mostExpected = 1 << 24

// openParquet reads a Parquet file's header.
func openParquet(r io.ReaderAt, size int64, name string) (*table, error) {
	file, err := results.OpenColumns(r, size)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	t, err := newTable(name, file.Names(), func(names ...string) (batches, error) { return file.Read(names...) })
	if err == nil {
		t.file, t.rows = file, int(min(file.Len(), mostExpected))
	}
	return t, err
}

// openTable reads the header of the CSV in r.
func openTable(r io.Reader, name string) (*table, error) {
	file, err := results.OpenCSV(r)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is empty; the first line must name the columns", name)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return newTable(name, file.Names(), func(names ...string) (batches, error) {
		file.Choose(names...)
		return file, nil
	})
}

// next advances to the next row. It returns io.EOF at the end of the table, and a lineError for a row that cannot be
// read.
func (t *table) next() (err error) {
	if t.reader == nil {
		if t.reader, err = t.open(t.names...); err != nil {
			return err
		}
	}
	t.row++
	t.at++
	if t.batch != nil && t.at < t.batch.Rows {
		return nil
	}
	t.batch, err = t.reader.Next()
	t.at = 0
	if bad, ok := errors.AsType[*comp.LineError](err); ok {
		return &lineError{t.name, bad.Line, t.row, bad.Err}
	}
	return err
}

// split divides the rows of a table, of which none has been read, into at most n consecutive parts. It returns none if
// they cannot be read separately. Later requests for columns have no effect on the parts.
func (t *table) split(n int) (parts []*table) {
	if t.file == nil {
		return nil
	}
	reader, err := t.file.Read(t.names...)
	if err != nil {
		return nil
	}
	for _, r := range reader.Split(n) {
		part := *t
		part.reader, part.rows = r, t.rows/n
		parts = append(parts, &part)
	}
	return parts
}

func (t *table) close() error {
	if t.reader == nil {
		return nil
	}
	return t.reader.Close()
}

// lineError is an error in one of a table's rows.
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

// bad adds the current position to an error.
func (t *table) bad(err error) error {
	line := 0
	if t.batch != nil && t.batch.Lines != nil {
		line = t.batch.Lines[t.at]
	}
	return &lineError{t.name, line, t.row, err}
}

// column returns the index of the first name that is a column of the table, or -1.
func (t *table) column(names ...string) int {
	for _, n := range names {
		if i, ok := t.columns[n]; ok {
			if t.place[i] < 0 && t.reader == nil {
				t.place[i] = len(t.names)
				t.names = append(t.names, n)
			}
			return i
		}
	}
	return -1
}

// values returns a column in the batch by its header index.
func (t *table) values(i int) *column.Column { return &t.batch.Columns[t.place[i]] }

// marks returns a false value for each row in the batch. It uses the memory of an earlier batch's marks.
func (t *table) marks(old []bool) []bool {
	marks := slices.Grow(old[:0], t.batch.Rows)[:t.batch.Rows]
	clear(marks)
	return marks
}

// get returns a field by column index. An index of -1 means a missing column.
func (t *table) get(i int) string {
	if i < 0 {
		return ""
	}
	return t.values(i).Text(t.at)
}

// constant reports whether a column is known to have the same value throughout the batch. The column can be missing.
func (t *table) constant(i int) bool { return i < 0 || t.values(i).Constant() }

// stored returns the column if it stores values of the given kind and has a value in the current row.
func (t *table) stored(i int, kind column.Kind) (c *column.Column, ok bool) {
	if i < 0 {
		return nil, false
	}
	c = t.values(i)
	return c, c.Kind() == kind && !c.IsNull(t.at)
}

// time returns a time stored as a float64. ok is false for columns of other types.
func (t *table) time(i int) (v score.Time, ok bool, err error) {
	c, ok := t.stored(i, column.Float)
	if ok {
		v, err = score.TimeOfSeconds(c.FloatAt(t.at))
	}
	return v, ok, err
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

// parquetMagic is the magic number at the start of Parquet files.
const parquetMagic = "PAR1"

// openStream opens a table in any format: CSV, gzipped CSV or Parquet, as recognised by its first bytes.
func openStream(r io.Reader, name string) (*table, error) {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && startsLike(f, parquetMagic) {
			return openParquet(f, info.Size(), name)
		}
	}
	in := bufio.NewReaderSize(r, 1<<16)
	magic, _ := in.Peek(len(parquetMagic))
	switch {
	case string(magic) == parquetMagic: // the index of a Parquet file is at its end
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
		return openTable(meter.Output(z, new(int64)), name)
	}
	return openTable(in, name)
}

// startsLike reports whether a file begins with the given bytes.
func startsLike(f io.ReaderAt, magic string) bool {
	start := make([]byte, len(magic))
	n, _ := f.ReadAt(start, 0)
	return string(start[:n]) == magic
}
