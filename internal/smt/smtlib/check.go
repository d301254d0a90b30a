package smtlib

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Violation is a violation of a competition's restrictions on scripts.
type Violation struct {
	Position Position
	Rule     string // citation, such as "SMT-COMP 2026 rules, §5.1 (set-logic ...)"
	Message  string // description, as one sentence
}

// CheckScript checks a script against a competition's restrictions on scripts of a track. The restrictions describe
// scripts after scrambling, but if the scrambler removes set-info commands, these may occur anywhere. The violations
// are sorted by position. The error is a *SyntaxError, or reports that the rules do not include the track.
//
// Restrictions that require the sorts of terms are not checked: that all symbols are declared, and that formulas belong
// to the logic, except for their quantifiers.
//
// Source: SMT-COMP rules, 2008 §3 (input and output), 2015 to 2026 §5.1.
func CheckScript(src []byte, track comp.Track, rules *ScriptRules) ([]Violation, error) {
	if err := rules.Covers(track); err != nil {
		return nil, err
	}
	if rules.Version1 {
		return rules.checkV1(src)
	}
	s, err := Parse(src)
	if err != nil {
		return nil, err
	}
	return check(s, track, rules), nil
}

// check returns the violations of a script in version 2, sorted by position.
func check(s *Script, track comp.Track, rules *ScriptRules) []Violation {
	c := checker{s: s, rules: rules, track: track, options: map[string]int{}, given: map[Sym]bool{}}
	for i := range s.Commands {
		c.command(&s.Commands[i])
	}
	c.end()
	slices.SortStableFunc(c.found, func(a, b Violation) int {
		return cmp.Compare(a.Position.Offset, b.Position.Offset)
	})
	at := Position{Line: 1, Column: 1}
	for i := range c.found {
		at = forward(at, s.src, c.found[i].Position.Offset)
		c.found[i].Position = at
	}
	return c.found
}

// checker checks a script's commands in one pass.
type checker struct {
	s     *Script
	rules *ScriptRules
	track comp.Track
	found []Violation

	seen      int // number of commands so far, not counting set-info
	setLogics int
	options   map[string]int // number of set-options, by keyword
	logic     string
	asserts   int
	checkSats int
	level     int
	last      CommandKind // kind of the previous command, ignoring set-info where it may occur anywhere
	exit      *Command
	given     map[Sym]bool // names of assertions so far
}

// report adds a violation at the offset pos.
func (c *checker) report(pos uint32, rule, format string, args ...any) {
	c.found = append(c.found, Violation{
		Position: Position{Offset: int(pos)}, // lines are counted once, at the end
		Rule:     c.rules.place(rule, c.track),
		Message:  fmt.Sprintf(format, args...),
	})
}

// command checks a command against the previous ones.
func (c *checker) command(cmd *Command) {
	if c.exit != nil {
		c.report(cmd.Pos, "exit", "%v follows exit, which must be the last command", cmd.Kind)
	}
	if cmd.Kind == CmdSetInfo && c.rules.InfoAnywhere {
		return
	}
	if c.setLogics == 0 && cmd.Kind != CmdSetOption && cmd.Kind != CmdSetLogic {
		c.report(cmd.Pos, "set-logic ...", "%v stands before set-logic, which must be the first command after any "+
			"set-option", cmd.Kind)
		c.setLogics = -1 // report this only once
	}
	c.kind(cmd)
	c.names(cmd)
	c.reservedName(cmd)
	c.seen++
	c.last = cmd.Kind
}

// kind checks the rules for the command's kind.
func (c *checker) kind(cmd *Command) {
	switch cmd.Kind {
	case CmdSetLogic:
		c.setLogic(cmd)
	case CmdSetOption:
		c.setOption(cmd)
	case CmdDeclareFun:
	case CmdSetInfo:
		c.setInfo(cmd)
	case CmdDefineFun:
		c.quantifiers(cmd)
	case CmdDeclareSort, CmdDefineSort:
		c.sort(cmd)
	case CmdDeclareDatatype, CmdDeclareDatatypes:
		c.datatypes(cmd)
	case CmdAssert:
		c.asserts++
		c.quantifiers(cmd)
	case CmdCheckSat:
		c.checkSat(cmd)
	case CmdPush, CmdPop:
		c.pushPop(cmd)
	case CmdExit:
		c.exit = cmd
	default:
		c.other(cmd)
	}
}

func (c *checker) setLogic(cmd *Command) {
	if c.setLogics > 0 {
		c.report(cmd.Pos, "set-logic ...", "this is a second set-logic; there must be a single one")
	}
	c.setLogics = max(c.setLogics, 0) + 1
	c.logic = c.s.Name(cmd.Sym)
}

// setInfo checks the position of a set-info that is not removed. It must follow set-logic or another set-info, or be
// the status of a check-sat in the incremental track.
func (c *checker) setInfo(cmd *Command) {
	status := c.track == comp.Incremental && c.s.Name(cmd.Sym) == ":status"
	if c.setLogics > 0 && c.last != CmdSetLogic && c.last != CmdSetInfo && !status {
		c.report(cmd.Pos, "set-info ...", "set-info %s comes after %v; set-info must directly follow set-logic",
			c.s.Name(cmd.Sym), c.last)
	}
}

func (c *checker) sort(cmd *Command) {
	if cmd.Kind == CmdDefineSort && !c.rules.sortsDefined(c.track) {
		c.report(cmd.Pos, "no other commands", "define-sort is not allowed in this track")
		return
	}
	if cmd.N > 0 || len(c.s.SortParams(cmd)) > 0 && !c.rules.DefinedSortParameters {
		c.report(cmd.Pos, "declare-sort ...", "the sort %s has parameters; all sorts must have zero arity",
			c.s.Name(cmd.Sym))
	}
}

