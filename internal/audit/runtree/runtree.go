// Package runtree builds the hash tree over all runs of a competition. Its root commits to the measurements before
// anybody has seen a result. docs/publish/runtree.md specifies the format byte by byte.
package runtree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Hash is the hash of a leaf or a node.
type Hash = [sha256.Size]byte

// order lists the columns that determine the order of a table's leaves. It makes each logic's runs, and within a logic
// each solver's runs, neighbours in the tree, which proves that none is omitted.
var order = []string{"track", "logic", "solver", "benchmark", "participation", "attempt"}

// entrantOrder is the order for tables of entrants.
var entrantOrder = []string{"track", "solver", "participation"}

// The sides of the tree. The first two contain the same runs at the same positions: the data for scoring, and the rest.
// A division's runs can therefore be shown without their digests. The third side contains the entrants.
const (
	Scored = iota
	Rest
	Entrants
)

// scored lists the columns that scoring needs, in leaf order. Of the tables of runs, only runs/1 (used by tree/1)
// states who takes part.
var scored = []string{"benchmark", "solver", "participation", "attempt", "track", "logic", "team", "competitive",
	"barred", "base_solver", "wall_time_s", "cpu_time_s", "stdout", "wall_limit_s", "cores"}

// Tree is a hash tree of runs and entrants, which Add adds.
type Tree struct {
	leaves   []leaf
	entrants []leaf
	words    table.Dictionary // all texts of places, beginning with the empty one; it has no rows
	last     place
	sorted   bool
}

// leaf is a leaf of a run or an entrant. It contains no pointers, because a competition has a million leaves.
type leaf struct {
	place place
	hash  [Entrants]Hash
}

// place is the position of a leaf: the codes of the table's name and of the values of the columns in order, or in
// entrantOrder, followed by empty texts.
type place [7]int32

// placeOf returns a position from its texts, which it copies.
func (t *Tree) placeOf(texts []string) (p place) {
	if t.words.Words == nil {
		t.words.Code("")
	}
	for i, text := range texts {
		k := t.last[i] // neighbours have nearly the same texts
		if t.words.Words[k] != text {
			k = t.words.Code(text)
		}
		p[i], t.last[i] = k, k
	}
	return p
}

// textsOf returns the first n texts of a position.
func (t *Tree) textsOf(p place, n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = t.words.Words[p[i]]
	}
	return texts
}

// The schemas of the tables that a tree covers.
var (
	runs   = results.SchemaOf[results.RunRow]
	takers = results.SchemaOf[results.EntrantRow]
)

// HasRuns reports whether tables with a schema contain runs.
func HasRuns(schema string) bool { return runs().Reads(schema) }

// HasEntrants reports whether tables with a schema contain entrants.
func HasEntrants(schema string) bool { return takers().Reads(schema) }

// Add adds the rows of a stored table. The table's name is that of its output, such as "stage.execute.main.runs". Add
// ignores tables that contain neither runs nor entrants.
func (t *Tree) Add(schema, name string, parquet io.ReaderAt, size int64) error {
	t.sorted = false
	switch {
	case HasRuns(schema):
		at := sidesOf(schema)
		var some []string
		return eachRun(schema, name, parquet, size, func(place, values []string) {
			l := leaf{place: t.placeOf(place)}
			for side := range l.hash {
				some = valuesAt(some[:0], at[side], side, name, values)
				l.hash[side] = leafHash(some)
			}
			t.leaves = append(t.leaves, l)
		})
	case HasEntrants(schema):
		return EachEntrant(name, parquet, size, func(place, values []string) {
			t.entrants = append(t.entrants, leaf{t.placeOf(place), [Entrants]Hash{leafHash(values)}})
		})
	}
	return nil
}

// EachEntrant visits the rows of a stored table of entrants with their positions in the tree and their values, which
// start with the name of the table.
func EachEntrant(name string, parquet io.ReaderAt, size int64, visit func(place, values []string)) error {
	return results.EachWhole(parquet, size, func(names, row []string) {
		values := []string{name}
		for _, text := range row {
			values = append(values, results.Escaped(strings.ReplaceAll(text, "\r\n", "\n"))) // as parsed from CSV
		}
		place := []string{name}
		for _, column := range entrantOrder {
			place = append(place, values[1+slices.Index(names, column)])
		}
		visit(place, values)
	})
}

