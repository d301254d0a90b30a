// Package admission decides who takes part in a competition: every reason against an entrant, with its section of the
// rules, and what follows from it. Whatever counts competitive solvers, of submissions or results, asks Field.Admitted.
package admission

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of reason against an entrant.
type Kind string

// The kinds of reasons.
const (
	Comparison Kind = "comparison" // it was entered for comparison, not to compete
	Portfolio  Kind = "portfolio"  // a portfolio solver, in a track that is not open to them
	NoBase     Kind = "no_base"    // derived, or a wrapper tool, without its base solver in the same place
	Barred     Kind = "barred"     // for a reason that came with its results
)

// Effects tells what an entrant does.
type Effects struct {
	Seed     bool // its number counts for the seed of the competition
	Runs     bool // it is executed
	Competes bool // it counts for whatever the rules compute from competitive solvers
	Ranked   bool // it has a rank
}

// kinds has the effects that remain with a reason of each kind, and the section of the rules that has it.
//
// What the rules do not admit (SMT-COMP 2022 and 2026 rules, §4 "Portfolio Solver" and "Derived Tool"; 2008, §2
// "Wrapper tools") is not competitive. Its number stays in the seed, which is the sum of those of all entrants but the
// organisers' (§6): an entrant is "a solver submitted by its authors" (§4). Its results are published: "all derived
// solvers will be executed and their results will still be published as usual" (2026, §3), and organisers may include
// any other solver (§4 "Other solvers").
var kinds = map[Kind]struct {
	section string
	Effects
}{
	Comparison: {`§6 "Competitive Divisions"`, Effects{Runs: true, Ranked: true}},
	Portfolio:  {`§4 "Portfolio Solver"`, Effects{Seed: true, Runs: true, Ranked: true}},
	NoBase:     {`§4 "Derived Tool"`, Effects{Seed: true, Runs: true, Ranked: true}},
	Barred:     {`§4`, Effects{Seed: true, Runs: true, Ranked: true}},
}

// Reason is a reason against an entrant.
type Reason struct {
	Kind    Kind
	Section string // of the rules
	Text    string // the reason, for people
}

// Admission is what Field.Admitted finds: the reasons against an entrant, and what it does in spite of them.
type Admission struct {
	Reasons []Reason
	Effects
}

// Refused returns the first reason for which a solver that was submitted to compete is not competitive; empty: there is
// none.
func (a *Admission) Refused() string {
	for _, r := range a.Reasons {
		if r.Kind != Comparison && !kinds[r.Kind].Competes {
			return r.Text
		}
	}
	return ""
}

// Reason returns the text of the reason of a kind; empty: there is none.
func (a *Admission) Reason(kind Kind) string {
	for _, r := range a.Reasons {
		if r.Kind == kind {
			return r.Text
		}
	}
	return ""
}

// add adds a reason and takes its effects.
func (a *Admission) add(kind Kind, format string, args ...any) {
	k := kinds[kind]
	a.Reasons = append(a.Reasons, Reason{kind, k.section, fmt.Sprintf(format, args...)})
	a.Seed, a.Runs = a.Seed && k.Seed, a.Runs && k.Runs
	a.Competes, a.Ranked = a.Competes && k.Competes, a.Ranked && k.Ranked
}

// Entrant is a solver in a track.
type Entrant struct {
	Solver    string
	Base      string // the solver that it is derived from, or that it wraps; empty: none
	Competes  bool   // its authors submitted it to compete
	Portfolio bool
	Barred    string // a reason against it that came with its results; empty: none
}

// Field is who entered a track.
type Field struct {
	Entrants []Entrant
	// BaseMustEnter: a base solver enters the same places.
	BaseMustEnter bool
	Track         string
	// PortfolioTracks are the tracks that are open to portfolio solvers; nil: all.
	PortfolioTracks []string
}

// Admitted returns every reason against entrant i in a place, which is a logic or a division of the track. entered
// reports whether an entrant entered it.
func (f *Field) Admitted(i int, entered func(i int) bool) Admission {
	e := &f.Entrants[i]
	a := Admission{Effects: Effects{true, true, true, true}}
	if !e.Competes {
		a.add(Comparison, "its authors did not submit it to compete")
	}
	if e.Barred != "" {
		a.add(Barred, "%s", e.Barred)
	}
	if e.Portfolio && f.PortfolioTracks != nil && !slices.Contains(f.PortfolioTracks, f.Track) {
		where := "no track"
		if len(f.PortfolioTracks) > 0 {
			where = "only " + strings.Join(f.PortfolioTracks, " and ")
		}
		a.add(Portfolio, "a portfolio solver may not enter the track %s; the rules open %s to them", f.Track, where)
	}
	if f.BaseMustEnter && e.Base != "" {
		switch base := f.base(i, entered); {
		case base < 0:
			a.add(NoBase, "its base solver %s is not there", e.Base)
		case f.derives(base, i, entered):
			a.add(NoBase, "it is its own base solver")
		}
	}
	return a
}

// base returns the base solver of entrant i in a place, or -1 if it did not enter there.
func (f *Field) base(i int, entered func(i int) bool) int {
	name := f.Entrants[i].Base
	for j := range f.Entrants {
		if name != "" && f.Entrants[j].Solver == name && entered(j) {
			return j
		}
	}
	return -1
}

// derives reports whether entrant i is j or is derived from it, directly or not.
func (f *Field) derives(i, j int, entered func(i int) bool) bool {
	for range f.Entrants { // a circle that j is not part of ends as well
		if i < 0 || f.Entrants[i].Solver == f.Entrants[j].Solver {
			break
		}
		i = f.base(i, entered)
	}
	return i >= 0 && f.Entrants[i].Solver == f.Entrants[j].Solver
}
