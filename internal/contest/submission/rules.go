package submission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
)

// Rules holds a year's rules about entrants. The zero Rules require nothing. The fields are named as in the "entrants"
// block of a year's rules.
type Rules struct {
	// BaseMustEnter means that a solver's base must enter the same track and logics. Source: SMT-COMP 2026 rules, §4
	// "Derived Tool"; 2008 rules, §2 "Wrapper tools". The rules of 2019 and 2022 state only how a derived solver should
	// be named.
	BaseMustEnter bool `hcl:"base_must_enter,optional" cty:"base_must_enter"`

	// WrappedAreBases means that a wrapper tool's base solver is the tool that it wraps (2008 rules, §2 "Wrapper
	// tools").
	WrappedAreBases bool `hcl:"wrapped_are_bases,optional" cty:"wrapped_are_bases"`

	// PortfolioTracks are the tracks that portfolio solvers can enter; nil: all. Source: SMT-COMP 2022 and 2026 rules,
	// §4 "Portfolio Solver".
	PortfolioTracks []string `hcl:"portfolio_tracks,optional" cty:"portfolio_tracks"`

	// SolversPerTeam is the number of solvers in a track that teams are encouraged not to exceed; 0: unlimited. Source:
	// SMT-COMP 2022 and 2026 rules, §4 "Multiple versions".
	SolversPerTeam int `hcl:"solvers_per_team,optional" cty:"solvers_per_team"`

	// SeedBits means that a solver's number for the competition's seed is an unsigned integer with this many bits; 0:
	// any number that is at least 0. Source: SMT-COMP 2008 rules, §2 "System description"; 2015, 2019 and 2022 rules,
	// §4.
	SeedBits int `hcl:"seed_bits,optional" cty:"seed_bits"`

	// OneCommand means that a solver must have a single configuration (SMT-COMP 2015 and 2019 rules, §4).
	OneCommand bool `hcl:"one_command,optional" cty:"one_command"`

	// DerivedWithSource means that derived solvers must include their source code (SMT-COMP 2026 rules, §3).
	DerivedWithSource bool `hcl:"derived_with_source,optional" cty:"derived_with_source"`

	// Reasons holds the consequences of each kind of reason against an entrant, from "reason" blocks.
	Reasons map[string]admission.Rule `cty:"reasons"`

	// Questions are the decisions about an entrant that only people can make, from "question" blocks, in order.
	Questions []Question

	// First and Final are the deadlines for new entrants and for updates, such as 2026-05-27; empty: none. They belong
	// to the year itself, so years based on it do not inherit them. Source: §4 "Deadlines"; 2008 rules, §2.
	First string `hcl:"first,optional" cty:"first"`
	Final string `hcl:"final,optional" cty:"final"`
}

// Check returns the rule violations of a submission with these entries: a portfolio solver in a track not open to
// portfolio solvers, a number that is too large, or several configurations. The error is nil or has type Problems.
func (r Rules) Check(s *Submission, entries []Entry) error {
	var problems Problems
	add := func(pointer, text string) {
		if p := s.at(pointer, text); text != "" && !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
	}
	for _, e := range entries {
		f := r.field(e.Track, []Entry{e}, []*Submission{s})
		a := f.Admitted(0, func(int) bool { return true })
		add("/solver_type", a.Reason(admission.Portfolio))
		if r.OneCommand && !e.sameConfiguration(&entries[0]) {
			add(fmt.Sprintf("/participations/%d", e.Participation), "another archive or command than before; by the "+
				"rules a solver has one configuration")
		}
	}
	if s.Seed != nil {
		add("/seed", r.seedProblem(*s.Seed))
	}
	add("/name", r.wrapperName(s))
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// seedProblem returns a message if a number is negative or does not fit in the required number of bits. The seed is
// unsigned in all years because srandom() accepts only unsigned numbers (SMT-COMP 2026 rules, §6 "Pseudo-random
// numbers").
func (r Rules) seedProblem(seed int64) string {
	bounded := r.SeedBits > 0 && r.SeedBits < 63
	switch {
	case !bounded && seed < 0:
		return fmt.Sprintf("the number for the competition's seed must be at least 0, not %d", seed)
	case !bounded || seed >= 0 && seed < 1<<r.SeedBits:
		return ""
	}
	return fmt.Sprintf("the rules ask for an unsigned integer of %d bits, from 0 to %d, not %d", r.SeedBits,
		int64(1)<<r.SeedBits-1, seed)
}

// field returns a track's entrants: one for each entry, in order.
func (r Rules) field(track string, entries []Entry, all []*Submission) admission.Field {
	f := admission.Field{Track: track, BaseMustEnter: r.BaseMustEnter, PortfolioTracks: r.PortfolioTracks,
		Reasons: r.Reasons}
	for _, e := range entries {
		s := e.Submission
		f.Entrants = append(f.Entrants, admission.Entrant{Solver: s.Name, Base: BaseName(s, all),
			Competes: s.Competitive, Portfolio: s.Type == Portfolio, Given: s.Against})
	}
	return f
}

// Crowds returns a sorted list of warnings, one for each team that competes in a track with more solvers than the rules
// encourage. Base solvers that do not compete are not counted. given maps solvers to teams, as in TeamNames.
func (r Rules) Crowds(entries []Entry, given map[string]string) []string {
	var texts []string
	for _, c := range r.crowds(entries, teamsOf(entries, given)) {
		texts = append(texts, "the team "+c.team+c.text)
	}
	return texts
}

// crowd is a team with more solvers in a track than the rules encourage; text describes it.
type crowd struct{ team, text string }

func (r Rules) crowds(entries []Entry, teams map[*Submission]string) []crowd {
	if r.SolversPerTeam <= 0 {
		return nil
	}
	type place struct {
		track string
		team  string
	}
	solvers := map[place][]string{}
	for _, e := range entries {
		p := place{e.Track, teams[e.Submission]}
		if e.Submission.Competitive && !slices.Contains(solvers[p], e.Submission.Name) {
			solvers[p] = append(solvers[p], e.Submission.Name)
		}
	}
	var crowds []crowd
	for p, names := range solvers {
		if len(names) > r.SolversPerTeam {
			slices.Sort(names)
			crowds = append(crowds, crowd{p.team, fmt.Sprintf(" enters track %s with %d solvers (%s); the rules "+
				"encourage teams "+
				"to enter at most %d", p.track, len(names), strings.Join(names, ", "), r.SolversPerTeam)})
		}
	}
	slices.SortFunc(crowds, func(a, b crowd) int { return strings.Compare(a.team+a.text, b.team+b.text) })
	return crowds
}
