// Package admission decides who takes part in a competition. It finds every reason against an entrant, with its section
// of the rules and its effects. Code that counts competitive solvers, by submissions or by results, calls
// Field.Admitted.
package admission

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of reason against an entrant.
type Kind string

// The kinds of reasons that smtpipe detects or that organisers give. Rules can define others, for registers.
const (
	Comparison   Kind = "comparison"   // entered for comparison, not to compete
	Portfolio    Kind = "portfolio"    // portfolio solver in a track not open to portfolio solvers
	NoBase       Kind = "no_base"      // derived or wrapper tool whose base solver did not enter the same place
	Barred       Kind = "barred"       // reason without a kind, imported with the results
	Withdrawn    Kind = "withdrawn"    // withdrawn by its authors
	Disqualified Kind = "disqualified" // disqualified by the organisers
	Late         Kind = "late"         // entered or updated after the deadline
)

// Effects states what an entrant still takes part in.
type Effects struct {
	Seed     bool // whether its number counts towards the competition's seed
	Runs     bool // whether it is executed
	Competes bool // whether it counts wherever the rules count competitive solvers
	Ranked   bool // whether it is ranked
}

// Rule is a year's rule for reasons of a kind: what the entrant still takes part in, and the section.
type Rule struct {
	Section  string `hcl:"section,optional" cty:"section"`
	Seed     bool   `hcl:"seed,optional" cty:"seed"`
	Runs     bool   `hcl:"runs,optional" cty:"runs"`
	Competes bool   `hcl:"competes,optional" cty:"competes"`
	Ranked   bool   `hcl:"ranked,optional" cty:"ranked"`
}

// Default applies to reasons that the rules do not mention: the entrant does not compete.
var Default = Rule{Seed: true, Runs: true, Ranked: true}

// Reason is a reason against an entrant.
type Reason struct {
	Kind    Kind
	Section string // section of the rules; empty: unknown
	Text    string // human-readable reason

	competes bool // whether the entrant competes nevertheless
}

// Competes reports whether an entrant competes despite the reason.
func (r *Reason) Competes() bool { return r.competes }

// Admission is the result of Field.Admitted: the reasons against an entrant, and what it takes part in despite them.
type Admission struct {
	Reasons []Reason
	Effects
}

// Refused returns the first reason that stops a solver from competing although it was submitted to compete, or "".
func (a *Admission) Refused() string {
	for _, r := range a.Reasons {
		if r.Kind != Comparison && !r.competes {
			return r.Text
		}
	}
	return ""
}

// Reason returns the text of the reason of the given kind, or "" if there is none.
func (a *Admission) Reason(kind Kind) string {
	for _, r := range a.Reasons {
		if r.Kind == kind {
			return r.Text
		}
	}
	return ""
}

// Entrant is a solver in a track.
type Entrant struct {
	Solver    string
	Base      string // solver that it is derived from or wraps; empty: none
	Competes  bool   // whether its authors submitted it to compete
	Portfolio bool
	// Given are reasons that are not evident from the submission. They come from a register or with the results.
	Given []Reason
}

// Field holds a track's entrants.
type Field struct {
	Entrants []Entrant
	// BaseMustEnter requires that a base solver enter the same places.
	BaseMustEnter bool
	Track         string
	// PortfolioTracks are the tracks open to portfolio solvers; nil means all.
	PortfolioTracks []string
	// Reasons holds the rules about reasons by kind.
	Reasons map[string]Rule
}

// NotSubmitted is the default reason against an entrant that was not submitted to compete.
const NotSubmitted = "its authors did not submit it to compete"

// Admitted returns every reason against entrant i in a place, which is a logic or a division of the track. entered
// reports whether an entrant entered the place.
func (f *Field) Admitted(i int, entered func(i int) bool) Admission {
	e := &f.Entrants[i]
	a := Admission{Effects: Effects{true, true, true, true}}
	add := func(kind Kind, format string, args ...any) {
		rule, ok := f.Reasons[string(kind)]
		if !ok {
			rule = Default
		}
		a.Reasons = append(a.Reasons, Reason{kind, rule.Section, fmt.Sprintf(format, args...), rule.Competes})
		a.Seed, a.Runs = a.Seed && rule.Seed, a.Runs && rule.Runs
		a.Competes, a.Ranked = a.Competes && rule.Competes, a.Ranked && rule.Ranked
	}
	if !e.Competes {
		add(Comparison, NotSubmitted)
	}
	for _, r := range e.Given {
		add(r.Kind, "%s", r.Text)
	}
	if e.Portfolio && f.PortfolioTracks != nil && !slices.Contains(f.PortfolioTracks, f.Track) {
		where := "no track"
		if len(f.PortfolioTracks) > 0 {
			where = "only " + strings.Join(f.PortfolioTracks, " and ")
		}
		add(Portfolio, "a portfolio solver may not enter the track %s; the rules open %s to them", f.Track, where)
	}
	if f.BaseMustEnter && e.Base != "" {
		switch base := f.base(i, entered); {
		case base < 0:
			add(NoBase, "its base solver %s is not there", e.Base)
		case f.derives(base, i, entered):
			add(NoBase, "it is its own base solver")
		}
	}
	return a
}

// base returns the base solver of entrant i in a place, or -1 if the base did not enter it.
func (f *Field) base(i int, entered func(i int) bool) int {
	name := f.Entrants[i].Base
	for j := range f.Entrants {
		if name != "" && f.Entrants[j].Solver == name && entered(j) {
			return j
		}
	}
	return -1
}

// derives reports whether entrant i is j or is derived from it, directly or indirectly.
func (f *Field) derives(i, j int, entered func(i int) bool) bool {
	for range f.Entrants { // the bound also ends a cycle that does not contain j
		if i < 0 || f.Entrants[i].Solver == f.Entrants[j].Solver {
			break
		}
		i = f.base(i, entered)
	}
	return i >= 0 && f.Entrants[i].Solver == f.Entrants[j].Solver
}
