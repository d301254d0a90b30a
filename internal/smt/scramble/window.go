package scramble

import "bytes"

// The text is read through a window, so that the memory before it can be released: the official program reads piece by
// piece, and forgets printed or dropped parts. Here positions in the text stay valid, and names of more than sixteen
// bytes are stored nowhere else.

// windowSize is the length of a window, a multiple of the page size on every machine. The last window is shorter.
const windowSize = 1 << 18

// openWindow opens the first window. It is the whole text if nothing is released.
func (s *Scrambler) openWindow() {
	s.window = len(s.src)
	if s.Release != nil {
		s.window = min(s.window, windowSize)
	}
}

// moveWindow opens the window that contains position i, which is after the current one, and releases the text before
// it. It reports whether there is such a window.
func (s *Scrambler) moveWindow(i int) bool {
	if i >= len(s.src) {
		return false
	}
	begin := i &^ (windowSize - 1)
	s.release(s.released, begin)
	s.released, s.window = begin, min(begin+windowSize, len(s.src))
	return true
}

// release reports that the windows from one position up to another have been read.
func (s *Scrambler) release(from, to int) {
	if s.Release != nil && from < to {
		s.Release(s.src[from:to])
	}
}

// readSize is the number of bytes that the official program reads at a time, unless a closing parenthesis comes
// earlier.
const readSize = 8192

// findLastRead returns the start of the official program's last piece of the input. A command, or a token between
// commands, that reaches into it is the last one processed. Usually such a piece is the text after the last
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
