// Package table holds columns in memory: their values, dictionaries of repeated texts, and frames of columns for
// evaluating row expressions. It knows nothing about files, schemas or expressions.
package table

import (
	"cmp"
	"iter"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a column's values.
type Kind uint8

// The kinds of columns.
const (
	String Kind = iota + 1
	Int
	Float
	Bool
	Strings // lists of texts
)

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"", "string", "integer", "number", "boolean", "array of strings"}[k]
}

// Table provides columns of equal length by name.
type Table interface {
	// Len returns the number of rows.
	Len() int
	// Column returns a column. It fails if the column does not exist or cannot be read.
	Column(name string) (Column, error)
}

// Column is an immutable column. Columns may share their values, so each row kept from another table costs only four
// bytes, whatever the columns are. The zero Column has no values.
type Column struct {
	*values
	rows []int32          // index of each row's value; nil means that row i has value i
	null []bool           // by row; nil means that no row is null
	wide map[int]*big.Int // in a frame, the integers beyond int64, by row

	// Ascending means that each value is greater than the previous one.
	Ascending bool
}

// values holds a column's values. A large table does not store a pointer per text, because the garbage collector would
// have to follow each one.
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

// StringsOf returns a text column.
func StringsOf(texts []string) Column { return Column{values: &values{kind: String, texts: texts}} }

// Coded returns a column with few different texts: the text of row i is words[codes[i]]. The words must be distinct.
func Coded(words []string, codes []int32) Column {
	return Column{values: &values{kind: String, words: words, codes: codes}}
}

// Same returns a column that has the first value of c, which must not be a list column, in each of len(zeros) rows.
// zeros contains only zeros, and such columns can share it.
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

// Zeros returns a column of n rows with empty, 0 or false values.
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

// IntsOf returns an integer column.
func IntsOf(ints []int64) Column { return Column{values: &values{kind: Int, ints: ints}} }

// FloatsOf returns a float column.
func FloatsOf(floats []float64) Column { return Column{values: &values{kind: Float, floats: floats}} }

// BoolsOf returns a bool column.
func BoolsOf(bools []bool) Column { return Column{values: &values{kind: Bool, bools: bools}} }

// ListsOf returns a column with lists of strings.
func ListsOf(lists [][]string) Column { return Column{values: &values{kind: Strings, lists: lists}} }

// WithNull returns the column with some rows null. The value of a null row must be empty, 0 or false.
func (c Column) WithNull(null []bool) Column {
	c.null = null
	return c
}

// Kind returns the values' type, or 0 for the zero Column.
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

// row returns the index of row i's value.
func (c *Column) row(i int) int {
	if c.rows != nil {
		return int(c.rows[i])
	}
	return i
}

// Wide returns the integers beyond int64, by row, or nil if there are none. The other methods do not return them.
func (c *Column) Wide() map[int]*big.Int { return c.wide }

// Null reports which rows are null. It returns nil if none are.
func (c *Column) Null() []bool { return c.null }

// IsNull reports whether a row is null.
func (c *Column) IsNull(i int) bool { return c.null != nil && c.null[i] }

// StringAt returns a row's value in a text column. It shares the column's memory.
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

// IntAt returns a row's value in an integer column.
func (c *Column) IntAt(i int) int64 { return c.ints[c.row(i)] }

// FloatAt returns a row's value in a float column.
func (c *Column) FloatAt(i int) float64 { return c.floats[c.row(i)] }

// BoolAt returns a row's value in a bool column.
func (c *Column) BoolAt(i int) bool { return c.bools[c.row(i)] }

// ListAt returns a row's value in a list column.
func (c *Column) ListAt(i int) []string { return c.lists[c.row(i)] }

// Text returns a row's value as text: "" for a null, a number in its shortest decimal form, a list separated by spaces.
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

// Compare compares two rows' values in a text or integer column, in primary key order.
func (c *Column) Compare(i, j int) int {
	if c.Alike(i, j) {
		return 0
	}
	if c.kind == String {
		return strings.Compare(c.StringAt(i), c.StringAt(j))
	}
	return cmp.Compare(c.IntAt(i), c.IntAt(j))
}

// Alike reports whether two rows are known to have the same value. It does not compare lists, or texts without a
// dictionary.
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
		return math.Float64bits(c.floats[i]) == math.Float64bits(c.floats[j]) // 0 and -0 differ
	}
	return c.kind == Bool && c.bools[i] == c.bools[j]
}

