package smtlib

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// Violation is a place where a script does not keep the restrictions that a competition puts on scripts.
type Violation struct {
	Position Position
	Rule     string // as "SMT-COMP 2026 rules, §5.1 (set-logic ...)"
	Message  string // one sentence
}

// CheckScript checks a script against the restrictions of the rules on what a solver is given in a track: in the form
// after scrambling, except that set-info commands, which the scrambler removes, may stand anywhere from 2019 on. The
// violations are sorted by position. The error is a *SyntaxError, or says that the rules of the year have no such
// track.
//
// The years 2008, 2015, 2019, 2022 and 2026 have rules of their own; 2016 to 2025 are checked by the last one before
// them and later years by 2026. A Rule names the document that was taken. What needs the sorts of terms is not checked:
// that all symbols are declared, and that formulas keep to the logic in more than its quantifiers.
//
// Source: SMT-COMP rules, 2008 §3 (input and output), 2015 to 2026 §5.1.
func CheckScript(src []byte, track comp.Track, year int) ([]Violation, error) {
	rules, err := scriptRulesOf(track, year)
	if err != nil {
		return nil, err
	}
	if rules.year == 2008 {
		return checkV1(src)
	}
	s, err := Parse(src)
	if err != nil {
		return nil, err
	}
	return check(s, track, rules), nil
}

// check returns the violations of a script of version 2, sorted by position.
func check(s *Script, track comp.Track, rules scriptRules) []Violation {
	c := checker{s: s, rules: rules, track: track}
	for i := range s.Commands {
		c.command(&s.Commands[i])
	}
	c.end()
	slices.SortStableFunc(c.found, func(a, b Violation) int {
		return cmp.Compare(a.Position.Offset,
			b.Position.Offset)
	})
	at := Position{Line: 1, Column: 1}
	for i := range c.found {
		at = forward(at, s.src, c.found[i].Position.Offset)
		c.found[i].Position = at
	}
	return c.found
}

// scriptRules are the restrictions of one year.
type scriptRules struct {
	year        int
	tracks      []comp.Track
	infoAnyTime bool // set-info may stand anywhere, because the scrambler removes it
	optionOrder bool // the option of the track is the second command
	datatypes   bool
	definedSort []comp.Track // where define-sort is allowed; nil means everywhere
	assertFirst bool         // each check-sat of the incremental track comes after an assert
	anyOption   bool         // a single set-option of :print-success, with either value
}

// yearRules are the restrictions by year, the latest first.
var yearRules = []scriptRules{
	{
		year: 2026, infoAnyTime: true, optionOrder: true, datatypes: true,
		tracks: []comp.Track{comp.SingleQuery, comp.Incremental, comp.UnsatCore, comp.ModelValidation, comp.Parallel},
	},
	{
		year: 2022, infoAnyTime: true, optionOrder: true, datatypes: true,
		tracks: []comp.Track{
			comp.SingleQuery, comp.Incremental, comp.UnsatCore, comp.ModelValidation, comp.ProofExhibition,
			comp.Parallel, comp.Cloud,
		},
	},
	{
		year: 2019, infoAnyTime: true, datatypes: true, anyOption: true,
		tracks: []comp.Track{comp.SingleQuery, comp.Incremental, comp.UnsatCore, comp.ModelValidation,
			comp.IndustryChallenge},
	},
	{
		year: 2015, assertFirst: true, anyOption: true,
		definedSort: []comp.Track{comp.Incremental},
		tracks:      []comp.Track{comp.SingleQuery, comp.Incremental},
	},
}

// HasScriptRules returns the error that CheckScript gives for any script if the rules of the year have no such track,
// or no rules are known for the year.
func HasScriptRules(track comp.Track, year int) error {
	_, err := scriptRulesOf(track, year)
	return err
}

// scriptRulesOf returns the restrictions for a track of a year.
func scriptRulesOf(track comp.Track, year int) (scriptRules, error) {
	rules := scriptRules{year: 2008, tracks: []comp.Track{comp.SingleQuery}}
	i := slices.IndexFunc(yearRules, func(r scriptRules) bool { return r.year <= year })
	switch {
	case i >= 0:
		rules = yearRules[i]
	case year != 2008:
		return rules, fmt.Errorf("no restrictions on scripts are known for %d; the years are 2008, and 2015 and later",
			year)
	}
	if !slices.Contains(rules.tracks, track) {
		taken := ""
		if rules.year != year {
			taken = fmt.Sprintf(", which are taken for %d,", year)
		}
		return rules, fmt.Errorf("the rules of %d%s have no track %v; their tracks are %v", rules.year, taken, track,
			rules.tracks)
	}
	return rules, nil
}

// checkV1 accepts any benchmark of version 1.2; the rules of 2008 ask for no more.
func checkV1(src []byte) ([]Violation, error) {
	info, err := Inspect(src)
	if err != nil {
		return nil, err
	}
	if !info.Version1 {
		return []Violation{{
			Position: Position{Offset: 0, Line: 1, Column: 1},
			Rule:     "SMT-COMP 2008 rules, §3 Input and Output",
			Message:  "the formula is not in the format of SMT-LIB 1.2, (benchmark ...)",
		}}, nil
	}
	return nil, nil
}

// checker goes through the commands of a script once.
type checker struct {
	s     *Script
	rules scriptRules
	track comp.Track
	found []Violation

	seen      int // commands so far without set-info
	setLogics int
	options   map[string]int // set-options by keyword
	logic     string
	asserts   int
	checkSats int
	level     int
	last      CommandKind // the command before, without set-info from 2019 on
	exit      *Command
	given     map[Sym]bool // names of assertions
}

