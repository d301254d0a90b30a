package scoreio

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestExamples compares whole results with another program's, number by number. That program allows a solver that
// solved nothing to win, and does not state why nobody wins.
func TestExamples(t *testing.T) {
	for _, year := range []string{"2008", "2015", "2019", "2022", "2026"} {
		t.Run(year, func(t *testing.T) {
			dir := testkit.Shared(t, "reference", "score-examples")
			rs := ruleSet(t, year)
			runs, _, err := ReadRunsFile(dir+"/runs-"+year+".csv", nil)
			if err != nil {
				t.Fatal(err)
			}
			literal := score.Readings{Values: map[string]string{"nothing_solved": "order"}}
			res, err := score.Compute(context.Background(), rs, runs, literal)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ResultJSON(rs, res, rules.Readings())
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(dir + "/scores-" + year + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var a, b map[string]any
			if err := json.Unmarshal(got, &a); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(want, &b); err != nil {
				t.Fatal(err)
			}
			for _, d := range slices.Compact(differences("", any(a), any(b))) {
				t.Error(d)
			}
			// Everything in the result must also be in the example.
			for _, d := range slices.Compact(differences("", any(b), any(a))) {
				ours := d == "/format is missing" || d == "/readings/nothing_solved is missing"
				if !ours && !strings.HasSuffix(d, "/no_winner is missing") {
					t.Error("beside the example: ", d)
				}
			}
		})
	}
}

// differences returns the paths at which two JSON values differ. Numbers may differ by a relative 1e-9.
func differences(path string, got, want any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: got %v, want an object", path, got)}
		}
		var out []string
		for k := range w {
			if _, ok := g[k]; !ok {
				out = append(out, fmt.Sprintf("%s/%s is missing", path, k))
				continue
			}
			out = append(out, differences(path+"/"+k, g[k], w[k])...)
		}
		slices.Sort(out)
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
		}
		var out []string
		for i := range w {
			out = append(out, differences(fmt.Sprintf("%s[%d]", path, i), g[i], w[i])...)
		}
		return out
	case float64:
		g, ok := got.(float64)
		if !ok || math.Abs(g-w) > 1e-9*max(1, math.Abs(w)) {
			return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
		}
		return nil
	}
	if got != want {
		return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
	}
	return nil
}
