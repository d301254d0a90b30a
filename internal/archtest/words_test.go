package archtest

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// banned lists phrases and their replacements. docs/start/terms.md defines the project's vocabulary.
var banned = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)belongs? into`), "belong in"},
	{regexp.MustCompile(`(?i)the other way (a)?round`), "vice versa, or in reverse"},
	{regexp.MustCompile(`(?i)\blast words\b`), "last output"},
	{regexp.MustCompile(`(?i)whether it is well`), "its health"},
	{regexp.MustCompile(`(?i)what becomes of`), "whether it is kept, or its fate"},
	{regexp.MustCompile(`(?i)that (is|are) to be (done|said|made|told)`), "the work, or what is missing"},
	{regexp.MustCompile(`(?i)\bin the place of\b`), "in place of"},
	{regexp.MustCompile(`(?i)\b(thus|hence|whilst|aforementioned)\b`), "so"},
	{regexp.MustCompile(`(?i)\b(benchmark|test|problem) instances?\b|\bbenchmark problem\b`), "benchmark"},
	{regexp.MustCompile(`(?i)\btime-outs?\b`), "timeout"},
	{regexp.MustCompile(`(?i)\bwall-?clock time\b`), "wall time"},
	{regexp.MustCompile(`(?i)\bCPU usage\b|\bprocessor usage\b`), "CPU time"},
	{regexp.MustCompile(`(?i)\breal time\b`), "wall time"},
	{regexp.MustCompile(`(?i)\bground truth\b`), "status"},
	{regexp.MustCompile(`(?i)\bportfolio winner\b|\bvirtual portfolio\b`), "virtual best solver"},
	{regexp.MustCompile(`(?i)\bcontestants?\b|\bcompetitors?\b`), "solver, or entrant"},
}

// quoted matches quotations that may contain a banned phrase.
var quoted = regexp.MustCompile("\"wallclock time|wallclock time[,`\"]|wallclock time is|wallClock time\\.Time|" +
	"A benchmark problem must not contain")

// TestWords searches code, docs, pages and scripts for phrases that docs/start/terms.md replaces.
func TestWords(t *testing.T) {
	var patterns []string
	for _, b := range banned {
		patterns = append(patterns, b.pattern.String())
	}
	// Git searches the files faster than package regexp would.
	search := exec.Command("git", "grep", "-laP", "-e", strings.Join(patterns, "|"), "--",
		"*.go", "*.md", "*.hcl", "*.html", "*.js", "scripts/*", "Makefile")
	search.Dir = "../.."
	out, err := search.Output()
	files := strings.Fields(string(out))
	const own = "internal/archtest/words_test.go" // contains all of them
	if !slices.Contains(files, own) {
		t.Skipf("git cannot search the files of the project: %v", err)
	}
	for _, file := range files {
		if file == own {
			continue
		}
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, b := range banned {
				if at := b.pattern.FindString(line); at != "" && !quoted.MatchString(line) {
					t.Errorf("%s:%d: %q; write %s", file, i+1, at, b.instead)
				}
			}
		}
	}
}
