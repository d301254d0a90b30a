package score

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	scoring "github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Compare implements stages.Comparer: it returns every figure and winner that differs. If both actions score the same
// runs by the same rule set, it names the readings and switches that cause each difference.
func (act *action) Compare(ctx context.Context, store *cache.Store, other stages.Action) ([]diff.Difference, error) {
	o, ok := other.(*action)
	if !ok {
		return nil, fmt.Errorf("rankings can only be compared with rankings")
	}
	ours, from, err := act.Load(store, nil)
	if err != nil {
		return nil, err
	}
	var changes []scoring.Change
	if act.SameRuns(o.Input) && act.Rules.Digest() == o.Rules.Digest() {
		var to scoring.Readings
		if to, err = o.ReadingsOf(ours); err == nil {
			changes, err = scoring.Attribute(ctx, act.Rules, ours, from, to)
		}
	} else {
		changes, err = act.changes(ctx, store, ours, from, o)
	}
	if err != nil {
		return nil, err
	}
	return differences(changes), nil
}

// CompareReadings compares two sets of readings on a table of runs, and names the causes of every difference.
func CompareReadings(ctx context.Context, rs *scoring.RuleSet, runs *scoring.Runs, from,
	to scoring.Readings) ([]diff.Difference, error) {
	changes, err := scoring.Attribute(ctx, rs, runs, from, to)
	return differences(changes), err
}

func differences(changes []scoring.Change) []diff.Difference {
	all := make([]diff.Difference, len(changes))
	for i, c := range changes {
		all[i] = c.Difference
	}
	return all
}

// changes scores the runs with both sets of readings and lists the differences.
func (act *action) changes(ctx context.Context, store *cache.Store, ours *scoring.Runs, from scoring.Readings,
	o *action) ([]scoring.Change, error) {
	theirs, to, err := o.Load(store, nil)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(ours.Tracks, func(t *scoring.Track) bool { return theirs.Has(t.Name) }) {
		return nil, fmt.Errorf("one ranks the %s, the other the %s; rankings of different tracks cannot be compared",
			tracksOf(ours), tracksOf(theirs))
	}
	first, err := scoring.Compute(ctx, act.Rules, ours, from)
	if err != nil {
		return nil, err
	}
	second, err := scoring.Compute(ctx, o.Rules, theirs, to)
	if err != nil {
		return nil, err
	}
	return scoring.Changes(first, second), nil
}

// tracksOf describes the tracks of runs, such as "track single_query".
func tracksOf(runs *scoring.Runs) string {
	var names []string
	for _, t := range runs.Tracks {
		names = append(names, t.Name)
	}
	if len(names) == 1 {
		return "track " + names[0]
	}
	return "tracks " + strings.Join(names, ", ")
}
