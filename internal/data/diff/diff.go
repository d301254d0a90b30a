// Package diff compares two sets of rows by their keys. It orders the differences by how much they matter.
package diff

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Difference is a figure, a cell or a row in which the second set differs from the first.
type Difference struct {
	What     string   `json:"what"` // key and column, such as single_query/QF_BV/par/cvc5/rank
	From     string   `json:"from"`
	To       string   `json:"to"`
	Causes   []string `json:"causes,omitempty"`   // known causes of the difference, each of which is sufficient
	Together bool     `json:"together,omitempty"` // only all causes together explain the difference

	Key     []string `json:"-"` // the row's key; nil for figures
	Column  string   `json:"-"` // empty if only one table has the row
	Details []string `json:"-"` // lines for people, which explain the difference
}

// Values of From and To for figures and rows that only one of the sets has.
const (
	Nothing = "nothing"
	ARow    = "a row"
)

// Row identifies a cell's row by the parts of its key that are not empty.
func (d *Difference) Row(between string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(d.Key), func(s string) bool { return s == "" }), between)
}

// String returns the difference in one line.
func (d Difference) String() string { return d.What + ": " + d.From + " → " + d.To + d.Because() }

// Because names the causes in parentheses: "A, B" if each alone causes the difference, "A + B" if both are needed.
func (d *Difference) Because() string {
	if len(d.Causes) == 0 {
		return ""
	}
	between := ", "
	if d.Together {
		between = " + "
	}
	return "  (" + strings.Join(d.Causes, between) + ")"
}

// IsWinner reports whether the winners of a ranking differ.
func (d *Difference) IsWinner() bool { return strings.HasSuffix(d.What, "/winners") }

// weight returns how much a difference matters, from 0 for changed winners: ranks come next, then everything else.
func (d *Difference) weight() int {
	switch {
	case d.IsWinner():
		return 0
	case strings.HasSuffix(d.What, "/rank"):
		return 1
	}
	return 2
}

// Sort sorts differences by weight, and keeps the order of those with the same weight.
func Sort(all []Difference) {
	slices.SortStableFunc(all, func(a, b Difference) int { return cmp.Compare(a.weight(), b.weight()) })
}

// Pair holds the rows of two sets that have the same key. The row of a set that lacks the key is the zero value.
type Pair[Row any] struct {
	From, To     Row
	InFrom, InTo bool
}

// Pairs yields the rows of both sets by key, in the order of the keys.
func Pairs[K comparable, Row any](from, to map[K]Row, order func(a, b K) int) iter.Seq2[K, Pair[Row]] {
	return func(yield func(K, Pair[Row]) bool) {
		keys := make(map[K]struct{}, max(len(from), len(to)))
		for _, set := range []map[K]Row{from, to} {
			for k := range set {
				keys[k] = struct{}{}
			}
		}
		for _, k := range slices.SortedFunc(maps.Keys(keys), order) {
			var p Pair[Row]
			p.From, p.InFrom = from[k]
			p.To, p.InTo = to[k]
			if !yield(k, p) {
				return
			}
		}
	}
}

// Figures compares two sets of figures by name. Figures that same accepts are equal, even if their texts differ. An
// empty figure counts as Nothing.
func Figures(from, to map[string]string, same func(a, b string) bool) []Difference {
	var all []Difference
	for what, p := range Pairs(from, to, strings.Compare) {
		if a, b := cmp.Or(p.From, Nothing), cmp.Or(p.To, Nothing); a != b && !(p.InFrom && p.InTo && same(a, b)) {
			all = append(all, Difference{What: what, From: a, To: b})
		}
	}
	return all
}

// Exactly is a comparison for Figures: only equal texts are the same.
func Exactly(a, b string) bool { return a == b }

// Table is a table with all cells as text.
type Table struct {
	Columns []string
	Rows    map[string][]string // by key: the values of the key columns, joined with KeyEnd
}

// KeyEnd separates the values in a key. It sorts before any character in a name.
const KeyEnd = "\x00"

// Tables compares two tables by the keys of their rows. It ignores columns that only one of them has.
func Tables(from, to *Table) []Difference {
	var all []Difference
	for joined, p := range Pairs(from.Rows, to.Rows, strings.Compare) {
		d := Difference{From: ARow, To: ARow, Key: strings.Split(joined, KeyEnd)}
		d.What = d.Row("/")
		if !p.InFrom || !p.InTo {
			if !p.InFrom {
				d.From = Nothing
			} else {
				d.To = Nothing
			}
			all = append(all, d)
			continue
		}
		row := d.What
		for i, name := range from.Columns {
			if k := slices.Index(to.Columns, name); k >= 0 && p.From[i] != p.To[k] {
				d.What, d.Column, d.From, d.To = row+"/"+name, name, p.From[i], p.To[k]
				all = append(all, d)
			}
		}
	}
	return all
}