// report adds a violation at an offset.
func (c *checker) report(pos uint32, rule, format string, args ...any) {
	c.found = append(c.found, Violation{
		Position: Position{Offset: int(pos)}, // lines are counted at the end, once for all
		Rule:     fmt.Sprintf("SMT-COMP %d rules, §5.1%s", c.rules.year, c.place(rule)),
		Message:  fmt.Sprintf(format, args...),
	})
}

// command checks one command against those before it.
func (c *checker) command(cmd *Command) {
	if c.exit != nil {
		c.report(cmd.Pos, "exit", "%v follows exit, which must be the last command", cmd.Kind)
	}
	if cmd.Kind == CmdSetInfo && c.rules.infoAnyTime {
		return
	}
	if c.setLogics == 0 && cmd.Kind != CmdSetOption && cmd.Kind != CmdSetLogic {
		c.report(cmd.Pos, "set-logic ...", "%v stands before set-logic, which must be the first command after any "+
			"set-option", cmd.Kind)
		c.setLogics = -1 // report this once
	}
	c.kind(cmd)
	c.names(cmd)
	c.reservedName(cmd)
	c.seen++
	c.last = cmd.Kind
}

// kind checks what the rules say of the command's kind.
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

// setInfo checks where a set-info stands that is not removed: directly behind set-logic, with others of its kind, or as
// the status of a check-sat in the incremental track.
func (c *checker) setInfo(cmd *Command) {
	status := c.track == comp.Incremental && c.s.Name(cmd.Sym) == ":status"
	if c.setLogics > 0 && c.last != CmdSetLogic && c.last != CmdSetInfo && !status {
		c.report(cmd.Pos, "set-info ...", "set-info %s stands behind %v; set-info must follow set-logic directly",
			c.s.Name(cmd.Sym), c.last)
	}
}

func (c *checker) sort(cmd *Command) {
	if cmd.Kind == CmdDefineSort && c.rules.definedSort != nil && !slices.Contains(c.rules.definedSort, c.track) {
		c.report(cmd.Pos, "no other commands", "define-sort is not allowed in this track")
		return
	}
	if cmd.N > 0 || len(c.s.SortParams(cmd)) > 0 && c.rules.definedSort == nil { // 2015 says it of declare-sort only
		c.report(cmd.Pos, "declare-sort ...", "the sort %s has parameters; all sorts must have zero arity",
			c.s.Name(cmd.Sym))
	}
}

func (c *checker) datatypes(cmd *Command) {
	if !c.rules.datatypes {
		c.report(cmd.Pos, "no other commands", "%v is not among the commands that may be used", cmd.Kind)
		return
	}
	if c.logic == "" {
		return // that set-logic is missing or late is reported
	}
	if !strings.Contains(c.logic, "DT") && c.logic != "ALL" {
		c.report(cmd.Pos, "declare-datatype ...", "%v stands in the logic %s, which has no datatypes", cmd.Kind,
			c.logic)
	}
}

// quantifiers checks the part of "belongs to the logic" that needs no sorts.
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
	if c.track == comp.Incremental && c.rules.assertFirst && c.asserts == 0 {
		c.report(cmd.Pos, "check-sat", "no assert stands before this check-sat")
	}
}

func (c *checker) pushPop(cmd *Command) {
	if c.track != comp.Incremental {
		c.report(cmd.Pos, "no other commands", "%v is allowed in the incremental track only", cmd.Kind)
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
		c.report(cmd.Pos, "check-sat", "this pop has no push that it could undo")
		c.level = 0
	}
}

// other checks a command that is allowed in one track at most.
func (c *checker) other(cmd *Command) {
	if question := trackQuestion(c.track, c.rules.year); cmd.Kind != question || question == CmdNone {
		hint := ""
		if cmd.Kind == CmdDeclareConst {
			hint = "; the scrambler turns it into declare-fun"
		}
		c.report(cmd.Pos, "no other commands", "%v is not among the commands that may be used%s", cmd.Kind, hint)
		return
	}
	if c.last != CmdCheckSat {
		c.report(cmd.Pos, cmd.Kind.String(), "%v must follow the check-sat directly, and once", cmd.Kind)
	}
}

// names checks the use of :named.
func (c *checker) names(cmd *Command) {
	for id := cmd.Terms.First; id < cmd.Terms.End(); id++ {
		t := c.s.Term(TermID(id))
		if t.Kind != TermAnnotated || c.s.Named(t) == 0 {
			continue
		}
		switch {
		case c.track != comp.UnsatCore:
			c.report(t.Pos, ":named", "the name %s is given; named terms are not used in this track",
				c.s.Name(c.s.Named(t)))
		case cmd.Kind != CmdAssert || cmd.Term != TermID(id):
			c.report(t.Pos, ":named", "the name %s is given to a part of a command; only top-level assertions may be "+
				"named", c.s.Name(c.s.Named(t)))
		case c.given[c.s.Named(t)]:
			c.report(t.Pos, ":named", "the name %s is given a second time", c.s.Name(c.s.Named(t)))
		}
		if c.given == nil {
			c.given = map[Sym]bool{}
		}
		c.given[c.s.Named(t)] = true
	}
}

// reservedName reports a declaration of a word that SMT-LIB reserves, as the name of a command, and that the parser
// takes as a symbol.
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

// token returns the token number n of a command, counted from 0 for its parenthesis.
func (c *checker) token(cmd *Command, n int) Token {
	lex := Lexer{src: c.s.src, pos: int(cmd.Pos)}
	for range n {
		lex.Next()
	}
	return lex.Next()
}

// end checks what can only be known at the end.
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
	question := trackQuestion(c.track, c.rules.year)
	if question != CmdNone && !slices.ContainsFunc(c.s.Commands,
		func(cmd Command) bool { return cmd.Kind == question }) {
		c.report(end, question.String(), "no %v follows the check-sat", question)
	}
}
