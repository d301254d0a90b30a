package scramble

import "bytes"

// The text is read through a window, so that the memory behind it can be given back: the official program reads piece
// by piece, and forgets what it has printed or dropped. Here positions in the text stay valid, and a name of more than
// sixteen bytes stands nowhere else.

// windowSize is the length of a window; it is whole pages on every machine. The last window is shorter.
const windowSize = 1 << 18

// openWindow opens the first window. It is the whole text where nothing is released.
func (s *Scrambler) openWindow() {
	s.window = len(s.src)
	if s.Release != nil {
		s.window = min(s.window, windowSize)
	}
}

// moveWindow opens the window with position i, which is behind the last one, and releases what is before it. It reports
// whether there is one.
func (s *Scrambler) moveWindow(i int) bool {
	if i >= len(s.src) {
		return false
	}
	begin := i &^ (windowSize - 1)
	s.release(s.released, begin)
	s.released, s.window = begin, min(begin+windowSize, len(s.src))
	return true
}

// release says that windows from one position up to another have been read.
func (s *Scrambler) release(from, to int) {
	if s.Release != nil && from < to {
		s.Release(s.src[from:to])
	}
}

// readSize is how many bytes the official program reads at a time, unless a closing parenthesis comes before.
const readSize = 8192

// findLastRead returns where that program's last piece of the input begins. A command, or a token between commands,
// that reaches into it is the last thing that is looked at. Usually such a piece is all that stands behind the last
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
