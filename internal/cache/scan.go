package cache

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// gap is a part of a segment, the bytes from..to, that does not form complete frames.
type gap struct{ from, to int }

func hasMagic(data []byte) bool {
	return len(data) >= len(segmentMagic) && string(data[:len(segmentMagic)]) == segmentMagic
}

// scanSegment calls visit for every intact frame in data, in file order, and returns the gaps between them. After a
// damaged or truncated frame, it continues at the next position where a frame's checksum matches: a damaged record does
// not affect other records. A frame with only a damaged length counts as intact: it ends where the next one begins.
func scanSegment(data []byte, visit func(entry)) (bad []gap) {
	pos := min(len(segmentMagic), len(data))
	if !hasMagic(data) {
		bad = append(bad, gap{0, pos})
	}
	var sums *checksums // computed only after finding damage
	for pos < len(data) {
		if e, ok := frameAt(data, pos); ok && crc32.Checksum(data[pos+8:e.end()], castagnoli) == sumAt(data, pos) {
			visit(e)
			pos = e.end()
			continue
		}
		if sums == nil {
			sums = newChecksums(data)
		}
		next := sums.nextFrame(pos + 1)
		if next-pos >= frameHeader && sums.of(pos+8, next) == sumAt(data, pos) {
			visit(entryAt(data, pos, next))
			bad = append(bad, gap{pos, pos + 4})
		} else {
			bad = append(bad, gap{pos, next})
		}
		pos = next
	}
	return bad
}

// frameAt parses the frame header at pos; ok is false if data ends before it.
func frameAt(data []byte, pos int) (e entry, ok bool) {
	if len(data)-pos < frameHeader {
		return entry{}, false
	}
	length := binary.LittleEndian.Uint32(data[pos:])
	if length > maxPayload || int64(length) > int64(len(data)-pos-frameHeader) {
		return entry{}, false
	}
	return entryAt(data, pos, pos+frameHeader+int(length)), true
}

// entryAt returns the entry for the frame from..to.
func entryAt(data []byte, from, to int) entry {
	start := from + frameHeader
	return entry{key: [32]byte(data[from+8:]), offset: int64(start), length: uint32(to - start)}
}

// end returns the offset in the segment where an entry's frame ends.
func (e entry) end() int { return int(e.offset) + int(e.length) }

// sumAt returns the checksum in the frame header at pos.
func sumAt(data []byte, pos int) uint32 { return binary.LittleEndian.Uint32(data[pos+4:]) }

// checksums computes the CRC-32C of any part of data in about a microsecond, regardless of its length. The search for
// the next frame needs a checksum at every byte, for arbitrary lengths.
type checksums struct {
	data  []byte
	marks []uint32 // marks[i] is the checksum of data[:i*markEvery]
}

const markEvery = 1 << 11

func newChecksums(data []byte) *checksums {
	c := &checksums{data: data, marks: make([]uint32, 1, len(data)/markEvery+1)}
	for end := markEvery; end <= len(data); end += markEvery {
		c.marks = append(c.marks, crc32.Update(c.marks[len(c.marks)-1], castagnoli, data[end-markEvery:end]))
	}
	return c
}

// nextFrame returns the start of the first intact frame at or after pos, or the end of data if there is none.
func (c *checksums) nextFrame(pos int) int {
	for ; pos < len(c.data); pos++ {
		if e, ok := frameAt(c.data, pos); ok && c.of(pos+8, e.end()) == sumAt(c.data, pos) {
			return pos
		}
	}
	return len(c.data)
}

// of returns the checksum of data[from:to].
func (c *checksums) of(from, to int) uint32 {
	if to-from <= 2*markEvery {
		return crc32.Checksum(c.data[from:to], castagnoli)
	}
	return c.before(to) ^ shiftSum(c.before(from), to-from)
}

// before returns the checksum of data[:end].
func (c *checksums) before(end int) uint32 {
	mark := end / markEvery
	return crc32.Update(c.marks[mark], castagnoli, c.data[mark*markEvery:end])
}

// shiftSum returns what a checksum contributes to the checksum of a text that is n bytes longer: it multiplies sum by
// x^(8n), modulo the CRC-32C polynomial. The lowest bit of a polynomial is its highest power.
func shiftSum(sum uint32, n int) uint32 {
	power := uint32(1) << (31 - 8) // x^8, for one byte
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			sum = multiplySums(sum, power)
		}
		power = multiplySums(power, power)
	}
	return sum
}

// multiplySums multiplies two polynomials modulo the CRC-32C polynomial.
func multiplySums(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 == 1 { // if the lowest remaining power is present
			product ^= b
		}
		carry := b & 1
		b >>= 1
		if carry == 1 {
			b ^= crc32.Castagnoli
		}
	}
	return product
}

// loss describes the damage that a segment's scan found.
func (s *segment) loss() string {
	if len(s.bad) == 1 && s.bad[0].to == len(s.data) && s.bad[0].from > 0 {
		return fmt.Sprintf("%s: the last %d bytes are an incomplete record, as after a crash; moved them to %s.damaged",
			s.path, s.bad[0].to-s.bad[0].from, s.path)
	}
	bytes := 0
	for _, g := range s.bad {
		bytes += g.to - g.from
	}
	return fmt.Sprintf("%s: moved %d damaged bytes to %s.damaged; %d records are intact",
		s.path, bytes, s.path, s.len())
}
