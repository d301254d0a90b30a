package results

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Columns reads selected columns of a Parquet file in batches of rows. It does not decode other columns. The file need
// not have been written by smtpipe: columns may have any plain type, with or without a dictionary, and may contain
// nulls.
type Columns struct {
	file  *parquet.File
	names []string

	ours   *Schema // schema, if Write wrote the table; nil for any other file
	leaves []leaf  // leaves of the schema's columns
}

// batchRows is the number of rows decoded together. In tables written by Write, it equals the size of a row group.
const batchRows = 8192

// OpenColumns reads the footer of a Parquet file.
func OpenColumns(r io.ReaderAt, size int64) (*Columns, error) {
	f, err := open(r, size)
	if err != nil {
		return nil, err
	}
	c := &Columns{file: f}
	if s, err := SchemaByName(schemaName(f)); err == nil && f.NumRows() <= maxRowsPerByte*size {
		unknown := func(path []string) bool { return s.Column(path[0]) == nil }
		if leaves, ok := s.leaves(f); ok && !slices.ContainsFunc(f.Schema().Columns(), unknown) {
			c.ours, c.leaves = s, leaves
		}
	}
	for _, path := range f.Schema().Columns() {
		if leaf, ok := f.Schema().Lookup(path...); ok && len(path) == 1 && leaf.MaxRepetitionLevel == 0 {
			c.names = append(c.names, path[0])
		}
	}
	return c, nil
}

// Len returns the number of rows.
func (c *Columns) Len() int64 { return c.file.NumRows() }

// Names returns the columns that can be read, in file order. It omits lists and groups.
func (c *Columns) Names() []string { return slices.Clone(c.names) }

// Batch holds consecutive rows of the requested columns, in the requested order.
type Batch struct {
	First   int64 // index of the first row
	Rows    int
	Columns []table.Column
	Lines   []int // in CSV, the line where each row begins, starting at 1
}

// BatchReader returns the batches of a Columns in order. A batch remains valid when the next one is read.
type BatchReader struct {
	columns *Columns
	leaves  []leaf
	groups  []parquet.RowGroup // groups that are not read yet
	number  int                // index of the first of them
	cursors []cursor
	left    int64 // rows left in the current row group
	first   int64
	values  []parquet.Value
	zeros   zeros
}

// Read returns a reader for selected columns. It returns an error if the file lacks one of them.
func (c *Columns) Read(names ...string) (*BatchReader, error) {
	leaves := make([]leaf, len(names))
	for i, name := range names {
		at, ok := c.file.Schema().Lookup(name)
		if !ok || at.MaxRepetitionLevel > 0 {
			return nil, fmt.Errorf("the file has no plain column %q", name)
		}
		if err := readable(at.Node.Type()); err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
		leaves[i].LeafColumn = at
		if c.ours != nil {
			leaves[i].kind = c.ours.Column(name).Kind
		}
	}
	return c.read(leaves), nil
}

func (c *Columns) read(leaves []leaf) *BatchReader {
	return &BatchReader{columns: c, leaves: leaves, groups: c.file.RowGroups()}
}

// readable returns an error if a column's type is unsupported.
func readable(t parquet.Type) error {
	if t.Kind() == parquet.Int96 {
		return errors.New("values of type INT96 cannot be read")
	}
	return nil
}

// Next returns the next batch, or io.EOF after the last one.
func (r *BatchReader) Next() (b *Batch, err error) {
	defer func() {
		// The Parquet library's decoders use values from the file as indexes, so they may panic.
		if p := recover(); p != nil {
			b, err = nil, fmt.Errorf("the file is damaged: %v", p)
		}
	}()
	for r.left == 0 {
		if r.columns.leaves != nil && len(r.groups) > 0 {
			return r.whole()
		}
		if len(r.groups) == 0 {
			if err := r.Close(); err != nil {
				return nil, err
			}
			return nil, io.EOF
		}
		if err := r.openGroup(); err != nil {
			return nil, err
		}
	}
	if r.values == nil {
		r.values = make([]parquet.Value, batchRows)
	}
	n := int(min(r.left, batchRows))
	b = &Batch{First: r.first, Rows: n, Columns: make([]table.Column, len(r.leaves))}
	for i := range r.leaves {
		values := r.values[:n]
		ended, err := r.cursors[i].fill(values)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", r.leaves[i].Path[0], err)
		}
		b.Columns[i] = decode(r.leaves[i].Node.Type(), values)
		for _, page := range ended {
			parquet.Release(page)
		}
	}
	r.left -= int64(n)
	r.first += int64(n)
	return b, nil
}

