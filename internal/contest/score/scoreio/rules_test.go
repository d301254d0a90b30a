package scoreio

import (
	"io/fs"
	"path"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/pipelines"
)

// ruleSet returns a year's rule set.
func ruleSet(t testing.TB, year string) *score.RuleSet {
	t.Helper()
	rs, _, diags := rules.FindScoring(year, "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return rs
}

// ruleSets returns the years that have their own rule set.
func ruleSets(t testing.TB) []string {
	t.Helper()
	names, err := fs.Glob(pipelines.Files, "*/scoring.rules.hcl")
	if err != nil || len(names) < 5 {
		t.Fatalf("%v, %v", names, err)
	}
	for i, n := range names {
		names[i] = path.Dir(n)
	}
	return names
}
