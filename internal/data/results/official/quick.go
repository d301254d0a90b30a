package official

import (
	"bytes"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// quickEntry consumes an entry in the organisers' usual form: these fields in this order, no escapes, plain numbers,
// and all of it in the buffer. For anything else it consumes nothing and returns false, and the scanner reads every
// byte. It halves the time for half a million entries.
func (b *benchmarkReader) quickEntry(e *Entry, incremental bool) bool {
	l := &b.location
	q := quick{buf: b.s.buf[b.s.pos:b.s.end], ok: b.s.err == nil}
	q.token("{")
	q.field("file")
	q.token("{")
	q.field("incremental")
	if incremental {
		q.token("true")
	} else {
		q.token("false")
	}
	q.token(",")
	q.field("logic")
	l.logic = append(l.logic[:0], q.text()...)
	q.token(",")
	q.field("family")
	q.family(l)
	q.token(",")
	q.field("name")
	l.name = append(l.name[:0], q.text()...)
	q.token("}")
	q.token(",")
	if incremental {
		q.field("check_sats")
		e.CheckSats = q.whole()
	} else {
		q.field("status")
		e.Status = comp.Status(comp.ReadAnswer(q.text()))
		q.token(",")
		q.field("asserts")
		e.Asserts = q.whole()
	}
	q.token("}")
	if !q.ok || len(l.logic) == 0 || len(l.name) == 0 || !incremental && e.Status == "" {
		*e = Entry{Asserts: -1, CheckSats: 1}
		return false
	}
	l.incremental, l.seen = incremental, allOfLocation
	b.s.pos += q.at
	return true
}

// quick reads expected tokens. After the first unexpected one, ok is false and all results are meaningless.
type quick struct {
	buf []byte
	at  int
	ok  bool
}

// next returns the first byte of the next token; 0 at the end of the buffer.
func (q *quick) next() byte {
	for q.at < len(q.buf) {
		switch c := q.buf[q.at]; c {
		case ' ', '\n', '\t', '\r':
			q.at++
		default:
			return c
		}
	}
	return 0
}

// token consumes the bytes of a token.
func (q *quick) token(want string) {
	q.next()
	if rest := q.buf[q.at:]; len(rest) < len(want) || string(rest[:len(want)]) != want {
		q.ok = false
		return
	}
	q.at += len(want)
}

// field consumes the name of a field and its colon.
func (q *quick) field(want string) {
	if string(q.text()) != want {
		q.ok = false
	}
	q.token(":")
}

// text consumes a string without escapes.
func (q *quick) text() []byte {
	if q.next() != '"' {
		q.ok = false
		return nil
	}
	q.at++
	n := bytes.IndexByte(q.buf[q.at:], '"')
	if n < 0 {
		q.ok = false
		return nil
	}
	text := q.buf[q.at : q.at+n]
	q.at += n + 1
	for _, c := range text {
		if c == '\\' || c == '\n' {
			q.ok = false
		}
	}
	return text
}

// family consumes a list of names and joins them by /.
func (q *quick) family(l *location) {
	l.family = l.family[:0]
	q.token("[")
	if q.next() == ']' {
		q.at++
		return
	}
	for q.ok {
		if len(l.family) > 0 {
			l.family = append(l.family, '/')
		}
		l.family = append(l.family, q.text()...)
		if q.next() != ',' {
			break
		}
		q.at++
	}
	q.token("]")
}

// whole consumes a number of up to 15 digits.
func (q *quick) whole() int64 {
	q.next()
	from, n := q.at, int64(0)
	for q.at < len(q.buf) && q.buf[q.at] >= '0' && q.buf[q.at] <= '9' && q.at-from < 15 {
		n = 10*n + int64(q.buf[q.at]-'0')
		q.at++
	}
	if q.at == from || q.at == len(q.buf) || wordByte(q.buf[q.at]) {
		q.ok = false
	}
	return n
}
