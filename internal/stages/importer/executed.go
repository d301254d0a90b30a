package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// elsewhere is the isolation level of runs that were not executed here.
const elsewhere = "elsewhere"

// answerTracks are the tracks in which only the answer is judged.
var answerTracks = []comp.Track{comp.SingleQuery, comp.Parallel, comp.Cloud, comp.IndustryChallenge}

// published converts a run with only a result to a row of a table of runs. The published answer becomes the solver's
// output.
func (im *importing) published(h *results.HistoryRow) (results.RunRow, error) {
	track, err := comp.ParseTrack(h.Track)
	if err != nil || !slices.Contains(answerTracks, track) {
		return results.RunRow{}, fmt.Errorf("%s on %s: a run of the track %s cannot be judged by its published result; "+
			"leave out wall_time, or give the logs", h.Solver, h.Benchmark, h.Track)
	}
	ending, code := endingOf(h)
	row := results.RunRow{
		Identity: h.Identity, ScriptSHA256: im.scripts[h.Benchmark],
		Measured: run.Measured{Ending: ending, ExitCode: code, Usage: h.Known(), AnswerWallTimeS: -1,
			Isolation: elsewhere},
		Limits: run.Limits{WallLimitS: run.SecondsOf(im.settings.wallTime), Cores: max(im.settings.cores, 1)},
	}
	row.Track = track.String()
	if h.Answer != "" {
		row.Stdout = h.Answer + "\n"
		row.StdoutBytes = int64(len(row.Stdout))
	}
	return row, im.known(&row)
}

// plain removes the separators between a result's words.
var plain = strings.NewReplacer(" ", "", "_", "", "-", "", "(", "", ")", "")

// endingOf derives the process's ending from the published result. A result that is neither an answer nor a limit
// counts as a failure with exit code 1.
func endingOf(h *results.HistoryRow) (ending comp.Ending, code int64) {
	if h.Answer != "" {
		return comp.Exited, 0
	}
	switch result := strings.ToLower(plain.Replace(h.Result)); {
	case strings.Contains(result, "cputime"):
		return comp.CPUTimeout, -1
	case strings.Contains(result, "timeout") || strings.Contains(result, "wallclock"):
		return comp.WallTimeout, -1
	case strings.Contains(result, "memory") || strings.Contains(result, "memout"):
		return comp.OutOfMemory, -1
	}
	return comp.Exited, 1
}
