package report

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// readSolvers reads the attribute "solvers": solver blocks and tables of solvers.
func (act *action) readSolvers(a *stages.Args) error {
	v := a.Value("solvers")
	if v.IsNull() {
		return nil
	}
	err := stages.EachSolver(v, func(s cty.Value) {
		if art, ok := stages.ArtifactOf(s); ok {
			act.tables = append(act.tables, art)
			return
		}
		act.blocks = append(act.blocks, s)
	})
	if err != nil {
		return a.Invalid("solvers", "Invalid solvers", "Of the solvers given, "+err.Error()+".")
	}
	return nil
}

// solvers returns a row for each participation: the rows of the tables, and one row for each track of each block. A
// block that names no tracks participates in all tracks of the rankings.
func (act *action) solvers(store *cache.Store, scores []results.ScoreRow) ([]results.SolverRow, error) {
	rows, err := readAll[results.SolverRow](store, act.tables)
	if err != nil || len(act.blocks) == 0 {
		return rows, err
	}
	var ranked []string
	for i := range scores {
		ranked = append(ranked, scores[i].Track)
	}
	slices.Sort(ranked)
	ranked = slices.Compact(ranked)
	for _, b := range act.blocks {
		row := rowOf(b)
		tracks := stages.Texts(b.GetAttr("tracks"))
		if len(tracks) == 0 {
			tracks = ranked
		}
		for _, row.Track = range tracks {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// rowOf returns the row for a solver block. An installed program's path is private, so its digest identifies it.
func rowOf(b cty.Value) results.SolverRow {
	row := results.SolverRow{
		Solver: stages.Text(b, "name"), Team: stages.Text(b, "team"), Type: stages.Text(b, "type"),
		BaseSolver:  stages.Text(b, "base_solver"),
		Competitive: stages.Holds(b, "competitive"),
		OpenSource:  stages.Holds(b, "open_source"),
		NewEntrant:  stages.Holds(b, "new_entrant"),
		Logics:      stages.Texts(b.GetAttr("logics")), Command: stages.Texts(b.GetAttr("command")), Seed: -1,
		Website: stages.Text(b, "website"), Description: stages.Text(b, "system_description"),
	}
	if program, ok := stages.FileOf(b.GetAttr("program")); ok {
		row.ProgramSHA256 = program.Digest.String()
	}
	if archive, ok := stages.FileOf(b.GetAttr("archive")); ok {
		row.ArchiveSHA256 = archive.Digest.String()
	}
	if seed := b.GetAttr("seed"); !seed.IsNull() {
		row.Seed, _ = seed.AsBigFloat().Int64()
	}
	return row
}
