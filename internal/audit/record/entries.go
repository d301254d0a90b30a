package record

import (
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Entries returns who entered which logics according to the pages of logics. It is used in place of submissions. Each
// solver is its own team.
func (m *Material) Entries(division func(track, logic string) string) (all []*submission.Submission,
	out []submission.Entry) {
	type entry struct{ solver, track string }
	of := map[string]*submission.Submission{}
	places := map[entry][]submission.Place{}
	for _, name := range slices.Sorted(maps.Keys(m.Pages)) {
		track := strings.ReplaceAll(name, "-", "_")
		for _, p := range m.Pages[name] {
			for solver, r := range p.solvers() {
				if of[solver] == nil {
					of[solver] = &submission.Submission{File: p.File, Name: solver}
				}
				s := of[solver]
				s.Competitive = s.Competitive || r.Competing
				if _, derived := r.Figures["delta_base"]; derived {
					s.Type = submission.Derived
				}
				if p.Kind == Logic {
					at := entry{solver, track}
					of := comp.Division(division(track, p.Name))
					places[at] = append(places[at], submission.Place{Division: of, Logic: comp.Logic(p.Name)})
				}
			}
		}
	}
	for at, places := range places {
		out = append(out, submission.Entry{Submission: of[at.solver], Track: at.track, Places: places})
	}
	slices.SortFunc(out, func(a, b submission.Entry) int {
		return strings.Compare(a.Submission.Name+"\n"+a.Track, b.Submission.Name+"\n"+b.Track)
	})
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, of[name])
	}
	return all, out
}

// solvers returns one line per solver in a division or logic.
func (p *Page) solvers() map[string]*Row {
	out := map[string]*Row{}
	if p.Kind != Division && p.Kind != Logic {
		return out
	}
	for _, view := range slices.Sorted(maps.Keys(p.Views)) {
		for i := range p.Views[view] {
			out[p.Views[view][i].Solver] = &p.Views[view][i]
		}
	}
	return out
}
