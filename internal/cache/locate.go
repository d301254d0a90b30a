package cache

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"runtime"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"
)

// Place is the position of a record in an open store. The zero Place stands for a missing record. A place stays valid
// while the store is open.
type Place struct {
	segment int32 // number of the segment, from 1; 0: no record; -1: the segment that this process writes
	length  uint32
	offset  int64
}

// Found reports whether the place holds a record.
func (p Place) Found() bool { return p.segment != 0 }

// Locate finds the records of many keys. It walks the keys and the sorted indexes in parallel, because a million
// separate look-ups would cause a million cache misses. It reads every record, and damaged ones count as absent.
func (it *Items) Locate(keys []Key) []Place {
	l := it.log
	l.mu.RLock()
	segments := l.segments[:len(l.segments):len(l.segments)] // segments may be appended but never removed
	l.mu.RUnlock()
	it.searched.CompareAndSwap(0, int32(len(segments))+1)
	places := make([]Place, len(keys))
	total := 0
	for _, s := range segments {
		total += s.len()
	}
	if len(keys) > 0 && total/len(keys) < 64 {
		locateSorted(segments, keys, places)
	} else {
		for i, k := range keys {
			places[i] = findIn(segments, k)
		}
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i, k := range keys {
		if len(l.fresh) == 0 && len(l.segments) == len(segments) {
			break
		}
		if _, ok := l.fresh[k]; ok {
			places[i] = Place{segment: -1}
		} else if p := findIn(l.segments[len(segments):], k); p.Found() {
			p.segment += int32(len(segments))
			places[i] = p
		}
	}
	return places
}

// findIn finds a key in the latest segment with an intact record of it.
func findIn(segments []*segment, key [32]byte) Place {
	for i := len(segments) - 1; i >= 0; i-- {
		if e, ok := segments[i].find(key); ok && segments[i].whole(e) {
			return Place{segment: int32(i + 1), length: e.length, offset: e.offset}
		}
	}
	return Place{}
}

// buckets sorts the indices of keys by their first bits: the keys of bucket b are at order[starts[b]:starts[b+1]].
type buckets struct {
	bits          int
	keys          []Key
	starts, order []int32
}

// bucketKeys is roughly the number of keys in a bucket, and slab the number of buckets that a goroutine claims in one
// step. The keys of a slab then fit into the processor's cache, however many keys there are in total.
const (
	bucketKeys = 16
	slab       = 256
)

func newBuckets(keys []Key) *buckets {
	b := &buckets{keys: keys, bits: bits.Len(uint(len(keys)/bucketKeys | slab/2)), order: make([]int32, len(keys))}
	b.starts = make([]int32, b.len()+2)
	for i := range keys {
		b.starts[b.of(keys[i][:])+2]++
	}
	for p := 2; p < len(b.starts); p++ {
		b.starts[p] += b.starts[p-1]
	}
	for i := range keys {
		at := &b.starts[b.of(keys[i][:])+1]
		b.order[*at] = int32(i)
		*at++
	}
	return b
}

func (b *buckets) len() int { return 1 << b.bits }

func (b *buckets) of(key []byte) int { return int(binary.BigEndian.Uint32(key) >> (32 - b.bits)) }

// locateSorted locates keys in all segments.
func locateSorted(segments []*segment, keys []Key, places []Place) {
	b := newBuckets(keys)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < b.len(); from += slab {
		group.Go(func() error {
			for p := from; p < from+slab; p++ {
				slices.SortFunc(b.order[b.starts[p]:b.starts[p+1]], func(i, j int32) int {
					return bytes.Compare(keys[i][:], keys[j][:])
				})
			}
			for i := len(segments) - 1; i >= 0; i-- { // latest first: later records take precedence
				b.locate(segments[i], int32(i+1), from, places)
			}
			return nil
		})
	}
	group.Wait() // the goroutines never return errors
	dropDamaged(segments, keys, places)
}

// dropDamaged reads the located records in the order of the keys, in which they were mostly written, and locates those
// that are damaged once more, because there may be older records.
func dropDamaged(segments []*segment, keys []Key, places []Place) {
	const chunk = 1 << 13
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < len(keys); from += chunk {
		group.Go(func() error {
			for i := from; i < min(from+chunk, len(keys)); i++ {
				p := places[i]
				if p.Found() && !segments[p.segment-1].whole(entry{keys[i], p.offset, p.length}) {
					places[i] = findIn(segments, keys[i])
				}
			}
			return nil
		})
	}
	group.Wait()
}

// locate locates the keys of a slab in one segment. It looks up each entry of the segment among the sorted keys: there
// may be hundreds of segments, each with few entries.
func (b *buckets) locate(s *segment, number int32, from int, places []Place) {
	end := sort.Search(s.len(), func(i int) bool { return b.of(s.keyAt(i)) >= from+slab })
	for n := end - 1; n >= 0; n-- { // the latest of equal entries first
		key := s.keyAt(n)
		p := b.of(key)
		if p < from {
			return
		}
		same := b.order[b.starts[p]:b.starts[p+1]]
		at, _ := slices.BinarySearchFunc(same, key, func(i int32, key []byte) int {
			return bytes.Compare(b.keys[i][:], key)
		})
		for ; at < len(same) && bytes.Equal(b.keys[same[at]][:], key); at++ {
			if i := same[at]; !places[i].Found() {
				e := s.at(n)
				places[i] = Place{segment: number, length: e.length, offset: e.offset}
			}
		}
	}
}

// At is like Get for a located record, but faster because it does not search. If the record was damaged after it was
// located, the error is a *CorruptError.
func (it *Items) At(key Key, p Place) (record []byte, ok bool, err error) {
	l := it.log
	l.mu.RLock()
	if p.segment <= 0 || int(p.segment) > len(l.segments) {
		l.mu.RUnlock()
		return it.Get(key)
	}
	s := l.segments[p.segment-1]
	l.mu.RUnlock()
	record, err = s.payload(entry{key: key, offset: p.offset, length: p.length})
	return record, err == nil, err
}

// HasEach sets have[i] to true if there is a record of keys[i], and to false otherwise.
func (it *Items) HasEach(keys []Key, have []bool) {
	for i, p := range it.Locate(keys) {
		have[i] = p.Found()
	}
}
