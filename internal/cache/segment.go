package cache

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A segment is a file with a header followed by frames. Each frame is
//
//	length of the payload  uint32, little endian
//	CRC-32C of key+payload uint32
//	key                    32 bytes
//	payload
//
// Frames are only appended. A sealed segment has an index file next to it (NAME.idx): header, number of frames, number
// of segment bytes covered, sorted entries {key, offset, length}, and a CRC-32C of all of these. With an index, a
// look-up is a search in mapped memory, and opening a store with a million records reads none of them. An index with a
// wrong checksum or size is ignored and rebuilt from the frames.
const (
	segmentMagic = "smtpseg1"
	indexMagic   = "smtpidx1"
	frameHeader  = 4 + 4 + 32
	maxPayload   = 1 << 30
	entrySize    = 32 + 8 + 4
	indexHeader  = 8 + 8 + 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// entry is the position of a frame's payload in its segment.
type entry struct {
	key    [32]byte
	offset int64 // offset of the payload
	length uint32
}

// appendFrame appends the frame of key and payload to dst.
func appendFrame(dst []byte, key [32]byte, payload []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	sum := crc32.Update(crc32.Checksum(key[:], castagnoli), castagnoli, payload)
	dst = binary.LittleEndian.AppendUint32(dst, sum)
	dst = append(dst, key[:]...)
	return append(dst, payload...)
}

// segment is a segment open for reading: the mapped file, and its entries sorted by key. A key that was written twice
// has two entries, of which the later one takes precedence.
type segment struct {
	path  string
	data  []byte // mapped; never grows
	index []byte // mapped entries of the index file; if nil, sorted is used
	idx   []byte // whole mapping of the index file
	table []entry
	bad   []gap // parts without complete frames, as found by the scan

	damage  atomic.Int32 // set when a frame was found damaged after opening: damageFound, damageReported
	scan    sync.Once    // scans once after a frame was found damaged
	scanned map[[32]byte]entry
}

const (
	damageFound    = 1
	damageReported = 2
)

// openSegment opens the segment at path for reading. Without a usable index, the frames are scanned.
func openSegment(path string) (*segment, error) {
	data, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	s := &segment{path: path, data: data}
	if s.loadIndex() {
		return s, nil
	}
	s.bad = scanSegment(data, func(e entry) { s.table = append(s.table, e) })
	sortEntries(s.table)
	return s, nil
}

// sortEntries sorts by key and keeps the order of writing for equal keys.
func sortEntries(table []entry) {
	slices.SortFunc(table, func(a, b entry) int {
		return cmp.Or(bytes.Compare(a.key[:], b.key[:]), cmp.Compare(a.offset, b.offset))
	})
}

// loadIndex maps the index file. It returns false if there is none that is intact and fits the segment.
func (s *segment) loadIndex() bool {
	if !hasMagic(s.data) {
		return false
	}
	idx, err := mapFile(s.path + ".idx")
	if err != nil {
		return false
	}
	if !validIndex(idx, int64(len(s.data))) {
		unix.Munmap(idx)
		return false
	}
	s.idx, s.index = idx, idx[indexHeader:len(idx)-4]
	return true
}

// validIndex reports whether idx is the intact index for a segment of the given size. Computing the checksum for a
// million entries takes about ten milliseconds.
func validIndex(idx []byte, segmentSize int64) bool {
	if len(idx) < indexHeader+4 || string(idx[:8]) != indexMagic {
		return false
	}
	count := binary.LittleEndian.Uint64(idx[8:])
	covers := binary.LittleEndian.Uint64(idx[16:])
	if count > uint64(len(idx))/entrySize || uint64(len(idx)) != indexHeader+count*entrySize+4 {
		return false
	}
	body := idx[:len(idx)-4]
	sum := binary.LittleEndian.Uint32(idx[len(body):])
	return covers == uint64(segmentSize) && crc32.Checksum(body, castagnoli) == sum
}

// writeIndex writes an index next to a segment of the given size.
func writeIndex(segmentPath string, table []entry, size int64) error {
	sortEntries(table)
	buf := make([]byte, 0, indexHeader+len(table)*entrySize+4)
	buf = append(buf, indexMagic...)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(len(table)))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(size))
	for _, e := range table {
		buf = append(buf, e.key[:]...)
		buf = binary.LittleEndian.AppendUint64(buf, uint64(e.offset))
		buf = binary.LittleEndian.AppendUint32(buf, e.length)
	}
	buf = binary.LittleEndian.AppendUint32(buf, crc32.Checksum(buf, castagnoli))
	return writeFileAtomic(segmentPath+".idx", buf)
}

