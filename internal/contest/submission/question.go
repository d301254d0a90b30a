package submission

import (
	"fmt"
	"slices"
	"strings"
)

// Question is a requirement in a year's rules that only people can check, declared by a "question" block.
type Question struct {
	Name    string
	Of      string `hcl:"of,optional"`  // entrants that it concerns: one of Concerns
	Due     string `hcl:"due,optional"` // deadline for the answer: first, final, or empty
	Section string `hcl:"section,optional"`
	Text    string `hcl:"text,optional"`
}

// Asked is a question for people, with its section and deadline.
type Asked struct {
	Of   string `cty:"of"`
	Text string `cty:"text"`
}

// Asked returns the questions in order, except those that concern nobody.
func (r Rules) Asked() []Asked {
	var all []Asked
	for i := range r.Questions {
		q := &r.Questions[i]
		text := q.Text + " (" + q.Section
		if date := map[string]string{"first": r.First, "final": r.Final}[q.Due]; date != "" {
			text += "; due on " + date
		}
		if q.Of != "nobody" {
			all = append(all, Asked{q.Of, text + ")"})
		}
	}
	return all
}

// Concerns lists whom a question can concern: every entrant, derived solvers, wrapper tools, or each solver of a team
// that enters several. "nobody" withdraws a question that the base asks.
var Concerns = []string{"every", "derived", "wrapper", "several", "nobody"}

// Concerns reports whether a question concerns a solver of the given type. several reports whether the solver's team
// enters more than one solver.
func (q Asked) Concerns(of SolverType, several bool) bool {
	switch q.Of {
	case "every":
		return true
	case "derived":
		return of == Derived
	case "wrapper":
		return of == Wrapped
	}
	return q.Of == "several" && several
}

// checklist returns the decisions that people must make about a submission, one sentence each.
func (r Rules) checklist(s *Submission, known *Known) []string {
	teams, solvers := teamsOf(known.Entries, nil), map[string]bool{}
	for _, e := range known.Entries {
		if teams[e.Submission] == teams[s] {
			solvers[e.Submission.Name] = true
		}
	}
	var list []string
	for _, q := range r.Asked() {
		if q.Concerns(s.Type, len(solvers) > 1) {
			list = append(list, q.Text)
		}
	}
	return list
}

// sameAuthors warns about a derived solver that shares an author with its base solver. By definition, the base is from
// a different group of authors (SMT-COMP 2022 and 2026 rules, §4 "Derived Tool").
func (v *Review) sameAuthors(known *Known) {
	s := v.Submission
	base := BaseOf(s, known.Submissions)
	if s.Type != Derived || base == nil || base == s {
		return
	}
	var both []string
	for _, c := range s.Contributors {
		is := func(b Contributor) bool { return strings.EqualFold(b.Name, c.Name) }
		if slices.ContainsFunc(base.Contributors, is) {
			both = append(both, c.Name)
		}
	}
	if len(both) > 0 {
		v.append(&v.Warnings, "/solver_type", fmt.Sprintf("its base solver %s has the same authors (%s); a derived "+
			"solver's base "+
			"must come from a different group of authors", base.Name, strings.Join(both, ", ")))
	}
}

// wrapperName returns the problem with a wrapper tool's name, or "". The name must end with "+" and the wrapped tool's
// name (SMT-COMP 2008 rules, §2 "Wrapper tools").
func (r Rules) wrapperName(s *Submission) string {
	if _, wrapped, _ := strings.Cut(s.Name, "+"); !r.WrappedAreBases || s.Type != Wrapped || wrapped != "" {
		return ""
	}
	return fmt.Sprintf("the name of a wrapper tool must end with \"+\" and the name of the wrapped tool, such as %s+NAME",
		strings.TrimSuffix(s.Name, "+"))
}
