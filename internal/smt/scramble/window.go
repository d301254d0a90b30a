package scramble

import "bytes"

// The text is read through a window, so that the memory before it can be released. The official program likewise reads
// in pieces and discards text that it has printed or dropped. Here, positions in the text stay valid, and names longer
// than sixteen bytes are stored only in the text.

// windowSize is the length of a window. It is a multiple of the page size on every machine; the last window is shorter.
const windowSize = 1 << 18

// openWindow opens the first window, which is the whole text if nothing is released.
func (s *Scrambler) openWindow() {
	s.window = len(s.src)
	if s.Release != nil {
		s.window = min(s.window, windowSize)
	}
}

// moveWindow opens the window that contains position i, after the current one, and releases the text before it. It
// returns false if i is beyond the text.
func (s *Scrambler) moveWindow(i int) bool {
	if i >= len(s.src) {
		return false
	}
	begin := i &^ (windowSize - 1)
	s.release(s.released, begin)
	s.released, s.window = begin, min(begin+windowSize, len(s.src))
	return true
}

// release reports to Release that the windows in a range have been read.
func (s *Scrambler) release(from, to int) {
	if s.Release != nil && from < to {
		s.Release(s.src[from:to])
	}
}

// readSize is the number of bytes that the official program reads in one piece, unless a closing parenthesis comes
// earlier.
const readSize = 8192

// findLastRead returns the start of the official program's last piece of the input. A command, or a token between
// commands, that reaches into this piece is the last one processed. The piece is usually the text after the last
// parenthesis.
func (s *Scrambler) findLastRead() int {
	end := len(s.src)
	for end > 0 {
		begin := (end - 1) &^ (windowSize - 1)
		if i := bytes.LastIndexByte(s.src[begin:end], ')'); i >= 0 {
			end = begin + i + 1
			break
		}
		s.release(begin, end)
		end = begin
	}
	return end + (len(s.src)-end)/readSize*readSize
}
