package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestOldStores opens stores that earlier versions wrote. Each store contains 60 runs of a solver that always answers
// unsat, on the QF_UF benchmarks of the embedded release, 39 of which are unsat, and scores by the 2026 rules.
func TestOldStores(t *testing.T) {
	archives, err := filepath.Glob("testdata/stores/*.tar.zst")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.zst"), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			unpackStore(t, archive, dir)
			store, err := cache.Open(dir, cache.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			found, err := store.Check()
			if err != nil || len(found.Problems)+found.Missing > 0 || found.Records != 181 || found.Actions != 6 {
				t.Errorf("the check gives %+v, %v", found, err)
			}
			runs, err := store.Items("execute")
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			if err := runs.Each(func(cache.Key, []byte) error { n++; return nil }); err != nil || n != 60 {
				t.Errorf("%d runs, %v", n, err)
			}
			par := scoresOf(t, store)
			if par.Correct != 39 || par.Errors != 21 || par.Solver != "ann" {
				t.Errorf("the score is %+v", par)
			}
		})
	}
}

// scoresOf returns the only solver's score in the view par.
func scoresOf(t *testing.T, store *cache.Store) (par results.ScoreRow) {
	t.Helper()
	damaged, err := store.EachAction(func(_ cache.Key, a *cache.Action) error {
		if a.Address != "stage.score.main" {
			return nil
		}
		out := a.Outputs["scores"]
		d, err := cache.ParseDigest(out.Digest)
		if err != nil {
			return err
		}
		rows, err := artifact.ReadTable[results.ScoreRow](store, stages.Artifact{Schema: out.Schema, Digest: d,
			Rows: out.Rows, SizeBytes: out.SizeBytes})
		for _, r := range rows {
			if r.View == "par" && r.Logic == "" {
				par = r
			}
		}
		return err
	})
	if err != nil || len(damaged) > 0 {
		t.Fatal(damaged, err)
	}
	return par
}

func unpackStore(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer unzipped.Close()
	for in := tar.NewReader(unzipped); ; {
		member, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if member.Typeflag != tar.TypeReg {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(member.Name))
		content, err := io.ReadAll(in)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// raised lists, in the old project's order, the kinds of its stages whose versions were raised after 0.1.1. It omits
// stages that only depend on these.
var raised = []string{"execute", "validate"}

// TestOldProject plans 0.1.1's project with the store that 0.1.1 wrote. Only stages of raised kinds are executed, and
// no runs: the project's worker is "false". The scores do not change.
func TestOldProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unpackStore(t, "testdata/old/project-0.1.1.tar.zst", dir)
	if err := os.Chmod(filepath.Join(dir, "programs/ann"), 0o777); err != nil {
		t.Fatal(err)
	}
	out, _ := smtpipe(t, "plan", "-p", dir)
	for _, step := range regexp.MustCompile(`(?m)^(\S) stage\.(\w+)\..*$`).FindAllStringSubmatch(out, -1) {
		mark, kind := step[1], step[2]
		if waits := mark == "?"; mark != "=" && !waits && !slices.Contains(raised, kind) {
			t.Errorf("the plan has %q", step[0])
		}
	}
	if !strings.Contains(out, "60 runs: 0 to execute, 60 re-used") {
		t.Errorf("the runs are not used:\n%s", out)
	}
	smtpipe(t, "run", "-p", dir, "--progress", "none")
	store, err := cache.Open(filepath.Join(dir, ".smtpipe"), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if par := scoresOf(t, store); par.Correct != 39 || par.Errors != 21 {
		t.Errorf("the score is %+v", par)
	}
}

// TestOldFrozen verifies a folder that 0.1.1 froze. Everything before a raised kind is recomputed and must be equal.
// For the rest, the report names the program in the folder.
func TestOldFrozen(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"later", "0.1.1"} { // builds before the next release are also called 0.1.1
		t.Run(version, func(t *testing.T) { testOldFrozen(t, version) })
	}
}

func testOldFrozen(t *testing.T, version string) {
	cmd := exec.Command("smtpipe", "verify", "--json", "testdata/old/frozen-0.1.1.tar.zst")
	cmd.Env = append(os.Environ(), testVersion+"="+version)
	out, err := cmd.Output()
	var report verify.Report
	if code := cmd.ProcessState.ExitCode(); code != exit.CannotVerify || json.Unmarshal(out, &report) != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, out)
	}
	states := map[string]verify.State{}
	for _, s := range report.Stages {
		if !strings.HasPrefix(s.Addr, "stage.") { // for rule files, 0.1.1 did not record digests
			continue
		}
		states[s.Addr] = s.State
		if s.Kind == raised[0] && !strings.Contains(s.Why, "use the program in its folder bin") {
			t.Errorf("%s is not checked: %q", s.Addr, s.Why)
		}
	}
	want := map[string]verify.State{
		"stage.cap.main":      verify.Same,
		"stage.scramble.main": verify.Same, "stage.execute.main": verify.NotChecked,
		"stage.validate.main": verify.NotChecked, "stage.score.main": verify.NotChecked,
		"stage.report.site": verify.NotChecked, // the site is not frozen
	}
	for _, kind := range []string{"fetch", "index"} {
		want[fmt.Sprintf("stage.%s.%s", kind, "library")] = verify.Same
	}
	if diff := cmp.Diff(want, states); diff != "" || len(report.Differences) > 0 {
		t.Errorf("-want +got\n%s\n%v", diff, report.Differences)
	}
}
