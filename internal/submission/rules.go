package submission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// Rules is what the rules of a year say about entrants. The zero Rules ask for nothing. The fields have the names of
// the block "entrants" in the rules of a year.
type Rules struct {
	// BaseMustEnter: the solver that another one is made of enters as well, for the same track and logics.
	// Source: SMT-COMP 2026 rules, §4 "Derived Tool"; 2008 rules, §2 "Wrapper tools". The rules of 2019 and 2022 only
	// say how a derived solver should be named.
	BaseMustEnter bool `hcl:"base_must_enter,optional" cty:"base_must_enter"`

	// WrappedAreBases: the base solver of a wrapper tool is the tool that it wraps (2008 rules, §2 "Wrapper tools").
	WrappedAreBases bool `hcl:"wrapped_are_bases,optional" cty:"wrapped_are_bases"`

	// PortfolioTracks are the tracks in which portfolio solvers may enter; nil: all.
	// Source: SMT-COMP 2022 and 2026 rules, §4 "Portfolio Solver".
	PortfolioTracks []string `hcl:"portfolio_tracks,optional" cty:"portfolio_tracks"`

	// SolversPerTeam is how many solvers a team is encouraged not to exceed in a track; 0: no number is given.
	// Source: SMT-COMP 2022 and 2026 rules, §4 "Multiple versions".
	SolversPerTeam int `hcl:"solvers_per_team,optional" cty:"solvers_per_team"`
}

// Check returns what the rules forbid of a submission: a portfolio solver in a track that is not open to them. All of
// it are Problems; nil if there is none.
func (r Rules) Check(s *Submission, entries []Entry) error {
	if s.Type != Portfolio || r.PortfolioTracks == nil {
		return nil
	}
	var problems Problems
	for _, e := range entries {
		if text := r.Barred(e); text != "" {
			p := s.places["/solver_type"]
			p.File, p.Pointer, p.Text = s.File, "/solver_type", text
			if !slices.Contains(problems, p) {
				problems = append(problems, p)
			}
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// Barred says why an entry can win nothing, whatever it does: it is a portfolio solver, and the track is not open to
// them. Empty: it can.
func (r Rules) Barred(e Entry) string {
	if e.Submission.Type != Portfolio || r.PortfolioTracks == nil ||
		slices.Contains(r.PortfolioTracks, e.Track.String()) {
		return ""
	}
	where := "no track"
	if len(r.PortfolioTracks) > 0 {
		where = "only " + strings.Join(r.PortfolioTracks, " and ")
	}
	return fmt.Sprintf("a portfolio solver may not enter the track %v; the rules open %s to them", e.Track, where)
}

// Problem says why an entry cannot win: for what Check says, or for what EntryProblem says where base solvers must
// enter. Empty: nothing keeps it from that.
func (r Rules) Problem(e Entry, all []*Submission, entries []Entry) string {
	if text := r.Barred(e); text != "" || !r.BaseMustEnter {
		return text
	}
	return EntryProblem(e, all, entries)
}

// Crowds says of each track in which teams compete with more solvers than the rules encourage, sorted. Base solvers
// that do not compete are not counted. teams overrides TeamOf by name of the solver.
func (r Rules) Crowds(entries []Entry, teams map[string]string) []string {
	if r.SolversPerTeam <= 0 {
		return nil
	}
	type place struct {
		track comp.Track
		team  string
	}
	solvers := map[place][]string{}
	for _, e := range entries {
		p := place{e.Track, TeamOf(e.Submission, teams)}
		if e.Submission.Competitive && !slices.Contains(solvers[p], e.Submission.Name) {
			solvers[p] = append(solvers[p], e.Submission.Name)
		}
	}
	var crowds []string
	for p, names := range solvers {
		if len(names) > r.SolversPerTeam {
			slices.Sort(names)
			crowds = append(crowds, fmt.Sprintf("%s enters the track %v with %d solvers (%s); the rules encourage teams "+
				"to enter at most %d", p.team, p.track, len(names), strings.Join(names, ", "), r.SolversPerTeam))
		}
	}
	slices.Sort(crowds)
	return crowds
}
