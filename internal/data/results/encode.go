package results

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

const (
	// rowsPerGroup is the maximum number of rows in a row group.
	rowsPerGroup = 1 << 20
	// rowsPerCheck is the number of rows after which the library checks whether a page is full.
	rowsPerCheck = 64
	// pageSize is the memory size of values at which a page is full: 98 % of 256 kB.
	pageSize = (256 << 10) * 98 / 100
	// indexLimit is the length to which the library truncates texts in the page index.
	indexLimit = 16
)

// codec compresses the pages of all tables. It reuses its large encoders.
var codec = &zstd.Codec{Level: zstd.SpeedFastest}

// form holds the common parts of all tables of a schema, taken from a file that the Parquet library wrote. It writes
// tables column by column. On every processor, it writes the same bytes as the library does with AVX2 for the same
// rows. The library takes rows, looks up every text in the dictionary, and computes each page's bounds. When most rows
// are copied unchanged from one table to the next, much of that information is already known. Columns with nulls or
// with several values per row can only be copied from a file.
type form struct {
	meta   format.FileMetaData
	leaves []parquet.LeafColumn
}

// Begin starts a file.
func (f *form) Begin(w io.Writer) *encoder {
	e := &encoder{w: bufio.NewWriterSize(w, 32<<10), form: f}
	e.write([]byte("PAR1"))
	return e
}

// Group writes the rows in [from, to) as one row group, or as several if they exceed the maximum.
func (e *encoder) Group(columns []table.Column, from, to int) {
	for from < to && e.err == nil {
		end := min(from+rowsPerGroup, to)
		e.rows(end-from, func(i int) (format.ColumnMetaData, chunkIndex) {
			return e.chunk(i).write(&columns[i], from, end)
		})
		from = end
	}
}

// Len returns the number of row groups written so far.
func (e *encoder) Len() int { return len(e.groups) }

// End writes the end of the file and returns the first error.
func (e *encoder) End() error {
	e.footer()
	if e.err != nil {
		return e.err
	}
	return e.w.Flush()
}

// encoder writes one file. err is the first error.
type encoder struct {
	w      *bufio.Writer
	offset int64
	err    error
	form   *form
	groups []format.RowGroup
	pages  [][]chunkIndex // page indexes by row group and column

	codes          []int32 // codes of words, by row
	plain, packed  []byte  // a page before and after compression
	packedOf       []byte  // the content from which packed was compressed
	strings        []string
	prefix, suffix []int32
}

// chunkIndex is the page index of one column in one row group.
type chunkIndex struct {
	bounds  format.ColumnIndex
	offsets format.OffsetIndex
}

func (e *encoder) write(b []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(b)
		e.offset += int64(len(b))
	}
}

// thrift writes a Thrift structure of the file format.
func (e *encoder) thrift(v any) (size int) {
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil && e.err == nil {
		e.err = err
	}
	e.write(b)
	return len(b)
}

// rows writes n rows as a row group, calling column to write each column.
func (e *encoder) rows(n int, column func(i int) (format.ColumnMetaData, chunkIndex)) {
	g := format.RowGroup{NumRows: int64(n), FileOffset: e.offset, Ordinal: int16(len(e.groups)),
		SortingColumns: []format.SortingColumn{}} // the library writes an empty list, which differs from nil
	index := make([]chunkIndex, len(e.form.meta.RowGroups[0].Columns))
	for i := range index {
		var meta format.ColumnMetaData
		meta, index[i] = column(i)
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: meta})
		g.TotalByteSize += meta.TotalUncompressedSize
		g.TotalCompressedSize += meta.TotalCompressedSize
	}
	e.groups, e.pages = append(e.groups, g), append(e.pages, index)
}

// footer writes the page indexes and the metadata.
func (e *encoder) footer() {
	for i, index := range e.pages {
		for j := range index {
			m := &e.groups[i].Columns[j]
			m.ColumnIndexOffset = e.offset
			m.ColumnIndexLength = int32(e.thrift(&index[j].bounds))
		}
	}
	for i, index := range e.pages {
		for j := range index {
			m := &e.groups[i].Columns[j]
			m.OffsetIndexOffset = e.offset
			m.OffsetIndexLength = int32(e.thrift(&index[j].offsets))
		}
	}
	meta := e.form.meta
	meta.NumRows, meta.RowGroups = 0, e.groups
	for i := range e.groups {
		meta.NumRows += e.groups[i].NumRows
	}
	size := e.thrift(&meta)
	e.write(append(binary.LittleEndian.AppendUint32(nil, uint32(size)), "PAR1"...))
}

// chunk is a column of the current row group.
type chunk struct {
	*encoder
	leaf    parquet.LeafColumn
	meta    format.ColumnMetaData
	index   parquet.ColumnIndexer
	offsets format.OffsetIndex
	rows    int64 // rows in the pages written so far
}

// chunk starts writing a column.
func (e *encoder) chunk(i int) *chunk {
	m := &e.form.meta.RowGroups[0].Columns[i].MetaData
	leaf := e.form.leaves[i]
	return &chunk{encoder: e, leaf: leaf, index: leaf.Node.Type().NewColumnIndexer(indexLimit),
		meta: format.ColumnMetaData{Type: m.Type, Encoding: m.Encoding, PathInSchema: m.PathInSchema, Codec: m.Codec}}
}

// encoding returns the encoding of values in the data pages.
func (c *chunk) encoding() format.Encoding {
	stats := c.form.meta.RowGroups[0].Columns[c.leaf.ColumnIndex].MetaData.EncodingStats
	return stats[len(stats)-1].Encoding // the dictionary page comes first
}

