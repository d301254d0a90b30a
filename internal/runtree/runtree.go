// Package runtree builds the hash tree over all runs of a competition. Its root commits to the measurements before
// anybody has seen a result. docs/runtree.md has the format byte for byte.
package runtree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/table"
)

// Hash is that of a leaf or a node.
type Hash = [sha256.Size]byte

// order are the columns by which the leaves of a table are sorted, so that the runs of a logic, and those of a solver
// in it, are neighbours in the tree, and that none of them is left out can be seen.
var order = []string{"track", "logic", "solver", "benchmark", "participation", "attempt"}

// The sides of the tree. They have the same runs in the same places: the data for scoring, and the rest. The runs of a
// division can therefore be shown without their digests.
const (
	Scored = iota
	Rest
	sides
)

// scored are the columns that scoring needs, in the order of leaves.
var scored = []string{"benchmark", "solver", "participation", "attempt", "track", "logic", "team", "competitive",
	"barred", "base_solver", "wall_time_s", "cpu_time_s", "stdout", "wall_limit_s", "cores"}

// Tree is a hash tree that runs are added to.
type Tree struct {
	leaves []leaf
	sorted bool
}

type leaf struct {
	place []string // name of the table, and values of the columns of order
	hash  [sides]Hash
}

// AddTable adds the rows of a stored table of runs, which is named by its output, such as "stage.execute.main.runs".
func (t *Tree) AddTable(name string, parquet io.ReaderAt, size int64) error {
	t.sorted = false
	return eachRun(name, parquet, size, func(place, values []string) {
		l := leaf{place: make([]string, len(place))}
		for i, v := range place {
			l.place[i] = strings.Clone(v)
		}
		for side := range l.hash {
			l.hash[side] = leafHash(Values(side, name, values))
		}
		t.leaves = append(t.leaves, l)
	})
}

// Values returns those of a leaf on a side of the tree: the name of the table if it is the side for scoring, and the
// values of ColumnsOf. all has the values of Columns.
func Values(side int, name string, all []string) []string {
	values := make([]string, 0, 1+len(all))
	if side == Scored {
		values = append(values, name)
	}
	for _, i := range sideColumns()[side] {
		values = append(values, all[i])
	}
	return values
}

// sideColumns are the places in Columns of a side's columns.
var sideColumns = sync.OnceValue(func() (at [sides][]int) {
	for i, c := range Columns() {
		side := Rest
		if slices.Contains(scored, c) {
			side = Scored
		}
		at[side] = append(at[side], i)
	}
	return at
})

// ColumnsOf returns the columns of leaves on a side.
func ColumnsOf(side int) []string {
	all := Columns()
	var names []string
	for _, i := range sideColumns()[side] {
		names = append(names, all[i])
	}
	return names
}

// EachRun visits the runs of a stored table: the place of each in the tree, and its values, in the order of Columns.
// Both are valid until visit returns.
func EachRun(name string, parquet []byte, visit func(place, values []string)) error {
	return eachRun(name, bytes.NewReader(parquet), int64(len(parquet)), visit)
}

func eachRun(name string, parquet io.ReaderAt, size int64, visit func(place, values []string)) error {
	columns := Columns()
	place := make([]string, 1+len(order))
	place[0] = name
	return eachRow(parquet, size, columns, func(values []string) {
		for i, column := range order {
			place[1+i] = values[slices.Index(columns, column)]
		}
		visit(place, values)
	})
}

// EachRow visits the rows of a stored table with the values of some columns as they are in CSV files. They are valid
// until visit returns.
func EachRow(parquet []byte, names []string, visit func(values []string)) error {
	return eachRow(bytes.NewReader(parquet), int64(len(parquet)), names, visit)
}

func eachRow(parquet io.ReaderAt, size int64, names []string, visit func(values []string)) error {
	columns, err := results.OpenColumns(parquet, size)
	if err != nil {
		return err
	}
	rows, err := columns.Read(names...)
	if err != nil {
		return err
	}
	values := make([]string, len(names))
	for {
		b, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range b.Rows {
			for k := range b.Columns {
				values[k] = text(&b.Columns[k], i)
			}
			visit(values)
		}
	}
}

// text returns a value in the form of CSV files of tables.
func text(c *table.Column, i int) string {
	if c.Kind() == table.Float && !c.IsNull(i) {
		return strconv.FormatFloat(c.FloatAt(i), 'g', -1, 64)
	}
	return c.Text(i)
}

// Columns returns those of a table of runs.
func Columns() []string {
	var names []string
	for _, c := range results.SchemaOf[results.RunRow]().Columns {
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

// rootHash returns the hash of the root above both sides of the tree.
func rootHash(scored, rest Hash) Hash {
	return sha256.Sum256(slices.Concat([]byte{2}, scored[:], rest[:]))
}

// Root returns the root and its number of runs in the form of the lock, "COUNT sha256:HEX"; empty if there are no runs.
// Two runs in one place are an error. The order in which tables were added does not matter.
func (t *Tree) Root() (string, error) {
	if len(t.leaves) == 0 {
		return "", nil
	}
	if err := t.sort(); err != nil {
		return "", err
	}
	root := rootHash(rootOf(t.leaves, Scored), rootOf(t.leaves, Rest))
	return fmt.Sprintf("%d sha256:%s", len(t.leaves), hex.EncodeToString(root[:])), nil
}

func (t *Tree) sort() error {
	if t.sorted {
		return nil
	}
	slices.SortFunc(t.leaves, func(a, b leaf) int { return slices.Compare(a.place, b.place) })
	for i := range t.leaves {
		if i > 0 && slices.Equal(t.leaves[i].place, t.leaves[i-1].place) {
			return fmt.Errorf("two runs are in the same place of the hash tree: %s",
				strings.Join(t.leaves[i].place, " "))
		}
	}
	t.sorted = true
	return nil
}

// Span returns which leaves of a tree whose Root is known begin with a place, from lo to before hi, and their
// neighbours: together they show that no other leaf of the tree does.
func (t *Tree) Span(prefix ...string) (from, lo, hi, to int) {
	compare := func(l leaf, prefix []string) int { return slices.Compare(l.place[:len(prefix)], prefix) }
	lo, _ = slices.BinarySearchFunc(t.leaves, prefix, compare)
	for hi = lo; hi < len(t.leaves) && compare(t.leaves[hi], prefix) == 0; {
		hi++
	}
	return max(lo-1, 0), lo, hi, min(hi+1, len(t.leaves))
}

// Place returns the place of a leaf: its table and the values that leaves are sorted by. The caller must not change it.
func (t *Tree) Place(i int) []string { return t.leaves[i].place }

// Path returns the hashes that are needed in addition to some leaves to compute the root of a side: the hashes of its
// largest parts that have none of them, from left to right.
func (t *Tree) Path(side int, known map[int]bool) []string {
	path := []string{}
	var walk func(lo, hi int)
	walk = func(lo, hi int) {
		has := false
		for i := lo; i < hi && !has; i++ {
			has = known[i]
		}
		switch {
		case !has:
			h := rootOf(t.leaves[lo:hi], side)
			path = append(path, hex.EncodeToString(h[:]))
		case hi-lo > 1:
			k := leftOf(hi - lo)
			walk(lo, lo+k)
			walk(lo+k, hi)
		}
	}
	walk(0, len(t.leaves))
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
