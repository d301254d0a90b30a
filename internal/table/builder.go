package table

import (
	"errors"
	"math"
	"slices"
	"strings"
)

// Dictionary is a column of few different texts: that of row i is Words[Codes[i]]. It can grow.
type Dictionary struct {
	Words []string // each once
	Codes []int32  // by row
	codes map[string]int32
}

// Len returns the number of rows.
func (d *Dictionary) Len() int { return len(d.Codes) }

// At returns the text of a row.
func (d *Dictionary) At(i int) string { return d.Words[d.Codes[i]] }

// Strings returns the texts by row.
func (d *Dictionary) Strings() []string {
	all := make([]string, len(d.Codes))
	for i, k := range d.Codes {
		all[i] = d.Words[k]
	}
	return all
}

// Column returns the column. The dictionary does not grow afterwards.
func (d *Dictionary) Column() Column {
	if d.Codes == nil {
		d.Codes = []int32{}
	}
	return Coded(d.Words, d.Codes)
}

// Code returns the code of a text. A copy of it is added to the words if it is not among them.
func (d *Dictionary) Code(text string) int32 {
	if d.codes == nil {
		d.codes = make(map[string]int32, len(d.Words))
		for i, w := range d.Words {
			d.codes[w] = int32(i)
		}
	}
	k, known := d.codes[text]
	if !known {
		k, text = int32(len(d.Words)), strings.Clone(text)
		d.codes[text], d.Words = k, append(d.Words, text)
	}
	return k
}

// Append adds a row.
func (d *Dictionary) Append(text string) {
	k := int32(-1)
	if n := len(d.Codes); n > 0 && d.At(n-1) == text { // equal texts mostly follow each other
		k = d.Codes[n-1]
	} else {
		k = d.Code(text)
	}
	d.Codes = append(Grow(d.Codes, 1), k)
}

// Texts collects a column of many different texts.
type Texts struct {
	data strings.Builder
	ends []uint32
}

// Len returns the number of rows.
func (t *Texts) Len() int { return max(len(t.ends)-1, 0) }

// Append adds a copy of a text.
func (t *Texts) Append(text string) {
	t.room(len(text))
	t.data.WriteString(text)
	t.end(t.data.Len())
}

// AppendPacked adds the texts data[offsets[i]:offsets[i+1]].
func (t *Texts) AppendPacked(data []byte, offsets []uint32) error {
	if len(offsets) == 0 {
		return nil
	}
	first, base := offsets[0], t.data.Len()
	t.room(int(offsets[len(offsets)-1] - first))
	t.ends = Grow(t.ends, len(offsets))
	t.data.Write(data[first:offsets[len(offsets)-1]])
	for i, end := range offsets[1:] {
		if end < offsets[i] {
			return errors.New("the file is damaged: a text has a negative length")
		}
		t.end(base + int(end-first))
	}
	return nil
}

// Grow makes room for texts of so many bytes together.
func (t *Texts) Grow(bytes, texts int) {
	t.data.Grow(bytes)
	t.ends = slices.Grow(t.ends, texts)
}

// room makes room for more bytes, for as many as there are if there is none.
func (t *Texts) room(more int) {
	if t.data.Cap()-t.data.Len() < more {
		t.data.Grow(max(more, t.data.Cap()))
	}
}

func (t *Texts) end(at int) {
	if len(t.ends) == 0 {
		t.ends = append(t.ends, 0)
	}
	t.ends = append(Grow(t.ends, 1), uint32(at))
}

// Column returns the column. Texts of more than 4 GB are an error.
func (t *Texts) Column() (Column, error) {
	if t.data.Len() > math.MaxUint32 {
		return Column{}, errors.New("a column has more than 4 GB of text")
	}
	return Column{values: &values{kind: String, data: t.data.String(), ends: t.ends}}, nil
}

// Builder makes a column of values that are appended to the part for its kind.
type Builder struct {
	Kind   Kind
	Coded  bool // the texts go into Words, and else into Texts
	Words  Dictionary
	Texts  Texts
	Ints   []int64
	Floats []float64
	Bools  []bool
}

// Len returns the number of rows so far.
func (b *Builder) Len() int {
	return max(b.Words.Len(), b.Texts.Len(), len(b.Ints), len(b.Floats), len(b.Bools))
}

// Column returns the column. The builder is not used again.
func (b *Builder) Column() (Column, error) {
	switch {
	case b.Kind == String && b.Coded:
		return b.Words.Column(), nil
	case b.Kind == String:
		return b.Texts.Column()
	case b.Kind == Int:
		return IntsOf(b.Ints), nil
	case b.Kind == Float:
		return FloatsOf(b.Floats), nil
	}
	return BoolsOf(b.Bools), nil
}