// write writes a column's rows and returns the chunk's metadata and page index.
func (c *chunk) write(v *table.Column, from, to int) (format.ColumnMetaData, chunkIndex) {
	c.column(v, from, to)
	return c.meta, chunkIndex{bounds: c.index.ColumnIndex(), offsets: c.offsets}
}

// column writes a column's rows.
func (c *chunk) column(v *table.Column, from, to int) {
	switch v.Kind() {
	case table.String:
		if c.encoding() == format.RLEDictionary {
			c.words(v, from, to)
		} else {
			c.texts(v, from, to)
		}
	case table.Int:
		c.eachPage(from, to, pageRows(8), func(from, to int) { c.ints(v, from, to) })
	case table.Float:
		c.eachPage(from, to, pageRows(8), func(from, to int) { c.floats(v, from, to) })
	case table.Bool:
		c.eachPage(from, to, rowsPerGroup, func(from, to int) { c.bools(v, from, to) })
	}
}

// pageRows returns the number of rows per page for values of this size.
func pageRows(size int) int {
	rows := (pageSize + size - 1) / size
	return (rows + rowsPerCheck - 1) / rowsPerCheck * rowsPerCheck
}

func (c *chunk) eachPage(from, to, rows int, page func(from, to int)) {
	for ; from < to && c.err == nil; from += rows {
		page(from, min(from+rows, to))
	}
}

// page writes the page in c.plain with the given number of rows.
func (c *chunk) page(rows int, least, most parquet.Value) {
	header := format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
		NumValues: int32(rows), NumRows: int32(rows), Encoding: c.encoding(), IsCompressed: thrift.New(true),
	})}
	c.bound(least, most)
	c.index.IndexPage(int64(rows), 0, least, most)
	at := c.offset
	size := c.put(&header)
	c.offsets.PageLocations = append(c.offsets.PageLocations, format.PageLocation{Offset: at, CompressedPageSize: size,
		FirstRowIndex: c.rows})
	if c.rows == 0 {
		c.meta.DataPageOffset = at
	}
	c.meta.NumValues += int64(rows)
	c.rows += int64(rows)
	c.count(format.DataPageV2, c.encoding())
}

// put compresses c.plain and writes it after its header. It returns the number of bytes written.
func (c *chunk) put(header *format.PageHeader) int32 {
	if len(c.packed) == 0 || !bytes.Equal(c.plain, c.packedOf) { // consecutive pages often contain only zeros
		var err error
		if c.packed, err = codec.Encode(c.packed[:0], c.plain); err != nil && c.err == nil {
			c.err = err
		}
		c.plain, c.packedOf = c.packedOf, c.plain
	}
	header.UncompressedPageSize, header.CompressedPageSize = int32(len(c.packedOf)), int32(len(c.packed))
	header.CRC = int32(crc32.ChecksumIEEE(c.packed))
	size := c.thrift(header)
	c.encoder.write(c.packed)
	c.meta.TotalUncompressedSize += int64(size + len(c.packedOf))
	c.meta.TotalCompressedSize += int64(size + len(c.packed))
	return int32(size + len(c.packed))
}

// count counts a page by its kind. The library lists dictionaries first because it writes them first.
func (c *chunk) count(page format.PageType, encoding format.Encoding) {
	stats := c.meta.EncodingStats
	if n := len(stats); n > 0 && stats[n-1].PageType == page {
		stats[n-1].Count++
		return
	}
	c.meta.EncodingStats = append(stats, format.PageEncodingStats{PageType: page, Encoding: encoding, Count: 1})
}

// bound extends the chunk's bounds.
func (c *chunk) bound(least, most parquet.Value) {
	s, t := &c.meta.Statistics, c.leaf.Node.Type()
	if first := c.rows == 0; first || t.Compare(least, t.Kind().Value(s.MinValue)) < 0 {
		s.MinValue = least.AppendBytes([]byte{})
	}
	if first := c.rows == 0; first || t.Compare(most, t.Kind().Value(s.MaxValue)) > 0 {
		s.MaxValue = most.AppendBytes([]byte{})
	}
}

func (c *chunk) ints(v *table.Column, from, to int) {
	least, most := v.IntAt(from), v.IntAt(from)
	c.plain = c.plain[:0]
	for i := from; i < to; i++ {
		x := v.IntAt(i)
		least, most = min(least, x), max(most, x)
		c.plain = binary.LittleEndian.AppendUint64(c.plain, uint64(x))
	}
	c.page(to-from, parquet.Int64Value(least), parquet.Int64Value(most))
}

func (c *chunk) floats(v *table.Column, from, to int) {
	values := make([]float64, to-from)
	for i := range values {
		values[i] = v.FloatAt(from + i)
	}
	t := c.leaf.Node.Type()
	page := t.NewPage(c.leaf.ColumnIndex, len(values), encoding.DoubleValues(values))
	c.plain, c.err = t.Encode(c.plain[:0], page.Data(), &parquet.Plain)
	least, most, _ := page.Bounds() // Bounds handles NaN
	c.page(to-from, least, most)
}

func (c *chunk) bools(v *table.Column, from, to int) {
	c.plain = append(c.plain[:0], make([]byte, (to-from+7)/8)...)
	some, all := false, true
	for i := range to - from {
		if v.BoolAt(from + i) {
			c.plain[i>>3] |= 1 << (i & 7)
			some = true
		} else {
			all = false
		}
	}
	c.page(to-from, parquet.BooleanValue(all), parquet.BooleanValue(some))
}
