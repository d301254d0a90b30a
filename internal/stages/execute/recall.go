package execute

import (
	"fmt"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// recordsName is the namespace of run records.
const recordsName = "execute"

// recall implements Kind.Recall: a row of the table contains everything in its run's record.
func recall(store *cache.Store, outputs map[string]stages.Artifact,
	put func(namespace string, key cache.Key, record []byte) error) error {
	var before results.RunRow
	for r, err := range artifact.Rows[results.RunRow](store, outputs["runs"]) {
		if err != nil {
			return err
		}
		key, err := cache.ParseKey(r.RunKey)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", r.Solver, r.Benchmark, err)
		}
		rec := recordOf(&r)
		if isNextAttempt(&before, &r) {
			killed := recordOf(&before)
			rec.Killed = string(killed.Encode())
		}
		if err := put(recordsName, key, rec.Encode()); err != nil {
			return err
		}
		before = r
	}
	return nil
}

// isNextAttempt reports whether two successive rows are attempts at the same run.
func isNextAttempt(before, r *results.RunRow) bool {
	return before.Benchmark == r.Benchmark && before.Solver == r.Solver && before.Participation == r.Participation
}

// recordOf is the inverse of row, except for fields that never appear in results.
func recordOf(r *results.RunRow) run.Record {
	rec := run.Record{Measured: r.Measured, Version: r.MeasuredWith}
	if at, err := time.Parse(time.RFC3339, r.MeasuredAt); err == nil {
		rec.Started = at.Unix()
	}
	return rec
}

// timeText formats a Unix time for the table; empty if it is unknown.
func timeText(unix int64) string {
	if unix == 0 {
		return ""
	}
	return time.Unix(unix, 0).UTC().Format(time.RFC3339)
}

// spentOn implements Kind.Spent.
func spentOn(record []byte) (coreSeconds float64, err error) {
	r, err := run.Decode(record)
	return float64(max(r.CPUTimeS, r.WallTimeS)), err
}
