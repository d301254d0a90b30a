// Package runtree builds the hash tree over all runs of a competition. Its root commits to the measurements before
// anybody has seen a result. docs/publish/runtree.md has the format byte for byte.
package runtree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Hash is the hash of a leaf or a node.
type Hash = [sha256.Size]byte

// order are the columns by which the leaves of a table are sorted, so that the runs of a logic, and those of a solver
// in it, are neighbours in the tree, and that none of them is left out can be seen.
var order = []string{"track", "logic", "solver", "benchmark", "participation", "attempt"}

// entrantOrder is order of tables of entrants.
var entrantOrder = []string{"track", "solver", "participation"}

// The sides of the tree. The first two have the same runs in the same places: the data for scoring, and the rest. The
// runs of a division can therefore be shown without their digests. The third has the entrants.
const (
	Scored = iota
	Rest
	Entrants
)

// scored are the columns that scoring needs, in the order of leaves. Only runs/1, which tree/1 has, tell who takes
// part.
var scored = []string{"benchmark", "solver", "participation", "attempt", "track", "logic", "team", "competitive",
	"barred", "base_solver", "wall_time_s", "cpu_time_s", "stdout", "wall_limit_s", "cores"}

// Tree is a hash tree that runs and entrants are added to.
type Tree struct {
	leaves   []leaf
	entrants []leaf
	sorted   bool
}

type leaf struct {
	place []string // name of the table, and values of the columns of order or entrantOrder
	hash  [Entrants]Hash
}

// The schemas of the tables that are in the tree.
var (
	runs   = results.SchemaOf[results.RunRow]
	takers = results.SchemaOf[results.EntrantRow]
)

// HasRuns reports whether tables of a schema are on the sides for runs.
func HasRuns(schema string) bool { return runs().Reads(schema) }

// HasEntrants reports whether tables of a schema are on the side for entrants.
func HasEntrants(schema string) bool { return takers().Reads(schema) }

// Add adds the rows of a stored table, which is named by its output, such as "stage.execute.main.runs". A table of
// another schema than runs or entrants is ignored.
func (t *Tree) Add(schema, name string, parquet io.ReaderAt, size int64) error {
	t.sorted = false
	switch {
	case HasRuns(schema):
		at, known, last := sidesOf(schema), map[string]string{}, ""
		return eachRun(schema, name, parquet, size, func(place, values []string) {
			l := leaf{place: make([]string, len(place))}
			for i, v := range place {
				// One text that many leaves share takes no memory, and is compared at once.
				switch text, ok := known[v]; {
				case v == last:
					l.place[i] = last
				case ok:
					l.place[i] = text
				default:
					l.place[i] = strings.Clone(v)
					if i > 0 && order[i-1] == "benchmark" {
						last = l.place[i]
					} else {
						known[l.place[i]] = l.place[i]
					}
				}
			}
			for side := range l.hash {
				l.hash[side] = leafHash(valuesAt(at[side], side, name, values))
			}
			t.leaves = append(t.leaves, l)
		})
	case HasEntrants(schema):
		return EachEntrant(name, parquet, size, func(place, values []string) {
			t.entrants = append(t.entrants, leaf{place, [Entrants]Hash{leafHash(values)}})
		})
	}
	return nil
}

// EachEntrant visits the rows of a stored table of entrants: the place of each in the tree, and its values, which begin
// with the name of the table.
func EachEntrant(name string, parquet io.ReaderAt, size int64, visit func(place, values []string)) error {
	return results.EachWhole(parquet, size, func(names, row []string) {
		values := []string{name}
		for _, text := range row {
			values = append(values, results.Escaped(strings.ReplaceAll(text, "\r\n", "\n"))) // as read from CSV
		}
		place := []string{name}
		for _, column := range entrantOrder {
			place = append(place, values[1+slices.Index(names, column)])
		}
		visit(place, values)
	})
}

// Values returns the values of a leaf of runs: the name of the table if it is the side for scoring, and the values of
// ColumnsOf. all has the values of Columns.
func Values(schema string, side int, name string, all []string) []string {
	return valuesAt(sidesOf(schema)[side], side, name, all)
}

