package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// BenchmarkPlan plans the competition of 2026 on the small release and the submissions of that year, again and again in
// one store, as an organiser does while editing: the digests of the inputs are in the store's index.
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
	plan() // digests the inputs
	b.ReportAllocs()
	for b.Loop() {
		plan()
	}
}
