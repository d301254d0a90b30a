package scoreio

import (
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// TestDerivedBetterThanTheirBase checks that the table of derived solvers lists only solvers that are better than their
// base in some division (SMT-COMP 2026 rules, §7.5).
func TestDerivedBetterThanTheirBase(t *testing.T) {
	view := score.RecognitionView{Entries: []score.RecognitionEntry{{Solver: "a-worse"},
		{Solver: "b-better", Eligible: true}}}
	result := &score.Result{Tracks: []*score.TrackResult{{Name: "single_query", Recognitions: []score.RecognitionResult{
		{Kind: "derived_any_division", Name: "derived_any_division", Views: []score.RecognitionView{view}},
		{Kind: "breadth", Name: "breadth", Views: []score.RecognitionView{view}}}}}}
	var got []string
	for _, r := range RecognitionRows(result, &score.RuleSet{}) {
		got = append(got, r.Kind+" "+r.Solver)
	}
	want := []string{"derived_any_division b-better", "breadth a-worse", "breadth b-better"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(view.Entries) != 2 {
		t.Error("the result has lost an entry")
	}
}
