package importer

import (
	"maps"
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// entrantRows returns the entrants that executed the runs. Columns that neither the table of solvers nor the stage's
// attributes determine are empty; an empty column implies nothing.
func (im *importing) entrantRows() (rows []results.EntrantRow, err error) {
	c, err := columns(im.tables.executed, "solver", "track", "logic")
	if err != nil {
		return nil, err
	}
	logics := map[entrantID]map[string]bool{}
	// The columns' texts are dictionary-coded, so this cannot fail.
	of, _ := table.CombinationsOf(im.tables.executed.Len(), c...)
	for _, first := range of.Firsts {
		i := int(first)
		id := entrantID{c[0].StringAt(i), c[1].StringAt(i)}
		if logics[id] == nil {
			logics[id] = map[string]bool{}
		}
		logics[id][c[2].StringAt(i)] = true
	}
	field := admission.Field{Reasons: rules.Entrants().Reasons}
	for id, in := range logics {
		row, seed := im.told(id)
		row.Logics = slices.Sorted(maps.Keys(in))
		entrant := admission.Entrant{Solver: row.Solver, Base: row.BaseSolver, Competes: row.Submitted != "no"}
		if row.Barred != "" {
			entrant.Given = []admission.Reason{{Kind: admission.Barred, Text: row.Barred}}
		}
		field.Entrants = []admission.Entrant{entrant}
		a := field.Admitted(0, func(int) bool { return true })
		row.Seed, row.Runs, row.Competes, row.Ranked = a.Seed && seed, a.Runs, a.Competes, a.Ranked
		for _, r := range a.Reasons {
			row.Add(string(r.Kind), r.Section, r.Text)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// told returns what is known about an entrant, and whether it submitted a number for the seed. In a table of solvers,
// false can also mean unknown, except in the column that says whether a solver was submitted to compete.
func (im *importing) told(id entrantID) (row results.EntrantRow, seed bool) {
	row.Solver, row.Track = id.solver, id.track
	if e := im.entrants[id]; e != nil {
		row.Team, row.Type, row.BaseSolver, row.Barred = e.Team, e.Type, e.BaseSolver, e.Barred
		row.Submitted, seed = results.YesNo(e.Competitive), e.Seed >= 0
		if e.OpenSource {
			row.OpenSource = results.YesNo(true)
		}
		if e.NewEntrant {
			row.NewEntrant = results.YesNo(true)
		}
	}
	for _, named := range []struct {
		solvers []string
		word    *string
	}{{im.settings.openSource, &row.OpenSource}, {im.settings.newEntrants, &row.NewEntrant}} {
		if named.solvers != nil && *named.word == "" {
			*named.word = results.YesNo(slices.Contains(named.solvers, id.solver))
		}
	}
	if base, ok := im.settings.bases[id.solver]; ok {
		row.Type, row.BaseSolver = "derived", base
	}
	if team, ok := im.settings.teams[id.solver]; ok {
		row.Team = team
	}
	return row, seed
}