// MarkChanges sets the elements of the rows that are not known to have the previous row's value.
func (c *Column) MarkChanges(changed []bool) {
	switch plain := c.rows == nil && c.null == nil; {
	case plain && c.codes != nil:
		markChanges(changed, c.codes)
	case plain && c.kind == Int:
		markChanges(changed, c.ints)
	case plain && c.kind == String:
		for i := range changed {
			changed[i] = changed[i] || i == 0 || c.StringAt(i) != c.StringAt(i-1)
		}
	default:
		for i := range changed {
			changed[i] = changed[i] || i == 0 || !c.Alike(i, i-1)
		}
	}
}

func markChanges[T comparable](changed []bool, values []T) {
	for i, v := range values {
		changed[i] = changed[i] || i == 0 || v != values[i-1]
	}
}

// Constant reports whether all rows are known to have the same value.
func (c *Column) Constant() bool {
	return c.null == nil && (len(c.words) == 1 || c.rows != nil && max(len(c.ints), len(c.floats), len(c.bools)) == 1)
}

// Where returns a column's given rows.
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

// gather returns the given rows' values; nil means all rows.
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

// Strings returns the values of a text column, by row, or nil for other kinds. The caller must not change the result of
// this and the following methods.
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

// Texts returns the texts of a text or list column, in order, and those of a dictionary only once, including texts that
// no row has.
func (c *Column) Texts() iter.Seq[string] {
	switch {
	case c.codes != nil:
		return slices.Values(c.words)
	case c.kind == Strings:
		return slices.Values(slices.Concat(c.Lists()...))
	}
	return func(yield func(string) bool) {
		for i := range c.Len() {
			if !yield(c.StringAt(i)) {
				return
			}
		}
	}
}

// Ints returns an integer column's values, by row.
func (c *Column) Ints() []int64 { return gather(c.ints, c.rows) }

// Floats returns a float column's values, by row.
func (c *Column) Floats() []float64 { return gather(c.floats, c.rows) }

// Bools returns a bool column's values, by row.
func (c *Column) Bools() []bool { return gather(c.bools, c.rows) }

// Lists returns a list column's values, by row.
func (c *Column) Lists() [][]string { return gather(c.lists, c.rows) }

// IsCoded reports whether the column is a text column with a dictionary.
func (c *Column) IsCoded() bool { return c.kind == String && c.codes != nil }

// Dictionary returns a text column as a dictionary. Some of its words may not occur.
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

// Coded returns a text column with a dictionary, and any other column as it is.
func (c Column) Coded() Column {
	if c.kind != String || c.codes != nil {
		return c
	}
	d := c.Dictionary()
	return d.Column()
}

// Sort returns the given rows of a text or integer column in the order of their values. Rows with equal values keep
// their order. If few values differ, the time is proportional to the number of rows.
func (c *Column) Sort(rows []int32) []int32 {
	codes, sorted := c.ordered()
	starts := make([]int32, len(sorted)) // where the rows with each code begin
	for _, k := range codes {
		starts[k]++
	}
	first := int32(0)
	for _, k := range sorted {
		starts[k], first = first, first+starts[k]
	}
	out := make([]int32, len(rows))
	for _, row := range rows {
		k := codes[row]
		out[starts[k]] = row
		starts[k]++
	}
	return out
}

// ordered returns a code for each row, which represents its value, and the codes in the order of the values.
func (c *Column) ordered() (codes, sorted []int32) {
	if c.kind == String {
		d := c.Dictionary()
		return d.Codes, order(d.Words, strings.Compare)
	}
	var values []int64
	known := map[int64]int32{}
	codes = make([]int32, c.Len())
	for i := range codes {
		x := c.IntAt(i)
		k, ok := known[x]
		if !ok {
			k = int32(len(values))
			known[x], values = k, append(values, x)
		}
		codes[i] = k
	}
	return codes, order(values, cmp.Compare)
}

// order returns the indexes of the values in the order of the values.
func order[V any](values []V, compare func(a, b V) int) []int32 {
	sorted := make([]int32, len(values))
	for i := range sorted {
		sorted[i] = int32(i)
	}
	slices.SortFunc(sorted, func(i, j int32) int { return compare(values[i], values[j]) })
	return sorted
}

// Rows returns the indexes of the rows for which keep is true. The result is never nil.
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

// Grow makes room for more values. If there is no room, it doubles the capacity: append would grow large slices by only
// a quarter, and most of the time would be spent copying.
func Grow[T any](values []T, more int) []T {
	if len(values)+more > cap(values) {
		return slices.Grow(values, max(more, cap(values)))
	}
	return values
}
