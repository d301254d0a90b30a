// Package runtree makes the hash tree over all runs of a competition. Its root says what was measured before anybody
// has seen a result. docs/runtree.md has the format byte for byte.
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

	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/table"
)

// Hash is that of a leaf or a node.
type Hash = [sha256.Size]byte

// order are the columns by which the leaves of a table are sorted, so that the runs of a logic are neighbours in the
// tree, and that none of them is left out can be seen.
var order = []string{"track", "logic", "benchmark", "solver", "participation", "attempt"}

// Tree is a hash tree that runs are added to.
type Tree struct{ leaves []leaf }

type leaf struct {
	place []string // name of the table, and values of the columns of order
	hash  Hash
}

// AddTable adds the rows of a stored table of runs, which is named by its output, as "stage.execute.main.runs".
func (t *Tree) AddTable(name string, parquet []byte) error {
	names, places := runColumns()
	columns, err := results.OpenColumns(bytes.NewReader(parquet), int64(len(parquet)))
	if err != nil {
		return err
	}
	rows, err := columns.Read(names...)
	if err != nil {
		return err
	}
	values := make([]string, 1+len(names))
	values[0] = name
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
				values[1+k] = text(&b.Columns[k], i)
			}
			l := leaf{place: []string{name}, hash: leafHash(values)}
			for _, k := range places {
				l.place = append(l.place, strings.Clone(values[1+k]))
			}
			t.leaves = append(t.leaves, l)
		}
	}
}

// text is a value as it is in CSV files of tables.
func text(c *table.Column, i int) string {
	if c.Kind() == table.Float && !c.IsNull(i) {
		return strconv.FormatFloat(c.FloatAt(i), 'g', -1, 64)
	}
	return c.Text(i)
}

// runColumns returns the columns of a table of runs, and which of them are those of order.
func runColumns() (names []string, places []int) {
	for _, c := range results.SchemaOf[results.RunRow]().Columns {
		names = append(names, c.Name)
	}
	for _, name := range order {
		places = append(places, slices.Index(names, name))
	}
	return names, places
}

// leafHash is the hash of a run: of its values, each with its length before it.
func leafHash(values []string) Hash {
	data := []byte{0}
	for _, v := range values {
		data = strconv.AppendInt(data, int64(len(v)), 10)
		data = append(append(append(data, ':'), v...), ',')
	}
	return sha256.Sum256(data)
}

// nodeHash is the hash of what is above two nodes.
func nodeHash(left, right Hash) Hash {
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

// Root returns the root and its number of runs as the lock has them, "COUNT sha256:HEX"; empty: there are no runs. Two
// runs in one place are an error. The order in which tables were added does not matter.
func (t *Tree) Root() (string, error) {
	if len(t.leaves) == 0 {
		return "", nil
	}
	slices.SortFunc(t.leaves, func(a, b leaf) int { return slices.Compare(a.place, b.place) })
	hashes := make([]Hash, len(t.leaves))
	for i := range t.leaves {
		if i > 0 && slices.Equal(t.leaves[i].place, t.leaves[i-1].place) {
			return "", fmt.Errorf("two runs are in the same place of the hash tree: %s",
				strings.Join(t.leaves[i].place, " "))
		}
		hashes[i] = t.leaves[i].hash
	}
	root := rootOf(hashes)
	return fmt.Sprintf("%d sha256:%s", len(hashes), hex.EncodeToString(root[:])), nil
}

// rootOf is the hash of a tree as RFC 6962 (2.1) has it: the left part is the largest power of two that is smaller.
func rootOf(hashes []Hash) Hash {
	if len(hashes) == 1 {
		return hashes[0]
	}
	k := 1
	for 2*k < len(hashes) {
		k *= 2
	}
	return nodeHash(rootOf(hashes[:k]), rootOf(hashes[k:]))
}
