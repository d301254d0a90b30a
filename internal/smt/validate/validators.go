package validate

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Validators determines which solvers may validate unsat cores, from the verdicts of the single-query track. They are
// the solvers that took part in a division there without an error, even if they do not compete for a place. The zero
// value is empty.
//
// Source: SMT-COMP 2019 rules, §5.5 "Validation"; 2022 and 2026 rules, §5.4 "Validation".
type Validators struct {
	sound map[comp.Division]map[string]bool
}

// Add adds the verdict on a run in the single-query track.
func (v *Validators) Add(division comp.Division, solver string, verdict comp.Verdict) {
	if v.sound == nil {
		v.sound = make(map[comp.Division]map[string]bool)
	}
	solvers := v.sound[division]
	if solvers == nil {
		solvers = make(map[string]bool)
		v.sound[division] = solvers
	}
	sound, seen := solvers[solver]
	solvers[solver] = (sound || !seen) && verdict != comp.Wrong
}

// For returns a division's validation solvers, sorted by name, because their order affects their execution.
func (v *Validators) For(division comp.Division) []string {
	var names []string
	for name, sound := range v.sound[division] {
		if sound {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