func valuesAt(at []int, side int, name string, all []string) []string {
	values := make([]string, 0, 1+len(all))
	if side == Scored {
		values = append(values, name)
	}
	for _, i := range at {
		values = append(values, all[i])
	}
	return values
}

// sidesOf returns the places in Columns of each side's columns.
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

// ColumnsOf returns the columns of leaves on a side, of tables of a schema. Those of entrants are after the name of
// the table.
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

// EachRun visits the runs of a stored table: the place of each in the tree, and its values, in the order of Columns.
// Both are valid until visit returns.
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

// Columns returns the columns of a table by its schema, which must be known.
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

// leafHash returns the hash of a run: of its values, each with its length before it.
func leafHash(values []string) Hash {
	data := []byte{0}
	for _, v := range values {
		data = strconv.AppendInt(data, int64(len(v)), 10)
		data = append(append(append(data, ':'), v...), ',')
	}
	return sha256.Sum256(data)
}

// nodeHash returns the hash of the node above two nodes.
func nodeHash(left, right Hash) Hash {
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

// rootHash returns the hash of the root above both sides for runs.
func rootHash(scored, rest Hash) Hash {
	return sha256.Sum256(slices.Concat([]byte{2}, scored[:], rest[:]))
}

// Roots are the roots of a tree in the form of the lock, "COUNT sha256:HEX"; empty if there is nothing. The entrants
// have their own root, since entrants are corrected after the root of the runs has been published.
type Roots struct{ Runs, Entrants string }

// Roots returns the roots. Two runs, or two entrants, in one place are an error. The order in which tables were added
// does not matter.
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
	for what, leaves := range map[string][]leaf{"runs": t.leaves, "entrants": t.entrants} {
		slices.SortFunc(leaves, func(a, b leaf) int { return slices.Compare(a.place, b.place) })
		for i := range leaves {
			if i > 0 && slices.Equal(leaves[i].place, leaves[i-1].place) {
				return fmt.Errorf("two %s are in the same place of the hash tree: %s", what,
					strings.Join(leaves[i].place, " "))
			}
		}
	}
	t.sorted = true
	return nil
}

// of returns the leaves of a side, and the place of the side in their hashes.
func (t *Tree) of(side int) ([]leaf, int) {
	if side == Entrants {
		return t.entrants, 0
	}
	return t.leaves, side
}

// Span returns which leaves of runs of a tree whose Roots are known begin with a place, from lo to before hi, and their
// neighbours: together they show that no other leaf of the tree does.
func (t *Tree) Span(prefix ...string) (from, lo, hi, to int) {
	compare := func(l leaf, prefix []string) int { return slices.Compare(l.place[:len(prefix)], prefix) }
	lo, _ = slices.BinarySearchFunc(t.leaves, prefix, compare)
	for hi = lo; hi < len(t.leaves) && compare(t.leaves[hi], prefix) == 0; {
		hi++
	}
	return max(lo-1, 0), lo, hi, min(hi+1, len(t.leaves))
}

// EntrantAt returns the leaf of entrants at a place of a tree whose Roots are known.
func (t *Tree) EntrantAt(place []string) (i int, found bool) {
	return slices.BinarySearchFunc(t.entrants, place, func(l leaf, place []string) int {
		return slices.Compare(l.place, place)
	})
}

// Place returns the place of a leaf of runs: its table and the values that leaves are sorted by. The caller must not
// change it.
func (t *Tree) Place(i int) []string { return t.leaves[i].place }

// Path returns the hashes that are needed in addition to some leaves to compute the root of a side: the hashes of its
// largest parts that have none of them, from left to right.
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

// rootOf returns the hash of a side as RFC 6962 (2.1) has it.
func rootOf(leaves []leaf, side int) Hash {
	if len(leaves) == 1 {
		return leaves[0].hash[side]
	}
	k := leftOf(len(leaves))
	return nodeHash(rootOf(leaves[:k], side), rootOf(leaves[k:], side))
}

// leftOf returns how many of n leaves are on the left side: the largest power of two that is smaller.
func leftOf(n int) int {
	k := 1
	for 2*k < n {
		k *= 2
	}
	return k
}
