package model

import (
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
)

// usedTermNames returns the names in annotations (! t :named n) that are used as terms elsewhere in the script. The
// result is empty for nearly all scripts, because terms do not use the names for cores.
func usedTermNames(s *smtlib.Script) map[smtlib.Sym]bool {
	if s.NumAttributes() == 0 {
		return nil
	}
	given, used := map[smtlib.Sym]bool{}, map[smtlib.Sym]bool{}
	for id := 1; id < s.NumTerms(); id++ {
		if t := s.Term(smtlib.TermID(id)); t.Kind == smtlib.TermAnnotated {
			if n := s.Named(t); n != 0 {
				given[n] = true
			}
		}
	}
	for id := 1; id < s.NumTerms() && len(given) > 0; id++ {
		if t := s.Term(smtlib.TermID(id)); t.Kind == smtlib.TermIdent && given[t.Sym] {
			used[t.Sym] = true
		}
	}
	return used
}

// nameTerms defines the names of a command's terms that other terms use. Such a name is a constant from the end of its
// annotation on, including in the rest of the command.
//
// Source: The SMT-LIB Standard 2.7, §3.6.5 "Term annotations" and §4.2.3 "Asserting formulas".
func (v *validation) nameTerms(cmd *smtlib.Command) error {
	if len(v.termNames) == 0 || !v.namesTerms(cmd) {
		return nil
	}
	g := &term.Graph{}
	v.check.Start(g, cmd.Terms)
	for id := cmd.Terms.First; id < cmd.Terms.End(); id++ {
		v.check.Step(g)
		n := id - g.First
		if err := v.check.RootError(g, n); err != nil {
			return err
		}
		t := v.script.Term(smtlib.TermID(id))
		name := v.script.Named(t)
		if !v.termNames[name] {
			continue
		}
		fn := &term.Func{Name: v.script.Name(name), Pos: t.Pos, Result: g.Nodes[n].Sort, Body: g, Root: n}
		if err := v.check.Name(name, v.check.Extra(fn)); err != nil {
			return err
		}
	}
	return nil
}

// namesTerms reports whether a command contains an annotation whose name is used.
func (v *validation) namesTerms(cmd *smtlib.Command) bool {
	for id := cmd.Terms.First; id < cmd.Terms.End(); id++ {
		if t := v.script.Term(smtlib.TermID(id)); t.Kind == smtlib.TermAnnotated && v.termNames[v.script.Named(t)] {
			return true
		}
	}
	return false
}
