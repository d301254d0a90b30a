package submission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// BaseOf returns the base solver of a derived one among all submissions: the file with "-base" before its extension;
// else, for the name and then for the name without its last parts at a "-", the solver of that name with "-base"; else
// the solver of such a shortened name, by the naming convention (SMT-COMP 2026 rules, §4 "Derived Tool"). Nil: there is
// none, or s is not derived.
func BaseOf(s *Submission, all []*Submission) *Submission {
	if s.Type != Derived {
		return nil
	}
	find := func(match func(*Submission) bool) *Submission {
		if i := slices.IndexFunc(all, func(o *Submission) bool { return o != s && match(o) }); i >= 0 {
			return all[i]
		}
		return nil
	}
	file := strings.TrimSuffix(s.File, ".json") + "-base.json"
	if base := find(func(o *Submission) bool { return o.File == file }); base != nil {
		return base
	}
	for _, name := range baseNames(s.Name) {
		if base := find(func(o *Submission) bool { return o.Name == name }); base != nil {
			return base
		}
	}
	return nil
}

// baseNames lists the names that the base solver of a derived one can have, the likeliest first. A base that is itself
// derived, as in A-B-base, is not derived from what it is the base of, A-B.
func baseNames(derived string) []string {
	var names []string
	own, isBase := strings.CutSuffix(derived, "-base")
	if !isBase {
		names = append(names, own+"-base")
	}
	for name := shorter(own); name != ""; name = shorter(name) {
		names = append(names, name+"-base", name)
	}
	return names
}

// shorter cuts the last part of a name off, at a "-".
func shorter(name string) string { return name[:max(strings.LastIndexByte(name, '-'), 0)] }

// BaseName names the base solver of a derived one: that of BaseOf, or else, by the naming convention, the first part of
// its name. It is empty if s is not derived.
func BaseName(s *Submission, all []*Submission) string {
	if base := BaseOf(s, all); base != nil {
		return base.Name
	}
	if s.Type != Derived {
		return ""
	}
	name, _, _ := strings.Cut(s.Name, "-")
	return name
}

// BaseProblem returns why a derived solver has no base solver to compare it with; empty if it has one, or is not
// derived.
func BaseProblem(s *Submission, all []*Submission) string {
	if s.Type != Derived {
		return ""
	}
	base := BaseOf(s, all)
	switch {
	case base == nil:
		return "its base solver is not submitted: " + noSuchBase(baseNames(s.Name), s, all)
	case base.Name == s.Name:
		return fmt.Sprintf("its base solver, in %s, has the same name, %q", base.File, s.Name)
	case derivesFrom(base, s, all):
		return fmt.Sprintf("its base solver %q is in turn derived from it", base.Name)
	}
	return ""
}

// noSuchBase returns the error that no other submission has one of these names, and suggests a similar one.
func noSuchBase(names []string, s *Submission, all []*Submission) string {
	if len(names) == 0 {
		return fmt.Sprintf("%q does not say what it is derived from", s.Name)
	}
	var others []string
	for _, o := range all {
		if o.Name != s.Name {
			others = append(others, o.Name)
		}
	}
	similar := ""
	for i := 0; i < len(names) && similar == ""; i++ {
		similar = suggest(names[i], others)
	}
	return fmt.Sprintf("no solver is named %s%s", orList(names), similar)
}

// derivesFrom reports whether the bases of s lead to a solver.
func derivesFrom(s, to *Submission, all []*Submission) bool {
	for range all { // a circle that to is not part of ends as well
		if s = BaseOf(s, all); s == nil || s.Name == to.Name {
			break
		}
	}
	return s != nil && s.Name == to.Name
}

// baseGaps lists the logics of an entry that a solver, its base, does not enter in the same track.
func baseGaps(e Entry, base string, entries []Entry) []comp.Logic {
	entered := map[comp.Logic]bool{}
	for _, o := range entries {
		if o.Submission.Name != base || o.Track != e.Track {
			continue
		}
		for _, p := range o.Places {
			entered[p.Logic] = true
		}
	}
	var gaps []comp.Logic
	for _, p := range e.Places {
		if !entered[p.Logic] {
			gaps = append(gaps, p.Logic)
		}
	}
	return gaps
}

// EntryProblem returns why a derived solver cannot win with an entry: for the reason of BaseProblem, or because its
// base solver does not enter the same logics. Empty: it can win.
func EntryProblem(e Entry, all []*Submission, entries []Entry) string {
	if text := BaseProblem(e.Submission, all); text != "" || e.Submission.Type != Derived {
		return text
	}
	base := BaseOf(e.Submission, all)
	gaps := baseGaps(e, base.Name, entries)
	switch {
	case len(gaps) == 0:
		return ""
	case len(gaps) == len(e.Places):
		return fmt.Sprintf("its base solver %q does not enter the track %v with any of its logics", base.Name, e.Track)
	case len(gaps) == 1:
		return fmt.Sprintf("its base solver %q does not enter %s in the track %v", base.Name, gaps[0], e.Track)
	}
	return fmt.Sprintf("its base solver %q does not enter %s and %d more of its logics in the track %v",
		base.Name, gaps[0], len(gaps)-1, e.Track)
}

// CheckBase reports why s cannot be compared with its base solver in its entries. The error has type Problems. all and
// every are the known submissions, including s, and their entries.
func (s *Submission) CheckBase(entries []Entry, all []*Submission, every []Entry) error {
	var problems Problems
	add := func(text string) {
		p := s.at("/name", text)
		if text != "" && !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
	}
	add(BaseProblem(s, all))
	for _, e := range entries {
		add(EntryProblem(e, all, every))
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// orList returns "a", "b" or "c".
func orList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
