package cache

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// TestLocate finds keys in several segments, including the one being written, with one search for all keys and with
// several.
func TestLocate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	const records = 3000
	write := func(from, to int, text string) *Items {
		s, it := openItems(t, dir, "runs")
		t.Cleanup(func() { s.Close() })
		for i := from; i < to; i++ {
			if err := it.Put(Key(key(i)), fmt.Appendf(nil, "%s %d", text, i)); err != nil {
				t.Fatal(err)
			}
		}
		return it
	}
	for k := range 3 { // the segments overlap: for a key in two of them, the later one takes precedence
		write(k*800, k*800+1000, fmt.Sprint(k))
		s, err := Open(dir, Options{}) // closing the store later seals its segment
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	it := write(2600, 2800, "own")
	want := func(i int) string {
		switch {
		case i < 800:
			return fmt.Sprintf("0 %d", i)
		case i < 1600:
			return fmt.Sprintf("1 %d", i)
		case i < 2600:
			return fmt.Sprintf("2 %d", i)
		case i < 2800:
			return fmt.Sprintf("own %d", i)
		}
		return ""
	}
	for _, step := range []int{1, 500} { // Locate searches for many keys together, but for a few keys separately
		t.Run(fmt.Sprint("every ", step), func(t *testing.T) {
			var keys []Key
			for i := 0; i < records; i += step {
				keys = append(keys, Key(key(i)))
			}
			for n, p := range it.Locate(keys) {
				i := n * step
				if p.Found() != (want(i) != "") {
					t.Fatalf("key %d is found: %v", i, p.Found())
				}
				got, ok, err := it.At(keys[n], p)
				if err != nil || ok != p.Found() || !bytes.Equal(got, []byte(want(i))) {
					t.Fatalf("key %d has %q, %v, %v, want %q", i, got, ok, err, want(i))
				}
				if single, ok, err := it.Get(keys[n]); err != nil || ok != p.Found() || !bytes.Equal(single, got) {
					t.Fatalf("key %d alone has %q, %v, %v, want %q", i, single, ok, err, got)
				}
			}
		})
	}
}

// TestLocateAlike finds keys of which many begin alike or are the same, in several slabs, and compares each with a
// search for it alone.
func TestLocateAlike(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	keys := make([]Key, 10*slabKeys)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range keys {
		keys[i][0], keys[i][5], keys[i][31] = byte(r.IntN(256)), byte(r.IntN(3)), byte(r.IntN(20))
	}
	for segment := range 3 {
		s, it := openItems(t, dir, "runs")
		for range len(keys) / 8 {
			i := r.IntN(len(keys))
			if err := it.Put(keys[i], fmt.Appendf(nil, "%d %d", segment, i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s, it := openItems(t, dir, "runs")
	defer s.Close()
	places := it.Locate(keys)
	for _, s := range it.log.segments {
		if s.damage.Load() != 0 {
			t.Error("a record of another key was taken for a damaged one")
		}
	}
	found := 0
	for i, p := range places {
		want, ok, err := it.Get(keys[i])
		got, _, err2 := it.At(keys[i], p)
		if err != nil || err2 != nil || ok != p.Found() || !bytes.Equal(got, want) {
			t.Fatalf("key %x has %q, %v, want %q, %v", keys[i], got, err2, want, err)
		}
		if ok {
			found++
		}
	}
	if found < len(keys)/4 || found == len(keys) {
		t.Errorf("%d of %d keys are found", found, len(keys))
	}
}

// TestPutFirst checks that of two users of a store that found no record for a key, the first to put one wins, also if
// its segment was sealed since.
func TestPutFirst(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "store"), Options{Durability: Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var users [2]*Items
	for i := range users {
		if users[i], err = s.Items("runs"); err != nil {
			t.Fatal(err)
		}
		users[i].Locate([]Key{Key(key(0)), Key(key(1))})
	}
	for i := range rollRecords + 1 { // one more than a segment holds
		if err := users[0].PutFirst(Key(key(i)), []byte("first")); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			users[0].Locate([]Key{Key(key(0)), Key(key(1))})
		}
	}
	for _, i := range []int{0, 1, rollRecords} {
		if err := users[1].PutFirst(Key(key(i)), []byte("second")); err != nil {
			t.Fatal(err)
		}
		if got, _, err := users[1].Get(Key(key(i))); err != nil || string(got) != "first" {
			t.Errorf("record %d is %q, %v, want the first", i, got, err)
		}
	}
}

// BenchmarkLocate locates all records of a store: the time per record must hardly grow.
func BenchmarkLocate(b *testing.B) {
	for _, n := range []int{1 << 20, 1 << 22} {
		s, it := openItems(b, filepath.Join(b.TempDir(), "store"), "runs")
		keys := make([]Key, n)
		for i := range keys {
			keys[i] = Key(key(i))
			if err := it.Put(keys[i], make([]byte, 64)); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, it := openItems(b, s.Dir(), "runs")
			defer s.Close()
			for b.Loop() {
				if places := it.Locate(keys); !places[n/2].Found() {
					b.Fatal("a record is missing")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/record")
		})
	}
}

// BenchmarkPutFirst stores the records of a stage that no record is known of: the time per record must hardly grow.
func BenchmarkPutFirst(b *testing.B) {
	for _, n := range []int{1 << 19, 1 << 20, 1 << 21} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				s, it := openItems(b, filepath.Join(b.TempDir(), "store"), "runs")
				it.Locate([]Key{Key(key(0))})
				for i := range n {
					if err := it.PutFirst(Key(key(i)), make([]byte, 64)); err != nil {
						b.Fatal(err)
					}
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/record")
		})
	}
}

// TestRollAndMerge writes more records than one segment holds, and merges small segments.
func TestRollAndMerge(t *testing.T) {
	dir := t.TempDir()
	const total = rollRecords + 50
	l, err := openLog(dir, Relaxed, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range total {
		if err := l.put(key(i), []byte{byte(i), byte(i >> 8)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.fresh) != 50 || len(l.segments) != 1 {
		t.Errorf("%d records and %d segments are left in memory, want 50 and 1", len(l.fresh), len(l.segments))
	}
	if n := l.len(); n != total {
		t.Errorf("it counts %d records, want %d", n, total)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	for k := range compactAbove { // each store closes with its own segment, and the last one merges them
		if l, err = openLog(dir, Relaxed, nil); err != nil {
			t.Fatal(err)
		}
		if err := l.put(key(k), []byte("new")); err != nil {
			t.Fatal(err)
		}
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
	}
	names, err := segmentNames(dir)
	if err != nil || len(names) > compactAbove {
		t.Errorf("%d segments are left, %v", len(names), err)
	}
	if l, err = openLog(dir, Relaxed, nil); err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for i := range total {
		want := []byte{byte(i), byte(i >> 8)}
		if i < compactAbove {
			want = []byte("new")
		}
		if got, ok, err := l.get(key(i)); err != nil || !ok || !bytes.Equal(got, want) {
			t.Fatalf("record %d is %q, %v, %v, want %q", i, got, ok, err, want)
		}
	}
}
