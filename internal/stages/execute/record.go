package execute

import (
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/run"
	"github.com/smtpipe/smtpipe/internal/runner"
)

// spentOn implements Kind.Spent.
func spentOn(record []byte) (coreSeconds float64, err error) {
	r, err := run.Decode(record)
	return float64(max(r.CPUTimeS, r.WallTimeS)), err
}

// twice reports whether both attempts are the same one, read twice from where an executor left it.
func twice(r *run.Record) (bool, error) {
	all, err := r.Attempts()
	if err != nil {
		return false, err
	}
	first, last := all[0], all[len(all)-1]
	return first.Started == last.Started && first.WallTimeS == last.WallTimeS && first.CPUTimeS == last.CPUTimeS, nil
}

// killedFromOutside reports whether an unexplained SIGKILL ended the run.
func killedFromOutside(r *run.Record) bool {
	flag := runner.FlagForeignKill.String()
	return r.Ending == comp.Signalled && slices.Contains(strings.Split(r.Flags, ","), flag)
}
