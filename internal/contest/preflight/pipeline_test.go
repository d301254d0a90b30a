package preflight_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/contest/preflight"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestStrangePaths checks that a path is evaluated neither as a template nor as a pattern.
func TestStrangePaths(t *testing.T) {
	dir := t.TempDir()
	release := filepath.Join(dir, `%{if "a"} [1]`)
	archives := filepath.Join(release, "non-incremental")
	if err := os.MkdirAll(archives, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(archives, "QF_BV.tar.${x}"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	trial := &preflight.Trial{Year: 2026, Rules: dir + "/${a}", Release: release, Sample: 1,
		Logics:  map[string][]comp.Logic{"single_query": {"QF_BV"}},
		Answers: []string{dir + "/${b}"}, AnswersYear: 2025}
	if err := trial.Write(dir); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(dir, "pipeline.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(src), "QF_BV.tar.") {
		t.Errorf("the archive of the release is missing in\n%s", src)
	}
	file, diags := hclsource.Parse(src, "pipeline.hcl")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for _, b := range file.Body.(*hclsyntax.Body).Blocks[:3] { // competition, locals and the import of answers
		for name, a := range b.Body.Attributes {
			if _, diags := a.Expr.Value(nil); diags.HasErrors() {
				t.Errorf("%s of %s: %v", name, b.Type, diags)
			}
		}
	}
}
