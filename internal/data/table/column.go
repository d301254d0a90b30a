// Package table holds columns in memory: their values, dictionaries of texts that repeat, and the frames of columns
// that row expressions are evaluated over. It knows no files, no schemas and no expressions.
package table

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of the values of a column.
type Kind uint8

// The kinds of columns.
const (
	String Kind = iota + 1
	Int
	Float
	Bool
	Strings // lists of texts
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{"", "string", "integer", "number", "boolean", "array of strings"}[k]
}

// Table has columns of one length by name.
type Table interface {
	// Len returns the number of rows.
	Len() int
	// Column returns a column. It fails if no column has that name, or if it cannot be read.
	Column(name string) (Column, error)
}

// Column is one column of a number of rows. It does not change. Columns may share their values, so that rows kept from
// another table cost four bytes each, whatever the columns are. The zero Column has no values.
type Column struct {
	*values
	rows []int32          // the value of each row; nil: row i has value i
	null []bool           // by row; nil: none is null
	wide map[int]*big.Int // by row: whole numbers beyond int64, in a frame

	// Ascending means that each value is greater than the one before.
	Ascending bool
}

// values are the values of a column. A large table has no pointer to each text, since the garbage collector would have
// to follow it.
type values struct {
	kind Kind

	// Texts are words[codes[i]] if codes is not nil, texts[i] if texts is not nil, and otherwise
	// data[ends[i]:ends[i+1]]. No word occurs twice.
	words []string
	codes []int32
	texts []string
	data  string
	ends  []uint32

	ints   []int64
	floats []float64
	bools  []bool
	lists  [][]string
}

// StringsOf returns a column of texts.
func StringsOf(texts []string) Column { return Column{values: &values{kind: String, texts: texts}} }

// Coded returns a column of few different texts, without repetitions in words: row i has words[codes[i]].
func Coded(words []string, codes []int32) Column {
	return Column{values: &values{kind: String, words: words, codes: codes}}
}

// Same returns the column of the first value of c, which is not a list, in each of len(zeros) rows. zeros contains only
// zeros, and such columns can share it.
func (c Column) Same(zeros []int32) Column {
	switch c.kind {
	case String:
		return Coded([]string{c.StringAt(0)}, zeros)
	case Int:
		c.values = &values{kind: Int, ints: []int64{c.IntAt(0)}}
	case Float:
		c.values = &values{kind: Float, floats: []float64{c.FloatAt(0)}}
	default:
		c.values = &values{kind: c.kind, bools: []bool{c.BoolAt(0)}}
	}
	return Column{values: c.values, rows: zeros}
}

// Zeros returns a column of n rows whose values are empty, 0 or false.
func Zeros(k Kind, n int) Column {
	one := BoolsOf([]bool{false})
	switch k {
	case String:
		one = StringsOf([]string{""})
	case Int:
		one = IntsOf([]int64{0})
	case Float:
		one = FloatsOf([]float64{0})
	case Strings:
		return ListsOf(make([][]string, n))
	}
	return one.Same(make([]int32, n))
}

// IntsOf returns a column of whole numbers.
func IntsOf(ints []int64) Column { return Column{values: &values{kind: Int, ints: ints}} }

// FloatsOf returns a column of numbers.
func FloatsOf(floats []float64) Column { return Column{values: &values{kind: Float, floats: floats}} }

// BoolsOf returns a column of truth values.
func BoolsOf(bools []bool) Column { return Column{values: &values{kind: Bool, bools: bools}} }

// ListsOf returns a column of lists of texts.
func ListsOf(lists [][]string) Column { return Column{values: &values{kind: Strings, lists: lists}} }

// WithNull returns the column with the rows that are null. The value of such a row is empty, 0 or false.
func (c Column) WithNull(null []bool) Column {
	c.null = null
	return c
}

// Kind returns the type of the values; 0 for the zero Column.
func (c *Column) Kind() Kind {
	if c.values == nil {
		return 0
	}
	return c.kind
}

// Len returns the number of rows.
func (c *Column) Len() int {
	if c.rows != nil {
		return len(c.rows)
	}
	return max(len(c.codes), len(c.texts), len(c.ends)-1, len(c.ints), len(c.floats), len(c.bools), len(c.lists))
}

// row returns the number of the value of row i.
func (c *Column) row(i int) int {
	if c.rows != nil {
		return int(c.rows[i])
	}
	return i
}

// Wide returns the whole numbers beyond int64, by row, or nil if there are none. The other methods do not have them.
func (c *Column) Wide() map[int]*big.Int { return c.wide }

// Null reports which rows are null; nil if none.
func (c *Column) Null() []bool { return c.null }

// IsNull reports whether a row is null.
func (c *Column) IsNull(i int) bool { return c.null != nil && c.null[i] }

// StringAt returns the value of a row of a column of texts. It shares the memory of the column.
func (c *Column) StringAt(i int) string {
	i = c.row(i)
	switch {
	case c.codes != nil:
		return c.words[c.codes[i]]
	case c.texts != nil:
		return c.texts[i]
	}
	return c.data[c.ends[i]:c.ends[i+1]]
}

// IntAt returns the value of a row of a column of whole numbers.
func (c *Column) IntAt(i int) int64 { return c.ints[c.row(i)] }

// FloatAt returns the value of a row of a column of numbers.
func (c *Column) FloatAt(i int) float64 { return c.floats[c.row(i)] }

