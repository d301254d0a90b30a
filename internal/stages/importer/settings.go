package importer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// settings holds the limits of runs that were executed elsewhere, and the attributes of their solvers.
type settings struct {
	wallTime time.Duration     // 0 means that the runs are only history
	cores    int64             // 0 means that the files determine it
	teams    map[string]string // team by solver
	bases    map[string]string // base solver by derived solver
	solvers  *stages.Artifact  // nil if nothing else is known about the solvers

	openSource, newEntrants []string // solver names
}

func decodeSettings(a *stages.Args) (settings, error) {
	s := settings{wallTime: a.Duration("wall_time"), teams: a.TextMap("teams"), bases: a.TextMap("bases"),
		openSource: a.Strings("open_source"), newEntrants: a.Strings("new_entrants")}
	var errs []error
	s.cores = a.Int("cores")
	s.solvers = a.OptionalArtifact("solvers")
	for _, name := range []string{"cores", "teams", "bases", "open_source", "new_entrants", "logs", "scripts",
		"solvers"} {
		if a.Has(name) && !a.Has("wall_time") {
			errs = append(errs, a.Invalid(name, "There is no wall_time", "What ran elsewhere is judged and scored "+
				"only with the limit under which it ran; give wall_time."))
		}
	}
	if a.Has("wall_time") && s.wallTime <= 0 {
		errs = append(errs, a.Invalid("wall_time", "Invalid time limit",
			"The limit must be above zero, such as \"20m\"."))
	}
	if err := comp.Scorable(s.wallTime, max(s.cores, 1)); err != nil {
		errs = append(errs, a.Invalid("wall_time", "Limits too large to be scored", err.Error()+"."))
	}
	for _, solver := range slices.Sorted(maps.Keys(s.bases)) {
		base := s.bases[solver]
		if solver == base || solver == "" || base == "" {
			errs = append(errs, a.Invalid("bases", "Invalid base solver",
				fmt.Sprintf("%q cannot be the base solver of %q; name another solver.", base, solver)))
		}
	}
	return s, errors.Join(errs...)
}

// check reports names in bases, open_source and new_entrants that no run has. It also rejects runs of several tracks,
// because one stage cannot judge them.
func (s *settings) check(t *tables) error {
	ofHistory, err := columns(t.history, "solver")
	ofExecuted, err2 := columns(t.executed, "solver", "track")
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	var errs []error
	there := map[string]bool{}
	for _, name := range slices.Concat(ofHistory[0].Dictionary().Words, ofExecuted[0].Dictionary().Words) {
		there[name] = true
	}
	look := func(attr string, names ...string) {
		for _, name := range names {
			if !there[name] {
				errs = append(errs, fmt.Errorf("%s: there is no run of a solver %q; the solvers are %v", attr, name,
					slices.Sorted(maps.Keys(there))))
			}
		}
	}
	for _, solver := range slices.Sorted(maps.Keys(s.bases)) {
		look("bases", solver, s.bases[solver])
	}
	look("open_source", s.openSource...)
	look("new_entrants", s.newEntrants...)
	if tracks := ofExecuted[1].Dictionary().Words; len(tracks) > 1 {
		errs = append(errs, fmt.Errorf("the runs are of the tracks %v, and each is judged by itself; name one as track",
			slices.Sorted(slices.Values(tracks))))
	}
	return errors.Join(errs...)
}

// entrants holds the rows of a table of solvers.
type entrants map[entrantID]*results.SolverRow

type entrantID struct{ solver, track string }

func (s *settings) entrants(store *cache.Store) (entrants, error) {
	if s.solvers == nil {
		return nil, nil
	}
	rows, err := artifact.ReadTable[results.SolverRow](store, *s.solvers)
	if err != nil {
		return nil, err
	}
	all := make(entrants, len(rows))
	for i := range rows {
		all[entrantID{rows[i].Solver, rows[i].Track}] = &rows[i]
	}
	return all, nil
}

// known returns an error if the table of solvers does not contain the run's solver.
func (im *importing) known(r *results.RunRow) error {
	if im.entrants != nil && im.entrants[entrantID{r.Solver, r.Track}] == nil {
		return fmt.Errorf("the table of solvers has no %q in the track %s; the names must be those of the results",
			r.Solver, r.Track)
	}
	return nil
}
