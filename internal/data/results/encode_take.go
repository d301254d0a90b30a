package results

import (
	"bytes"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Take writes a row group from another file of the same form. It copies the bytes and adjusts only the offsets in them.
func (e *encoder) Take(file *parquet.File, r io.ReaderAt, i int) {
	if e.err != nil {
		return
	}
	if i < 0 || i >= len(file.Metadata().RowGroups) || len(file.Metadata().RowGroups[i].Columns) != len(e.form.leaves) {
		e.err = errors.New("the table has no such row group")
		return
	}
	g := file.Metadata().RowGroups[i]
	e.rows(int(g.NumRows), func(j int) (format.ColumnMetaData, chunkIndex) { return e.take(&g.Columns[j], r) })
}

// Mix writes the rows in [from, to) as one row group. It copies lists, and columns without values, from a row group of
// another file.
func (e *encoder) Mix(file *parquet.File, r io.ReaderAt, i int, columns []table.Column, from, to int) {
	g := file.Metadata().RowGroups[i]
	e.rows(to-from, func(j int) (format.ColumnMetaData, chunkIndex) {
		if k := columns[j].Kind(); k == 0 || k == table.Strings {
			return e.take(&g.Columns[j], r)
		}
		return e.chunk(j).write(&columns[j], from, to)
	})
}

// take copies a column from another file's row group.
func (e *encoder) take(c *format.ColumnChunk, r io.ReaderAt) (format.ColumnMetaData, chunkIndex) {
	var index chunkIndex
	e.read(r, c.ColumnIndexOffset, c.ColumnIndexLength, &index.bounds)
	e.read(r, c.OffsetIndexOffset, c.OffsetIndexLength, &index.offsets)
	meta := c.MetaData
	from := startOf(&meta)
	if meta.DictionaryPageOffset > 0 {
		meta.DictionaryPageOffset += e.offset - from
	}
	meta.DataPageOffset += e.offset - from
	for k := range index.offsets.PageLocations {
		index.offsets.PageLocations[k].Offset += e.offset - from
	}
	if e.err == nil {
		_, e.err = io.Copy(e.w, io.NewSectionReader(r, from, meta.TotalCompressedSize))
		e.offset += meta.TotalCompressedSize
	}
	return meta, index
}

// startOf returns the offset of a column's first page in its row group.
func startOf(c *format.ColumnMetaData) int64 {
	if c.DictionaryPageOffset > 0 {
		return c.DictionaryPageOffset
	}
	return c.DataPageOffset
}

// read reads a Thrift structure of the file format.
func (e *encoder) read(r io.ReaderAt, offset int64, length int32, v any) {
	if e.err != nil {
		return
	}
	var b bytes.Buffer
	if _, e.err = io.Copy(&b, io.NewSectionReader(r, offset, int64(length))); e.err == nil {
		e.err = thrift.Unmarshal(new(thrift.CompactProtocol), b.Bytes(), v)
	}
}
