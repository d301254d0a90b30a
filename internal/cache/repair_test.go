package cache

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestChecksumsOfParts compares combined checksums with those that hash/crc32 computes.
func TestChecksumsOfParts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 5*markEvery+77)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	c := newChecksums(data)
	for range 3000 {
		from := random.IntN(len(data) + 1)
		to := from + random.IntN(len(data)-from+1)
		if got, want := c.of(from, to), crc32.Checksum(data[from:to], castagnoli); got != want {
			t.Fatalf("bytes %d to %d have the checksum %08x, want %08x", from, to, got, want)
		}
	}
}

// TestScanWithDamage damages segments of random records in several places: the scan must find every undamaged frame in
// its place, and nothing else.
func TestScanWithDamage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		data := []byte(segmentMagic)
		var frames []entry
		for i := range 1 + random.IntN(12) {
			text := make([]byte, []int{0, 24, 24, 128, random.IntN(6000)}[random.IntN(5)])
			for k := range text {
				text[k] = byte(random.Uint32N(4)) // zeros and small numbers, which look like lengths
			}
			data = appendFrame(data, key(1000*round+i), text)
			frames = append(frames, entryAt(data, len(data)-len(text)-frameHeader, len(data)))
		}
		damaged, from, to := bytes.Clone(data), len(data), len(data)
		switch random.IntN(3) {
		case 0: // truncates the end
			damaged = damaged[:random.IntN(len(data))]
			from = len(damaged)
		case 1: // overwrites with noise
			from = random.IntN(len(data))
			to = min(from+1+random.IntN(300), len(data))
			for i := from; i < to; i++ {
				damaged[i] = byte(random.Uint32())
			}
		case 2: // removes a part
			from = random.IntN(len(data))
			to = min(from+1+random.IntN(300), len(data))
			damaged = append(damaged[:from], data[to:]...)
		}
		moved := len(data) - len(damaged)
		if to == len(data) {
			moved = 0
		}
		got := map[entry]bool{}
		scanSegment(damaged, func(e entry) { got[e] = true })
		for _, e := range frames {
			if e.end() > from && int(e.offset)-frameHeader < to {
				delete(got, e)
				continue
			}
			if e.end() > to {
				e.offset -= int64(moved)
			}
			if !got[e] {
				t.Fatalf("round %d: a frame at byte %d was not found; damage is at %d to %d", round, e.offset, from, to)
			}
			delete(got, e)
		}
		for e := range got {
			t.Fatalf("round %d: a frame at byte %d was invented", round, e.offset)
		}
	}
}

// TestScanIsLinear scans a segment with a damaged first length, where every following byte looks like a length.
func TestScanIsLinear(t *testing.T) {
	text := bytes.Repeat([]byte{0, 0, 8, 0, 0}, 100_000) // a frame of half a megabyte could begin at every byte
	data := []byte(segmentMagic)
	for i := range 8 {
		data = appendFrame(data, key(i), text)
	}
	data[len(segmentMagic)+3] ^= 1
	n, start := 0, time.Now()
	scanSegment(data, func(entry) { n++ })
	// The scan takes half a second on an idle machine; computing a checksum for every possible frame would take
	// minutes.
	if took := time.Since(start); n != 8 || took > 20*time.Second {
		t.Errorf("%d frames were found after %s, want 8", n, took)
	}
}

// sealedItems stores n records and returns the store's folder and the path of its segment.
func sealedItems(t *testing.T, n int) (dir, segment string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store")
	putItems(t, dir, n, "first")
	paths, _ := filepath.Glob(filepath.Join(dir, "items", "runs", "*.seg"))
	if len(paths) != 1 {
		t.Fatalf("segments %v", paths)
	}
	return dir, paths[0]
}