func (c *checker) datatypes(cmd *Command) {
	if !c.rules.Datatypes {
		c.report(cmd.Pos, "no other commands", "%v is not among the commands that may be used", cmd.Kind)
		return
	}
	if c.logic == "" {
		return // a missing or late set-logic has already been reported
	}
	if !strings.Contains(c.logic, "DT") && c.logic != "ALL" {
		c.report(cmd.Pos, "declare-datatype ...", "%v is not allowed in logic %s, which has no datatypes", cmd.Kind,
			c.logic)
	}
}

// quantifiers reports a quantifier in a quantifier-free logic. Other checks of the logic would require sorts.
func (c *checker) quantifiers(cmd *Command) {
	if !comp.Logic(c.logic).QuantifierFree() {
		return
	}
	for id := cmd.Terms.First; id < cmd.Terms.End(); id++ {
		t := c.s.Term(TermID(id))
		if t.Kind == TermForall || t.Kind == TermExists {
			c.report(t.Pos, "assert ...", "a quantifier stands in the quantifier-free logic %s", c.logic)
			return
		}
	}
}

func (c *checker) checkSat(cmd *Command) {
	c.checkSats++
	if c.track != comp.Incremental && c.checkSats == 2 {
		c.report(cmd.Pos, "check-sat", "this is a second check-sat; in this track there must be exactly one")
	}
	if c.track == comp.Incremental && c.rules.AssertFirst && c.asserts == 0 {
		c.report(cmd.Pos, "check-sat", "at least one assert must precede this check-sat")
	}
}

func (c *checker) pushPop(cmd *Command) {
	if c.track != comp.Incremental {
		c.report(cmd.Pos, "no other commands", "%v is only allowed in the incremental track", cmd.Kind)
		return
	}
	if cmd.N != 1 {
		c.report(cmd.Pos, "check-sat", "%v %d must be %v 1", cmd.Kind, cmd.N, cmd.Kind)
	} else if c.token(cmd, 2).Kind != Numeral {
		c.report(cmd.Pos, "check-sat", "%v without a number must be %v 1", cmd.Kind, cmd.Kind)
	}
	if cmd.Kind == CmdPush {
		c.level += int(cmd.N)
		return
	}
	if c.level -= int(cmd.N); c.level < 0 {
		c.report(cmd.Pos, "check-sat", "this pop has no matching push")
		c.level = 0
	}
}

// other checks a command that at most one track allows.
func (c *checker) other(cmd *Command) {
	if question := c.rules.question(c.track); cmd.Kind != question || question == CmdNone {
		hint := ""
		if cmd.Kind == CmdDeclareConst {
			hint = "; the scrambler turns it into declare-fun"
		}
		c.report(cmd.Pos, "no other commands", "%v is not among the commands that may be used%s", cmd.Kind, hint)
		return
	}
	if c.last != CmdCheckSat {
		c.report(cmd.Pos, cmd.Kind.String(), "%v must directly follow the check-sat, exactly once", cmd.Kind)
	}
}

// names checks the use of :named.
func (c *checker) names(cmd *Command) {
	for id := cmd.Terms.First; id < cmd.Terms.End(); id++ {
		t := c.s.Term(TermID(id))
		sym := c.s.Named(t)
		if sym == 0 {
			continue
		}
		switch name := c.s.Name(sym); {
		case c.track != comp.UnsatCore:
			c.report(t.Pos, ":named", "the name %s is not allowed: this track has no named terms", name)
		case cmd.Kind != CmdAssert || cmd.Term != TermID(id):
			c.report(t.Pos, ":named", "the name %s is given to a part of a command; only top-level assertions may be "+
				"named", name)
		case c.given[sym]:
			c.report(t.Pos, ":named", "the name %s is used a second time", name)
		}
		c.given[sym] = true
	}
}

// reservedName reports a declaration of a word that the parser accepts as a symbol although SMT-LIB reserves it, such
// as the name of a command.
func (c *checker) reservedName(cmd *Command) {
	switch cmd.Kind {
	case CmdDeclareConst, CmdDeclareFun, CmdDeclareSort, CmdDefineFun, CmdDefineSort:
	default:
		return
	}
	tok := c.token(cmd, 2)
	if tok.Kind != Symbol {
		return
	}
	if sym := c.s.Lookup(c.s.src[tok.Start:tok.End]); reservedElsewhere(sym) {
		c.report(tok.Start, "concrete syntax", "%s is a reserved word; as a symbol it must be written |%s|",
			c.s.Name(sym), c.s.Name(sym))
	}
}

// token returns token n of a command. Token 0 is the opening parenthesis.
func (c *checker) token(cmd *Command, n int) Token {
	lex := Lexer{src: c.s.src, pos: int(cmd.Pos)}
	for range n {
		lex.Next()
	}
	return lex.Next()
}

// end performs the checks that are possible only at the end of the script.
func (c *checker) end() {
	end := uint32(len(c.s.src))
	if c.logic == "" {
		c.report(end, "set-logic ...", "there is no set-logic")
	}
	if c.checkSats == 0 {
		c.report(end, "check-sat", "there is no check-sat")
	}
	if c.exit == nil && c.track == comp.Incremental {
		c.report(end, "exit", "there is no exit, which must not be omitted in the incremental track")
	}
	c.missingOption(end)
	question := c.rules.question(c.track)
	if question != CmdNone && !slices.ContainsFunc(c.s.Commands,
		func(cmd Command) bool { return cmd.Kind == question }) {
		c.report(end, question.String(), "%v must follow the check-sat", question)
	}
}