// Values returns the values of a run's leaf: the table's name if the side is for scoring, followed by the values of
// ColumnsOf. all contains the values of Columns.
func Values(schema string, side int, name string, all []string) []string {
	return valuesAt(nil, sidesOf(schema)[side], side, name, all)
}

// valuesAt appends the values of a leaf.
func valuesAt(values []string, at []int, side int, name string, all []string) []string {
	if side == Scored {
		values = append(values, name)
	}
	for _, i := range at {
		values = append(values, all[i])
	}
	return values
}

// sidesOf returns the indexes in Columns of each side's columns.
func sidesOf(schema string) (at [Entrants][]int) {
	for i, c := range Columns(schema) {
		side := Rest
		if slices.Contains(scored, c) {
			side = Scored
		}
		at[side] = append(at[side], i)
	}
	return at
}

// ColumnsOf returns the columns of a side's leaves for tables with a schema. In entrant leaves, they follow the table's
// name.
func ColumnsOf(schema string, side int) []string {
	all := Columns(schema)
	if side == Entrants {
		return all
	}
	var names []string
	for _, i := range sidesOf(schema)[side] {
		names = append(names, all[i])
	}
	return names
}

// EachRun visits the runs in a stored table with their positions in the tree and their values in the order of Columns.
// Both are valid only until visit returns.
func EachRun(schema, name string, parquet []byte, visit func(place, values []string)) error {
	return eachRun(schema, name, bytes.NewReader(parquet), int64(len(parquet)), visit)
}

func eachRun(schema, name string, parquet io.ReaderAt, size int64, visit func(place, values []string)) error {
	columns := Columns(schema)
	place := make([]string, 1+len(order))
	place[0] = name
	return results.EachText(parquet, size, columns, func(values []string) {
		for i, column := range order {
			place[1+i] = values[slices.Index(columns, column)]
		}
		visit(place, values)
	})
}

// Columns returns the columns of tables with a schema, which must be known.
func Columns(schema string) []string {
	s, err := results.SchemaByName(schema)
	if err != nil {
		panic(err)
	}
	var names []string
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	return names
}

// leafHash returns a leaf's hash, which covers each value preceded by its length.
func leafHash(values []string) Hash {
	var most [1024]byte // avoids an allocation for nearly all leaves
	data := append(most[:0], 0)
	for _, v := range values {
		data = strconv.AppendInt(data, int64(len(v)), 10)
		data = append(append(append(data, ':'), v...), ',')
	}
	return sha256.Sum256(data)
}

// nodeHash returns the hash of the parent of two nodes.
func nodeHash(left, right Hash) Hash {
	return twoHash(1, left, right)
}

// rootHash returns the hash of the root above both sides with runs.
func rootHash(scored, rest Hash) Hash { return twoHash(2, scored, rest) }

func twoHash(kind byte, a, b Hash) Hash {
	var data [1 + 2*sha256.Size]byte
	data[0] = kind
	copy(data[copy(data[1:], a[:])+1:], b[:])
	return sha256.Sum256(data[:])
}

// Roots contains the roots of a tree in the form used in locks, "COUNT sha256:HEX". A root without leaves is empty.
// Entrants have a separate root, because they may be corrected after the root of the runs has been published.
type Roots struct{ Runs, Entrants string }

// Roots returns the roots. It returns an error if two runs, or two entrants, have the same position. The order of
// adding tables does not matter.
func (t *Tree) Roots() (r Roots, err error) {
	if err := t.sort(); err != nil {
		return r, err
	}
	text := func(n int, root Hash) string { return fmt.Sprintf("%d sha256:%s", n, hex.EncodeToString(root[:])) }
	if n := len(t.leaves); n > 0 {
		r.Runs = text(n, rootHash(rootOf(t.leaves, Scored), rootOf(t.leaves, Rest)))
	}
	if n := len(t.entrants); n > 0 {
		r.Entrants = text(n, rootOf(t.entrants, 0))
	}
	return r, nil
}

