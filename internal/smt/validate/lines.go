package validate

import "bytes"

// lines iterates over the lines of an output, without their line feeds. A last line without a line feed counts, but an
// empty rest after the last line feed does not. The slices belong to text.
func lines(text []byte) func(yield func(line []byte) bool) {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			line := text
			if i := bytes.IndexByte(text, '\n'); i >= 0 {
				line, text = text[:i], text[i+1:]
			} else {
				text = nil
			}
			if !yield(line) {
				return
			}
		}
	}
}

// trim removes white space of the C locale, like the official scripts. A byte of a non-ASCII character is never white
// space.
func trim(line []byte) []byte {
	for len(line) > 0 && isSpace(line[0]) {
		line = line[1:]
	}
	for len(line) > 0 && isSpace(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

func isSpace(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// stamp is the pair of times that StarExec writes in front of a line, verbatim.
type stamp struct{ cpu, wall string }

// Unstamp removes the time stamps from the lines of an archived output of StarExec, such as "18.26/18.29" and a tab:
// CPU and wall time in seconds. Lines without one stay as they are.
func Unstamp(out []byte) []byte {
	clean := make([]byte, 0, len(out))
	for line := range lines(out) {
		line, _, _ = unstamp(line)
		clean = append(append(clean, line...), '\n')
	}
	return clean
}

// unstamp removes the stamp from a line. A line without one is returned unchanged.
//
// A stamp is digits, a dot, digits, a slash, digits, any character, digits and a tab. Any character separates the last
// two groups, even a digit or a tab. This looseness of the official pattern is kept. It takes as many digits before
// that character as possible.
func unstamp(line []byte) (rest []byte, s stamp, ok bool) {
	dot := skipDigits(line, 0)
	slash := skipDigits(line, dot+1)
	if dot == 0 || slash <= dot+1 || !hasAt(line, dot, '.') || !hasAt(line, slash, '/') {
		return line, stamp{}, false
	}
	separator := skipDigits(line, slash+1)
	whole := separator - slash - 1
	tab := skipDigits(line, separator+1)
	switch {
	case whole > 0 && tab > separator+1 && hasAt(line, tab, '\t'):
	case whole >= 3 && hasAt(line, separator, '\t'): // a digit separates
		tab = separator
	default:
		return line, stamp{}, false
	}
	return line[tab+1:], stamp{cpu: string(line[:slash]), wall: string(line[slash+1 : tab])}, true
}

func hasAt(line []byte, i int, c byte) bool { return i < len(line) && line[i] == c }

func skipDigits(line []byte, i int) int {
	for i < len(line) && isDigit(line[i]) {
		i++
	}
	return i
}
