package submission

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Problem is a violation of the rules for submission files.
type Problem struct {
	File    string
	Pointer string // JSON pointer to the value, such as /participations/0/tracks; empty: the whole file
	Line    int    // line, starting at 1
	Column  int    // column in bytes, starting at 1
	Text    string // sentence that states the mistake and what is allowed
}

// Error returns the problem with its position, such as "cvc5.json:12:5: /seed: ...".
func (p Problem) Error() string {
	pointer := p.Pointer
	if pointer == "" {
		pointer = "the file"
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", p.File, p.Line, p.Column, pointer, p.Text)
}

// Problems is the error for a file with at least one problem, in file order.
type Problems []Problem

// Error returns one line per problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Errors returns the problems as errors with line numbers, for callers that name the file.
func (ps Problems) Errors() error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		text := p.Text
		if p.Pointer != "" {
			text = p.Pointer + ": " + text
		}
		errs[i] = &comp.LineError{Line: p.Line, Column: p.Column, Err: errors.New(text)}
	}
	return errors.Join(errs...)
}

// Sort sorts problems by position in the file.
func (ps Problems) Sort() {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// lines contains the offset of each line in a text.
type lines []int

func linesOf(data []byte) lines {
	starts := lines{0}
	for i, b := range data {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// position returns an offset's line and column, starting at 1.
func (l lines) position(offset int) (line, column int) {
	if len(l) == 0 {
		return 0, 0
	}
	line, _ = slices.BinarySearch(l, offset+1)
	return line, offset - l[line-1] + 1
}
