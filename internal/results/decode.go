package results

import (
	"errors"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/table"
)

// mostAhead bounds the memory that is allocated in advance for the texts of a column, estimated from its first page.
const mostAhead = 64 << 20

// errMixed is for files from elsewhere: Write gives a column one encoding.
var errMixed = errors.New("the file is damaged: a column is stored in two ways")

// decodeColumn decodes a column of n rows.
func decodeColumn(f *parquet.File, leaf parquet.LeafColumn, kind table.Kind, n int) (table.Column, error) {
	return decodeGroups(f.RowGroups(), leaf, kind, n)
}

// decodeGroups decodes a column of row groups with n rows together.
func decodeGroups(groups []parquet.RowGroup, leaf parquet.LeafColumn, kind table.Kind, n int) (table.Column, error) {
	d := decoder{n: n, Builder: table.Builder{Kind: kind}}
	for _, group := range groups {
		if err := d.readGroup(group.ColumnChunks()[leaf.ColumnIndex].Pages()); err != nil {
			return table.Column{}, err
		}
	}
	if d.Len() != n {
		return table.Column{}, errLength
	}
	return d.Column()
}

// decoder collects the n values of a column.
type decoder struct {
	table.Builder
	n int
}

func (d *decoder) readGroup(pages parquet.Pages) (err error) {
	defer func() { err = errors.Join(err, pages.Close()) }()
	var codes []int32 // of the words of the row group's dictionary
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			if d.Kind == table.String && page.Dictionary() != nil && codes == nil {
				for _, word := range textsOf(page.Dictionary().Page()) {
					codes = append(codes, d.Words.Code(word)) // other row groups may also have it
				}
			}
			err = d.readPage(page, codes)
			parquet.Release(page)
		}
		if err != nil {
			return err
		}
	}
}

// readPage adds the values of a page.
func (d *decoder) readPage(page parquet.Page, codes []int32) error {
	k, left := int(page.NumValues()), d.n-d.Len()
	if k > left {
		return errLength
	}
	data := page.Data()
	switch d.Kind {
	case table.String:
		coded := page.Dictionary() != nil
		if d.Len() > 0 && d.Coded != coded {
			return errMixed
		}
		if d.Coded = coded; !coded {
			if bytes, ends := data.ByteArray(); d.Len() == 0 && k > 0 && !d.Texts.Repeats(bytes, ends) {
				d.Texts.Grow(min(len(bytes)/k*left*9/8, mostAhead), len(ends)/k*left)
			}
			return d.Texts.AppendPacked(data.ByteArray())
		}
		d.Words.Codes = slices.Grow(d.Words.Codes, left)
		for _, code := range data.Int32()[:k] {
			d.Words.Codes = append(d.Words.Codes, codes[code])
		}
	case table.Int:
		d.Ints = append(slices.Grow(d.Ints, left), data.Int64()[:k]...)
	case table.Float:
		d.Floats = append(slices.Grow(d.Floats, left), data.Double()[:k]...)
	default:
		bits := data.Boolean()
		d.Bools = slices.Grow(d.Bools, left)
		for i := range k {
			d.Bools = append(d.Bools, bits[i>>3]>>(i&7)&1 == 1)
		}
	}
	return nil
}
