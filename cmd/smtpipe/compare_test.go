package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// everyDay makes benchmarks and two equal builds, which sleep a little, in a folder.
func everyDay(t *testing.T, build string) string {
	t.Helper()
	dir := t.TempDir()
	for _, family := range []string{"f", "g"} {
		for i := range 10 {
			file := filepath.Join(dir, "non-incremental", "QF_UF", family, fmt.Sprint(i, ".smt2"))
			text := "(set-logic QF_UF)\n(set-info :status sat)\n(declare-fun p () Bool)\n(assert p)\n(check-sat)\n"
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
				os.WriteFile(file, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+build), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCompareSameBuild compares a program with itself, without stored runs, SMTPIPE_SAME_BUILD times. By Holm's method
// at most 5 % are a regression; more than that by chance, as often as once in 1,000 tests, are 5 of 20 (the binomial
// probability of 5 or more is 0.0026, of 6 or more 0.0003).
func TestCompareSameBuild(t *testing.T) {
	times, err := strconv.Atoi(os.Getenv("SMTPIPE_SAME_BUILD"))
	if err != nil {
		t.Skip("takes a minute or two; make test-long sets SMTPIPE_SAME_BUILD=20")
	}
	dir := everyDay(t, "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo sat\n")
	bad := 0
	for i := range times {
		cmd := exec.Command("smtpipe", "compare", filepath.Join(dir, "a"), filepath.Join(dir, "b"), "--benchmarks",
			filepath.Join(dir, "non-incremental"), "--wall", "20s", "--isolation", "best_effort", "--threshold", "0",
			"--memory-threshold", "0", "--seed", fmt.Sprint(i+1), "--store", filepath.Join(t.TempDir(), "store"),
			"--json", "-", "--progress", "none")
		out, err := cmd.Output()
		var r struct {
			Regression bool
			Reasons    []string
		}
		if failed := json.Unmarshal(out, &r); failed != nil || r.Regression != (err != nil) {
			t.Fatalf("%v, %v: %s", err, failed, out)
		}
		if r.Regression {
			bad++
			t.Logf("comparison %d: %q", i+1, r.Reasons)
		}
	}
	if bad > times/20+4 {
		t.Errorf("%d of %d comparisons of a program with itself are a regression", bad, times)
	}
}

// TestEveryDayWorkflows executes what docs/tools/every-day.md says for GitHub and GitLab: packing two builds, the
// second of which loses a family, and comparing them.
func TestEveryDayWorkflows(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/tools/every-day.md")
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(files) != 2 {
		t.Fatalf("%d workflow files, want 2", len(files))
	}
	var github workflow
	var gitlab struct{ Compare, Comment struct{ Script []string } }
	if err := errors.Join(yaml.Unmarshal([]byte(files[0][1]), &github), yaml.Unmarshal([]byte(files[1][1]),
		&gitlab)); err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{"GitLab": strings.Join(gitlab.Compare.Script, "\n")}
	for _, s := range github.Jobs["compare"].Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s: an expression in a command, where strangers may write", s.Name)
		}
		scripts["GitHub"] += s.Run + "\n"
	}
	program, err := exec.LookPath("smtpipe")
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) { comparesBuilds(t, program, script) })
	}
}

// comparesBuilds executes a script with commands instead of those that need the network, git, or a compiler.
func comparesBuilds(t *testing.T, program, script string) {
	testkit.Program(t, "bash")
	testkit.Program(t, "zstd")
	dir := everyDay(t, "echo sat\n")
	prepare := `mkdir -p base/build head/build && cp a base/build/solver &&
printf '#!/bin/sh\ncase $1 in */f/*) exit;; esac; echo sat\n' >head/build/solver && chmod 755 head/build/solver &&
tar --zstd -cf release non-incremental
curl() {
	while [ "$1" != -o ]; do shift; done
	if [ "$2" = smtpipe ]; then cp "$PROGRAM" smtpipe; else cp release "$2"; fi
}
apt-get() { :; }; git() { :; }; cmake() { :; }; sha256sum() { :; }
`
	cmd := exec.Command("bash", "-e", "-c", prepare+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PROGRAM="+program, "SMTPIPE_URL=u", "SMTPIPE_SHA256=s", "BENCHMARKS_URL=b",
		"CI_COMMIT_SHA=c", "CI_MERGE_REQUEST_DIFF_BASE_SHA=d")
	out, err := cmd.CombinedOutput()
	failed, ok := errors.AsType[*exec.ExitError](err)
	if !ok || failed.ExitCode() != exitDiffers {
		t.Fatalf("%v, want exit code %d: %s", err, exitDiffers, out)
	}
	comment, err := os.ReadFile(filepath.Join(dir, "comment.md"))
	title := "### Regression: base.tar.gz (A) and head.tar.gz (B) on 20 benchmarks\n"
	if err != nil || !strings.HasPrefix(string(comment), title) ||
		!strings.Contains(string(comment), "\n- lost: 10, allowed 0\n") {
		t.Errorf("%v: %s", err, comment)
	}
}