func (t *Tree) sort() error {
	if t.sorted {
		return nil
	}
	t.rank()
	for k, leaves := range [][]leaf{t.leaves, t.entrants} {
		slices.SortFunc(leaves, func(a, b leaf) int { return slices.Compare(a.place[:], b.place[:]) })
		for i := range leaves {
			if i > 0 && leaves[i].place == leaves[i-1].place {
				return fmt.Errorf("two %s have the same place in the hash tree: %s", []string{"runs", "entrants"}[k],
					strings.Join(t.textsOf(leaves[i].place, len(leaves[i].place)), " "))
			}
		}
	}
	t.sorted = true
	return nil
}

// rank renumbers the words in their order.
func (t *Tree) rank() {
	words := slices.Sorted(slices.Values(t.words.Words))
	ranks := make([]int32, len(words))
	for rank, word := range words {
		ranks[t.words.Code(word)] = int32(rank)
	}
	for _, leaves := range [][]leaf{t.leaves, t.entrants} {
		for i := range leaves {
			for k, code := range leaves[i].place {
				leaves[i].place[k] = ranks[code]
			}
		}
	}
	t.words, t.last = table.Dictionary{Words: words}, place{}
}

// of returns a side's leaves, and the byte that identifies the side in their hashes.
func (t *Tree) of(side int) ([]leaf, int) {
	if side == Entrants {
		return t.entrants, 0
	}
	return t.leaves, side
}

// Span returns the range lo..hi (exclusive) of run leaves whose position starts with prefix, and the range from..to
// that includes their neighbours. The neighbours prove that no other leaf of the tree starts with prefix. It must be
// called after Roots.
func (t *Tree) Span(prefix ...string) (from, lo, hi, to int) {
	compare := func(l leaf, prefix []string) int { return slices.Compare(t.textsOf(l.place, len(prefix)), prefix) }
	lo, _ = slices.BinarySearchFunc(t.leaves, prefix, compare)
	for hi = lo; hi < len(t.leaves) && compare(t.leaves[hi], prefix) == 0; {
		hi++
	}
	return max(lo-1, 0), lo, hi, min(hi+1, len(t.leaves))
}

// EntrantAt returns the index of the entrant leaf at a position. It must be called after Roots.
func (t *Tree) EntrantAt(place []string) (i int, found bool) {
	return slices.BinarySearchFunc(t.entrants, place, func(l leaf, place []string) int {
		return slices.Compare(t.textsOf(l.place, len(place)), place)
	})
}

// Place returns the position of a run's leaf: its table and the values that determine the order of leaves.
func (t *Tree) Place(i int) []string { return t.textsOf(t.leaves[i].place, 1+len(order)) }

// Path returns the hashes that, together with the known leaves, determine a side's root: the hashes of the largest
// subtrees without known leaves, from left to right.
func (t *Tree) Path(side int, known map[int]bool) []string {
	path := []string{}
	leaves, at := t.of(side)
	if len(leaves) == 0 {
		return path
	}
	var walk func(lo, hi int)
	walk = func(lo, hi int) {
		has := false
		for i := lo; i < hi && !has; i++ {
			has = known[i]
		}
		switch {
		case !has:
			h := rootOf(leaves[lo:hi], at)
			path = append(path, hex.EncodeToString(h[:]))
		case hi-lo > 1:
			k := leftOf(hi - lo)
			walk(lo, lo+k)
			walk(lo+k, hi)
		}
	}
	walk(0, len(leaves))
	return path
}

// rootOf returns the root hash of leaves on a side, as in RFC 6962 (2.1).
func rootOf(leaves []leaf, side int) Hash {
	if len(leaves) == 1 {
		return leaves[0].hash[side]
	}
	k := leftOf(len(leaves))
	return nodeHash(rootOf(leaves[:k], side), rootOf(leaves[k:], side))
}

// leftOf returns how many of n leaves are in the left subtree: the largest power of two less than n.
func leftOf(n int) int { return 1 << (bits.Len(uint(n-1)) - 1) }
