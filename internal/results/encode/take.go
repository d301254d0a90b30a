package encode

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Take writes a row group of another file of the same form: its bytes are copied, and only what says where they are is
// changed.
func (e *Encoder) Take(file *parquet.File, r io.ReaderAt, i int) {
	if e.err != nil {
		return
	}
	if i < 0 || i >= len(file.Metadata().RowGroups) || len(file.Metadata().RowGroups[i].Columns) != len(e.form.leaves) {
		e.err = errors.New("the table has no such row group")
		return
	}
	g := file.Metadata().RowGroups[i]
	moved := e.offset - g.FileOffset
	from := g.FileOffset
	g.FileOffset, g.Ordinal, g.SortingColumns = e.offset, int16(len(e.groups)), []format.SortingColumn{}
	g.Columns = slices.Clone(g.Columns)
	index := make([]chunkIndex, len(g.Columns))
	for j := range g.Columns {
		c := &g.Columns[j]
		e.read(r, c.ColumnIndexOffset, c.ColumnIndexLength, &index[j].bounds)
		e.read(r, c.OffsetIndexOffset, c.OffsetIndexLength, &index[j].offsets)
		for k := range index[j].offsets.PageLocations {
			index[j].offsets.PageLocations[k].Offset += moved
		}
		if c.MetaData.DataPageOffset += moved; c.MetaData.DictionaryPageOffset > 0 {
			c.MetaData.DictionaryPageOffset += moved
		}
	}
	if e.err == nil {
		_, e.err = io.Copy(e.w, io.NewSectionReader(r, from, g.TotalCompressedSize))
		e.offset += g.TotalCompressedSize
	}
	e.groups, e.pages = append(e.groups, g), append(e.pages, index)
}

// read reads a structure of the format.
func (e *Encoder) read(r io.ReaderAt, offset int64, length int32, v any) {
	if e.err != nil {
		return
	}
	var b bytes.Buffer
	if _, e.err = io.Copy(&b, io.NewSectionReader(r, offset, int64(length))); e.err == nil {
		e.err = thrift.Unmarshal(new(thrift.CompactProtocol), b.Bytes(), v)
	}
}
