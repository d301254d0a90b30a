package results

import (
	"encoding/binary"
	"math/bits"
)

// appendCodes overwrites dst with the codes of words in a dictionary, encoded as RLE_DICTIONARY: the width of the
// widest code in bits, as a byte, followed by runs of equal codes and runs of codes packed into that many bits, in
// groups of eight.
//
// The bytes are the same on every processor, unlike those of the Parquet library: with AVX2 it ends a packed run at
// eight codes if the first four are equal and the last four are equal, and without AVX2 only if all eight are equal.
// appendCodes always does what the library does with AVX2, so the bytes equal those in tables of earlier versions.
func appendCodes(dst []byte, codes []int32) []byte {
	var all uint32
	for _, c := range codes {
		all |= uint32(c)
	}
	width := bits.Len32(all)
	dst = append(dst[:0], byte(width))
	if width == 0 { // all codes are 0
		return binary.AppendUvarint(dst, uint64(len(codes))<<1)
	}
	groups := codes[:len(codes)/8*8]
	for len(groups) > 0 {
		if n := equalGroups(groups); n > 0 {
			dst = appendEqual(dst, n, groups[0], width)
			groups = groups[n:]
			continue
		}
		n := 8
		for n < len(groups) && !halvesEqual(groups[n:n+8]) {
			n += 8
		}
		dst = appendPacked(dst, groups[:n], width)
		groups = groups[n:]
	}
	rest := codes[len(codes)/8*8:]
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n] == rest[0] {
			n++
		}
		dst = appendEqual(dst, n, rest[0], width)
		rest = rest[n:]
	}
	return dst
}

// equalGroups returns the number of equal codes at the start, rounded down to groups of eight.
func equalGroups(codes []int32) int {
	n := 0
	for n < len(codes) {
		for _, c := range codes[n : n+8] {
			if c != codes[0] {
				return n
			}
		}
		n += 8
	}
	return n
}

// halvesEqual reports whether the first four of eight codes are equal and the last four are equal.
func halvesEqual(c []int32) bool {
	_ = c[7]
	return c[0] == c[1] && c[0] == c[2] && c[0] == c[3] && c[4] == c[5] && c[4] == c[6] && c[4] == c[7]
}

// appendEqual appends a run of n equal codes.
func appendEqual(dst []byte, n int, code int32, width int) []byte {
	dst = binary.AppendUvarint(dst, uint64(n)<<1)
	for ; width > 0; width -= 8 {
		dst = append(dst, byte(code))
		code >>= 8
	}
	return dst
}

// appendPacked appends a run of codes, packed from the lowest bit of each byte. Their number must be a multiple of
// eight.
func appendPacked(dst []byte, codes []int32, width int) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(codes)/8)<<1|1)
	var word uint64
	filled := 0
	for _, c := range codes {
		word |= uint64(uint32(c)) << filled
		filled += width
		if filled >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(word))
			word >>= 32
			filled -= 32
		}
	}
	for ; filled > 0; filled -= 8 { // every eight codes end at a byte boundary
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst
}
