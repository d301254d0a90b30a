package verdicts

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

type verdictTable = results.Table[results.VerdictRow]

// verdicts is a table of verdicts whose rows are of few kinds: rows of one kind have the same solver, track, logic and
// columns about the entrant.
type verdicts struct {
	*verdictTable
	of    *table.Combinations
	kinds []results.VerdictRow // what the rows of each kind share
}

func verdictsOf(t *verdictTable) (*verdicts, error) {
	of, kinds, err := results.EntrantKinds(t, "track", "solver", "logic")
	return &verdicts{t, of, kinds}, err
}

// split returns the verdicts whose kinds are ranked, and the others, with the kinds' columns about the entrant.
func (v *verdicts) split(isRanked []bool) (ranked, unranked *verdictTable, err error) {
	t := v.verdictTable
	for _, name := range results.EntrantColumns {
		c, err := results.TableOf(v.kinds).Column(name)
		if err == nil {
			t, err = t.With(name, c.Coded().Where(v.of.Of))
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if !slices.Contains(isRanked, false) {
		unranked, err = results.NewBuilder[results.VerdictRow]().Table()
		return t, unranked, err
	}
	rows := table.Spread(v.of, isRanked)
	if ranked, err = t.Where(rows); err != nil {
		return nil, nil, err
	}
	for i := range rows {
		rows[i] = !rows[i]
	}
	unranked, err = t.Where(rows)
	return ranked, unranked, err
}
