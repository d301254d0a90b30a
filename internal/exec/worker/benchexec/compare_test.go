package benchexec

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestSameVerdicts executes 24 runs with the local runner and with BenchExec. The script fails if verdicts, answers or
// scores differ.
func TestSameVerdicts(t *testing.T) {
	bin := testkit.BenchExecRuns(t)
	for _, program := range []string{"z3", "cvc5", "python3"} {
		testkit.Program(t, program)
	}
	cmd := exec.CommandContext(t.Context(), "../../../../scripts/compare-benchexec")
	cmd.Env = append(os.Environ(), "COUNT=8", "BENCHEXEC="+bin+"/benchexec")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "24 runs; verdicts or answers differ in 0") {
		t.Errorf("%v: %s", err, out)
	}
}
