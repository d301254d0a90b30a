package table

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
)

// Dictionary is a growing column with few different texts: the text of row i is Words[Codes[i]].
type Dictionary struct {
	Words []string // distinct texts
	Codes []int32  // index of each row's text in Words
	codes map[string]int32
	last  int32 // code of the text that Code was last asked for
}

// Len returns the number of rows.
func (d *Dictionary) Len() int { return len(d.Codes) }

// At returns a row's text.
func (d *Dictionary) At(i int) string { return d.Words[d.Codes[i]] }

// Strings returns all texts, by row.
func (d *Dictionary) Strings() []string {
	all := make([]string, len(d.Codes))
	for i, k := range d.Codes {
		all[i] = d.Words[k]
	}
	return all
}

// Column returns the column. The caller must not append to the dictionary afterwards.
func (d *Dictionary) Column() Column {
	d.codes = nil
	if d.Codes == nil {
		d.Codes = []int32{}
	}
	return Coded(d.Words, d.Codes)
}

// Has reports whether Code was called with a text.
func (d *Dictionary) Has(text string) bool {
	_, ok := d.codes[text]
	return ok
}

// Code returns a text's code, adding a copy of the text to the words if it is new.
func (d *Dictionary) Code(text string) int32 {
	if int(d.last) < len(d.Words) && d.Words[d.last] == text { // equal texts are usually adjacent
		return d.last
	}
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
	d.last = k
	return k
}

// Append adds a row.
func (d *Dictionary) Append(text string) { d.Codes = append(Grow(d.Codes, 1), d.Code(text)) }

// Texts builds a column with many different texts.
type Texts struct {
	data strings.Builder
	ends []uint32
	rows []int32 // number of each row's text; nil if each row has its own text
}

// Len returns the number of rows.
func (t *Texts) Len() int {
	if t.rows != nil {
		return len(t.rows)
	}
	return max(len(t.ends)-1, 0)
}

// Append adds a copy of a text to a column in which texts are not shared between rows.
func (t *Texts) Append(text string) {
	t.data.WriteString(text)
	t.end(t.data.Len())
}

// appendRepeated adds a copy of a text unless it equals the previous one.
func (t *Texts) appendRepeated(text []byte) {
	n := int32(len(t.ends) - 1) // number of texts so far
	if n < 1 || t.data.String()[t.ends[n-1]:] != string(text) {
		n = max(n, 0) + 1
		t.data.Write(text)
		t.end(t.data.Len())
	}
	t.rows = append(Grow(t.rows, 1), n-1)
}

// Repeats inspects the first texts, data[offsets[i]:offsets[i+1]]. If most of them equal their predecessors, adjacent
// equal texts are stored once from then on.
func (t *Texts) Repeats(data []byte, offsets []uint32) bool {
	same := 0
	for i := range max(len(offsets)-2, 0) {
		a, b, c := offsets[i], offsets[i+1], offsets[i+2]
		if a <= b && b <= c && bytes.Equal(data[a:b], data[b:c]) {
			same++
		}
	}
	if 2*same > len(offsets) {
		t.rows = []int32{}
	}
	return t.rows != nil
}

// AppendPacked adds the texts data[offsets[i]:offsets[i+1]].
func (t *Texts) AppendPacked(data []byte, offsets []uint32) error {
	if len(offsets) == 0 {
		return nil
	}
	if t.rows != nil {
		for i, end := range offsets[1:] {
			if end < offsets[i] {
				return errNegative
			}
			t.appendRepeated(data[offsets[i]:end])
		}
		return nil
	}
	first, base := offsets[0], t.data.Len()
	t.data.Grow(int(offsets[len(offsets)-1] - first))
	t.ends = Grow(t.ends, len(offsets))
	t.data.Write(data[first:offsets[len(offsets)-1]])
	for i, end := range offsets[1:] {
		if end < offsets[i] {
			return errNegative
		}
		t.end(base + int(end-first))
	}
	return nil
}

var errNegative = errors.New("the file is damaged: a text has a negative length")

// Grow makes room for texts of the given total size.
func (t *Texts) Grow(bytes, texts int) {
	t.data.Grow(bytes)
	t.ends = slices.Grow(t.ends, texts)
}

func (t *Texts) end(at int) {
	if len(t.ends) == 0 {
		t.ends = append(t.ends, 0)
	}
	t.ends = append(Grow(t.ends, 1), uint32(at))
}

// Column returns the column. It returns an error if the texts exceed 4 GB.
func (t *Texts) Column() (Column, error) {
	if t.data.Len() > math.MaxUint32 {
		return Column{}, errors.New("a column has more than 4 GB of text")
	}
	return Column{values: &values{kind: String, data: t.data.String(), ends: t.ends}, rows: t.rows}, nil
}

// Builder builds a column from values, each appended to the part for its kind.
type Builder struct {
	Kind   Kind
	Coded  bool // texts go to Words instead of Texts
	Words  Dictionary
	Texts  Texts
	Ints   []int64
	Floats []float64
	Bools  []bool
	Lists  [][]string
}

// Len returns the number of rows so far.
func (b *Builder) Len() int {
	return max(b.Words.Len(), b.Texts.Len(), len(b.Ints), len(b.Floats), len(b.Bools), len(b.Lists))
}

// Column returns the column. The builder must not be used again.
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
	case b.Kind == Strings:
		return ListsOf(b.Lists), nil
	}
	return BoolsOf(b.Bools), nil
}
