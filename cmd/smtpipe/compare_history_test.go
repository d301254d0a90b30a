package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestHistoryOfWheels executes examples/every-day with three versions of z3, on a dozen benchmarks of the embedded
// release.
func TestHistoryOfWheels(t *testing.T) {
	t.Parallel()
	testkit.Program(t, "zstd")
	if !sandboxWorks() && os.Getenv("SMTPIPE_REQUIRE_CGROUPS") != "1" {
		t.Skip("runs cannot be isolated here")
	}
	wheels, err := filepath.Abs("../../build/wheels")
	if err != nil {
		t.Fatal(err)
	}
	versions := []string{"4.11.2.0", "4.12.0.0", "4.12.1.0"}
	if found, _ := filepath.Glob(wheels + "/*.whl"); len(found) < len(versions) {
		testkit.Missing(t, "SMTPIPE_REQUIRE_PYTHON", "there are no wheels of z3 in "+wheels+
			"; \"make unit\" gets them from PyPI")
	}
	dir := filepath.Join(t.TempDir(), "every-day")
	err = errors.Join(os.Mkdir(dir, 0o755),
		os.CopyFS(filepath.Join(dir, "../quickstart/release"), os.DirFS("../../examples/quickstart/release")))
	script, failed := os.ReadFile("../../examples/every-day/history.sh")
	if err := errors.Join(err, failed, os.WriteFile(filepath.Join(dir, "history.sh"), script, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "history.sh"), versions...)
	cmd.Env = append(os.Environ(), "SAMPLE=12", "PIP_NO_INDEX=1", "PIP_FIND_LINKS="+wheels,
		"PATH="+wheels+"/pip/bin"+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "build/history.json"))
	var h compare.History
	if err := errors.Join(err, json.Unmarshal(text, &h)); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range h.Builds {
		names = append(names, b.Name)
		if b.Executed != 12 || b.Solved < 6 || b.Wrong > 0 || len(b.Logics) < 3 {
			t.Errorf("%s: %+v", b.Name, b)
		}
	}
	if !slices.Equal(names, versions) || h.Benchmarks != 12 || h.Order != compare.ByVersion || len(h.Faults) > 0 {
		t.Errorf("builds %v by %s on %d benchmarks, faults %v", names, h.Order, h.Benchmarks, h.Faults)
	}
}