// All iterates over the batches that are left to read, and closes the reader.
func (r *BatchReader) All() iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		defer r.Close()
		for {
			b, err := r.Next()
			if err == io.EOF || !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// whole returns the next row group of a table written by Write. Its columns are decoded in their stored form.
func (r *BatchReader) whole() (*Batch, error) {
	group, number := r.groups[0], r.number
	if n := group.NumRows(); n < 0 || n > r.columns.file.NumRows() {
		return nil, errLength
	}
	b := &Batch{First: r.first, Rows: int(group.NumRows()), Columns: make([]table.Column, len(r.leaves))}
	for i, at := range r.leaves {
		var err error
		if b.Columns[i], err = decodeColumn(r.columns.file, number, number+1, at, b.Rows, &r.zeros); err != nil {
			return nil, fmt.Errorf("column %s: %w", at.Path[0], err)
		}
	}
	r.skip(1)
	return b, nil
}

// skip moves past n row groups.
func (r *BatchReader) skip(n int) {
	for _, group := range r.groups[:n] {
		r.first += group.NumRows()
	}
	r.groups, r.number = r.groups[n:], r.number+n
}

// identify writes the stored form of the columns' rows in the file that are not read yet.
func (r *BatchReader) identify(w io.Writer, file io.ReaderAt) error {
	for i := range r.groups {
		group := &r.columns.file.Metadata().RowGroups[r.number+i]
		for _, at := range r.leaves {
			c := &group.Columns[at.ColumnIndex].MetaData
			fmt.Fprintln(w, c.NumValues, c.TotalCompressedSize)
			if _, err := io.Copy(w, io.NewSectionReader(file, startOf(c), c.TotalCompressedSize)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Split returns at most n readers, which may be used concurrently, for consecutive parts of a table that no batch has
// been read from. It returns none for a table that Write did not write.
func (r *BatchReader) Split(n int) (parts []*BatchReader) {
	if r.columns.leaves == nil {
		return nil
	}
	for rest := *r; n > 0; n-- {
		part := rest
		part.groups = rest.groups[:len(rest.groups)/n]
		rest.skip(len(part.groups))
		if len(part.groups) > 0 {
			parts = append(parts, &part)
		}
	}
	return parts
}

// openGroup moves to the next row group.
func (r *BatchReader) openGroup() error {
	if err := r.Close(); err != nil {
		return err
	}
	group := r.groups[0]
	r.groups, r.left = r.groups[1:], group.NumRows()
	for _, at := range r.leaves {
		r.cursors = append(r.cursors, cursor{pages: group.ColumnChunks()[at.ColumnIndex].Pages()})
	}
	return nil
}

// Close closes the reader, which need not have reached the end.
func (r *BatchReader) Close() error {
	var errs []error
	for i := range r.cursors {
		errs = append(errs, r.cursors[i].pages.Close())
	}
	r.cursors = r.cursors[:0]
	return errors.Join(errs...)
}

// cursor is a position in a column.
type cursor struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader // values of the page; nil if the next page must be read first
}

// fill reads as many values as fit. They may refer to the pages in ended, which have been read to their end.
func (c *cursor) fill(values []parquet.Value) (ended []parquet.Page, err error) {
	for n := 0; n < len(values); {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if err == io.EOF {
				return nil, io.ErrUnexpectedEOF
			}
			if err != nil {
				return nil, err
			}
			c.page, c.values = page, page.Values()
		}
		k, err := c.values.ReadValues(values[n:])
		n += k
		if err == io.EOF {
			ended = append(ended, c.page)
			c.page, c.values = nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	return ended, nil
}

// decode converts a column's values to a batch's values.
func decode(t parquet.Type, values []parquet.Value) table.Column {
	var null []bool
	for i := range values {
		if values[i].IsNull() {
			if null == nil {
				null = make([]bool, len(values))
			}
			null[i] = true
		}
	}
	return decodeValues(t, values, null).WithNull(null)
}

func decodeValues(t parquet.Type, values []parquet.Value, null []bool) table.Column {
	if scale, ok := decimalScale(t); ok {
		return table.StringsOf(mapped(values, null, func(v parquet.Value) string { return decimalText(v, scale) }))
	}
	switch t.Kind() {
	case parquet.Boolean:
		return table.BoolsOf(mapped(values, null, parquet.Value.Boolean))
	case parquet.Int32:
		return table.IntsOf(mapped(values, null, func(v parquet.Value) int64 { return int64(v.Int32()) }))
	case parquet.Int64:
		return table.IntsOf(mapped(values, null, parquet.Value.Int64))
	case parquet.Float:
		// The shortest decimal form is the intended value: 0.1 instead of 0.10000000149.
		return table.StringsOf(mapped(values, null, func(v parquet.Value) string {
			return strconv.FormatFloat(float64(v.Float()), 'f', -1, 32)
		}))
	case parquet.Double:
		return table.FloatsOf(mapped(values, null, parquet.Value.Double))
	}
	return table.StringsOf(decodeTexts(values))
}

// mapped applies f to the values. A null becomes zero.
func mapped[V any](values []parquet.Value, null []bool, f func(parquet.Value) V) []V {
	out := make([]V, len(values))
	for i, v := range values {
		if null == nil || !null[i] {
			out[i] = f(v)
		}
	}
	return out
}

// decodeTexts copies texts into one memory block. A null becomes "".
func decodeTexts(values []parquet.Value) []string {
	size := 0
	for i := range values {
		size += len(values[i].ByteArray())
	}
	var all strings.Builder
	all.Grow(size)
	for i := range values {
		all.Write(values[i].ByteArray())
	}
	rest := all.String()
	texts := make([]string, len(values))
	for i := range values {
		n := len(values[i].ByteArray())
		texts[i], rest = rest[:n], rest[n:]
	}
	return texts
}

// decimalScale returns the number of decimal places of a decimal type.
func decimalScale(t parquet.Type) (int, bool) {
	if l := t.LogicalType(); l != nil {
		if d, ok := l.Value.(*format.DecimalType); ok {
			return int(d.Scale), true
		}
	}
	return 0, false
}

// decimalText formats a decimal number stored as an integer multiple of its last digit.
func decimalText(v parquet.Value, scale int) string {
	unscaled := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		unscaled.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		unscaled.SetInt64(v.Int64())
	default: // the bytes are big-endian two's complement
		b := v.ByteArray()
		unscaled.SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return new(big.Rat).SetFrac(unscaled, unit).FloatString(scale)
}