func (s *segment) len() int {
	if s.index != nil {
		return len(s.index) / entrySize
	}
	return len(s.table)
}

func (s *segment) at(i int) entry {
	if s.index == nil {
		return s.table[i]
	}
	b := s.index[i*entrySize:]
	e := entry{offset: int64(binary.LittleEndian.Uint64(b[32:])), length: binary.LittleEndian.Uint32(b[40:])}
	copy(e.key[:], b)
	return e
}

// find returns the latest entry for key. Keys are digests and therefore evenly distributed, so find guesses a key's
// position from its first bytes (interpolation search). Among a million entries, this takes three or four probes;
// bisection completes the search.
func (s *segment) find(key [32]byte) (entry, bool) {
	lo, hi := 0, s.len() // the first entry above key is in lo..hi
	want := binary.BigEndian.Uint64(key[:])
	below, above := uint64(0), ^uint64(0) // bounds on the prefixes in lo..hi
	for guesses := 0; hi-lo > 8 && guesses < 6 && above > below; guesses++ {
		share := float64(want-below) / float64(above-below)
		mid := min(lo+int(share*float64(hi-lo)), hi-1)
		if k := s.keyAt(mid); bytes.Compare(k, key[:]) <= 0 {
			lo, below = mid+1, binary.BigEndian.Uint64(k)
		} else {
			hi, above = mid, binary.BigEndian.Uint64(k)
		}
	}
	return s.findWithin(key, max(lo-1, 0), hi)
}

// findWithin finds the entry for key, given that the last entry not above key is in lo..hi.
func (s *segment) findWithin(key [32]byte, lo, hi int) (entry, bool) {
	n := sort.Search(hi-lo, func(i int) bool { return bytes.Compare(s.keyAt(lo+i), key[:]) > 0 })
	if n == 0 || !bytes.Equal(s.keyAt(lo+n-1), key[:]) {
		return entry{}, false
	}
	return s.at(lo + n - 1), true
}

// keyAt returns the key of entry i without copying it.
func (s *segment) keyAt(i int) []byte {
	if s.index == nil {
		return s.table[i].key[:]
	}
	return s.index[i*entrySize : i*entrySize+32]
}

// payload returns a frame's bytes after checking their checksum. They stay valid while the segment is open. If the
// frame is not where the index says, payload looks for another frame with its key in the segment.
func (s *segment) payload(e entry) ([]byte, error) {
	if s.holds(e) {
		return s.data[e.offset:e.end()], nil
	}
	s.damage.CompareAndSwap(0, damageFound)
	s.scan.Do(func() {
		s.scanned = map[[32]byte]entry{}
		scanSegment(s.data, func(e entry) { s.scanned[e.key] = e })
	})
	if e, ok := s.scanned[e.key]; ok {
		return s.data[e.offset:e.end()], nil
	}
	return nil, &CorruptError{What: "record in " + s.path, Why: "its checksum is wrong"}
}

// holds reports whether an entry's frame is intact and where the entry says.
func (s *segment) holds(e entry) bool {
	start, end := e.offset-frameHeader, e.offset+int64(e.length)
	if start < 0 || end > int64(len(s.data)) {
		return false
	}
	frame := s.data[start:end]
	return [32]byte(frame[8:40]) == e.key &&
		crc32.Checksum(frame[8:], castagnoli) == binary.LittleEndian.Uint32(frame[4:])
}

// whole reports whether an entry's record is readable.
func (s *segment) whole(e entry) bool {
	_, err := s.payload(e)
	return err == nil
}

func (s *segment) close() {
	if s.data != nil {
		unix.Munmap(s.data)
	}
	if s.idx != nil {
		unix.Munmap(s.idx)
	}
	s.data, s.idx, s.index, s.table, s.scanned = nil, nil, nil, nil, nil
}

// mapFile maps a whole file for reading. For an empty file it returns an empty slice that does not need unmapping.
func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
}
