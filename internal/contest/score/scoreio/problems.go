package scoreio

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxProblems limits how many different problems in a table are reported together.
const maxProblems = 20

// problems collects the errors in a table's rows to report them together. Errors with the same text in several rows are
// one problem.
type problems struct {
	name  string // name of the table
	list  []*problem
	known map[string]*problem
	more  int // number of problems beyond maxProblems
}

// problem is a problem with the first row where it occurs and the rows where it recurs.
type problem struct {
	at   *lineError
	also []string // first few of these further rows
	more int
}

// maxAlso limits how many further rows are named for a problem.
const maxAlso = 5

func (p *problem) add(at *lineError) {
	if len(p.also) == maxAlso {
		p.more++
		return
	}
	p.also = append(p.also, strconv.Itoa(cmp.Or(at.line, at.row)))
}

// err returns the error with all of its rows.
func (p *problem) err() error {
	if len(p.also) == 0 {
		return p.at
	}
	word := "row"
	if p.at.line > 0 {
		word = "line"
	}
	if len(p.also) > 1 {
		word += "s"
	}
	rows := strings.Join(p.also, ", ")
	if p.more > 0 {
		rows += fmt.Sprintf(" and %d more", p.more)
	}
	return fmt.Errorf("%w (also in %s %s)", p.at, word, rows)
}

// add records every error in a row. It records each part of a joined error separately.
func (p *problems) add(at *lineError) {
	if joined, ok := at.err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			p.add(&lineError{at.name, at.line, at.row, err})
		}
		return
	}
	text := at.err.Error()
	switch known := p.known[text]; {
	case known != nil:
		known.add(at)
	case len(p.list) == maxProblems:
		p.more++
	default:
		if p.known == nil {
			p.known = map[string]*problem{}
		}
		p.known[text] = &problem{at: at}
		p.list = append(p.list, p.known[text])
	}
}

// err joins the problems, or returns nil if there are none.
func (p *problems) err() error {
	var errs []error
	for _, x := range p.list {
		errs = append(errs, x.err())
	}
	if p.more > 0 {
		errs = append(errs, fmt.Errorf("%s: showing only the first %d problems; there are %d more",
			p.name, maxProblems, p.more))
	}
	return errors.Join(errs...)
}
