package submission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// node is a JSON value with its place in the file.
type node struct {
	pointer string // RFC 6901
	offset  int
	value   any // nil, bool, json.Number, string, []*node or []member
}

// member is a field of an object, in file order.
type member struct {
	name  string
	value *node
}

// parseTree reads one JSON value and nothing after it.
func parseTree(data []byte) (*node, error) {
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		return nil, &syntaxError{text: "not JSON: the file begins with a byte order mark; save it as UTF-8 without one"}
	}
	if at := firstInvalid(data); at >= 0 {
		return nil, &syntaxError{offset: at, text: fmt.Sprintf("not JSON: the byte 0x%02x is not UTF-8; save the "+
			"file as UTF-8", data[at])}
	}
	if at := loneSurrogate(data); at >= 0 {
		return nil, &syntaxError{offset: at, text: fmt.Sprintf("not JSON: %s is half of a character; write the "+
			"character itself", data[at:at+6])}
	}
	p := &treeParser{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	p.dec.UseNumber()
	root, err := p.value("")
	if err != nil {
		return nil, err
	}
	end := p.start()
	if _, err := p.dec.Token(); err != io.EOF {
		return nil, &syntaxError{offset: end, text: "there is more after the end of the submission"}
	}
	return root, nil
}

// firstInvalid returns the offset of the first byte that is not UTF-8, or -1.
func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

// loneSurrogate returns the offset of the first escape \uD800 to \uDFFF that is not one of a pair, or -1. (The decoder
// would put another character in its place.)
func loneSurrogate(data []byte) int {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		switch r := escaped(data[i:]); {
		case !utf16.IsSurrogate(r):
			i++ // any escaped character
		case utf16.DecodeRune(r, escaped(data[i+6:])) == utf8.RuneError:
			return i
		default:
			i += 11
		}
	}
	return -1
}

// escaped returns the character of an escape such as \u00e9 at the beginning of a text, or -1 if there is none.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// syntaxError is a file that is not JSON.
type syntaxError struct {
	offset int
	text   string
}

func (e *syntaxError) Error() string { return e.text }

type treeParser struct {
	data []byte
	dec  *json.Decoder
}

// start returns the offset of the next token.
func (p *treeParser) start() int {
	at := int(p.dec.InputOffset())
	for at < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[at]) >= 0 {
		at++
	}
	return at
}

func (p *treeParser) token() (json.Token, error) {
	offset := p.start()
	t, err := p.dec.Token()
	if err == nil {
		return t, nil
	}
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, &syntaxError{offset: len(p.data), text: "not JSON: the file ends too early"}
	}
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(offset, int(s.Offset)-1)
	}
	return nil, &syntaxError{offset: min(offset, len(p.data)), text: "not JSON: " + err.Error()}
}

func (p *treeParser) value(pointer string) (*node, error) {
	n := &node{pointer: pointer, offset: p.start()}
	t, err := p.token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		n.value, err = p.object(pointer)
	case json.Delim('['):
		n.value, err = p.array(pointer)
	default:
		n.value = t
	}
	return n, err
}

func (p *treeParser) object(pointer string) ([]member, error) {
	members := []member{}
	for p.dec.More() {
		at := p.start()
		t, err := p.token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, &syntaxError{offset: at, text: "not JSON: the name of a field must be a string"}
		}
		v, err := p.value(pointer + "/" + escapePointer(name))
		if err != nil {
			return nil, err
		}
		members = append(members, member{name: name, value: v})
	}
	_, err := p.token()
	return members, err
}

func (p *treeParser) array(pointer string) ([]*node, error) {
	items := []*node{}
	for p.dec.More() {
		v, err := p.value(pointer + "/" + strconv.Itoa(len(items)))
		if err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	_, err := p.token()
	return items, err
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// describe names the type of a JSON value for an error.
func (n *node) describe() string {
	switch v := n.value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return "the number " + v.String()
	case string:
		return fmt.Sprintf("the string %.60q", v)
	case []*node:
		return "an array"
	}
	return "an object"
}
