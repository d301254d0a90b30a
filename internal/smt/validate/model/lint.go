package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/logic"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
)

// Finding is an error or a warning at a position in a script.
type Finding struct {
	Position smtlib.Position
	Text     string
}

// String returns the position and the text on one line.
func (f Finding) String() string { return fmt.Sprintf("%v: %s", f.Position, f.Text) }

// Lint checks a script's sorts and the restrictions of its logic. errors lists ill-sorted terms and undeclared names,
// at most one per assertion and 100 in total; an error in a declaration ends the check. warnings lists the constructs
// that the logic does not allow, sorted by position, each text only at its first position. err reports that the script
// cannot be parsed or that ctx ended.
func Lint(ctx context.Context, src []byte) (errors, warnings []Finding, err error) {
	script, err := smtlib.Parse(src)
	if err != nil {
		return nil, nil, err
	}
	v := newValidation(ctx, script, Options{})
	l := linter{v: v, graph: &term.Graph{}}
	l.findLogic()
	v.visit = l.goal
	if r := v.readBenchmark(); r != nil {
		if err := context.Cause(ctx); err != nil {
			return nil, nil, err
		}
		l.errors = append(l.errors, Finding{r.Position, r.text})
	}
	v.declared = len(v.check.Funcs)
	l.declarations()
	l.collect()
	return l.errors, l.warnings, nil
}

// linter holds the state of checking a script.
type linter struct {
	v                *validation
	checker          *logic.Checker // nil if the logic is missing or unknown
	graph            *term.Graph
	errors, warnings []Finding
}

func (l *linter) warn(pos uint32, text string) {
	l.warnings = append(l.warnings, Finding{l.v.script.Position(pos), text})
}

func (l *linter) findLogic() {
	s := l.v.script
	for i := range s.Commands {
		cmd := &s.Commands[i]
		if cmd.Kind != smtlib.CmdSetLogic {
			continue
		}
		name := s.Name(cmd.Sym)
		if known, ok := logic.Parse(name); ok {
			l.checker = logic.NewChecker(known, l.v.check.Sorts)
		} else {
			l.warn(cmd.Pos, name+" is not a logic of SMT-LIB; its restrictions are not known")
		}
		return
	}
}

// declarations checks the script's declarations and definitions.
func (l *linter) declarations() {
	if l.checker == nil {
		return
	}
	s := l.v.script
	for i := range s.Commands {
		switch cmd := &s.Commands[i]; cmd.Kind {
		case smtlib.CmdDeclareSort:
			l.checker.DeclareSort(s.Name(cmd.Sym), cmd.Pos)
		case smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes:
			for _, d := range s.Datatypes(cmd) {
				l.checker.DeclareDatatype(s.Name(d.Sym), d.Pos)
			}
		}
	}
	var last *term.Graph
	for _, fn := range l.v.check.Funcs[1:l.v.declared] {
		switch {
		case fn.Body == nil:
			l.checker.Declare(fn)
		case fn.Body != last && fn.Body.Pos != nil:
			last = fn.Body
			l.checker.Terms(fn.Body, func(i int) uint32 { return fn.Body.Pos[i] })
		}
	}
}

// goal checks one of a command's terms.
func (l *linter) goal(goal goal, isBool bool) {
	v, g := l.v, l.graph
	const most = 100 // errors
	if len(l.errors) >= most {
		return
	}
	root, err := v.check.Body(g, goal.terms, goal.root)
	if err != nil {
		l.errors = append(l.errors, Finding{v.script.Position(position(err)), err.Error()})
		return
	}
	if sort := g.Nodes[root].Sort; isBool && sort != sorts.BoolID {
		l.errors = append(l.errors, Finding{v.script.Position(goal.pos), "an assertion has sort " +
			v.check.Sorts.String(sort) + ", not Bool"})
	}
	if l.checker != nil {
		l.checker.Terms(g, func(i int) uint32 { return v.script.Term(smtlib.TermID(g.First + int32(i))).Pos })
	}
}

// collect adds the logic checker's findings to the warnings.
func (l *linter) collect() {
	if l.checker == nil {
		return
	}
	for _, f := range l.checker.Findings() {
		text := f.Text
		if f.More > 0 {
			text += fmt.Sprintf(" (and %d more such places)", f.More)
		}
		l.warn(f.Pos, text)
	}
	slices.SortStableFunc(l.warnings, func(a, b Finding) int {
		return cmp.Compare(a.Position.Offset, b.Position.Offset)
	})
}
