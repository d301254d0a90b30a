package submission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// TeamNames names the team of each submission: by the entry of given for the name of its solver, otherwise by a solver
// of the team. Files have no field for teams, and contributors overlap between teams that compete; but a team's solvers
// share the first person to contact. Since contacts are not public, the team has the name of the shortest-named of
// these solvers, the first by name of several.
func TeamNames(all []*Submission, given map[string]string) map[*Submission]string {
	byContact := map[string]string{}
	for _, s := range all {
		if _, ok := given[s.Name]; ok {
			continue
		}
		name, known := byContact[s.contact()]
		if !known || cmp.Or(cmp.Compare(len(s.Name), len(name)), cmp.Compare(s.Name, name)) < 0 {
			byContact[s.contact()] = s.Name
		}
	}
	teams := map[*Submission]string{}
	for _, s := range all {
		team, ok := given[s.Name]
		if !ok {
			team = byContact[s.contact()]
		}
		teams[s] = team
	}
	return teams
}

// contact returns the first person to contact, or the solver for a file that has none.
func (s *Submission) contact() string {
	if len(s.Contacts) == 0 || s.Contacts[0].Name == "" {
		return "solver " + s.Name
	}
	return s.Contacts[0].Name
}

// teamsOf returns the teams of the submissions of entries.
func teamsOf(entries []Entry, given map[string]string) map[*Submission]string {
	all := make([]*Submission, len(entries))
	for i, e := range entries {
		all[i] = e.Submission
	}
	return TeamNames(all, given)
}

// Counting selects what makes a logic competitive.
type Counting uint8

// The ways to count. Teams is the rules' (SMT-COMP 2026 rules, §6: two solvers from two different teams, and only
// solvers that their authors submitted to compete, and that the rules admit to the logic, count). Entries is the
// organisers' tool: two participations of any submissions.
const (
	Teams Counting = iota
	Entries
)

// Competitive returns the competitive logics of each track with their divisions: those that at least two teams, or two
// entries, have entered. The places are sorted. given are teams by solver, as in TeamNames.
func (r Rules) Competitive(entries []Entry, by Counting, given map[string]string) map[comp.Track][]Place {
	teams, byTrack := teamsOf(entries, given), map[comp.Track][]Entry{}
	var all []*Submission
	for _, e := range entries {
		byTrack[e.Track] = append(byTrack[e.Track], e)
		if len(all) == 0 || all[len(all)-1] != e.Submission {
			all = append(all, e.Submission)
		}
	}
	places := map[comp.Track][]Place{}
	for track, entries := range byTrack {
		field, entered := r.field(track, entries, all), map[Place][]int{}
		for i, e := range entries {
			for _, p := range e.Places {
				entered[p] = append(entered[p], i)
			}
		}
		for p, who := range entered {
			in := func(i int) bool { return slices.Contains(who, i) }
			competing := map[string]bool{}
			for _, i := range who {
				if a := field.Admitted(i, in); a.Competes {
					competing[teams[entries[i].Submission]] = true
				}
			}
			if by == Teams && len(competing) >= 2 || by == Entries && len(who) >= 2 {
				places[track] = append(places[track], p)
			}
		}
		slices.SortFunc(places[track], comparePlaces)
	}
	return places
}

// Seeds returns the numbers of the submissions that compete, for the competition's seed. A submission without a number
// is an error once the seed is computed (SMT-COMP 2026 rules, §4 and §6 "Pseudo-random numbers"); all of them are
// named.
func Seeds(submissions []*Submission) ([]int64, error) {
	var seeds []int64
	var without []string
	for _, s := range submissions {
		switch {
		case !s.Competitive:
		case s.Seed == nil:
			without = append(without, s.Name)
		default:
			seeds = append(seeds, *s.Seed)
		}
	}
	if len(without) > 0 {
		return nil, fmt.Errorf("no seed in the submissions of %s; a solver that competes must give one",
			strings.Join(without, ", "))
	}
	return seeds, nil
}

// CheckNames refuses two submissions of one name in the same track and logic, which no table could distinguish. Two
// files may submit the same solver to different tracks.
func CheckNames(entries []Entry) error {
	type key struct {
		name  string
		track comp.Track
		logic comp.Logic
	}
	first := map[key]*Submission{}
	for _, e := range entries {
		for _, p := range e.Places {
			k := key{e.Submission.Name, e.Track, p.Logic}
			if other, ok := first[k]; ok && other != e.Submission {
				return fmt.Errorf("%s and %s both submit a solver %q for track %v and logic %s",
					cmp.Or(other.File, "a file"), cmp.Or(e.Submission.File, "a file"), k.name, k.track, k.logic)
			}
			first[k] = e.Submission
		}
	}
	return nil
}
