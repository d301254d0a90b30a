package scoreio

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// TestOneView computes every view of every year alone. The result must equal the one computed with all views.
func TestOneView(t *testing.T) {
	runs := madeUp(t, 4000)
	for i := range runs.Tracks[0].Solvers {
		if s := &runs.Tracks[0].Solvers[i]; i%5 == 4 {
			s.BaseSolver = fmt.Sprint("s", i-1)
		}
	}
	for _, year := range ruleSets(t) {
		rs := ruleSet(t, year)
		whole, err := score.Compute(t.Context(), rs, runs, score.Readings{})
		if err != nil {
			t.Fatal(year, err)
		}
		for _, v := range rs.Views {
			sel := Select{View: v.Name}
			alone, err := score.Compute(t.Context(), rs.Only(v.Name, runs, true), runs, score.Readings{})
			if err != nil {
				t.Fatal(year, v.Name, err)
			}
			want, wantErr := sel.Of(whole)
			got, gotErr := sel.Of(alone)
			if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
				t.Errorf("%s: view %s: error %v, want %v", year, v.Name, gotErr, wantErr)
			}
			if wantErr != nil {
				continue
			}
			if diff := cmp.Diff(document(t, rs, want), document(t, rs, got)); diff != "" {
				t.Errorf("%s: view %s: -among all +alone\n%.2000s", year, v.Name, diff)
			}
		}
	}
}

func document(t *testing.T, rs *score.RuleSet, res *score.Result) string {
	t.Helper()
	doc, err := ResultJSON(rs, res, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}
