package cache

import (
	"bytes"
	"encoding/binary"
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

// prefixes is the number of possible values of a key's first two bytes.
const prefixes = 1 << 16

func prefixOf(key []byte) int { return int(binary.BigEndian.Uint16(key)) }

// locateSorted locates keys in all segments.
func locateSorted(segments []*segment, keys []Key, places []Place) {
	starts, order := byPrefix(keys)
	const slab = prefixes / 64 // number of prefixes that a goroutine claims in one step
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < prefixes; from += slab {
		group.Go(func() error {
			for p := from; p < from+slab; p++ {
				slices.SortFunc(order[starts[p]:starts[p+1]], func(a, b int32) int {
					return bytes.Compare(keys[a][:], keys[b][:])
				})
			}
			for i := len(segments) - 1; i >= 0; i-- { // latest first: later records take precedence
				locateSlab(segments[i], int32(i+1), from, from+slab, starts, order, keys, places)
			}
			return nil
		})
	}
	group.Wait() // the goroutines never return errors
}

// byPrefix sorts the indices of keys by prefix: the keys with prefix p are at order[starts[p]:starts[p+1]].
func byPrefix(keys []Key) (starts, order []int32) {
	starts = make([]int32, prefixes+2)
	for i := range keys {
		starts[prefixOf(keys[i][:])+2]++
	}
	for p := 2; p < len(starts); p++ {
		starts[p] += starts[p-1]
	}
	order = make([]int32, len(keys))
	for i := range keys {
		at := &starts[prefixOf(keys[i][:])+1]
		order[*at] = int32(i)
		*at++
	}
	return starts, order
}

// locateSlab locates the keys with prefixes from..to in one segment. It looks up each entry of the segment among the
// sorted keys: there may be hundreds of segments, each with few entries.
func locateSlab(s *segment, number int32, from, to int, starts, order []int32, keys []Key, places []Place) {
	for n := s.firstAt(to) - 1; n >= 0; n-- { // the latest of equal entries first
		key := s.keyAt(n)
		p := prefixOf(key)
		if p < from {
			return
		}
		same := order[starts[p]:starts[p+1]]
		at, _ := slices.BinarySearchFunc(same, key, func(i int32, key []byte) int {
			return bytes.Compare(keys[i][:], key)
		})
		for ; at < len(same) && bytes.Equal(keys[same[at]][:], key); at++ {
			if i := same[at]; !places[i].Found() {
				if e := s.at(n); s.whole(e) {
					places[i] = Place{segment: number, length: e.length, offset: e.offset}
				}
			}
		}
	}
}

// firstAt returns the index of the first entry whose prefix is at least the given one.
func (s *segment) firstAt(prefix int) int {
	return sort.Search(s.len(), func(i int) bool { return prefixOf(s.keyAt(i)) >= prefix })
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
