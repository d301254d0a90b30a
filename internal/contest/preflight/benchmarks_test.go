package preflight_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/preflight"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestBenchmarks generates the benchmarks for every logic in every 2026 track. They must parse and declare their logic,
// and a solver must confirm their declared statuses.
func TestBenchmarks(t *testing.T) {
	r, diags := rules.Load("2026", "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	table := r.Divisions
	seen := map[comp.Logic]bool{}
	var script strings.Builder
	var want []string
	for _, name := range table.Tracks() {
		track, err := comp.ParseTrack(name)
		if err != nil {
			continue
		}
		for _, d := range table.Divisions(name) {
			for _, logic := range d.Logics {
				for _, b := range preflight.Benchmarks(track, logic) {
					if _, err := smtlib.Parse([]byte(b.Text)); err != nil {
						t.Errorf("%s of %s: %v\n%s", b.Path, track, err, b.Text)
					}
					loc, ok := comp.ParseLocation(b.Path)
					if !ok || loc.Logic != logic || loc.Incremental != (track == comp.Incremental) {
						t.Errorf("%s is not a place for %s in %s", b.Path, logic, track)
					}
					if track == comp.SingleQuery && !seen[logic] {
						fmt.Fprintf(&script, "(reset)\n%s", strings.ReplaceAll(b.Text, "(exit)\n", ""))
						want = append(want, strings.TrimSuffix(loc.Name, ".smt2"))
					}
				}
				seen[logic] = true
			}
		}
	}
	const least = 60
	if len(seen) < least {
		t.Errorf("only %d logics were tried", len(seen))
	}
	checkStatuses(t, script.String(), want)
}

// checkStatuses checks all benchmarks with one z3 process. It omits the logics because z3 does not know all their
// names.
func checkStatuses(t *testing.T, script string, want []string) {
	z3 := testkit.Program(t, "z3")
	var lines []string
	for line := range strings.Lines(script) {
		if !strings.HasPrefix(line, "(set-logic") {
			lines = append(lines, line)
		}
	}
	file := filepath.Join(t.TempDir(), "all.smt2")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(z3, file).CombinedOutput()
	if err != nil {
		t.Fatalf("z3: %v\n%s", err, out)
	}
	if got := strings.Fields(string(out)); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("z3 says\n%v\nwant\n%v", got, want)
	}
}
