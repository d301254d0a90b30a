package verdicts

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

type verdictTable = results.Table[results.VerdictRow]

// entrantColumns are the columns of a verdict that describe the entrant. The stage sets them.
var entrantColumns = []string{"team", "competitive", "open_source", "new_entrant", "barred", "base_solver"}

// verdicts is a table of verdicts whose rows are of few kinds: rows of one kind have the same solver, track, logic and
// columns about the entrant.
type verdicts struct {
	*verdictTable
	of    *table.Combinations
	kinds []results.VerdictRow // what the rows of each kind share
}

func verdictsOf(t *verdictTable) (*verdicts, error) {
	v := &verdicts{verdictTable: t}
	columns := map[string]table.Column{}
	var all []table.Column
	for _, name := range append([]string{"track", "solver", "logic"}, entrantColumns...) {
		c, err := t.Column(name)
		if err != nil {
			return nil, err
		}
		columns[name], all = coded(c), append(all, coded(c))
	}
	v.of, _ = table.CombinationsOf(t.Len(), all...) // all are coded or booleans
	for _, i := range v.of.Firsts {
		text := func(name string) string { c := columns[name]; return c.StringAt(int(i)) }
		holds := func(name string) bool { c := columns[name]; return c.BoolAt(int(i)) }
		v.kinds = append(v.kinds, results.VerdictRow{
			Identity: run.Identity{Track: text("track"), Solver: text("solver"), Logic: text("logic")},
			Entrant: run.Entrant{Team: text("team"), Competitive: holds("competitive"), OpenSource: holds("open_source"),
				NewEntrant: holds("new_entrant"), Barred: text("barred"), BaseSolver: text("base_solver")},
		})
	}
	return v, nil
}

// coded returns a text column with a dictionary, and any other column as it is.
func coded(c table.Column) table.Column {
	if c.Kind() != table.String || c.IsCoded() {
		return c
	}
	d := c.Dictionary()
	return d.Column()
}

// split returns the verdicts whose kinds are ranked, and the others, with the kinds' columns about the entrant.
func (v *verdicts) split(isRanked []bool) (ranked, unranked *verdictTable, err error) {
	t := v.verdictTable
	for _, name := range entrantColumns {
		c, err := results.TableOf(v.kinds).Column(name)
		if err == nil {
			t, err = t.With(name, coded(c).Where(v.of.Of))
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
