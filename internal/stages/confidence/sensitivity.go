package confidence

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/whatif"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// sensitivity scores the runs repeatedly, each time with one reading or practice switch changed, and returns the
// rankings with a different winner.
func (act *action) sensitivity(ctx context.Context, env *stages.Env, runs *score.Runs, rd score.Readings,
) ([]results.SensitivityRow, error) {
	base, err := whatif.Score(ctx, whatif.Rules{Name: act.Rules.Name, Set: act.Rules, Readings: rd}, runs)
	if err != nil {
		return nil, err
	}
	all := act.Rules.Alternatives(rd)
	changed := make([][]whatif.Change, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(env.Jobs)
	for i, a := range all {
		group.Go(func() error {
			other, err := whatif.Score(ctx, whatif.Rules{Name: a.Name, Set: act.Rules, Readings: a.Readings}, runs)
			if err != nil {
				return fmt.Errorf("%s: %w", a.Name, err)
			}
			changed[i] = whatif.Compare(base, other).Changes
			env.Progress.Add(1, "")
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var rows []results.SensitivityRow
	for i, a := range all {
		for _, c := range changed[i] {
			rows = append(rows, results.SensitivityRow{Track: c.Track, Division: c.Division, View: c.View,
				Switch: a.Name, Doc: a.Doc, Winners: c.From.Winners, Instead: c.To.Winners,
				NoWinner: c.To.NoWinner})
		}
	}
	slices.SortFunc(rows, func(a, b results.SensitivityRow) int {
		return slices.Compare([]string{a.Track, a.Division, a.View, a.Switch},
			[]string{b.Track, b.Division, b.View, b.Switch})
	})
	return rows, nil
}
