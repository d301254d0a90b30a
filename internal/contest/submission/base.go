package submission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/admission"
)

// BaseOf returns a derived solver's base solver among all submissions. It looks first for the file with "-base" before
// its extension, then for a solver with "-base" after the name, or after the name without some of its last parts
// (separated by "-"), and finally for a solver with such a shortened name, by the naming convention (SMT-COMP 2026
// rules, §4 "Derived Tool"). It returns nil if none exists, or if s is not derived.
func BaseOf(s *Submission, all []*Submission) *Submission {
	if s.Type != Derived {
		return nil
	}
	file := strings.TrimSuffix(s.File, ".json") + "-base.json"
	var base *Submission
	most := 0
	for _, o := range all {
		if o == s {
			continue
		}
		if o.File == file {
			return o
		}
		if rank := baseRank(o.Name, s.Name); rank > most {
			base, most = o, rank
		}
	}
	return base
}

// baseRank ranks a name as that of a derived solver's base, as in baseNames: the likeliest has the highest rank. It is
// 0 for a name that is none of them.
func baseRank(name, derived string) (rank int) {
	own, isBase := strings.CutSuffix(derived, "-base")
	isShorter := func(n string) bool {
		return n != "" && strings.HasPrefix(own, n) && strings.HasPrefix(own[len(n):], "-")
	}
	if isShorter(name) {
		rank = 2 * len(name)
	}
	if stem, ok := strings.CutSuffix(name, "-base"); ok && (isShorter(stem) || stem == own && !isBase) {
		rank = max(rank, 2*len(stem)+1)
	}
	return rank
}

// mostBases limits the names in a message. A name in a stranger's file can have hundreds of thousands of parts.
const mostBases = 12

// baseNames returns the names that a derived solver's base can have, likeliest first, and at most mostBases. A base
// that is itself derived, as in A-B-base, is the base of A-B rather than derived from it.
func baseNames(derived string) []string {
	var names []string
	own, isBase := strings.CutSuffix(derived, "-base")
	if !isBase {
		names = append(names, own+"-base")
	}
	for name := shorter(own); name != "" && len(names) < mostBases; name = shorter(name) {
		names = append(names, name+"-base", name)
	}
	return names[:min(len(names), mostBases)]
}

// shorter removes a name's last part and the "-" before it.
func shorter(name string) string { return name[:max(strings.LastIndexByte(name, '-'), 0)] }

// BaseName returns the name of a derived solver's base: BaseOf's result or else, by the naming convention, the first
// part of its own name. It is empty if s is not derived.
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

// BaseProblem returns the reason why a derived solver cannot be compared with its base solver. It returns "" if it can
// be, or if it is not derived.
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

// noSuchBase returns an error stating that no other submission uses one of these names, with a suggestion of a similar
// name.
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
	return fmt.Sprintf("no solver is named %s%s", words.OneOf(names), similar)
}

// derivesFrom reports whether following the bases of s leads to the solver to.
func derivesFrom(s, to *Submission, all []*Submission) bool {
	for range all { // the bound also ends a cycle that does not contain to
		if s = BaseOf(s, all); s == nil || s.Name == to.Name {
			break
		}
	}
	return s != nil && s.Name == to.Name
}

// CheckBase returns the reason why s is not admitted to some of its entries: its base solver does not enter them. The
// error has type Problems. all and every are the known submissions, including s, and their entries.
func (r Rules) CheckBase(s *Submission, all []*Submission, every []Entry) error {
	var problems Problems
	add := func(text string) {
		if p := s.at("/name", text); text != "" && !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
	}
	if add(BaseProblem(s, all)); len(problems) > 0 {
		return problems
	}
	for i, a := range r.Admit(every, all) {
		for _, reason := range a.Reasons {
			if every[i].Submission != s || reason.Kind != admission.NoBase {
				continue
			}
			add(fmt.Sprintf("%s in the track %s%s", reason.Text, every[i].Track, reason.where()))
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}
