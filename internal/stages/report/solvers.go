package report

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// readSolvers reads the attribute solvers: solver blocks and tables of solvers.
func (act *action) readSolvers(a *stages.Args) error {
	v := a.Value("solvers")
	if v.IsNull() || !v.IsWhollyKnown() {
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
		return a.Invalid("solvers", "Invalid solvers", "Of what is given, "+err.Error()+".")
	}
	return nil
}

// solvers returns a row for each participation: those of the tables, and of each block one for each of its tracks,
// which are those of the rankings unless it names them.
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
		tracks := texts(b.GetAttr("tracks"))
		if len(tracks) == 0 {
			tracks = ranked
		}
		for _, row.Track = range tracks {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// rowOf is what a solver block says of its solver. The place of an installed program is nobody's business: its digest
// tells which it is.
func rowOf(b cty.Value) results.SolverRow {
	row := results.SolverRow{
		Solver: text(b, "name"), Team: text(b, "team"), Type: text(b, "type"), BaseSolver: text(b, "base_solver"),
		Competitive: !b.GetAttr("competitive").IsNull() && b.GetAttr("competitive").True(),
		OpenSource:  !b.GetAttr("open_source").IsNull() && b.GetAttr("open_source").True(),
		NewEntrant:  !b.GetAttr("new_entrant").IsNull() && b.GetAttr("new_entrant").True(),
		Logics:      texts(b.GetAttr("logics")), Command: texts(b.GetAttr("command")), Seed: -1,
		Website: text(b, "website"), Description: text(b, "system_description"),
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

func text(b cty.Value, attr string) string {
	if v := b.GetAttr(attr); !v.IsNull() {
		return v.AsString()
	}
	return ""
}

func texts(v cty.Value) []string {
	if v.IsNull() {
		return nil
	}
	var all []string
	for _, e := range v.AsValueSlice() {
		all = append(all, e.AsString())
	}
	return all
}
