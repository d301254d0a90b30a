package cache

import (
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

// slabKeys is roughly the number of keys in a slab, which a goroutine claims in one step. They fit into the processor's
// cache, however many keys there are in total.
const slabKeys = 1 << 12

// slabs holds the keys by their first bits. A slot has the 32 bits of a key after those in its upper half and the key's
// index in its lower half, so that most keys are compared without reading them.
type slabs struct {
	bits   int // a key's first bits are the number of its slab
	keys   []Key
	starts []int32 // the slots of slab n are at slots[starts[n]:starts[n+1]]
	slots  []uint64
}

func newSlabs(keys []Key) *slabs {
	b := &slabs{keys: keys, bits: bits.Len(uint(len(keys) / slabKeys)), slots: make([]uint64, len(keys))}
	b.starts = make([]int32, b.len()+2)
	for i := range keys {
		n, _ := b.of(keys[i][:])
		b.starts[n+2]++
	}
	for n := 2; n < len(b.starts); n++ {
		b.starts[n] += b.starts[n-1]
	}
	for i := range keys {
		n, head := b.of(keys[i][:])
		at := &b.starts[n+1]
		b.slots[*at] = head | uint64(i)
		*at++
	}
	return b
}

func (b *slabs) len() int { return 1 << b.bits }

// of returns a key's slab, and its slot without the index.
func (b *slabs) of(key []byte) (slab int, head uint64) {
	first := binary.BigEndian.Uint64(key)
	return int(first >> (64 - b.bits)), first << b.bits >> 32 << 32
}

// locateSorted locates keys in all segments.
func locateSorted(segments []*segment, keys []Key, places []Place) {
	b := newSlabs(keys)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for slab := range b.len() {
		group.Go(func() error {
			slots := b.slots[b.starts[slab]:b.starts[slab+1]]
			slices.Sort(slots)
			for i := len(segments) - 1; i >= 0; i-- { // latest first: later records take precedence
				b.locate(segments[i], int32(i+1), slab, slots, places)
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

// locate locates the keys of a slab in one segment. It looks up each entry of the segment among the sorted slots: there
// may be hundreds of segments, each with few entries. It reads keys and places afterwards, because the processor can
// then wait for many of them at the same time.
func (b *slabs) locate(s *segment, number int32, slab int, slots []uint64, places []Place) {
	type candidate struct{ entry, key int32 }
	var all []candidate
	n := sort.Search(s.len(), func(i int) bool { found, _ := b.of(s.keyAt(i)); return found >= slab })
	for ; n < s.len() && len(slots) > 0; n++ {
		in, head := b.of(s.keyAt(n))
		if in != slab {
			break
		}
		slots = slots[firstFrom(slots, head):]
		for _, slot := range slots {
			if slot>>32 != head>>32 {
				break
			}
			all = append(all, candidate{int32(n), int32(slot)})
		}
	}
	for _, c := range all {
		p := &places[c.key]
		if string(b.keys[c.key][:]) == string(s.keyAt(int(c.entry))) && (!p.Found() || p.segment == number) {
			e := s.at(int(c.entry)) // the latest of equal entries comes last
			*p = Place{segment: number, length: e.length, offset: e.offset}
		}
	}
}

// firstFrom returns the index of the first slot that is not below least. It expects that slot among the first.
func firstFrom(slots []uint64, least uint64) int {
	end := 1
	for end < len(slots) && slots[end-1] < least {
		end *= 2
	}
	begin := end / 2
	n, _ := slices.BinarySearch(slots[begin:min(end, len(slots))], least)
	return begin + n
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
