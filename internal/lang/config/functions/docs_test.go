package functions

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLanguagePage compares the function table in docs/write/language.md with the code.
func TestLanguagePage(t *testing.T) {
	t.Parallel()
	const page, begin, end = "../../../../docs/write/language.md", "<!-- functions -->\n", "<!-- end of functions -->"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(b), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the functions", page)
	}
	var w strings.Builder
	group := ""
	for _, d := range Docs() {
		if d.Group != group {
			group = d.Group
			w.WriteString("\n### " + group + "\n\n| function | |\n|---|---|\n")
		}
		w.WriteString("| `" + d.Signature + "` | " + d.Text + " |\n")
	}
	w.WriteString("\n")
	if want := w.String(); got != want {
		if os.Getenv("SMTPIPE_UPDATE") == "1" {
			if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Errorf("%s is stale; SMTPIPE_UPDATE=1 go test ./internal/lang/config/functions writes it (-page +code):\n%s", page,
			cmp.Diff(got, want))
	}
}
