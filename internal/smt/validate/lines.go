package validate

import (
	"bytes"
	"strings"
)

// lines iterates over the lines of an output, without their line feeds. The last line need not end in a line feed. The
// yielded slices alias text.
func lines(text []byte) func(yield func(line []byte) bool) {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(text) {
			if !yield(bytes.TrimSuffix(line, []byte("\n"))) {
				return
			}
		}
	}
}

// space is the white space of the C locale, which the official scripts trim.
const space = " \t\n\v\f\r"

func trim(line []byte) []byte { return bytes.Trim(line, space) }

func trimLeft(text []byte) []byte { return bytes.TrimLeft(text, space) }

func isSpace(r rune) bool { return strings.ContainsRune(space, r) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// stamp is the pair of times that StarExec writes before a line, verbatim.
type stamp struct{ cpu, wall string }

// Unstamp removes time stamps such as "18.26/18.29", followed by a tab, from the lines of an archived StarExec output.
// They state CPU and wall time in seconds. Lines without a stamp are kept unchanged.
func Unstamp(out []byte) []byte {
	clean := make([]byte, 0, len(out))
	for line := range lines(out) {
		line, _, _ = unstamp(line)
		clean = append(append(clean, line...), '\n')
	}
	return clean
}

// unstamp removes the stamp from a line. A line without a stamp is returned unchanged.
//
// A stamp is digits, a dot, digits, a slash, digits, any character, digits and a tab. Any character, even a digit or a
// tab, can separate the last two groups, because the official pattern is this loose. The match takes as many digits
// before that character as possible.
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
	case whole >= 3 && hasAt(line, separator, '\t'): // the separator is a digit
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
