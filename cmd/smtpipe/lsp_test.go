package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestLSP has a real client talk to "smtpipe lsp" about the embedded example.
func TestLSP(t *testing.T) {
	python := testkit.Python(t, "pytest-lsp")
	dir := t.TempDir()
	smtpipe(t, "init", filepath.Join(dir, "an example")) // a name that has to be written in another way in addresses
	cmd := exec.CommandContext(t.Context(), python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o",
		"asyncio_mode=auto", "--rootdir", dir, "testdata/lsp/test_lsp.py")
	cmd.Env = append(os.Environ(), "EXAMPLE="+filepath.Join(dir, "an example"), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
