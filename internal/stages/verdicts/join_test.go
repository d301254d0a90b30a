package verdicts

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestJoin checks that the table of entrants takes precedence over the columns of the verdicts, and that columns it
// leaves empty stay unchanged. A solver that is withdrawn or has no rank in the logic is not ranked. Of several
// participations, the one that enters the logic counts; of several tables, the later one.
func TestJoin(t *testing.T) {
	row := func(solver, logic, team, base, barred string, competitive, open, fresh bool) results.VerdictRow {
		return results.VerdictRow{
			Identity: run.Identity{Track: "single_query", Benchmark: logic + "/x", Solver: solver, Logic: logic},
			Judged:   run.Judged{Verdict: "correct"},
			Entrant: run.Entrant{Team: team, BaseSolver: base, Barred: barred, Competitive: competitive,
				OpenSource: open, NewEntrant: fresh},
		}
	}
	entrant := func(solver string, participation int64, logic, team, base, barred, words string) results.EntrantRow {
		e := results.EntrantRow{Track: "single_query", Solver: solver, Participation: participation, Team: team,
			Logics: []string{logic}, BaseSolver: base, Barred: barred, Ranked: barred != "withdrawn"}
		if words != "" {
			e.Type, e.Submitted, e.OpenSource, e.NewEntrant = "standalone", results.YesNo(words[0] == 'y'),
				results.YesNo(words[1] == 'y'), results.YesNo(words[2] == 'y')
		}
		return e
	}
	rows := []results.VerdictRow{
		row("Alpha", "LIA", "", "", "", false, false, true),
		row("Beta", "LIA", "old", "Alpha", "old", true, true, false),
		row("Beta", "UF", "old", "Alpha", "", true, true, false),
		row("Gamma", "LIA", "old", "Alpha", "", true, true, true),
		row("Gone", "LIA", "", "", "", false, false, false),
	}
	entrants := []results.EntrantRow{
		entrant("Alpha", 0, "LIA", "A", "", "", "yyn"),
		entrant("Beta", 0, "LIA", "B", "Alpha-base", "", "nny"),
		entrant("Beta", 1, "UF", "B", "Alpha-base", "for UF", "nny"),
		entrant("Gamma", 0, "LIA", "", "", "", ""), // nothing is published about Gamma
		entrant("Gone", 0, "LIA", "G", "", "withdrawn", "yyy"),
	}
	// The import knows nothing about Alpha, and the submissions correct Beta's team.
	imported := []results.EntrantRow{entrant("Alpha", 0, "LIA", "", "", "", ""),
		entrant("Beta", 0, "LIA", "X", "", "", "")}
	entrants[2].Unranked = []string{"UF"}
	builder := results.NewBuilder[results.VerdictRow]()
	for i := range rows {
		builder.Append(&rows[i])
	}
	all, err := builder.Table()
	if err != nil {
		t.Fatal(err)
	}
	v, err := verdictsOf(all)
	if err != nil {
		t.Fatal(err)
	}
	var j joining
	j.add(imported)
	j.add(entrants)
	isRanked, err := j.join(v.kinds)
	if err != nil {
		t.Fatal(err)
	}
	rankedTable, unrankedTable, err := v.split(isRanked)
	if err != nil {
		t.Fatal(err)
	}
	ranked, unranked := rowsOf(t, rankedTable), rowsOf(t, unrankedTable)
	if diff := cmp.Diff([]results.VerdictRow{
		row("Alpha", "LIA", "A", "", "", true, true, false),
		row("Beta", "LIA", "B", "Alpha-base", "", false, false, true),
		row("Gamma", "LIA", "old", "Alpha", "", true, true, true),
	}, ranked); diff != "" {
		t.Errorf("ranked (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]results.VerdictRow{
		row("Gone", "LIA", "G", "", "withdrawn", true, true, true),
		row("Beta", "UF", "B", "Alpha-base", "for UF", false, false, true),
	}, unranked); diff != "" {
		t.Errorf("unranked (-want +got):\n%s", diff)
	}
}

func rowsOf(t *testing.T, from *verdictTable) (rows []results.VerdictRow) {
	t.Helper()
	if err := from.Each(func(row *results.VerdictRow) { rows = append(rows, *row) }); err != nil {
		t.Fatal(err)
	}
	return rows
}
