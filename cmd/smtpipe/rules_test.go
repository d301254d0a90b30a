package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
)

// runRules executes "rules ARGS" and returns the output and the exit code.
func runRules(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := newRulesCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	var out, errs bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	err := cmd.ExecuteContext(t.Context())
	report(&errs, err)
	return out.String(), errs.String(), exitCode(err)
}

func TestRulesCommand(t *testing.T) {
	out, _, code := runRules(t, "list")
	if code != exit.Done || strings.Count(out, "\n") != len(rules.Names()) ||
		!strings.HasPrefix(out, "2008  SMT-COMP 2008  ") {
		t.Errorf("list: exit %d\n%s", code, out)
	}
	out, _, code = runRules(t, "show", "2026")
	for _, want := range []string{"late_answer=text|drop", "D-2024-9", "§7.2.2", "best_overall"} {
		if code != exit.Done || !strings.Contains(out, want) {
			t.Errorf("show 2026 says nothing of %s", want)
		}
	}
	mine := filepath.Join(t.TempDir(), "my.rules.hcl")
	if _, errs, code := runRules(t, "export", "2026", "-o", mine); code != exit.Done {
		t.Fatal(errs)
	}
	if out, errs, code := runRules(t, "show", mine); code != exit.Done || !strings.Contains(out, "SMT-COMP 2026") {
		t.Errorf("a copy cannot be shown: %s", errs)
	}
	src, err := os.ReadFile(mine)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, bytes.Replace(src, []byte("r.wall_s > T"), []byte("r.walltime > T"), 1),
		0o600); err != nil {
		t.Fatal(err)
	}
	_, errs, code := runRules(t, "show", mine)
	if code != exit.Error || !strings.Contains(errs, "r.walltime > T") || !strings.Contains(errs,
		"my.rules.hcl line ") {
		t.Errorf("a mistake is not shown with its line: exit %d\n%s", code, errs)
	}
	if _, errs, code := runRules(t, "export", "1998"); code != exit.Usage ||
		!strings.Contains(errs, "2008, 2015, 2016,") {
		t.Errorf("export 1998: exit %d, %s", code, errs)
	}
}
