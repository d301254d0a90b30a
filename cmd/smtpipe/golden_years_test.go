package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// TestGoldenYears checks the stages of the competitions of all years, and everything that their keys will consist of,
// except programs. A year is stated as a difference from other files, whose changes must not change it unnoticed.
func TestGoldenYears(t *testing.T) {
	t.Parallel()
	dir := copyTree(t, "pipelines", "examples/quickstart/release", "examples/mini/release-2008")
	entrants := filepath.Join(dir, "entrants")
	if err := os.Mkdir(entrants, 0o777); err != nil {
		t.Fatal(err)
	}
	writeSubmissions(t, entrants, map[string][]string{"SingleQuery": {"QF_LIA", "QF_UF"},
		"UnsatCore": {"QF_UF"}})
	for _, year := range []string{"2008", "2015", "2019", "2022", "2026"} {
		t.Run(year, func(t *testing.T) {
			g := &golden{dir: dir, data: goldenData(t, "years/"+year)}
			vars := []string{"--var", "submissions=../entrants", "--var", "release=../examples/quickstart/release"}
			switch year {
			case "2008":
				vars = []string{"--var", "release=../examples/mini/release-2008"}
			case "2019":
				vars = append(vars, "--var", `challenge=["non-incremental/QF_BV/*"]`)
			}
			text, _ := smtpipe(t, append([]string{"plan", "--json", "--store", t.TempDir(), "--var",
				"nyse_opening=20000.5", "-p", filepath.Join(dir, "pipelines/competition-"+year+".hcl")}, vars...)...)
			var plan struct {
				Steps []struct {
					Address    string
					Components []struct{ Name, Value string }
				}
			}
			if err := json.Unmarshal([]byte(text), &plan); err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, s := range plan.Steps {
				var parts []string
				for _, c := range s.Components {
					if !strings.HasPrefix(c.Name, "solvers.") {
						parts = append(parts, c.Name+" "+c.Value)
					}
				}
				slices.Sort(parts)
				digest := cache.DigestOf([]byte(strings.Join(parts, "\n")))
				lines = append(lines, fmt.Sprintf("%s: %.16s", s.Address, digest))
			}
			slices.Sort(lines)
			g.compare(t, lines)
		})
	}
}
