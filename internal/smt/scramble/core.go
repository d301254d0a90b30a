package scramble

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Core is the set of names in an unsat core. A nil Core means that there is no core; an empty one contains no names.
type Core map[string]struct{}

// ParseCore parses a solver's output for check-sat and get-unsat-core: the word unsat, then names in parentheses. Error
// messages are worded like the official program's, and name the file.
func ParseCore(text []byte, file string) (Core, error) {
	space := func(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }
	bad := &Rejection{Message: msgCore(file), Exit: 1,
		Detail: fmt.Sprintf("a core file is %q and names in parentheses", comp.AnswerUnsat)}
	rest := bytes.TrimLeftFunc(text, space)
	rest, ok := bytes.CutPrefix(rest, []byte(comp.AnswerUnsat))
	if !ok || len(rest) == 0 || !space(rune(rest[0])) {
		return nil, bad
	}
	rest = bytes.TrimLeftFunc(rest, space)
	if len(rest) == 0 || rest[0] != '(' {
		return nil, bad
	}
	core := Core{}
	words := bytes.FieldsFunc(rest[1:], space)
	if len(words) == 0 {
		core[string(comp.AnswerUnsat)] = struct{}{} // as observed: if nothing follows, the last word counts as a name
	}
	for _, w := range words {
		w, last := bytes.CutSuffix(w, []byte(")"))
		if len(w) > 0 {
			core[string(w)] = struct{}{}
		}
		if last {
			break
		}
	}
	return core, nil
}

// appendReport appends the line in which the official program reports the core it read.
func (c Core) appendReport(dst []byte) []byte {
	dst = append(dst, ";; parsed "...)
	dst = strconv.AppendInt(dst, int64(len(c)), 10)
	dst = append(dst, " names:"...)
	for _, name := range slices.Sorted(maps.Keys(c)) { // byte order, as in the official program
		dst = append(append(dst, ' '), name...)
	}
	return append(dst, '\n')
}

// filterCore drops the chunk's assertions whose name is not in the core.
func (s *Scrambler) filterCore() {
	s.chunk = slices.DeleteFunc(s.chunk, func(c command) bool {
		if c.kind != cmdAssert {
			return false
		}
		name, ok := s.assertionName(c.body)
		if !ok {
			return false
		}
		_, keep := s.opt.Core[string(s.names.text(name))]
		return !keep
	})
}

// assertionName returns the first :named that a depth-first search finds. The search visits a term's children from last
// to first and an annotation's attributes before its term. It does not visit terms inside attributes.
func (s *Scrambler) assertionName(w word) (sym, bool) {
	stack := append(s.search[:0], w)
	defer func() { s.search = stack }()
	for len(stack) > 0 {
		w = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if w&tagName != 0 {
			continue
		}
		elems := s.elements(w)
		if elems[0] != fixed(wBang) && elems[0] != hiddenBang {
			stack = append(stack, elems...) // the last child is on top; names are skipped
			continue
		}
		for i := 2; i+1 < len(elems); i += 2 {
			if elems[i] == fixed(wNamed) {
				return sym(elems[i+1] & symMask), true
			}
		}
		stack = append(stack, elems[1])
	}
	return noSym, false
}
