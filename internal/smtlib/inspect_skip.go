package smtlib

import "bytes"

// stops marks the bytes at which skip has to look: those that open or close something, and control characters, which
// stand in no benchmark outside of strings and comments.
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

// skip reads to the end of the list of the given depth in which it stands and which was opened at open. It is where
// most of the time of Inspect goes.
func (s *inspector) skip(depth, open int) {
	src, i, deepest, base := s.src, s.pos, s.info.MaxDepth, depth
	for i < len(src) {
		i, depth = skipPlain(src, i, depth, base, deepest)
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

// skipStep is how many bytes skipPlain reads at a time.
const skipStep = 8

// lanes says what each byte does to the two numbers that skipPlain has in a word: below, how many lists may still be closed;
// above, how much deeper the parentheses may still be nested. A stop that is no parenthesis makes the first one negative.
var lanes = func() (t [256]uint64) {
	below, above := uint64(1), uint64(1)<<32
	for c, stop := range stops {
		if stop {
			t[c] = 1 << 31
		}
	}
	t['('], t[')'] = below-above, above-below
	return t
}()

// skipPlain reads eight bytes at a time as long as they have no stop but parentheses, close no list below the depth base and
// open none above the depth deepest. It gives where it stopped and the depth there. There is one branch for eight bytes,
// since where the next parenthesis stands cannot be foretold.
func skipPlain(src []byte, i, depth, base, deepest int) (at, depthThere int) {
	v := uint64(depth-base) | uint64(deepest-depth)<<32
	for i+skipStep <= len(src) {
		b := src[i : i+skipStep : i+skipStep]
		v1 := v + lanes[b[0]]
		v2 := v1 + lanes[b[1]]
		v3 := v2 + lanes[b[2]]
		v4 := v3 + lanes[b[3]]
		v5 := v4 + lanes[b[4]]
		v6 := v5 + lanes[b[5]]
		v7 := v6 + lanes[b[6]]
		v8 := v7 + lanes[b[7]]
		if (v1|v2|v3|v4|v5|v6|v7|v8)&(1<<63|1<<31) != 0 { // a number was negative, or is too large
			break
		}
		v = v8
		i += skipStep
	}
	return i, base + int(uint32(v))
}

// skipText gives the end of the comment, string or quoted symbol at i, or -1 if it is not closed.
func skipText(src []byte, i int) int {
	close := src[i]
	if close == ';' {
		if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
			return i + n + 1
		}
		return len(src)
	}
	// A doubled quote in a string reads like the end of one string and the beginning of the next, which comes to the same.
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
