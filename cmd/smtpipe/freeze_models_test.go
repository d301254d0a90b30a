package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
)

// TestFrozenModels checks that verdicts on models and cores are recomputed at the default level, for which the scripts
// are included. Only --records omits the scripts, and then the report states that these verdicts are taken on trust.
func TestFrozenModels(t *testing.T) {
	for track, division := range map[string]string{"model_validation": "LIA", "unsat_core": "Arith"} {
		t.Run(track, func(t *testing.T) {
			t.Parallel()
			pipeline := strings.ReplaceAll(smallPipeline, "single_query", track)
			project := smallProjectOf(t, strings.Replace(pipeline, `["./yes"]`, `["/bin/sh", "-c", "echo sat; echo '()'"]`, 1))
			for flag, again := range map[string]int64{"--title=x": 40, "--records": 0} {
				folder := filepath.Join(project, "frozen"+flag)
				execSmtpipe(t, exit.Done, "freeze", "-p", project, flag, "-o", folder)
				_, err := os.Stat(filepath.Join(folder, frozen.ScriptsName))
				if (err == nil) != (again > 0) {
					t.Errorf("%s: the scripts: %v", flag, err)
				}
				code := exit.Done
				if again == 0 {
					code = exit.CannotVerify
				}
				report := verified(t, code, folder)
				if len(report.Shares) != 1 || report.Shares[0] != (verify.Share{Track: track, Division: division,
					Verdicts: 40, Again: again}) {
					t.Errorf("%s: %+v; %+v", flag, report.Shares, report.Stages)
				}
			}
		})
	}
}
