package submission

import (
	"errors"
	"slices"
)

// Review holds everything wrong or notable in a submission file.
type Review struct {
	Submission *Submission // readable part of the file; nil: none
	Entries    []Entry     // entries of the readable part
	Problems   Problems    // mistakes to correct, in file order
	Warnings   Problems    // warnings: allowed, but the entrant should know
	Checklist  []string    // decisions that people must make
}

// Known holds the other submissions, in which base solvers, names and teams are looked up.
type Known struct {
	Submissions []*Submission
	Entries     []Entry
}

// Add adds a submission, unless it has errors.
func (k *Known) Add(file string, data []byte, c *Catalog) error {
	s, err := Parse(file, data)
	if err != nil {
		return err
	}
	entries, err := s.Expand(c)
	if err != nil {
		return err
	}
	k.Submissions, k.Entries = append(k.Submissions, s), append(k.Entries, entries...)
	return nil
}

// Review checks a submission file against its schema, the year's tracks, divisions and logics, and the year's rules.
// received is the date on which the file arrived, such as 2026-05-27; if empty, deadlines are not checked. others must
// not include the submission.
func (r Rules) Review(file string, data []byte, c *Catalog, others *Known, received string) *Review {
	s, problems := Read(file, data)
	v := &Review{Submission: s, Problems: problems}
	if s == nil {
		return v
	}
	var more Problems
	v.Entries, more = s.expand(c)
	v.Problems = append(v.Problems, more...)
	v.Problems = append(v.Problems, s.slips...)
	v.add(r.Check(s, v.Entries))
	known := &Known{append([]*Submission{s}, others.Submissions...), append(slices.Clone(v.Entries), others.Entries...)}
	named := !slices.ContainsFunc(v.Problems, func(p Problem) bool { return p.Pointer == "/name" })
	if r.BaseMustEnter && named && s.Name != "" {
		v.add(r.CheckBase(s, known.Submissions, known.Entries))
	}
	v.Warnings = slices.Clone(s.Warnings)
	if len(more) == 0 { // an unknown name enters nothing
		v.Warnings = append(v.Warnings, s.Doubts(v.Entries, c)...)
	}
	v.advise(r, known)
	v.Checklist = r.checklist(s, known)
	if received != "" {
		late, note := r.Late(received)
		v.append(&v.Problems, "", late)
		v.append(&v.Warnings, "", note)
	}
	v.Problems.Sort()
	v.Warnings.Sort()
	return v
}

// advise warns about existing names, teams with many solvers, and missing information.
func (v *Review) advise(r Rules, known *Known) {
	s := v.Submission
	if s.Name != "" {
		if err := CheckNames(known.Entries); err != nil {
			v.append(&v.Warnings, "/name", err.Error())
		}
	}
	if s.Competitive {
		teams := teamsOf(known.Entries, nil)
		for _, c := range r.crowds(known.Entries, teams) {
			if c.team == teams[s] {
				v.append(&v.Warnings, "", "the team of "+s.Name+c.text)
			}
		}
	}
	v.sameAuthors(known)
	if r.DerivedWithSource && s.Type == Derived {
		v.append(&v.Warnings, "/solver_type", "a derived solver is submitted with its source code; the file has no "+
			"place for it, so put it into the archive, or tell the organisers where it is")
	}
}

// Ask adds a question about a value in the file.
func (v *Review) Ask(pointer, text string) {
	v.append(&v.Warnings, pointer, text)
	v.Warnings.Sort()
}

// add adds an error's problems.
func (v *Review) add(err error) {
	if ps, ok := errors.AsType[Problems](err); ok {
		v.Problems = append(v.Problems, ps...)
	}
}

func (v *Review) append(to *Problems, pointer, text string) {
	if text != "" {
		*to = append(*to, v.Submission.at(pointer, text))
	}
}
