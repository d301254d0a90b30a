package cache

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
)

// TestValidIndex checks indexes, all with correct checksums, for a segment of 100 bytes.
func TestValidIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "segment")
	index := func(entries int) []byte {
		if err := writeIndex(path, make([]entry, entries), 100); err != nil {
			t.Fatal(err)
		}
		idx, err := os.ReadFile(path + ".idx")
		if err != nil {
			t.Fatal(err)
		}
		return idx
	}
	counted := func(idx []byte, count uint64) []byte {
		binary.LittleEndian.PutUint64(idx[8:], count)
		body := len(idx) - 4
		binary.LittleEndian.PutUint32(idx[body:], crc32.Checksum(idx[:body], castagnoli))
		return idx
	}
	for _, test := range []struct {
		name string
		idx  []byte
		size int64
		want bool
	}{
		{"none", index(0), 100, true},
		{"two entries", index(2), 100, true},
		{"another segment", index(2), 101, false},
		{"more entries than there are", counted(index(2), 3), 100, false},
		{"fewer entries than there are", counted(index(2), 1), 100, false},
		{"2^62 entries, whose 44 bytes each are 0 modulo 2^64", counted(index(0), 1<<62), 100, false},
	} {
		if got := validIndex(test.idx, test.size); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
	whole := index(0)
	for n := range len(whole) {
		if validIndex(whole[:n], 100) {
			t.Errorf("the first %d bytes are a valid index", n)
		}
	}
}
