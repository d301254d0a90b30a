package runtree

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// The digests were computed with openssl dgst -sha256 and a shell. Leaves consist of 00 and netstrings, nodes of 01 and
// two digests.
func TestHashes(t *testing.T) {
	got := leafHash([]string{"ab", "", "\u00e9x"}) // 00 "2:ab,0:,3:" c3 a9 "x,"
	const want = "b457222eaa2a1f36e0ff6ce4c7ac87357706ee3a19864dd296ada5686106edd3"
	if hex.EncodeToString(got[:]) != want {
		t.Errorf("leaf %x, want %s", got, want)
	}
	var leaves []leaf
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		leaves = append(leaves, leaf{hash: [Entrants]Hash{Rest: leafHash([]string{name})}})
	}
	for n, want := range map[int]string{
		1: "3c9bc2cef6e7ea78bd11c5f622967f4a69424ae18a23e0cb6c1b30d1a6e3fa47",
		2: "721125e6c57735b479d2f3a448784ba9da0c3edc36acfcb2af2b015ad023e7dc",
		3: "5888cbd5908af81a0d6e1e5891ac7ca67139b247d008073875f604f5600ec949",
		5: "ec16ce2362407d4cc5aa6dd42d5821b641a3b534be6854432cbc257ddcc1714d",
	} {
		if got := rootOf(leaves[:n], Rest); hex.EncodeToString(got[:]) != want {
			t.Errorf("root of %d leaves is %x, want %s", n, got, want)
		}
	}
}

// TestRoot checks that the root covers the leaves in order, and their number.
func TestRoot(t *testing.T) {
	ha, hb := leafHash([]string{"a"}), leafHash([]string{"b"})
	words := table.Dictionary{Words: []string{"", "t", "b", "a"}}
	a, b := leaf{place{1, 3}, [Entrants]Hash{ha, hb}}, leaf{place{1, 2}, [Entrants]Hash{hb, ha}}
	// computed with openssl from 02 and the nodes of a and b, and of b and a
	const want = "2 sha256:9c4aa9561c3820002ddf4a6fb284257f9d6972aa4d3114f7cba17311b7443555"
	for _, leaves := range [][]leaf{{a, b}, {b, a}} {
		got, err := (&Tree{leaves: slices.Clone(leaves), words: words}).Roots()
		if got != (Roots{Runs: want}) || err != nil {
			t.Errorf("roots %q, %v; want %q", got, err, want)
		}
	}
	if _, err := (&Tree{leaves: []leaf{a, b, a}, words: words}).Roots(); err == nil {
		t.Error("a run that is there twice is not an error")
	}
	for range 20 { // the error is about the runs, whatever the entrants are
		_, err := (&Tree{leaves: []leaf{a, a}, entrants: []leaf{b, b}, words: words}).Roots()
		if err == nil || !strings.HasPrefix(err.Error(), "two runs") {
			t.Fatalf("runs and entrants that are there twice: %v", err)
		}
	}
	if got, err := new(Tree).Roots(); got != (Roots{}) || err != nil {
		t.Errorf("root of nothing %q, %v", got, err)
	}
}

// TestPath uses five leaves. The root follows from the second leaf and the hashes of the first leaf, of the third and
// fourth, and of the fifth.
func TestPath(t *testing.T) {
	tree := &Tree{}
	for _, name := range []string{"e", "d", "c", "b", "a"} {
		tree.leaves = append(tree.leaves, leaf{tree.placeOf([]string{"t", name, "", "", "", "", "0"}),
			[Entrants]Hash{leafHash([]string{"other"}), leafHash([]string{name})}})
	}
	if _, err := tree.Roots(); err != nil {
		t.Fatal(err)
	}
	hexOf := func(h Hash) string { return hex.EncodeToString(h[:]) }
	want := []string{hexOf(leafHash([]string{"a"})),
		hexOf(nodeHash(leafHash([]string{"c"}), leafHash([]string{"d"}))), hexOf(leafHash([]string{"e"}))}
	if got := tree.Path(Rest, map[int]bool{1: true}); !slices.Equal(got, want) {
		t.Errorf("path %q, want %q", got, want)
	}
	if got := tree.Path(Rest, map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true}); len(got) != 0 {
		t.Errorf("path of all leaves %q", got)
	}
	for _, c := range []struct {
		prefix string
		want   [4]int
	}{{"a", [4]int{0, 0, 1, 2}}, {"c", [4]int{1, 2, 3, 4}}, {"e", [4]int{3, 4, 5, 5}}, {"bb", [4]int{1, 2, 2, 3}}} {
		var got [4]int
		got[0], got[1], got[2], got[3] = tree.Span("t", c.prefix)
		if got != c.want {
			t.Errorf("span of %s is %v, want %v", c.prefix, got, c.want)
		}
	}
	if place := tree.Place(3); !slices.Equal(place, []string{"t", "d", "", "", "", "", "0"}) {
		t.Errorf("place %q", place)
	}
}

