package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestSweepSpares checks that the folder of a process that has ended is removed, and that the folder of a running
// process stays.
func TestSweepSpares(t *testing.T) {
	dir := t.TempDir()
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(dir, fmt.Sprintf("smtpipe-lsp-%d-1", ended.Process.Pid))
	alive := filepath.Join(dir, fmt.Sprintf("smtpipe-lsp-%d-1", os.Getpid()))
	other := filepath.Join(dir, "smtpipe-lsp-x-1")
	for _, path := range []string{dead, alive, other} {
		if err := os.Mkdir(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	sweepSpares(dir)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if want := []string{alive, other}; err != nil || !slices.Equal(left, want) {
		t.Errorf("is left: %v, %v; want %v", left, err, want)
	}
}

// TestLSP has a real client ask "smtpipe lsp" about the embedded example.
func TestLSP(t *testing.T) {
	python := testkit.Python(t, "pytest-lsp")
	dir := t.TempDir()
	smtpipe(t, "init", filepath.Join(dir, "an example")) // addresses escape this name
	quick, err := os.ReadFile("../../examples/custom-scoring/rules/quick.hcl")
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, filepath.Join(dir, "an example"), map[string]string{"rules/quick.rules.hcl": string(quick)})
	cmd := exec.CommandContext(t.Context(), python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o",
		"asyncio_mode=auto", "--rootdir", dir, "testdata/lsp/test_lsp.py")
	cmd.Env = append(os.Environ(), "EXAMPLE="+filepath.Join(dir, "an example"), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
