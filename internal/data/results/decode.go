package results

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

const (
	// mostAhead is the maximum memory allocated in advance for a column's texts, based on an estimate from the first
	// page.
	mostAhead = 64 << 20
	// mostTexts is the maximum number of texts in a column's lists. A damaged file can claim any number.
	mostTexts = 1 << 24
)

var (
	// errMixed reports several encodings in one column, which occur only in foreign files.
	errMixed  = errors.New("the file is damaged: a column is stored in two ways")
	errLength = errors.New("the file is damaged: the column does not have one value per row")
)

// leaf describes the location of a schema's column in a file.
type leaf struct {
	parquet.LeafColumn
	kind    table.Kind
	missing bool // set if an earlier smtpipe wrote the table without the column; the values are empty, 0 or false
}

// leaves returns the locations of a schema's columns in a file. ok is false if a column is not stored as Write stores
// it.
func (s *Schema) leaves(f *parquet.File) (leaves []leaf, ok bool) {
	stored := f.Schema().Columns()
	for _, c := range s.Columns {
		path, level, kind := []string{c.Name}, 0, parquet.ByteArray
		switch c.Kind {
		case table.Strings:
			path, level = append(path, "list", "element"), 1
		case table.Int:
			kind = parquet.Int64
		case table.Float:
			kind = parquet.Double
		case table.Bool:
			kind = parquet.Boolean
		}
		at, found := f.Schema().Lookup(path...)
		other := !found && slices.ContainsFunc(stored, func(path []string) bool { return path[0] == c.Name })
		if other || found && (at.MaxRepetitionLevel != level || at.MaxDefinitionLevel != level ||
			at.Node.Type().Kind() != kind) {
			return nil, false
		}
		leaves = append(leaves, leaf{at, c.Kind, !found})
	}
	return leaves, true
}

// zeros is a slice of zeros that several columns share.
type zeros []int32

// rows returns n zeros.
func (z *zeros) rows(n int) []int32 {
	if len(*z) < n {
		*z = make([]int32, n)
	}
	return (*z)[:n]
}

// decodeColumn decodes a column of the row groups in [from, to), which have n rows in total.
func decodeColumn(f *parquet.File, from, to int, at leaf, n int, z *zeros) (table.Column, error) {
	if at.missing {
		return table.Zeros(at.kind, n), nil
	}
	if one, ok := onlyValue(f.Metadata().RowGroups[from:to], at); ok {
		return one.Same(z.rows(n)), nil
	}
	return decodePages(f, from, to, at, n)
}

// decodePages is like decodeColumn, without trust in the bounds that are stored beside a column.
func decodePages(f *parquet.File, from, to int, at leaf, n int) (table.Column, error) {
	d := decoder{n: n, Builder: table.Builder{Kind: at.kind}}
	for _, group := range f.RowGroups()[from:to] {
		if err := d.readGroup(group.ColumnChunks()[at.ColumnIndex].Pages()); err != nil {
			return table.Column{}, err
		}
	}
	if d.Len() != n {
		return table.Column{}, errLength
	}
	return d.Column()
}

// onlyValue returns the single value of a column in row groups, if the stored bounds prove that all rows have it.
// Bounds of floating-point numbers ignore NaN.
func onlyValue(groups []format.RowGroup, at leaf) (one table.Column, ok bool) {
	var value []byte
	for i := range groups {
		bounds := &groups[i].Columns[at.ColumnIndex].MetaData.Statistics
		least := bounds.MinValue
		if least == nil || !bytes.Equal(least, bounds.MaxValue) || bounds.NullCount > 0 ||
			value != nil && !bytes.Equal(least, value) {
			return one, false
		}
		value = least
	}
	switch {
	case value == nil: // there are no rows
	case at.kind == table.String:
		return table.StringsOf([]string{string(value)}), true
	case at.kind == table.Int && len(value) == 8:
		return table.IntsOf([]int64{int64(binary.LittleEndian.Uint64(value))}), true
	case at.kind == table.Bool && len(value) == 1:
		return table.BoolsOf([]bool{value[0] != 0}), true
	}
	return one, false
}

// CheckBounds returns an error if the stored bounds of a table that Write wrote are false. This package reads a column
// with one value from its bounds; other programs read the values themselves.
func CheckBounds(r io.ReaderAt, size int64) (err error) {
	columns, schema, err := openOurs(r, size)
	if err != nil {
		return err
	}
	defer recoverDamage(&err)
	groups := columns.file.Metadata().RowGroups
	for g := range groups {
		if n := groups[g].NumRows; n < 0 || n > columns.Len() {
			return errLength
		}
		for i, at := range columns.leaves {
			if at.missing {
				continue
			}
			if one, ok := onlyValue(groups[g:g+1], at); ok {
				if err := columns.hasOnly(g, at, one.Text(0)); err != nil {
					return fmt.Errorf("column %s %w", schema.Columns[i].Name, err)
				}
			}
		}
	}
	return nil
}

// hasOnly returns an error unless all rows of a row group have a value.
func (c *Columns) hasOnly(group int, at leaf, value string) error {
	n := int(c.file.Metadata().RowGroups[group].NumRows)
	all, err := decodePages(c.file, group, group+1, at, n)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	for row := range n {
		if (row == 0 || !all.Alike(row, row-1)) && all.Text(row) != value {
			return fmt.Errorf("has the value %q, but the bounds stored beside it say that all are %q", all.Text(row), value)
		}
	}
	return nil
}

// decoder collects the n values of a column.
type decoder struct {
	table.Builder
	n     int
	texts int // number of texts in lists
}

func (d *decoder) readGroup(pages parquet.Pages) (err error) {
	defer func() { err = errors.Join(err, pages.Close()) }()
	var codes []int32 // codes for the words in the row group's dictionary
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			if d.Kind == table.String && page.Dictionary() != nil && codes == nil {
				codes = d.addWords(textsOf(page.Dictionary().Page()))
			}
			if d.Kind == table.Strings {
				err = d.readLists(page.Values())
			} else {
				err = d.readPage(page, codes)
			}
			parquet.Release(page)
		}
		if err != nil {
			return err
		}
	}
}

// addWords returns codes for a row group's words, including those known from earlier groups.
func (d *decoder) addWords(words []string) []int32 {
	codes := make([]int32, len(words))
	first := d.Words.Words == nil
	if first {
		d.Words.Words = words
	}
	for i, word := range words {
		if codes[i] = int32(i); !first {
			codes[i] = d.Words.Code(word)
		}
	}
	return codes
}

// readPage appends a page's values.
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

// readLists appends lists of texts. A value at level 0 begins a list; a null is an empty list.
func (d *decoder) readLists(values parquet.ValueReader) error {
	var some [64]parquet.Value
	for {
		k, err := values.ReadValues(some[:])
		for _, v := range some[:k] {
			if v.RepetitionLevel() == 0 {
				d.Lists = append(d.Lists, []string{})
			}
			n := len(d.Lists)
			if d.texts++; n == 0 || n > d.n || d.texts > mostTexts {
				return errLength
			}
			if !v.IsNull() {
				d.Lists[n-1] = append(d.Lists[n-1], string(v.ByteArray()))
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// textsOf copies a page's texts into one memory block.
func textsOf(page parquet.Page) []string {
	values := page.Data()
	data, offsets := values.ByteArray()
	n := int(page.NumValues())
	if n == 0 {
		return nil
	}
	first := offsets[0]
	all := string(data[first:offsets[n]])
	texts := make([]string, n)
	for i := range texts {
		texts[i] = all[offsets[i]-first : offsets[i+1]-first]
	}
	return texts
}
