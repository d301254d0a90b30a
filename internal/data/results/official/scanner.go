package official

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

const firstBuffer = 256 << 10

// scanner reads JSON tokens from a stream. Its methods stop at the first error, which err keeps, and then return zero
// values. Returned bytes are valid until the next call.
type scanner struct {
	in   io.Reader
	buf  []byte
	pos  int
	end  int
	read int64 // bytes of the stream before buf[0]
	err  error
	name []byte // of the current field
}

func newScanner(in io.Reader) *scanner { return &scanner{in: in, buf: make([]byte, firstBuffer)} }

// fail keeps the first error, with the place in the unpacked file.
func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = &comp.ByteError{Offset: s.read + int64(s.pos), Err: fmt.Errorf(format, args...)}
	}
}

// fill moves the bytes from keep on to the front and reads more after them. It returns false if there are no more, or
// after an error. The distance from keep to pos stays the same.
func (s *scanner) fill(keep int) bool {
	if s.err != nil {
		return false
	}
	if keep > 0 {
		copy(s.buf, s.buf[keep:s.end])
		s.read += int64(keep)
		s.pos -= keep
		s.end -= keep
	}
	if s.end == len(s.buf) {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for range 100 { // as in bufio: a reader that gives nothing so often is broken
		n, err := s.in.Read(s.buf[s.end:])
		s.end += n
		if n > 0 {
			return true
		}
		if err == io.EOF {
			return false
		}
		if err != nil {
			s.fail("%w", err)
			return false
		}
	}
	s.fail("%w", io.ErrNoProgress)
	return false
}

// next returns the first byte of the next token without consuming it; 0 at the end of the stream.
func (s *scanner) next() byte {
	for s.err == nil {
		for s.pos < s.end {
			switch c := s.buf[s.pos]; c {
			case ' ', '\n', '\t', '\r':
				s.pos++
			default:
				return c
			}
		}
		if !s.fill(s.pos) {
			break
		}
	}
	return 0
}

// expect consumes the one-byte token c.
func (s *scanner) expect(c byte) {
	switch got := s.next(); {
	case s.err != nil:
	case got == 0:
		s.fail("the file ends where %q is expected", c)
	case got != c:
		s.fail("got %q where %q is expected", got, c)
	default:
		s.pos++
	}
}

// object consumes an object and calls field with each name, for it to consume the value.
func (s *scanner) object(field func(name []byte)) {
	s.expect('{')
	if s.next() == '}' {
		s.pos++
		return
	}
	for s.err == nil {
		name := s.str()
		s.expectColon(name, field)
		switch s.next() {
		case ',':
			s.pos++
		case '}':
			s.pos++
			return
		default:
			s.expect('}')
		}
	}
}

// expectColon passes a copy of the name to field, since finding the value may move the buffer. The copy is valid until
// the next name is read, even one inside the value.
func (s *scanner) expectColon(name []byte, field func(name []byte)) {
	s.name = append(s.name[:0], name...)
	s.expect(':')
	if s.err == nil {
		field(s.name)
	}
}

// array consumes an array and calls item to consume each element.
func (s *scanner) array(item func()) {
	s.expect('[')
	if s.next() == ']' {
		s.pos++
		return
	}
	for s.err == nil {
		item()
		switch s.next() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return
		default:
			s.expect(']')
		}
	}
}

// str consumes a string and returns its value.
func (s *scanner) str() []byte {
	s.expect('"')
	if s.err != nil {
		return nil
	}
	start := s.pos
	escaped := false
	for {
		for s.pos < s.end && !stringByte[s.buf[s.pos]] {
			s.pos++
		}
		if s.pos == s.end || s.buf[s.pos] == '\\' && s.pos+1 == s.end {
			held := s.pos - start
			if !s.fill(start) {
				s.fail("the file ends inside a string")
				return nil
			}
			start, s.pos = 0, held
			continue
		}
		switch s.buf[s.pos] {
		case '\n':
			s.fail("a string is not closed on its line")
			return nil
		case '\\':
			escaped = true
			s.pos += 2
			continue
		}
		text := s.buf[start:s.pos]
		s.pos++
		if escaped {
			return s.unescape(text)
		}
		return text
	}
}

// stringByte marks the bytes that need attention inside a string.
var stringByte = [256]bool{'"': true, '\\': true, '\n': true}

func (s *scanner) unescape(text []byte) []byte {
	var value string
	quoted := append(append([]byte{'"'}, text...), '"')
	if err := json.Unmarshal(quoted, &value); err != nil {
		s.fail("string %s: %w", quoted, err)
	}
	return []byte(value)
}

// word consumes a number, true, false or null and returns its bytes.
func (s *scanner) word() []byte {
	if c := s.next(); s.err == nil && !wordByte(c) {
		s.fail("got %q where a number, true, false or null is expected", c)
	}
	if s.err != nil {
		return nil
	}
	start := s.pos
	for {
		for s.pos < s.end && wordByte(s.buf[s.pos]) {
			s.pos++
		}
		if s.pos < s.end {
			return s.buf[start:s.pos]
		}
		held := s.pos - start
		more := s.fill(start)
		start, s.pos = 0, held
		if !more {
			return s.buf[:held]
		}
	}
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// atEnd checks that only white space is left.
func (s *scanner) atEnd() {
	if c := s.next(); c != 0 {
		s.fail("got %q after the end of the file's object", c)
	}
}
