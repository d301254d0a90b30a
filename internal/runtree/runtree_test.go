package runtree

import (
	"encoding/hex"
	"slices"
	"testing"
)

// The digests were made with openssl dgst -sha256 and a shell: leaves are 00 and netstrings, nodes 01 and two digests.
func TestHashes(t *testing.T) {
	got := leafHash([]string{"ab", "", "\u00e9x"}) // 00 "2:ab,0:,3:" c3 a9 "x,"
	const want = "b457222eaa2a1f36e0ff6ce4c7ac87357706ee3a19864dd296ada5686106edd3"
	if hex.EncodeToString(got[:]) != want {
		t.Errorf("leaf %x, want %s", got, want)
	}
	var leaves []leaf
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		leaves = append(leaves, leaf{hash: [sides]Hash{Rest: leafHash([]string{name})}})
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

// TestRoot: the root is that of the leaves in their order, and says how many there are.
func TestRoot(t *testing.T) {
	ha, hb := leafHash([]string{"a"}), leafHash([]string{"b"})
	a, b := leaf{[]string{"t", "a"}, [sides]Hash{ha, hb}}, leaf{[]string{"t", "b"}, [sides]Hash{hb, ha}}
	// openssl: 02, and the nodes of a and b, and of b and a
	const want = "2 sha256:9c4aa9561c3820002ddf4a6fb284257f9d6972aa4d3114f7cba17311b7443555"
	for _, leaves := range [][]leaf{{a, b}, {b, a}} {
		if got, err := (&Tree{leaves: slices.Clone(leaves)}).Root(); got != want || err != nil {
			t.Errorf("root %q, %v; want %q", got, err, want)
		}
	}
	if _, err := (&Tree{leaves: []leaf{a, b, a}}).Root(); err == nil {
		t.Error("a run that is there twice is no error")
	}
	if got, err := new(Tree).Root(); got != "" || err != nil {
		t.Errorf("root of nothing %q, %v", got, err)
	}
}

// TestPath: with five leaves, the root is made of the second, and the hashes of the first, of the third and fourth, and
// of the fifth.
func TestPath(t *testing.T) {
	tree := &Tree{}
	for _, name := range []string{"e", "d", "c", "b", "a"} {
		tree.leaves = append(tree.leaves, leaf{[]string{"t", name[:1]}, [sides]Hash{leafHash([]string{"other"}),
			leafHash([]string{name})}})
	}
	if _, err := tree.Root(); err != nil {
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
	if place := tree.Place(3); !slices.Equal(place, []string{"t", "d"}) {
		t.Errorf("place %q", place)
	}
}

// TestSides: each column is on one side, and what scoring needs is on the first, behind the name of the table.
func TestSides(t *testing.T) {
	all := slices.Concat(ColumnsOf(Scored), ColumnsOf(Rest))
	if want := Columns(); len(all) != len(want) || !slices.Equal(slices.Sorted(slices.Values(all)),
		slices.Sorted(slices.Values(want))) {
		t.Errorf("both sides have %q, and runs %q", all, want)
	}
	if !slices.Equal(ColumnsOf(Scored), scored) {
		t.Errorf("scoring needs %q, and the tree has %q", scored, ColumnsOf(Scored))
	}
	run := Columns() // each value is the name of its column
	if got, want := Values(Scored, "t", run), append([]string{"t"}, scored...); !slices.Equal(got, want) {
		t.Errorf("leaf %q, want %q", got, want)
	}
	if got := Values(Rest, "t", run); !slices.Equal(got, ColumnsOf(Rest)) {
		t.Errorf("leaf of the rest %q", got)
	}
}