// BoolAt returns the value of a row of a column of truth values.
func (c *Column) BoolAt(i int) bool { return c.bools[c.row(i)] }

// ListAt returns the value of a row of a column of lists.
func (c *Column) ListAt(i int) []string { return c.lists[c.row(i)] }

// Text returns the value of a row as text: empty for a null, the shortest decimal form of a number, a list joined by
// blanks.
func (c *Column) Text(i int) string {
	if c.IsNull(i) {
		return ""
	}
	switch c.kind {
	case String:
		return c.StringAt(i)
	case Int:
		return strconv.FormatInt(c.IntAt(i), 10)
	case Float:
		return strconv.FormatFloat(c.FloatAt(i), 'f', -1, 64)
	case Bool:
		return strconv.FormatBool(c.BoolAt(i))
	}
	return strings.Join(c.ListAt(i), " ")
}

// Compare compares the values of two rows of a column of texts or whole numbers, as the order of a primary key does.
func (c *Column) Compare(i, j int) int {
	if c.kind == String {
		return strings.Compare(c.StringAt(i), c.StringAt(j))
	}
	return cmp.Compare(c.IntAt(i), c.IntAt(j))
}

// Alike reports whether two rows are known to have the same value. It does not look at texts without a dictionary, nor
// at lists.
func (c *Column) Alike(i, j int) bool {
	if c.IsNull(i) || c.IsNull(j) {
		return c.IsNull(i) && c.IsNull(j)
	}
	i, j = c.row(i), c.row(j)
	switch {
	case i == j:
		return true
	case c.codes != nil:
		return c.codes[i] == c.codes[j]
	case c.kind == Int:
		return c.ints[i] == c.ints[j]
	case c.kind == Float:
		return c.floats[i] == c.floats[j]
	}
	return c.kind == Bool && c.bools[i] == c.bools[j]
}

// Part returns the rows of a column of texts from..to, without to.
func (c Column) Part(from, to int) Column {
	if c.null != nil {
		c.null = c.null[from:to]
	}
	switch {
	case c.rows != nil:
		c.rows = c.rows[from:to]
	case c.codes != nil:
		return Column{values: &values{kind: String, words: c.words, codes: c.codes[from:to]}, null: c.null}
	case c.texts != nil:
		return Column{values: &values{kind: String, texts: c.texts[from:to]}, null: c.null}
	default:
		return Column{values: &values{kind: String, data: c.data, ends: c.ends[from : to+1]}, null: c.null}
	}
	return c
}

// Where returns those rows of a column.
func (c Column) Where(rows []int32) Column {
	if c.null != nil {
		c.null = gather(c.null, rows)
	}
	if c.rows != nil {
		rows = gather(c.rows, rows)
	}
	c.rows = rows
	return c
}

// gather returns the values of these rows; nil: of all.
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

// Strings returns the values of a column of texts, by row; nil for columns of other kinds. The result must not be
// changed; this also holds for the other kinds.
func (c *Column) Strings() []string {
	if c.kind != String || c.texts != nil && c.rows == nil {
		return c.texts
	}
	out := make([]string, c.Len())
	for i := range out {
		out[i] = c.StringAt(i)
	}
	return out
}

// Ints returns the values of a column of whole numbers, by row.
func (c *Column) Ints() []int64 { return gather(c.ints, c.rows) }

// Floats returns the values of a column of numbers, by row.
func (c *Column) Floats() []float64 { return gather(c.floats, c.rows) }

// Bools returns the values of a column of truth values, by row.
func (c *Column) Bools() []bool { return gather(c.bools, c.rows) }

// Lists returns the values of a column of lists, by row.
func (c *Column) Lists() [][]string { return gather(c.lists, c.rows) }

// IsCoded reports whether the column is one of few different texts with a dictionary.
func (c *Column) IsCoded() bool { return c.kind == String && c.codes != nil }

// Dictionary returns a column of texts as a dictionary. Some of its words may not occur.
func (c *Column) Dictionary() Dictionary {
	if c.codes != nil {
		return Dictionary{Words: c.words, Codes: gather(c.codes, c.rows)}
	}
	d := Dictionary{Codes: make([]int32, 0, c.Len())}
	for i := range c.Len() {
		d.Append(c.StringAt(i))
	}
	return d
}

// Ranks returns whole numbers in the order of the texts of a column with a dictionary. They are faster to compare.
func (c *Column) Ranks() Column {
	d := c.Dictionary()
	sorted := make([]int32, len(d.Words))
	for i := range sorted {
		sorted[i] = int32(i)
	}
	slices.SortFunc(sorted, func(i, j int32) int { return strings.Compare(d.Words[i], d.Words[j]) })
	ranks := make([]int64, len(d.Words))
	for rank, code := range sorted {
		ranks[code] = int64(rank)
	}
	all := make([]int64, len(d.Codes))
	for i, code := range d.Codes {
		all[i] = ranks[code]
	}
	return IntsOf(all)
}

// Rows returns the numbers of the rows for which keep holds; never nil.
func Rows(keep []bool) []int32 {
	n := 0
	for _, k := range keep {
		if k {
			n++
		}
	}
	rows := make([]int32, 0, n)
	for i, k := range keep {
		if k {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// Grow makes room for more values. If there is none, it doubles the capacity: append adds only a quarter to large
// slices, and most of the time would go into copying.
func Grow[T any](values []T, more int) []T {
	if len(values)+more > cap(values) {
		return slices.Grow(values, max(more, cap(values)))
	}
	return values
}
