package results

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Vector is one column of a number of rows in memory. Vectors of the same stored column share its values, so that the rows that
// a table keeps of another one cost four bytes each, whatever the columns are.
type Vector struct {
	*values
	rows      []int32 // the value of each row; nil: they are the rows
	ascending bool    // the column is a key by itself, and each value is greater than the one before
	memo      *memo   // of these rows; nil: of none
}

// values are the values of a column. There is no pointer to each of them, since the garbage collector would follow it.
type values struct {
	kind Kind

	// Texts are words[at[i]], or data[ends[i]:ends[i+1]] if at is nil. No word occurs twice.
	words []string
	at    []int32
	data  string
	ends  []uint32

	ints   []int64
	floats []float64
	bools  []bool
}

// Len is the number of rows.
func (v *Vector) Len() int {
	if v.rows != nil {
		return len(v.rows)
	}
	return v.len()
}

func (v *values) len() int {
	switch v.kind {
	case String:
		if v.at != nil {
			return len(v.at)
		}
		return max(len(v.ends)-1, 0)
	case Int:
		return len(v.ints)
	case Float:
		return len(v.floats)
	}
	return len(v.bools)
}

// text is the value i of a column of texts. It shares the memory of the column.
func (v *values) text(i int32) string {
	if v.at != nil {
		return v.words[v.at[i]]
	}
	return v.data[v.ends[i]:v.ends[i+1]]
}

// row is the number of the value of row i.
func (v *Vector) row(i int) int32 {
	if v.rows != nil {
		return v.rows[i]
	}
	return int32(i)
}

// TextsOf makes a column of few different texts, each of which words has once: row i has words[at[i]].
func TextsOf(words []string, at []int32) Vector {
	return Vector{values: &values{kind: String, words: words, at: at}}
}

// SameText makes a column of n equal texts.
func SameText(text string, n int) Vector { return TextsOf([]string{text}, make([]int32, n)) }

// IntsOf makes a column of whole numbers.
func IntsOf(ints []int64) Vector { return Vector{values: &values{kind: Int, ints: ints}} }

// BoolsOf makes a column of truth values.
func BoolsOf(bools []bool) Vector { return Vector{values: &values{kind: Bool, bools: bools}} }

// Where gives those rows of a column; rows are ascending numbers.
func (v Vector) Where(rows []int32) Vector {
	if v.rows != nil {
		rows = gather(v.rows, rows)
	}
	v.rows, v.memo = rows, nil
	return v
}

// gather gives the values of these rows; nil: of all.
func gather[T any](values []T, rows []int32) []T {
	if rows == nil {
		return values
	}
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = values[r]
	}
	return out
}

// Few tells whether the column is one of texts of which there are few different ones, as their number is known.
func (v *Vector) Few() bool { return v.kind == String && v.at != nil }

// Words gives a column of texts as a list of different texts and the place of each row's there. Not each of the texts need occur.
func (v *Vector) Words() (words []string, at []int32) {
	if v.at != nil {
		return v.words, gather(v.at, v.rows)
	}
	words, at = v.code()
	return words, at
}

// code numbers the texts of a column by their first occurrence.
func (v *Vector) code() (words []string, at []int32) {
	at = make([]int32, v.Len())
	number := map[string]int32{}
	last, lastAt := "", int32(-1)
	for i := range at {
		text := v.text(v.row(i))
		if lastAt < 0 || text != last { // equal texts mostly follow each other
			k, known := number[text]
			if !known {
				k = int32(len(words))
				number[text], words = k, append(words, text)
			}
			last, lastAt = text, k
		}
		at[i] = lastAt
	}
	return words, at
}

// Strings gives the values of a column of texts.
func (v *Vector) Strings() []string {
	out := make([]string, v.Len())
	for i := range out {
		out[i] = v.text(v.row(i))
	}
	return out
}

// Texts collects a column of many different texts.
type Texts struct {
	data strings.Builder
	ends []uint32
}

// Append adds a text.
func (t *Texts) Append(text string) {
	if len(t.ends) == 0 {
		t.ends = append(t.ends, 0)
	}
	if t.data.Cap()-t.data.Len() < len(text) {
		t.data.Grow(max(len(text), t.data.Cap()))
	}
	t.data.WriteString(text)
	t.ends = append(double(t.ends, 1), uint32(t.data.Len()))
}

// double makes room for more values. If there is none it doubles what there is: append adds a quarter to what is large, and then
// most of the time would go into copying.
func double[T any](values []T, more int) []T {
	if len(values)+more > cap(values) {
		return slices.Grow(values, max(more, cap(values)))
	}
	return values
}

