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
	leaves := []Hash{leafHash([]string{"a"}), leafHash([]string{"b"}), leafHash([]string{"c"}),
		leafHash([]string{"d"}), leafHash([]string{"e"})}
	for n, want := range map[int]string{
		1: "3c9bc2cef6e7ea78bd11c5f622967f4a69424ae18a23e0cb6c1b30d1a6e3fa47",
		2: "721125e6c57735b479d2f3a448784ba9da0c3edc36acfcb2af2b015ad023e7dc",
		3: "5888cbd5908af81a0d6e1e5891ac7ca67139b247d008073875f604f5600ec949",
		5: "ec16ce2362407d4cc5aa6dd42d5821b641a3b534be6854432cbc257ddcc1714d",
	} {
		if got := rootOf(leaves[:n]); hex.EncodeToString(got[:]) != want {
			t.Errorf("root of %d leaves is %x, want %s", n, got, want)
		}
	}
}

// TestRoot: the root is that of the leaves in their order, and says how many there are.
func TestRoot(t *testing.T) {
	a, b := leaf{[]string{"t", "a"}, leafHash([]string{"a"})}, leaf{[]string{"t", "b"}, leafHash([]string{"b"})}
	const want = "2 sha256:721125e6c57735b479d2f3a448784ba9da0c3edc36acfcb2af2b015ad023e7dc"
	for _, leaves := range [][]leaf{{a, b}, {b, a}} {
		if got, err := (&Tree{slices.Clone(leaves)}).Root(); got != want || err != nil {
			t.Errorf("root %q, %v; want %q", got, err, want)
		}
	}
	if _, err := (&Tree{[]leaf{a, b, a}}).Root(); err == nil {
		t.Error("a run that is there twice is no error")
	}
	if got, err := new(Tree).Root(); got != "" || err != nil {
		t.Errorf("root of nothing %q, %v", got, err)
	}
}