// TestSides checks that each column is on exactly one side, and that the columns for scoring are on the first side,
// after the table's name. Runs from smtpipe 0.1 state who takes part, and their leaves must not change.
func TestSides(t *testing.T) {
	const told = "team competitive barred base_solver"
	of := map[string]string{
		"runs/1": "benchmark solver participation attempt track logic " + told +
			" wall_time_s cpu_time_s stdout wall_limit_s cores",
		"runs/2": "benchmark solver participation attempt track logic wall_time_s cpu_time_s stdout wall_limit_s cores"}
	for schema, text := range of {
		want, run := strings.Fields(text), Columns(schema) // each value is the name of its column
		if got := ColumnsOf(schema, Scored); !slices.Equal(got, want) {
			t.Errorf("%s: scoring needs %q, and the tree has %q", schema, want, got)
		}
		all := slices.Concat(ColumnsOf(schema, Scored), ColumnsOf(schema, Rest))
		if !slices.Equal(slices.Sorted(slices.Values(all)), slices.Sorted(slices.Values(run))) {
			t.Errorf("both sides have %q, and %s %q", all, schema, run)
		}
		if got := Values(schema, Scored, "t", run); !slices.Equal(got, append([]string{"t"}, want...)) {
			t.Errorf("leaf %q, want %q", got, want)
		}
		if got := Values(schema, Rest, "t", run); !slices.Equal(got, ColumnsOf(schema, Rest)) {
			t.Errorf("leaf of the rest %q", got)
		}
	}
	lost := strings.Fields("team competitive open_source new_entrant barred base_solver")
	got := slices.DeleteFunc(Columns("runs/1"), func(c string) bool { return slices.Contains(lost, c) })
	if !slices.Equal(got, Columns("runs/2")) || len(Columns("runs/1")) != len(got)+len(lost) {
		t.Errorf("runs/1 without who takes part has %q, and runs/2 %q", got, Columns("runs/2"))
	}
}

// TestEntrants checks that a leaf consists of the table's name and a row as in its CSV file. The root covers the leaves
// in order of table, track, solver and participation.
func TestEntrants(t *testing.T) {
	table := func(rows ...results.EntrantRow) *bytes.Reader {
		var b bytes.Buffer
		if err := results.Write(&b, rows); err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(b.Bytes())
	}
	a := table(results.EntrantRow{Track: "parallel", Solver: "x", Team: "X, Y", Logics: []string{"LIA", "UF"},
		Ranked: true})
	b := table(results.EntrantRow{Track: "cloud", Solver: "x", Participation: 1, Submitted: "yes"})
	leafA := leafHash(strings.Split("a|parallel|x|0|X, Y|||LIA UF|||||false|false|false|true|||||", "|"))
	leafB := leafHash(strings.Split("b|cloud|x|1|||||yes||||false|false|false|false|||||", "|"))
	node := nodeHash(leafA, leafB)
	want := "2 sha256:" + hex.EncodeToString(node[:])
	for _, add := range [][]string{{"a", "b"}, {"b", "a"}} {
		tree, tables := &Tree{}, map[string]*bytes.Reader{"a": a, "b": b}
		for _, name := range add {
			if err := tree.Add("entrants/1", name, tables[name], tables[name].Size()); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := tree.Roots(); got != (Roots{Entrants: want}) || err != nil {
			t.Errorf("roots %q, %v; want %q", got, err, want)
		}
		if i, ok := tree.EntrantAt([]string{"b", "cloud", "x", "1"}); i != 1 || !ok {
			t.Errorf("the leaf of b is %d, %t", i, ok)
		}
		if got := tree.Path(Entrants, map[int]bool{1: true}); len(got) != 1 || got[0] != hex.EncodeToString(leafA[:]) {
			t.Errorf("path %q", got)
		}
	}
}