// Vector gives the column. Texts of more than 4 GB are an error.
func (t *Texts) Vector() (Vector, error) {
	if t.data.Len() > math.MaxUint32 {
		return Vector{}, errTooLong
	}
	return Vector{values: &values{kind: String, data: t.data.String(), ends: t.ends}}, nil
}

// Words collects a column of few different texts.
type Words struct {
	words  []string
	at     []int32
	number map[string]int32
}

// Append adds a text, of which a copy is kept when it occurs for the first time.
func (w *Words) Append(text string) {
	if n := len(w.at); n > 0 {
		if last := w.at[n-1]; w.words[last] == text {
			w.at = append(double(w.at, 1), last)
			return
		}
	}
	k, known := w.number[text]
	if !known {
		if w.number == nil {
			w.number = map[string]int32{}
		}
		k = int32(len(w.words))
		text = string([]byte(text))
		w.number[text], w.words = k, append(w.words, text)
	}
	w.at = append(double(w.at, 1), k)
}

// Vector gives the column.
func (w *Words) Vector() Vector { return TextsOf(w.words, w.at) }

var errTooLong = errors.New("a column has more than 4 GB of text")

// readValues decodes a column of n rows.
func readValues(f *parquet.File, leaf parquet.LeafColumn, kind Kind, n int) (*values, error) {
	v := &values{kind: kind}
	var text strings.Builder
	for _, group := range f.RowGroups() {
		if err := v.readGroup(&text, group.ColumnChunks()[leaf.ColumnIndex].Pages(), n); err != nil {
			return nil, err
		}
	}
	if v.len() != n {
		return nil, errLength
	}
	v.data = text.String()
	return v, nil
}

func (v *values) readGroup(text *strings.Builder, pages parquet.Pages, n int) (err error) {
	defer func() { err = errors.Join(err, pages.Close()) }()
	var numbers []int32 // of the words of the row group's dictionary
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			if v.kind == String && page.Dictionary() != nil && numbers == nil {
				numbers = v.learn(textsOf(page.Dictionary().Page()))
			}
			err = v.readPage(text, page, numbers, n)
			parquet.Release(page)
		}
		if err != nil {
			return err
		}
	}
}

// learn gives the numbers of words, which are added if they are new: other row groups may have them too.
func (v *values) learn(words []string) []int32 {
	known := make(map[string]int32, len(v.words)+len(words))
	for i, w := range v.words {
		known[w] = int32(i)
	}
	numbers := make([]int32, len(words))
	for i, w := range words {
		k, ok := known[w]
		if !ok {
			k = int32(len(v.words))
			known[w], v.words = k, append(v.words, w)
		}
		numbers[i] = k
	}
	return numbers
}

// readPage adds the values of a page, of a column of n rows; those of many texts to text.
func (v *values) readPage(text *strings.Builder, page parquet.Page, numbers []int32, n int) error {
	k := int(page.NumValues())
	if v.len()+k > n {
		return errLength
	}
	data := page.Data()
	switch v.kind {
	case String:
		if page.Dictionary() == nil {
			values, offsets := data.ByteArray()
			return v.readTexts(text, values, offsets)
		}
		if v.ends != nil {
			return errMixed
		}
		if v.at == nil {
			v.at = make([]int32, 0, n)
		}
		for _, number := range data.Int32()[:k] {
			v.at = append(v.at, numbers[number])
		}
	case Int:
		v.ints = append(slices.Grow(v.ints, n-len(v.ints)), data.Int64()[:k]...)
	case Float:
		v.floats = append(slices.Grow(v.floats, n-len(v.floats)), data.Double()[:k]...)
	default:
		bits := data.Boolean()
		v.bools = slices.Grow(v.bools, n-len(v.bools))
		for i := range k {
			v.bools = append(v.bools, bits[i>>3]>>(i&7)&1 == 1)
		}
	}
	return nil
}

// errMixed is about files that we did not write: Write gives a column one encoding.
var errMixed = errors.New("the file is damaged: a column is stored in two ways")

func (v *values) readTexts(text *strings.Builder, data []byte, offsets []uint32) error {
	if v.at != nil {
		return errMixed
	}
	if len(offsets) == 0 {
		return nil
	}
	if v.ends == nil {
		v.ends = append(v.ends, 0)
	}
	first, base := offsets[0], uint32(text.Len())
	if text.Write(data[first:offsets[len(offsets)-1]]); text.Len() > math.MaxUint32 {
		return errTooLong
	}
	for i, end := range offsets[1:] {
		if end < offsets[i] {
			return errLength
		}
		v.ends = append(v.ends, base+end-first)
	}
	return nil
}
