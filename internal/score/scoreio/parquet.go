package scoreio

import (
	"fmt"
	"io"

	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/score"
	column "github.com/smtpipe/smtpipe/internal/table"
)

// parquetMagic are the first bytes of a Parquet file.
const parquetMagic = "PAR1"

// parquetRows returns the rows of a Parquet file one by one. Only columns that were requested before the first row are
// read.
type parquetRows struct {
	file  *results.Columns
	names []string // of the requested columns
	place []int    // by index of the header: place in names, or -1
	ahead chan decoded
	stop  chan struct{}
	batch *results.Batch // nil before the first row
	at    int            // row in batch
}

// decoded is a batch that the other goroutine has read, or the error.
type decoded struct {
	batch *results.Batch
	err   error
}

// openParquet reads the header of a Parquet file.
func openParquet(r io.ReaderAt, size int64, name string) (*table, error) {
	file, err := results.OpenColumns(r, size)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	p := &parquetRows{file: file, place: make([]int, len(file.Names()))}
	for i := range p.place {
		p.place[i] = -1
	}
	t := &table{name: name, packed: p}
	return t, t.setHeader(file.Names())
}

func (p *parquetRows) want(i int, name string) {
	if p.place[i] < 0 && p.ahead == nil {
		p.place[i] = len(p.names)
		p.names = append(p.names, name)
	}
}

// next moves to the next row. io.EOF ends the table.
func (p *parquetRows) next() error {
	if p.ahead == nil {
		if err := p.start(); err != nil {
			return err
		}
	}
	p.at++
	if p.batch != nil && p.at < p.batch.Rows {
		return nil
	}
	next, ok := <-p.ahead
	if !ok {
		next.err = io.EOF
	}
	p.batch, p.at = next.batch, 0
	return next.err
}

// start lets another goroutine decode ahead.
func (p *parquetRows) start() error {
	reader, err := p.file.Read(p.names...)
	if err != nil {
		return err
	}
	p.ahead, p.stop = make(chan decoded, 2), make(chan struct{})
	go func() {
		defer close(p.ahead)
		defer reader.Close()
		for {
			batch, err := reader.Next()
			select {
			case p.ahead <- decoded{batch, err}:
			case <-p.stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return nil
}

// close ends the other goroutine and waits for it.
func (p *parquetRows) close() error {
	if p.ahead != nil {
		close(p.stop)
		for range p.ahead {
		}
	}
	return nil
}

// column returns a column of the batch by its index in the header.
func (p *parquetRows) column(i int) *column.Column { return &p.batch.Columns[p.place[i]] }

func (p *parquetRows) text(i int) string {
	v, at := &p.batch.Columns[p.place[i]], p.at
	return v.Text(at)
}

// missing reports whether a value is null.
func (p *parquetRows) missing(i int) bool {
	v, at := &p.batch.Columns[p.place[i]], p.at
	return v.IsNull(at)
}

// time returns a time that is stored as a float64. ok is false for columns of other types.
func (p *parquetRows) time(i int) (t score.Time, ok bool, err error) {
	v, at := &p.batch.Columns[p.place[i]], p.at
	if v.Kind() != column.Float || p.missing(i) {
		return 0, false, nil
	}
	t, err = score.TimeOfSeconds(v.FloatAt(at))
	return t, true, err
}

// isMinusOne reports whether a time that is stored as a float64 is -1, which means none.
func (p *parquetRows) isMinusOne(i int) bool {
	v, at := &p.batch.Columns[p.place[i]], p.at
	return v.Kind() == column.Float && !p.missing(i) && v.FloatAt(at) == -1
}

// number returns a number that is stored as a whole number. ok is false for columns of other types.
func (p *parquetRows) number(i int) (n int64, ok bool) {
	v, at := &p.batch.Columns[p.place[i]], p.at
	if v.Kind() != column.Int || p.missing(i) {
		return 0, false
	}
	return v.IntAt(at), true
}

// truth returns a stored truth value. ok is false for columns of other types.
func (p *parquetRows) truth(i int) (yes, ok bool) {
	v, at := &p.batch.Columns[p.place[i]], p.at
	if v.Kind() != column.Bool || p.missing(i) {
		return false, false
	}
	return v.BoolAt(at), true
}
