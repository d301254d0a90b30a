package submission

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TeamNames returns each submission's team: the team given for its solver's name or, by default, the name of one of the
// team's solvers. Files have no team field, and competing teams share contributors. A team's solvers do, however, share
// their first contact, by name and address. Contacts are not public, so the team is named after the solver with the
// shortest name, or the alphabetically first of several such names.
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

// contact returns the first contact, or the solver if the file lists none.
func (s *Submission) contact() string {
	if len(s.Contacts) == 0 || s.Contacts[0].Name == "" {
		return "solver " + s.Name
	}
	return s.Contacts[0].Name + " <" + strings.ToLower(s.Contacts[0].Address) + ">"
}

// TeamQuestions returns a sorted list of questions, one for each group of submissions that may belong to one team:
// their first contacts agree in either name or address, but not in both. Contacts are private, so only solvers are
// named. given maps solvers to teams, as in TeamNames. Addresses in domains reserved for examples are ignored.
func TeamQuestions(all []*Submission, given map[string]string) []string {
	agree := map[string]map[string][]string{} // solvers by name or address, then by contact
	for _, s := range all {
		if _, ok := given[s.Name]; ok || len(s.Contacts) == 0 {
			continue
		}
		c := s.Contacts[0]
		address := strings.ToLower(c.Address)
		for what, in := range map[string]bool{"name " + c.Name: c.Name != "", "address " + address: isReal(address)} {
			if in && agree[what] == nil {
				agree[what] = map[string][]string{}
			}
			if in {
				agree[what][s.contact()] = append(agree[what][s.contact()], s.Name)
			}
		}
	}
	var texts []string
	for what, by := range agree {
		if len(by) < 2 {
			continue
		}
		same, _, _ := strings.Cut(what, " ")
		other := map[string]string{"name": "addresses", "address": "names"}[same]
		solvers := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(by))...)))
		texts = append(texts, fmt.Sprintf("the first contacts of %s have the same %s and different %s; they count as %d "+
			"teams. If that is wrong, the register (event team) or teams can say so",
			strings.Join(slices.Compact(solvers), ", "), same, other, len(by)))
	}
	slices.Sort(texts)
	return texts
}

// isReal reports whether an address can belong to a real person (RFC 2606).
func isReal(address string) bool {
	for _, end := range []string{"example.org", "example.com", "example.net", ".example", ".invalid", ".test"} {
		if strings.HasSuffix(address, end) {
			return false
		}
	}
	return address != ""
}

// teamsOf returns the teams of the entries' submissions.
func teamsOf(entries []Entry, given map[string]string) map[*Submission]string {
	return TeamNames(submissionsOf(entries), given)
}

// Counting selects which solvers make a logic competitive.
type Counting uint8

// The ways to count. Teams follows the rules (SMT-COMP 2026 rules, §6): a logic needs two solvers from two different
// teams, and a solver counts only if its authors submitted it to compete and the rules admit it to the logic. Entries
// follows the organisers' tool: any two entries suffice.
const (
	Teams Counting = iota
	Entries
)

// Reason is a reason against an entry.
type Reason struct {
	admission.Reason
	Logics []comp.Logic // logics that it applies to, sorted; nil: all entered logics
}

// where lists some of the logics. It returns "" if the reason applies to all.
func (r *Reason) where() string {
	switch len(r.Logics) {
	case 0:
		return ""
	case 1:
		return " for " + string(r.Logics[0])
	}
	return fmt.Sprintf(" for %s and %d more of its logics", r.Logics[0], len(r.Logics)-1)
}

// Admission is the rules' decision on an entry: every reason against it, and what it may still do in at least one of
// its logics.
type Admission struct {
	Reasons []Reason
	admission.Effects
	Idle     []comp.Logic // logics in which it is not executed
	Unranked []comp.Logic // logics in which it is not ranked
}

// Refused returns the first reason why an entry that was submitted to compete is not competitive in the whole track,
// regardless of the other entrants, or "".
func (a *Admission) Refused() string {
	for _, r := range a.Reasons {
		if r.Kind != admission.Comparison && r.Kind != admission.NoBase && r.Logics == nil && !r.Competes() {
			return r.Text
		}
	}
	return ""
}

// Problem returns the first reason why an entry that was submitted to compete is not competitive in all of its logics,
// or "".
func (a *Admission) Problem() string {
	for _, r := range a.Reasons {
		if r.Kind != admission.Comparison && !r.Competes() {
			return r.Text + r.where()
		}
	}
	return ""
}

// Admit returns the rules' decision on each entry. all contains the submissions to search for base solvers.
func (r Rules) Admit(entries []Entry, all []*Submission) []Admission {
	found := make([]Admission, len(entries))
	r.admit(entries, all, func(i int, p Place, a admission.Admission) {
		f := &found[i]
		f.Seed, f.Runs = f.Seed || a.Seed, f.Runs || a.Runs
		f.Competes, f.Ranked = f.Competes || a.Competes, f.Ranked || a.Ranked
		if !a.Runs {
			f.Idle = append(f.Idle, p.Logic)
		}
		if !a.Ranked {
			f.Unranked = append(f.Unranked, p.Logic)
		}
		for _, reason := range a.Reasons {
			k := slices.IndexFunc(f.Reasons, func(o Reason) bool { return o.Reason == reason })
			if k < 0 {
				k, f.Reasons = len(f.Reasons), append(f.Reasons, Reason{Reason: reason})
			}
			f.Reasons[k].Logics = append(f.Reasons[k].Logics, p.Logic)
		}
	})
	for i := range found {
		for k := range found[i].Reasons {
			if of := &found[i].Reasons[k]; len(of.Logics) >= len(entries[i].Places) {
				of.Logics = nil
			}
		}
	}
	return found
}

