package validate

import (
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// soundRows returns the answers sat and unsat of the solvers that made no error in the division. They determine which
// benchmarks of unknown status the unsat-core, model-validation and proof tracks may use (SMT-COMP 2022 and 2026 rules,
// §6, "Benchmark selection", step 3).
func soundRows(year int, rows []results.VerdictRow) []results.HistoryRow {
	type place struct{ track, division, solver string }
	wrong := map[place]bool{}
	for i := range rows {
		if v := &rows[i]; v.Verdict == string(comp.Wrong) {
			wrong[place{v.Track, v.Division, v.Solver}] = true
		}
	}
	var sound []results.HistoryRow
	for i := range rows {
		v := &rows[i]
		if !comp.Answer(v.Answer).Decides() || wrong[place{v.Track, v.Division, v.Solver}] {
			continue
		}
		sound = append(sound, historyRow(year, v))
	}
	return sound
}

// historyRows returns all runs as those of an earlier competition, solved or not.
func historyRows(year int, rows []results.VerdictRow) []results.HistoryRow {
	history := make([]results.HistoryRow, len(rows))
	for i := range rows {
		history[i] = historyRow(year, &rows[i])
		if !comp.Answer(rows[i].Answer).Decides() {
			history[i].Answer = ""
		}
	}
	return history
}

func historyRow(year int, v *results.VerdictRow) results.HistoryRow {
	return results.HistoryRow{Identity: v.Identity, Usage: v.Usage, Year: int64(year), Status: v.Status,
		Answer: v.Answer, Result: v.Answer, Answers: -1}
}
