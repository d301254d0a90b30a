package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
)

// Substituted returns a script for a second opinion by a solver: the benchmark with its declarations replaced by the
// model's definitions. The model satisfies the benchmark if and only if the script is satisfiable, except that the
// solver may choose values that a theory leaves undefined. Abstract values become distinct constants.
//
// It returns an error if Check would find no well-formed model, or if the model defines theory functions, which no
// solver accepts.
func Substituted(benchmark, response []byte) ([]byte, error) {
	answer, rest := readAnswer(response)
	if r, decided := judgeAnswer(answer, response[rest:]); decided {
		return nil, fmt.Errorf("there is no model to substitute: %s", r.Reason)
	}
	script, err := smtlib.Parse(benchmark)
	if err != nil {
		return nil, fmt.Errorf("benchmark: %w", err)
	}
	v := newValidation(context.Background(), script, Options{})
	if r := v.readBenchmark(); r != nil {
		return nil, fmt.Errorf("there is no model to substitute: %s", r.Reason)
	}
	text := blankAnswer(response, rest)
	if end, ok := modelEnd(text); ok {
		text = text[:end]
	}
	definitions, err := script.ParseModel(text)
	if err != nil {
		return nil, fmt.Errorf("response: %w", err)
	}
	if r := v.readModel(definitions); r != nil {
		return nil, fmt.Errorf("there is no model to substitute: %s", r.Reason)
	}
	if v.theory || len(v.partial) > 0 {
		return nil, fmt.Errorf("the model defines functions of a theory, which a solver does not accept")
	}
	s := substitution{v: v, benchmark: string(benchmark), response: string(text), values: map[string]sorts.ID{}}
	return s.script()
}

// substitution builds the script for Substituted.
type substitution struct {
	v                   *validation
	benchmark, response string
	values              map[string]sorts.ID // sorts of the abstract values, by name
	names               []string            // names of the abstract values, in order of occurrence
}

func (s *substitution) script() ([]byte, error) {
	functions, err := s.functions()
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	out.WriteString("(set-logic ALL)\n")
	s.commands(&out, smtlib.CmdDeclareSort, smtlib.CmdDefineSort, smtlib.CmdDeclareDatatype, smtlib.CmdDeclareDatatypes)
	s.abstracts(&out)
	out.WriteString(functions)
	s.goals(&out)
	out.WriteString("(check-sat)\n")
	return []byte(out.String()), nil
}

// goals writes the assertions in force at the first check-sat, and its assumptions.
func (s *substitution) goals(out *strings.Builder) {
	asserts := map[uint32]string{}
	for _, c := range s.v.script.Commands {
		if c.Kind == smtlib.CmdAssert {
			asserts[c.Pos] = s.benchmark[c.Pos:c.Stop]
		}
	}
	for _, g := range s.v.goals {
		text, ok := asserts[g.pos]
		if !ok {
			pos := s.v.script.Term(g.root).Pos
			text = "(assert " + s.benchmark[pos:][:expressionLength(s.benchmark[pos:])] + ")"
		}
		out.WriteString(text + "\n")
	}
}

// commands copies the benchmark's commands of the given kinds.
func (s *substitution) commands(out *strings.Builder, kinds ...smtlib.CommandKind) {
	for _, c := range s.v.script.Commands {
		if slices.Contains(kinds, c.Kind) {
			out.WriteString(s.benchmark[c.Pos:c.Stop] + "\n")
		}
	}
}

// abstracts declares the abstract values, and asserts that the values of each sort are distinct.
func (s *substitution) abstracts(out *strings.Builder) {
	bySort := map[sorts.ID][]string{}
	var order []sorts.ID
	for _, name := range s.names {
		id := s.values[name]
		if len(bySort[id]) == 0 {
			order = append(order, id)
		}
		bySort[id] = append(bySort[id], constantName(name))
		fmt.Fprintf(out, "(declare-fun %s () %s)\n", constantName(name), s.v.check.Sorts.String(id))
	}
	for _, id := range order {
		if len(bySort[id]) > 1 {
			fmt.Fprintf(out, "(assert (distinct %s))\n", strings.Join(bySort[id], " "))
		}
	}
}

// constantName returns the name of the constant for an abstract value.
func constantName(name string) string { return "|abstract value " + name + "|" }

// functions writes all definitions in dependency order, each command once.
func (s *substitution) functions() (string, error) {
	type place struct {
		model bool
		pos   uint32
	}
	var out strings.Builder
	commands := map[place]smtlib.Command{}
	for model, script := range map[bool]*smtlib.Script{false: s.v.script, true: s.v.definitions} {
		for _, c := range script.Commands {
			for _, f := range script.Functions(&c) {
				commands[place{model, f.Pos}] = c
			}
		}
	}
	written := map[place]bool{}
	again := map[int32]bool{}
	for _, a := range s.v.repeated {
		again[int32(a.number)] = true
	}
	for _, f := range s.v.sequence {
		fn := s.v.check.Funcs[f]
		c, ok := commands[place{fn.Model, fn.Pos}]
		key := place{fn.Model, c.Pos}
		if !ok || written[key] || again[f] { // a lambda has no command
			continue
		}
		written[key] = true
		if !fn.Model {
			out.WriteString(s.benchmark[c.Pos:c.Stop] + "\n")
			continue
		}
		text, err := s.definition(fn, c)
		if err != nil {
			return "", err
		}
		out.WriteString(text + "\n")
	}
	return out.String(), nil
}

// definition copies one of the model's definitions, replacing abstract values by constants.
func (s *substitution) definition(fn *term.Func, c smtlib.Command) (string, error) {
	var out strings.Builder
	m, g := s.v.definitions, fn.Body
	from := int(c.Pos)
	// Terms are stored in post-order, but leaves in text order.
	for i := range g.Nodes {
		t := m.Term(smtlib.TermID(g.First + int32(i)))
		name := m.Name(t.Sym)
		_, abstract := s.v.abstracts[name]
		if t.Kind != smtlib.TermIdent || g.Nodes[i].Op != term.Const || !abstract {
			continue
		}
		sort := g.Nodes[i].Sort
		if sort == sorts.AbstractID {
			return "", fmt.Errorf("the sort of the abstract value %s is not written", name)
		}
		if _, seen := s.values[name]; !seen {
			s.values[name] = sort
			s.names = append(s.names, name)
		}
		out.WriteString(s.response[from:t.Pos] + constantName(name))
		from = int(t.Pos) + expressionLength(s.response[t.Pos:])
	}
	return out.String() + s.response[from:c.Stop], nil
}

// expressionLength returns the length of the S-expression at the start of text.
func expressionLength(text string) int {
	lex := smtlib.NewLexer(text)
	depth := 0
	for {
		tok := lex.Next()
		switch tok.Kind {
		case smtlib.LParen:
			depth++
		case smtlib.RParen:
			depth--
		}
		if depth == 0 || tok.Kind == smtlib.EOF {
			return int(tok.End)
		}
	}
}
