package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// testVersion is the environment variable that sets the version of a test's program.
const testVersion = "SMTPIPE_TEST_VERSION"

// TestMain allows test scripts to call smtpipe as a program in a separate process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"smtpipe": func() {
			version = cmp.Or(os.Getenv(testVersion), version)
			main()
		},
		"golden-worker": goldenWorker,
	})
}

// TestScripts executes testdata/script/*.txt. The first word of each file name is the command that the script tests.
func TestScripts(t *testing.T) {
	t.Parallel()
	params := scriptParams(t)
	params.Files = longestFirst(t)
	testscript.Run(t, params)
}

// longest lists the scripts that take longest. They start first, so that none of them is left for the end.
var longest = strings.Fields("prove_root compare run_sat freeze_reviewer cache_damage reproduce shadow_record rehearse " +
	"report_published run_quickstart plan_costs run_chc run_year_2027 compare_seeds reproduce_site run_story")

// longestFirst returns all scripts in the order in which they start.
func longestFirst(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob("testdata/script/*.txt")
	if err != nil || len(all) == 0 {
		t.Fatalf("there are %d scripts, %v", len(all), err)
	}
	for _, name := range longest {
		files = append(files, "testdata/script/"+name+".txt")
	}
	for _, file := range all {
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files
}

// scriptParams returns the variables and conditions of test scripts.
func scriptParams(t *testing.T) testscript.Params {
	t.Helper()
	shared, err := filepath.Abs("../../../shared")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		UpdateScripts:       os.Getenv("SMTPIPE_UPDATE") == "1",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SHARED", shared) // data next to the project; scripts that need it start with [shared]
			env.Setenv("EXAMPLES", examples)
			env.Setenv("HOME", filepath.Join(env.WorkDir, ".home")) // root could create testscript's /no-home
			env.Setenv("GOCACHE", goCache())                        // for scripts that compile an example
			env.Setenv("GOFLAGS", os.Getenv("GOFLAGS"))             // so that they find the compiled library
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "shared" {
				_, err := os.Stat(shared)
				return err == nil || os.Getenv("SMTPIPE_REQUIRE_SHARED") == "1", nil
			}
			if cond == "sandbox" { // full isolation is available
				return sandboxWorks() || os.Getenv("SMTPIPE_REQUIRE_CGROUPS") == "1", nil
			}
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "python-yaml":
				return exec.Command("/usr/bin/python3", "-c", "import yaml").Run() == nil, nil
			case "long":
				return os.Getenv("SMTPIPE_LONG") != "", nil
			}
			return false, os.ErrInvalid
		},
	}
}

// goCache returns the go command's build cache; empty if there is no go command.
var goCache = sync.OnceValue(func() string {
	out, _ := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out))
})

// sandboxWorks reports whether this machine can fully isolate runs.
var sandboxWorks = sync.OnceValue(func() bool {
	h, err := runner.Open(runner.Config{Jobs: 1, NoLock: true})
	if err != nil {
		return false
	}
	return h.Close() == nil
})
