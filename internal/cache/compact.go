package cache

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// compact merges the youngest sealed segments into one if more than compactAbove of them are not much larger than what
// this process has written. The work is therefore proportional to the changes. If there are far more segments of any
// size, compact merges all but the large ones. It never merges full segments, which are no reason for another pass over
// millions of records, and only segments of consecutive age: a key's latest record remains the latest.
func (l *recordLog) compact(written int64) error {
	names, err := segmentNames(l.dir)
	if err != nil || len(names) <= compactAbove {
		return err
	}
	lock, err := lockCompaction(l.dir)
	if err != nil || lock == nil {
		return err
	}
	defer lock.Close()
	limit := min(max(compactTimes*written, compactLeast), compactBytes)
	if len(names) > compactTimes*compactAbove {
		limit = compactBytes
	}
	first := len(names)
	for ; first > 0; first-- {
		path := filepath.Join(l.dir, names[first-1])
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another process has merged the segments meanwhile
		}
		if err != nil {
			return err
		}
		index, err := os.Stat(path + ".idx")
		if info.Size() > limit || err == nil && index.Size() > rollRecords*entrySize {
			break
		}
	}
	if len(names)-first <= compactAbove {
		return nil
	}
	sealed, err := openSealed(l.dir, names[first:], func(*segment) bool { return true })
	defer func() { closeSegments(sealed) }()
	if err != nil || len(sealed) <= compactAbove {
		return err
	}
	return mergeSegments(l.dir, sealed, nil)
}

// lockCompaction takes the lock for compacting a folder, or returns nil if another process holds it.
func lockCompaction(dir string) (*os.File, error) {
	lock, _, err := tryLock(filepath.Join(dir, "compact.lock"))
	return lock, err
}

// openSealed opens the sealed segments that keep selects.
func openSealed(dir string, names []string, keep func(*segment) bool) ([]*segment, error) {
	var sealed []*segment
	for _, name := range names {
		s, err := openSegment(filepath.Join(dir, name))
		if err != nil {
			return sealed, err
		}
		if s.index == nil || !keep(s) {
			s.close()
			continue
		}
		sealed = append(sealed, s)
	}
	return sealed, nil
}

func closeSegments(all []*segment) {
	for _, s := range all {
		s.close()
	}
}

// mergeSegments writes the records of the sealed segments, given oldest first, into one new segment in key order, and
// removes the old segments. It keeps the latest record of each key that keep selects; a nil keep selects all. Only the
// index is held in memory. The merged segment is complete before the first old segment is removed.
func mergeSegments(dir string, sealed []*segment, keep func(key [32]byte) bool) error {
	target := strings.TrimSuffix(sealed[len(sealed)-1].path, ".seg") + "m.seg"
	f, err := renameio.NewPendingFile(target, renameio.WithPermissions(0o666), renameio.WithTempDir(dir))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	w := bufio.NewWriterSize(f, 1<<20)
	w.WriteString(segmentMagic)
	size := int64(len(segmentMagic))
	var table []entry
	var frame []byte
	err = eachWhole(sealed, func(e entry, payload []byte) error {
		if keep != nil && !keep(e.key) {
			return nil
		}
		table = append(table, entry{key: e.key, offset: size + frameHeader, length: uint32(len(payload))})
		frame = appendFrame(frame[:0], e.key, payload)
		size += int64(len(frame))
		_, err := w.Write(frame)
		return err
	})
	if err := errors.Join(err, w.Flush()); err != nil {
		return err
	}
	if len(table) > 0 {
		if err := writeIndex(target, table, size); err != nil {
			return err
		}
		if err := f.CloseAtomicallyReplace(); err != nil {
			os.Remove(target + ".idx")
			return err
		}
	}
	for _, s := range sealed {
		os.Remove(s.path + ".idx")
		if err := os.Remove(s.path); err != nil {
			return err
		}
	}
	return syncDir(dir)
}

// found is a key's entry with the segment that contains it.
type found struct {
	*segment
	entry
}

// eachLatest visits the latest entry of every key in ascending key order. Segments must be oldest first.
func eachLatest(sealed []*segment, visit func(entry) error) error {
	return eachKey(sealed, func(all []found) error { return visit(all[0].entry) })
}

// eachWhole visits the latest undamaged record of every key in ascending key order.
func eachWhole(sealed []*segment, visit func(e entry, payload []byte) error) error {
	return eachKey(sealed, func(all []found) error {
		for _, f := range all {
			if payload, err := f.payload(f.entry); err == nil {
				return visit(f.entry, payload)
			}
		}
		return nil
	})
}

// cursor is a position in a segment that is being merged.
type cursor struct {
	*segment
	next, age int
	head      uint64 // first bytes of key, by which most comparisons are decided without reading the mapped index
}

func (c *cursor) key() []byte { return c.keyAt(c.next) }

// step moves the cursor to entry next, and returns false if there is none.
func (c *cursor) step(next int) bool {
	if c.next = next; next >= c.len() {
		return false
	}
	c.head = binary.BigEndian.Uint64(c.key())
	return true
}

// cursors is a heap: the first one has the least key, and of several with that key the oldest segment.
type cursors []cursor

func (c cursors) Len() int      { return len(c) }
func (c cursors) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(any)     {} // never called
func (c *cursors) Pop() any {
	*c = (*c)[:len(*c)-1]
	return nil
}
func (c cursors) Less(i, j int) bool {
	if c[i].head != c[j].head {
		return c[i].head < c[j].head
	}
	return cmp.Or(bytes.Compare(c[i].key(), c[j].key()), cmp.Compare(c[i].age, c[j].age)) < 0
}

// eachKey visits every key in ascending order with all its entries. Segments must be oldest first; the entries of a key
// are newest first, even within a segment. The entries are valid only during the call.
func eachKey(sealed []*segment, visit func([]found) error) error {
	var rest cursors
	for age, s := range sealed {
		if c := (cursor{segment: s, age: age}); c.step(0) {
			rest = append(rest, c)
		}
	}
	heap.Init(&rest)
	var all []found
	for len(rest) > 0 {
		least := rest[0].key()
		for all = all[:0]; len(rest) > 0 && bytes.Equal(rest[0].key(), least); {
			c := &rest[0]
			all = append(all, found{c.segment, c.at(c.next)})
			if c.step(c.next + 1) {
				heap.Fix(&rest, 0)
			} else {
				heap.Pop(&rest)
			}
		}
		slices.Reverse(all)
		if err := visit(all); err != nil {
			return err
		}
	}
	return nil
}