type trackPlace struct {
	track string
	Place
}

// admit calls f with each entry's admission to each of its places, or to the track, as Place{}, if it has none.
func (r Rules) admit(entries []Entry, all []*Submission, f func(i int, p Place, a admission.Admission)) {
	byTrack, entered, number := map[string][]Entry{}, map[trackPlace]map[int]bool{}, make([]int, len(entries))
	for i, e := range entries {
		number[i] = len(byTrack[e.Track])
		byTrack[e.Track] = append(byTrack[e.Track], e)
		for _, p := range e.Places {
			at := trackPlace{e.Track, p}
			if entered[at] == nil {
				entered[at] = map[int]bool{}
			}
			entered[at][number[i]] = true
		}
	}
	fields := map[string]admission.Field{}
	for track, of := range byTrack {
		fields[track] = r.field(track, of, all)
	}
	for i, e := range entries {
		field := fields[e.Track]
		for _, p := range e.Places {
			who := entered[trackPlace{e.Track, p}]
			f(i, p, field.Admitted(number[i], func(j int) bool { return who[j] }))
		}
		if len(e.Places) == 0 {
			f(i, Place{}, field.Admitted(number[i], func(int) bool { return true }))
		}
	}
}

// Competitive returns each track's competitive logics with their divisions: those that at least two teams, or two
// entries, entered. The places are sorted. given maps solvers to teams, as in TeamNames.
func (r Rules) Competitive(entries []Entry, by Counting, given map[string]string) map[string][]Place {
	teams, competing, number := teamsOf(entries, given), map[trackPlace]map[string]bool{}, map[trackPlace]int{}
	r.admit(entries, submissionsOf(entries), func(i int, p Place, a admission.Admission) {
		at := trackPlace{entries[i].Track, p}
		number[at]++
		if competing[at] == nil {
			competing[at] = map[string]bool{}
		}
		if a.Competes {
			competing[at][teams[entries[i].Submission]] = true
		}
	})
	places := map[string][]Place{}
	for at, who := range competing {
		if at.Place != (Place{}) && (by == Teams && len(who) >= 2 || by == Entries && number[at] >= 2) {
			places[at.track] = append(places[at.track], at.Place)
		}
	}
	for _, of := range places {
		slices.SortFunc(of, comparePlaces)
	}
	return places
}

// submissionsOf returns the entries' submissions. Entries of the same submission must be adjacent.
func submissionsOf(entries []Entry) (all []*Submission) {
	for _, e := range entries {
		if len(all) == 0 || all[len(all)-1] != e.Submission {
			all = append(all, e.Submission)
		}
	}
	return all
}

// Seeds returns the numbers of the submissions that contribute to the competition's seed through at least one entry, or
// would if they stated a number. Once the seed is computed, a submission without a number is an error (SMT-COMP 2026
// rules, §4 and §6 "Pseudo-random numbers"); the error lists all such submissions.
func (r Rules) Seeds(all []*Submission, entries []Entry) ([]Number, error) {
	counts := map[*Submission]bool{}
	for i, a := range r.Admit(entries, all) {
		s := entries[i].Submission
		counts[s] = counts[s] || a.Seed
	}
	var seeds []Number
	var without []string
	for _, s := range all {
		count, entered := counts[s]
		if !entered {
			field := r.field("", []Entry{{Submission: s}}, all)
			a := field.Admitted(0, func(int) bool { return true })
			count = a.Seed
		}
		switch {
		case !count:
		case s.Seed == nil:
			without = append(without, s.Name)
		default:
			seeds = append(seeds, Number{path.Base(s.File), s.Name, *s.Seed})
		}
	}
	if len(without) > 0 {
		return nil, fmt.Errorf("no seed in the submissions of %s; a solver that competes must give one",
			strings.Join(without, ", "))
	}
	return seeds, nil
}

// CheckNames rejects two submissions with the same name in the same track and logic, because they would be
// indistinguishable in tables. Two files can submit the same solver to different tracks.
func CheckNames(entries []Entry) error {
	type key struct {
		name  string
		track string
		logic comp.Logic
	}
	first := map[key]*Submission{}
	for _, e := range entries {
		for _, p := range e.Places {
			k := key{e.Submission.Name, e.Track, p.Logic}
			if other, ok := first[k]; ok && other != e.Submission {
				return fmt.Errorf("%s and %s both submit a solver %q for track %s and logic %s",
					cmp.Or(other.File, "a file"), cmp.Or(e.Submission.File, "a file"), k.name, k.track, k.logic)
			}
			first[k] = e.Submission
		}
	}
	return nil
}
