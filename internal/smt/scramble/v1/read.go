package v1

import (
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// node is a word or a list of nodes. Text in braces is a list if it contains terms, and otherwise a word.
type node struct {
	word  string // empty for a list
	list  []*node
	brace bool // the list is in braces instead of parentheses
	start int
}

// is reports whether the node is the given word.
func (n *node) is(word string) bool { return n.word == word }

// benchmark holds the kept parts of a benchmark: its logic, declarations and formulas, but no information about it.
type benchmark struct {
	logic                 string
	sorts, funs, preds    []*node // elements of the declarations, in text order
	assumptions, formulas []*node
}

// reader parses a text into nodes.
type reader struct {
	src string
	pos int
}

// reject returns the error for a text that is not a valid benchmark.
func (r *reader) reject(at int, format string, args ...any) error {
	return &scramble.Rejection{
		Message:  "not a benchmark of SMT-LIB 1.2",
		Exit:     1,
		Position: smtlib.PositionAt(r.src, at),
		Detail:   fmt.Sprintf(format, args...),
	}
}

// blank skips white space and comments.
func (r *reader) blank() {
	for r.pos < len(r.src) {
		switch r.src[r.pos] {
		case ' ', '\t', '\n', '\r', '\f', '\v':
			r.pos++
		case ';':
			if end := strings.IndexByte(r.src[r.pos:], '\n'); end >= 0 {
				r.pos += end
			} else {
				r.pos = len(r.src)
			}
		default:
			return
		}
	}
}

// peek returns the first byte of the next token, or 0 at the end.
func (r *reader) peek() byte {
	r.blank()
	if r.pos == len(r.src) {
		return 0
	}
	return r.src[r.pos]
}

const delimiters = " \t\n\r\f\v();{}\""

// word reads a token that is not a bracket: a string including its quotes, or everything up to the next delimiter.
func (r *reader) word() (*node, error) {
	start := r.pos
	if r.src[r.pos] == '"' {
		for r.pos++; r.pos < len(r.src) && r.src[r.pos] != '"'; r.pos++ {
			if r.src[r.pos] == '\\' {
				r.pos++
			}
		}
		if r.pos >= len(r.src) {
			return nil, r.reject(start, "the string has no end")
		}
		r.pos++
	} else if end := strings.IndexAny(r.src[r.pos:], delimiters); end >= 0 {
		r.pos += end
	} else {
		r.pos = len(r.src)
	}
	return &node{word: r.src[start:r.pos], start: start}, nil
}

// text skips text in braces, which is not kept.
func (r *reader) text() error {
	start := r.pos
	for r.pos++; r.pos < len(r.src) && r.src[r.pos] != '}'; r.pos++ {
		if r.src[r.pos] == '\\' {
			r.pos++
		}
	}
	if r.pos >= len(r.src) {
		return r.reject(start, "the text in braces has no end")
	}
	r.pos++
	return nil
}

// node reads a word or a list. Lists may be nested to any depth.
func (r *reader) node() (*node, error) {
	var open []*node
	for {
		c := r.peek()
		var n *node
		switch c {
		case 0:
			if len(open) > 0 {
				return nil, r.reject(open[len(open)-1].start, "the list has no end")
			}
			return nil, r.reject(r.pos, "the text ends where a value is missing")
		case '(', '{':
			open = append(open, &node{brace: c == '{', start: r.pos})
			r.pos++
			continue
		case ')', '}':
			if len(open) == 0 || open[len(open)-1].brace != (c == '}') {
				return nil, r.reject(r.pos, "%q does not close anything here", c)
			}
			n = open[len(open)-1]
			open = open[:len(open)-1]
			r.pos++
		default:
			var err error
			if n, err = r.word(); err != nil {
				return nil, err
			}
		}
		if len(open) == 0 {
			return n, nil
		}
		in := open[len(open)-1]
		in.list = append(in.list, n)
		// An annotation without terms is dropped with its value.
		if c == ':' && !n.is(":pat") && !n.is(":nopat") && r.peek() == '{' {
			if err := r.text(); err != nil {
				return nil, err
			}
			in.list = in.list[:len(in.list)-1]
		}
	}
}

// read parses a benchmark.
func read(src string) (*benchmark, error) {
	r := &reader{src: src}
	if r.peek() != '(' {
		return nil, r.reject(r.pos, "it does not begin with (benchmark")
	}
	r.pos++
	for _, want := range []string{"benchmark", ""} {
		if c := r.peek(); c == 0 || strings.IndexByte("(){}:", c) >= 0 {
			return nil, r.reject(r.pos, "it does not begin with (benchmark NAME")
		}
		w, err := r.word()
		if err != nil {
			return nil, err
		}
		if want != "" && !w.is(want) {
			return nil, r.reject(w.start, "it does not begin with (benchmark")
		}
	}
	b := &benchmark{}
	for r.peek() == ':' {
		if err := r.attribute(b); err != nil {
			return nil, err
		}
	}
	if r.peek() != ')' {
		return nil, r.reject(r.pos, "an attribute or the end of the benchmark is missing")
	}
	r.pos++
	switch {
	case r.peek() != 0 || r.pos < len(r.src): // a zero byte does not end the text
		return nil, r.reject(r.pos, "there is more after the benchmark")
	case b.logic == "":
		return nil, r.reject(0, "the benchmark has no :logic")
	case len(b.formulas) == 0:
		return nil, r.reject(0, "the benchmark has no :formula")
	}
	return b, nil
}

// attribute reads one of the benchmark's attributes.
func (r *reader) attribute(b *benchmark) error {
	key, err := r.word()
	if err != nil {
		return err
	}
	switch r.peek() {
	case ':', ')':
		return nil // it has no value
	case '{':
		return r.text()
	}
	value, err := r.node()
	if err != nil {
		return err
	}
	switch key.word {
	case ":logic":
		b.logic = value.word
	case ":extrasorts":
		b.sorts = append(b.sorts, value.list...)
	case ":extrafuns":
		b.funs = append(b.funs, value.list...)
	case ":extrapreds":
		b.preds = append(b.preds, value.list...)
	case ":assumption":
		b.assumptions = append(b.assumptions, value)
	case ":formula":
		b.formulas = append(b.formulas, value)
	}
	return nil
}
