package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// BenchmarkPlan repeatedly plans the 2026 competition with the small release and that year's submissions in one store,
// as for an organiser who edits a pipeline: the store's index contains the inputs' digests.
func BenchmarkPlan(b *testing.B) {
	release, entrants := testkit.Shared(b, "smtlib-mini"), testkit.Shared(b, "submissions-2026")
	args := []string{
		"plan", "-p", "../../pipelines/competition-2026.hcl", "--store", b.TempDir(), "--detailed-exitcode",
		"--var", "release=" + release, "--var", "submissions=" + entrants, "--var", "nyse_opening=23412.89",
	}
	plan := func() {
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &errs); code != exit.Usage || !strings.Contains(out.String(),
			"stage.report.site") {
			b.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
		}
	}
	plan() // the first plan computes the inputs' digests
	b.ReportAllocs()
	for b.Loop() {
		plan()
	}
}
