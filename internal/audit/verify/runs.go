package verify

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// runs checks that each run's record is consistent: output, ending and times.
func (v *verification) runs(step *engine.RecheckedStep) {
	for _, name := range slices.Sorted(maps.Keys(step.Outputs)) {
		art, ok := stages.ArtifactOf(step.Outputs[name])
		if !ok || art.Schema != results.SchemaOf[results.RunRow]().Name {
			continue
		}
		where := step.Addr + "." + name
		n := 0
		for r, err := range artifact.Rows[results.RunRow](v.store, art) {
			if err != nil {
				v.report.differs(where, err.Error())
				break
			}
			for _, what := range v.run(&r) {
				if n++; n <= mostRows {
					v.report.differs(where, fmt.Sprintf("row %s %s: %s", r.Benchmark, r.Solver, what))
				}
			}
		}
		if n > mostRows {
			v.report.differs(where, fmt.Sprintf("and %d more differences", n-mostRows))
		}
	}
}

// stampSlackS is how long after the end of its run an answer may be read on a busy machine, in seconds.
const stampSlackS = 5

// run returns the inconsistencies in a run's record, as sentences.
func (v *verification) run(r *results.RunRow) []string {
	var wrong []string
	check := func(fine bool, text string, args ...any) {
		if !fine {
			wrong = append(wrong, fmt.Sprintf(text, args...))
		}
	}
	ending := comp.Ending(r.Ending)
	check(ending != comp.Exited || r.ExitCode >= 0, "its ending is %s, but its exit code is %d", r.Ending, r.ExitCode)
	check(ending != comp.Signalled || r.Signal > 0, "its ending is %s, but there is no signal", r.Ending)
	check(ending != comp.WallTimeout || r.WallTimeS >= r.WallLimitS,
		"its ending is %s, but it took %g s of %g s", r.Ending, r.WallTimeS, r.WallLimitS)
	check(r.WallTimeS >= 0 && r.CPUTimeS >= 0, "its times are %g s and %g s", r.WallTimeS, r.CPUTimeS)
	check(r.AnswerWallTimeS <= r.WallTimeS+stampSlackS,
		"it answered after %g s, but ended after %g s", r.AnswerWallTimeS, r.WallTimeS)
	if script, err := cache.ParseDigest(r.ScriptSHA256); err == nil && v.folder.Lock.Level == "inputs" {
		check(v.folder.Has(script), "its script (sha256:%s) is not in the folder", r.ScriptSHA256)
	}
	stdout, there := v.printed(r, check)
	if !there || strings.Contains(r.Flags, "truncated") {
		return wrong
	}
	first, _, _ := bytes.Cut(stdout, []byte("\n"))
	check(r.AnswerWallTimeS < 0 || hasAnswer(stdout),
		"an answer came after %g s, but it printed none", r.AnswerWallTimeS)
	check(r.AnswerWallTimeS >= 0 || r.Trace != "" || !isAnswer(first), "it printed an answer that has no time")
	check(int64(len(stdout)) == r.StdoutBytes, "it printed %d bytes, but %d are there", r.StdoutBytes, len(stdout))
	return wrong
}

// printed returns a run's output; the second result is false if the folder omits it.
func (v *verification) printed(r *results.RunRow, check func(bool, string, ...any)) (stdout []byte, there bool) {
	for _, digest := range []string{r.StdoutSHA256, r.StderrSHA256} {
		d, err := cache.ParseDigest(digest)
		if err != nil {
			continue // all output is in the row
		}
		if !v.folder.Has(d) {
			check(v.folder.Lock.Level == "records", "its output (sha256:%s) is not in the folder", digest)
			return nil, false
		}
	}
	if r.StdoutSHA256 == "" {
		return []byte(r.Stdout), true
	}
	d, err := cache.ParseDigest(r.StdoutSHA256)
	if err != nil {
		check(false, "%q is not a digest", r.StdoutSHA256)
		return nil, false
	}
	stdout, err = v.store.ReadBytes(d)
	return stdout, err == nil
}

func hasAnswer(stdout []byte) bool {
	for line := range bytes.Lines(stdout) {
		if isAnswer(line) {
			return true
		}
	}
	return false
}

func isAnswer(line []byte) bool {
	_, err := comp.ParseStatus(strings.TrimSpace(string(line)))
	return err == nil
}
