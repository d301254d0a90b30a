package intake

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// tokens reads the JSON tokens of a stream. Its methods stop at the first error, which err keeps, and then return zero
// values. Returned bytes are valid until the next call.
type tokens struct {
	in   *jsontext.Decoder
	err  error
	name []byte // of the current field
	text []byte // of the last string
}

func newTokens(in io.Reader) *tokens {
	// Others, who can say more, find fields that occur twice and bytes that are not UTF-8.
	return &tokens{in: jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// fail keeps the first error, with the place in the unpacked file.
func (t *tokens) fail(format string, args ...any) {
	if t.err == nil {
		t.err = &comp.ByteError{Offset: t.in.InputOffset(), Err: fmt.Errorf(format, args...)}
	}
}

// keep keeps an error of the decoder.
func (t *tokens) keep(err error) {
	if err == nil || t.err != nil {
		return
	}
	bad, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		t.fail("the file ends too early")
	case ok:
		t.err = &comp.ByteError{Offset: bad.ByteOffset, Err: bad.Err}
	default:
		t.fail("%w", err)
	}
}

// of consumes the next value, which must be of a kind.
func (t *tokens) of(kind jsontext.Kind, what string) []byte {
	if t.err != nil {
		return nil
	}
	if got := t.in.PeekKind(); got != kind && got != 0 {
		t.other(got, what)
		return nil
	}
	value, err := t.in.ReadValue()
	t.keep(err)
	return value
}

// other fails because the next value is of another kind than what is expected.
func (t *tokens) other(got jsontext.Kind, what string) {
	if got == '{' || got == '[' {
		t.fail("got %s where %s is expected", got, what)
		return
	}
	at := t.in.InputOffset()
	value, err := t.in.ReadValue()
	t.keep(err) // a word is none
	if t.err == nil {
		t.err = &comp.ByteError{Offset: at, Err: fmt.Errorf("got %.100s where %s is expected", value, what)}
	}
}

// delimited consumes an array or object and calls item to consume each element or field.
func (t *tokens) delimited(begin, end jsontext.Kind, what string, item func()) {
	if t.err != nil {
		return
	}
	if got := t.in.PeekKind(); got != begin && got != 0 {
		t.other(got, what)
		return
	}
	_, err := t.in.ReadToken()
	t.keep(err)
	for t.err == nil && t.in.PeekKind() != end {
		item()
	}
	if t.err == nil {
		_, err := t.in.ReadToken()
		t.keep(err)
	}
}

// object consumes an object and calls field with each name, for it to consume the value. The name is valid until the
// next name is read, even one inside the value.
func (t *tokens) object(field func(name []byte)) {
	t.delimited('{', '}', "an object", func() {
		t.name = append(t.name[:0], t.str()...)
		if t.err == nil {
			field(t.name)
		}
	})
}

// array consumes an array and calls item to consume each element.
func (t *tokens) array(item func()) { t.delimited('[', ']', "an array", item) }

// str consumes a string and returns its value.
func (t *tokens) str() []byte {
	quoted := t.of('"', "a string")
	if t.err != nil {
		return nil
	}
	t.text, _ = jsontext.AppendUnquote(t.text[:0], quoted) // an error is about bytes that are not UTF-8
	return t.text
}

func (t *tokens) boolean() bool {
	if t.err != nil {
		return false
	}
	switch t.in.PeekKind() {
	case 't', 'f':
		token, err := t.in.ReadToken()
		t.keep(err)
		return t.err == nil && token.Bool()
	}
	t.of('t', "true or false")
	return false
}

// whole consumes a number without fraction, or null, for which it returns absent.
func (t *tokens) whole(absent int64) int64 {
	if t.err == nil && t.in.PeekKind() == 'n' {
		t.of('n', "null")
		return absent
	}
	number := t.of('0', "a number")
	n, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil && t.err == nil {
		f := t.parse(number)
		if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			t.fail("got %s where a whole number is expected", number)
		}
		return int64(f)
	}
	return n
}

func (t *tokens) float() float64 { return t.parse(t.of('0', "a number")) }

func (t *tokens) parse(number []byte) float64 {
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		t.fail("got %s where a number is expected", number)
		return 0
	}
	return f
}

// atEnd checks that only white space is left.
func (t *tokens) atEnd() {
	if t.err != nil {
		return
	}
	if _, err := t.in.ReadToken(); err == nil {
		t.fail("the file goes on after the end of its object")
	} else if err != io.EOF {
		t.keep(err)
	}
}
