package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInitNext pastes the commands that "init" suggests for each template into a shell. To save time, the template
// "quickstart" uses a single logic, the template "compare" uses a sample of four benchmarks, and in the template
// "competition", one of whose solvers never ends on safe systems, runs have a second. The scripts run_sat, run_optimum
// and run_qbf execute the other templates.
func TestInitNext(t *testing.T) {
	t.Parallel()
	project := smallProject(t)
	smtpipe(t, "freeze", "-p", project, "-o", filepath.Join(project, "frozen"))
	for name, template := range map[string]struct {
		args  []string
		codes string
		want  string
	}{
		"quickstart":  {nil, "0", "Arith "},
		"year":        {nil, "0", "to create, 0 to re-run"},
		"next year":   {[]string{"--year", "2026", "--as", "2027"}, "0", "to create, 0 to re-run"},
		"year 2008":   {[]string{"--year", "2008"}, "0", "to create, 0 to re-run"},
		"year 2019":   {[]string{"--year", "2019"}, "0", "to create, 0 to re-run"},
		"compare":     {nil, "0 3", "Solved: A "},
		"competition": {nil, "0", "Executed "},
		"review":      {[]string{"--of", filepath.Join(project, "frozen")}, "0", "Nothing to execute: all 8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			kind, _, _ := strings.Cut(name, " ")
			args := []string{"init", kind}
			if kind == "next" {
				args = []string{"init"}
			}
			args = append(append(args, "my "+kind), template.args...)
			stdout := commandIn(t, dir, "0", "smtpipe", args...)
			_, next, found := strings.Cut(stdout, "Next:\n\n  ")
			if !found {
				t.Fatalf("no next command: %s", stdout)
			}
			next = strings.TrimSpace(strings.Replace(next, "--sample 60", "--sample 4 --isolation none", 1))
			switch name {
			case "competition":
				next += " --var wall_time=1s"
			case "quickstart":
				pipeline := filepath.Join(dir, "my quickstart", "competition.hcl")
				text, err := os.ReadFile(pipeline)
				if err != nil {
					t.Fatal(err)
				}
				small := strings.Replace(string(text), `path = "release"`, "path = \"release\"\n  only = [\"LIA\"]", 1)
				writeFiles(t, dir, map[string]string{"my quickstart/competition.hcl": small})
			}
			out := commandIn(t, dir, template.codes, "sh", "-c", next)
			if !strings.Contains(out, template.want) {
				t.Errorf("%s prints no %q:\n%s", next, template.want, out)
			}
		})
	}
}

// commandIn executes a command in a folder and returns its output. The exit code must be one of the given codes.
func commandIn(t *testing.T, dir, codes, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); !strings.Contains(codes, string(rune('0'+code))) {
		t.Fatalf("%s %q: exit code %d\n%s", name, args, code, out)
	}
	return string(out)
}

// TestFirstScreen checks that the suggested commands depend on the folder.
func TestFirstScreen(t *testing.T) {
	for file, want := range map[string]string{"nothing": "smtpipe init quickstart", "competition.hcl": "smtpipe plan ",
		"smtpipe.lock.hcl": "smtpipe verify ."} {
		dir := t.TempDir()
		writeFiles(t, dir, map[string]string{file: ""})
		t.Chdir(dir)
		stdout, _ := smtpipe(t)
		if !strings.Contains(stdout, "\n  "+want) || strings.Count(stdout, "\n  smtpipe ") != 3 {
			t.Errorf("beside %s:\n%s", file, stdout)
		}
	}
}
