package smtlib

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"sync"
)

// stops marks the bytes that skip must inspect: delimiters, and control characters, which no benchmark contains outside
// strings and comments.
var stops = func() (t [256]bool) {
	for _, c := range `()"|;` {
		t[c] = true
	}
	for c := range ' ' {
		t[c] = classes[c] != classSpace
	}
	t[0x7F] = true
	return t
}()

// skip reads to the end of the current list, which has the given depth and was opened at open. Inspect spends most of
// its time here. skip reads long stretches in pairs of bytes, then eight bytes exactly, and single bytes only if those
// eight contain a string or are nested deeper than anything before.
func (s *inspector) skip(depth, open int) {
	src, i, deepest, base := s.src, s.pos, s.info.MaxDepth, depth
	for i < len(src) {
		i, depth = skipPairs(s.pairs, src, i, depth, base, deepest)
		if i+skipStep <= len(src) {
			change, end, exact := skipWord((*[skipStep]byte)(src[i:]), depth-base, deepest-depth)
			if end > 0 {
				s.pos, s.info.MaxDepth = i+end, deepest
				return
			}
			if exact {
				i, depth = i+skipStep, depth+change
				continue
			}
		}
		for end := min(i+skipStep, len(src)); i < end; {
			c := src[i]
			if !stops[c] {
				i++
				continue
			}
			switch c {
			case '(':
				i++
				depth++
				deepest = max(deepest, depth)
			case ')':
				i++
				if depth--; depth < base {
					s.pos, s.info.MaxDepth = i, deepest
					return
				}
			case '"', '|', ';':
				text := skipText(src, i)
				if text < 0 {
					s.failAt(Token{textError(c), uint32(i), uint32(len(src))}, "the rest of a list")
					return
				}
				i = text
			default:
				s.failAt(Token{Illegal, uint32(i), uint32(i + 1)}, "the rest of a list")
				return
			}
		}
	}
	s.pos = len(src)
	s.unclosed(Token{EOF, uint32(len(src)), uint32(len(src))}, open)
}

// skipStep is the number of bytes that skipPairs and skipWord read in one step.
const skipStep = 8

// A word holds two small numbers. below is the number of lists that may still be closed, and above is the number of
// levels that parentheses may still be nested deeper. The highest bit of each is set if the number was negative or has
// become too large.
const (
	pairBelow, pairAbove = 1, 1 << 8
	pairFlags            = 1<<7 | 1<<15
	pairMost             = 1 << 6 // largest initial value of each number
)

// pairTable contains the effect of each pair of bytes on the two numbers, with the first byte in the lower half of the
// index.
type pairTable [1 << 16]uint16

// pairs builds the table on demand, because most commands do not need it. A pair sets a flag if it contains a stop
// other than a parenthesis. So do () and )(, whose nesting briefly changes beyond the net effect.
var pairs = sync.OnceValue(func() *pairTable {
	t := new(pairTable)
	for first := range 256 {
		for second := range 256 {
			t[first|second<<8] = pairChange(byte(first), byte(second))
		}
	}
	return t
})

func pairChange(first, second byte) (change uint16) {
	for _, c := range [...]byte{first, second} {
		switch {
		case c == '(':
			change += pairBelow
			change -= pairAbove
		case c == ')':
			change += pairAbove
			change -= pairBelow
		case stops[c]:
			return 1 << 7
		}
	}
	if change == 0 && first != second && stops[first] {
		return 1 << 7
	}
	return change
}

// skipPairs reads eight bytes at a time, judging by pairs of bytes. It stops before a stop other than a parenthesis,
// and before parentheses that close a list below the depth base or open one above the depth deepest. It returns the
// position and depth where it stopped. It has one branch per eight bytes, because the position of the next parenthesis
// is unpredictable.
func skipPairs(t *pairTable, src []byte, i, depth, base, deepest int) (at, depthThere int) {
	start := min(depth-base, pairMost)
	v := uint(start*pairBelow + min(deepest-depth, pairMost)*pairAbove)
	for i+skipStep <= len(src) {
		b := src[i : i+skipStep : i+skipStep]
		v2 := v + uint(t[binary.LittleEndian.Uint16(b)])
		v4 := v2 + uint(t[binary.LittleEndian.Uint16(b[2:])])
		v6 := v4 + uint(t[binary.LittleEndian.Uint16(b[4:])])
		v8 := v6 + uint(t[binary.LittleEndian.Uint16(b[6:])])
		if (v2|v4|v6|v8)&pairFlags != 0 {
			break
		}
		v = v8
		i += skipStep
	}
	return i, depth + int(v&0x7F) - start
}

// lanes contains the effect of each byte on below and above, here in the two halves of a word.
var lanes = func() (t [256]uint64) {
	for c, stop := range stops {
		if stop {
			t[c] = 1 << 31
		}
	}
	below, above := uint64(1), uint64(1)<<32
	t['('], t[')'] = below-above, above-below
	return t
}()

// skipWord examines eight bytes exactly, without a branch for each. end is the position after the parenthesis that
// closes the list, or 0 if it is not closed within them. Otherwise, if exact, the bytes contain no stop except
// parentheses and are nested at most above levels deeper, and change is their effect on the depth.
func skipWord(b *[skipStep]byte, below, above int) (change, end int, exact bool) {
	v := uint64(below) | uint64(above)<<32
	v1 := v + lanes[b[0]]
	v2 := v1 + lanes[b[1]]
	v3 := v2 + lanes[b[2]]
	v4 := v3 + lanes[b[3]]
	v5 := v4 + lanes[b[4]]
	v6 := v5 + lanes[b[5]]
	v7 := v6 + lanes[b[6]]
	v8 := v7 + lanes[b[7]]
	flags := v1 | v2 | v3 | v4 | v5 | v6 | v7 | v8
	if flags&(1<<63) != 0 { // nested deeper than before, or possibly so
		return 0, 0, false
	}
	negative := v1>>31&1 | v2>>30&2 | v3>>29&4 | v4>>28&8 | v5>>27&16 | v6>>26&32 | v7>>25&64 | v8>>24&128
	if negative == 0 {
		return int(uint32(v8)) - below, 0, true
	}
	if k := bits.TrailingZeros64(negative); b[k&(skipStep-1)] == ')' {
		return 0, k + 1, true
	}
	return 0, 0, false
}

// skipText returns the position after the comment, string or quoted symbol at i, or -1 if it is not closed.
func skipText(src []byte, i int) int {
	close := src[i]
	if close == ';' {
		if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
			return i + n + 1
		}
		return len(src)
	}
	// A doubled quote in a string is treated as the end of one string and the beginning of the next, with the same
	// result.
	if n := bytes.IndexByte(src[i+1:], close); n >= 0 {
		return i + n + 2
	}
	return -1
}

func textError(open byte) TokenKind {
	if open == '"' {
		return UnclosedString
	}
	return UnclosedSymbol
}
