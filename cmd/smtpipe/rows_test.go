package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/exit"
)

// rowPipeline returns a pipeline with a list of benchmarks and a filter with a rule.
func rowPipeline(when string) string {
	return fmt.Sprintf(`
stage "import" "all" { benchmarks = "paths" }
stage "filter" "some" {
  benchmarks = stage.import.all.benchmarks
  drop "a rule" { when = %s }
}
`, when)
}

// writePaths writes rowPipeline's list: n benchmarks whose names have a given length.
func writePaths(t *testing.T, dir string, n, length int) {
	t.Helper()
	var w strings.Builder
	for i := range n {
		fmt.Fprintf(&w, "non-incremental/QF_LIA/a/%0*d.smt2\n", length, i)
	}
	write(t, filepath.Join(dir, "paths"), w.String(), 0o666)
}

// TestRowsTooLarge uses rules that produce too much for every row. Each run must end soon, use little memory, and
// report the expression and the first benchmark.
func TestRowsTooLarge(t *testing.T) {
	t.Parallel()
	const (
		chars     = "split(\"\", b.path)"
		functions = "function \"f\" {\n  params = [x]\n  variadic_param = more\n  result = " +
			"\"${x}${x}${x}${x}${x}${x}${x}${x}\"\n}\n"
	)
	tests := []struct {
		name, when string
		want       string
	}{
		{"nested loops", "length(" + strings.Repeat("[for x in "+chars+" : ", 4) + "x" + strings.Repeat("]", 4) +
			") > 0", "Evaluation too large"},
		{"a loop over ranges", "length([for a in range(strlen(b.path)) : [for x in range(1000) : " +
			"[for y in range(1000) : a]]]) > 0", "Evaluation too large"},
		{"regexreplace", "strlen(" + strings.Repeat("regexreplace(", 4) + "b.path" +
			strings.Repeat(", \"\", substr(b.path, 0, 20))", 4) + ") > 0", "Evaluation too large"},
		{"join", "strlen(join(b.path, [for a in " + chars + " : join(b.path, [for a in " + chars + " : join(b.path, " +
			chars + ")])])) > 0", "Evaluation too large"},
		{"a function", "strlen(f(f(f(f(f(f(f(b.path)))))))) > 0", "Evaluation too large"},
		{"a width", "strlen(format(\"%${10000000 * strlen(b.path)}d\", 1)) > 0",
			"widths and precisions must be below 1000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a.hcl"), "competition {\n  name = \"X\"\n  year = 2026\n}\n"+functions+
				rowPipeline(tt.when), 0o666)
			writePaths(t, dir, 2000, 100)
			start := time.Now()
			// Limit the data to 1 GiB. The peak that a process reports may be its parent's.
			cmd := exec.Command("sh", "-c", `ulimit -d 1048576 && exec smtpipe run --progress none -p "$0"`, dir)
			text, err := cmd.CombinedOutput()
			took := time.Since(start)
			t.Logf("%v\n%s", took, text)
			if code := cmd.ProcessState.ExitCode(); err == nil || code != exit.Error {
				t.Errorf("exit code %d, want %d: %v", code, exit.Error, err)
			}
			plain := strings.Join(strings.Fields(string(text)), " ")
			name := fmt.Sprintf("The row is non-incremental/QF_LIA/a/%0100d.smt2.", 0)
			for _, want := range []string{tt.want, "a.hcl line ", name} {
				if !strings.Contains(plain, want) {
					t.Errorf("the error does not say %q", want)
				}
			}
			if took > time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
}