// openItems opens a store and the items of a kind in it. The caller closes the store.
func openItems(t testing.TB, dir, kind string) (*Store, *Items) {
	t.Helper()
	s, err := Open(dir, Options{Durability: Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	it, err := s.Items(kind)
	if err != nil {
		t.Fatal(err)
	}
	return s, it
}

// putItems stores the missing records among 0 to n-1, and returns their number.
func putItems(t *testing.T, dir string, n int, text string) (put int) {
	t.Helper()
	s, it := openItems(t, dir, "runs")
	keys := make([]Key, n)
	for i := range keys {
		keys[i] = Key(key(i))
	}
	var err error
	for i, p := range it.Locate(keys) {
		if p.Found() != it.Has(keys[i]) {
			t.Errorf("record %d: found %v, has %v", i, p.Found(), it.Has(keys[i]))
		}
		if _, _, err := it.At(keys[i], p); err != nil {
			t.Errorf("record %d: %v", i, err)
		}
		if !p.Found() {
			put++
			err = errors.Join(err, it.Put(keys[i], fmt.Appendf(nil, "%s %d", text, i)))
		}
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return put
}

// TestDamagedItemIsAbsent damages a record in a sealed segment: the record counts as absent, can be stored again, and
// then exists.
func TestDamagedItemIsAbsent(t *testing.T) {
	dir, segment := sealedItems(t, 200)
	flip(t, segment, -1) // the last record's payload
	if put := putItems(t, dir, 200, "second"); put != 1 {
		t.Errorf("%d records were missing, want 1", put)
	}
	if put := putItems(t, dir, 200, "third"); put != 0 {
		t.Errorf("%d records were missing the next time, want none", put)
	}
}

// TestMergeKeepsOlderRecord damages the later of two records with one key: the merge keeps the earlier record.
func TestMergeKeepsOlderRecord(t *testing.T) {
	dir, _ := sealedItems(t, 1)
	for i := range compactAbove {
		s, err := Open(dir, Options{Durability: Relaxed})
		if err != nil {
			t.Fatal(err)
		}
		it, err := s.Items("runs")
		if err := errors.Join(err, it.Put(Key(key(0)), fmt.Appendf(nil, "later %d", i))); err != nil {
			t.Fatal(err)
		}
		if i == compactAbove-1 { // closing this store merges the segments
			paths, _ := filepath.Glob(filepath.Join(dir, "items", "runs", "*.seg"))
			for _, p := range paths[1 : len(paths)-1] {
				flip(t, p, -1)
			}
			it.log.mu.Lock()
			_, err = it.log.writer.WriteAt([]byte{0xff}, it.log.written-1)
			it.log.mu.Unlock()
		}
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if paths, _ := filepath.Glob(filepath.Join(dir, "items", "runs", "*.seg")); len(paths) != 1 {
		t.Errorf("segments %v, want one", paths)
	}
	if put := putItems(t, dir, 1, "new"); put != 0 {
		t.Error("the whole record was lost")
	}
}

// flip changes the byte at an offset in a file. A negative offset counts from the end.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if at < 0 {
		at += len(b)
	}
	b[at] ^= 0x10
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRepair damages one record, and the length of another, in a segment with an index. Repair and collection remove
// the damage, after which even deleting the index loses nothing.
func TestRepair(t *testing.T) {
	const records = 20
	tests := map[string]func(*Store) error{
		"repair": func(s *Store) error {
			// The first one, Check, changes nothing.
			for _, check := range []func() (*Verified, error){s.Check, s.Repair} {
				v, err := check()
				if err != nil {
					return err
				}
				if len(v.Problems) != 2 || v.Records != records-1 {
					return fmt.Errorf("the check gives %+v, want 2 problems and %d records", v, records-1)
				}
			}
			return nil
		},
		"gc": func(s *Store) error {
			got, err := s.GC(GCOptions{ItemRefers: func(string, []byte) []Digest { return nil }})
			if err == nil && got.Damaged != 2 {
				err = fmt.Errorf("the collection gives %+v, want 2 damaged records", got)
			}
			return err
		},
	}
	for name, repair := range tests {
		t.Run(name, func(t *testing.T) {
			dir, segment := sealedItems(t, records)
			flip(t, segment, -1)
			flip(t, segment, len(segmentMagic)+1) // the length of the first record
			s, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(repair(s), s.Close()); err != nil {
				t.Fatal(err)
			}
			if s, err = Open(dir, Options{}); err != nil {
				t.Fatal(err)
			}
			v, err := s.Check()
			if err := errors.Join(err, s.Close()); err != nil || len(v.Problems) > 0 || v.Records != records-1 {
				t.Errorf("after it: %+v, %v", v, err)
			}
			kept, err := os.ReadFile(segment + ".damaged")
			if err != nil || len(kept) != 4+frameHeader+len("first 19") {
				t.Errorf("%d bytes were kept, %v", len(kept), err)
			}
			if err := os.Remove(segment + ".idx"); err != nil {
				t.Fatal(err)
			}
			if put := putItems(t, dir, records, "again"); put != 1 {
				t.Errorf("%d records were missing, want 1", put)
			}
		})
	}
}

// TestPackIndex changes one bit of a pack's index: all blobs are still found.
func TestPackIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var digests []Digest
	for i := range 5 {
		d, err := s.PutBytes(fmt.Appendf(nil, "blob %d", i))
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, d)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	index, _ := filepath.Glob(filepath.Join(dir, "packs", "*.idx"))
	for at := indexHeader; at < indexHeader+5*entrySize; at += 7 {
		flip(t, index[0], at)
		if s, err = Open(dir, Options{}); err != nil {
			t.Fatal(err)
		}
		for i, d := range digests {
			if b, err := s.ReadBytes(d); err != nil || string(b) != fmt.Sprintf("blob %d", i) {
				t.Fatalf("byte %d: blob %d is %q, %v", at, i, b, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStoreDamagedAgain checks that content is stored again if its stored copy is damaged, even if nothing has read the
// copy since.
func TestStoreDamagedAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	small, large := []byte("a small blob"), bytes.Repeat([]byte("large"), packLimit)
	var digests [2]Digest
	put := func() {
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range [][]byte{small, large} {
			if digests[i], err = s.PutBytes(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	put()
	packs, _ := filepath.Glob(filepath.Join(dir, "packs", "*.seg"))
	flip(t, packs[0], -1)
	file := (&Store{dir: dir}).blobPath(digests[1])
	os.Chmod(file, 0o666)
	flip(t, file, 7)
	put()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, want := range [][]byte{small, large} {
		if b, err := s.ReadBytes(digests[i]); err != nil || !bytes.Equal(b, want) {
			t.Errorf("blob %d has %d bytes, %v", i, len(b), err)
		}
	}
}
