package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/examples/quickstart"
)

// TestInstalled checks that solvers that are not installed are omitted, unless that would leave none, and that
// solvers that a pipeline would not find, as in a virtual environment, are named by their paths.
func TestInstalled(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	pipeline, err := quickstart.Files.ReadFile("competition.hcl")
	if err != nil {
		t.Fatal(err)
	}
	const none = "none of its solvers is installed here (cvc5, z3)"
	all, notes := withInstalled(pipeline)
	if string(all) != string(pipeline) || len(notes) != 1 || !strings.Contains(notes[0], none) {
		t.Errorf("without solvers: %q", notes)
	}
	if err := os.WriteFile(filepath.Join(bin, "z3"), nil, 0o777); err != nil {
		t.Fatal(err)
	}
	some, notes := withInstalled(pipeline)
	if len(notes) != 1 || !strings.Contains(notes[0], "cvc5 is not installed") {
		t.Errorf("with z3: %q", notes)
	}
	if named := `["` + bin + `/z3", "smt.relevancy=0"`; !strings.Contains(string(some), named) {
		t.Errorf("there is no %s in\n%s", named, some)
	}
	for text, want := range map[string]bool{`solver "z3"`: true, `solver "z3-relevancy"`: true, "cvc5": false,
		"Entered by the organisers": false, `output "site"`: true} {
		if strings.Contains(string(some), text) != want {
			t.Errorf("with z3: %q is there: %v", text, !want)
		}
	}
}
