package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/examples/quickstart"
)

// TestServeEarly serves a competition in which all runs except the early sample hang. The solver determines from its
// script's digest whether the script is in the sample, as documented in docs/write/randomness.md: the first 64 bits
// must be below 5 %.
func TestServeEarly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, quickstart.Files); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "competition.hcl"), slowPipeline, 0o666)
	gate, seen := filepath.Join(dir, "gate"), filepath.Join(dir, "seen")
	write(t, filepath.Join(dir, "waits.sh"), `#!/bin/sh
for script; do :; done
digest=$(sha256sum <"$script" | cut -c1-16)
if [ "$(printf '%s\n' $digest 0ccccccccccccccc | LC_ALL=C sort | head -n1)" = $digest ]; then
	echo $digest >>`+seen+`
else
	while ! [ -e `+gate+` ]; do sleep 0.05; done
fi
echo unsat
`, 0o777)
	write(t, filepath.Join(dir, "fails.sh"), "#!/bin/sh\necho sat\n", 0o777)
	run := exec.Command("smtpipe", "run", "-p", dir, "--progress", "none", "-j", "2")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Process.Kill() })
	base, stop := startServe(t, dir)
	defer stop()
	var page string
	waitPage(t, base, "early.html", func(text string) bool {
		page = text
		return strings.Contains(text, "are in the sample")
	})
	lines, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	sample := strings.Count(string(lines), "\n")
	if sample == 0 || !strings.Contains(page, fmt.Sprintf("<p>%d of 60 benchmarks are in the sample.", sample)) {
		t.Errorf("the page is not about the %d of 60 benchmarks in the sample:\n%s", sample, page)
	}
	if out, err := exec.Command("smtpipe", "report", "-p", dir, "-o", filepath.Join(dir, "partial"),
		"--partial").CombinedOutput(); err != nil {
		t.Fatalf("report --partial: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "partial", "early.html")); err != nil {
		t.Error(err)
	}
	write(t, gate, "", 0o666)
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	waitPage(t, base, "index.html", func(text string) bool { return !strings.Contains(text, "early.html") })
}
