package score

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChanges compares two results that differ in figures, winners and a recognition. Without CPU times, c is ignored.
func TestChanges(t *testing.T) {
	result := func(noCPU bool, n int64, cpu Time, winners ...Winner) *Result {
		return &Result{Tracks: []*TrackResult{{Name: "single_query", NoCPU: noCPU,
			Divisions: []*DivisionResult{{Name: "D", Rankings: []*Ranking{{View: "par", Winners: []string{"A"},
				Entries: []Entry{{Solver: "A", Rank: 1, Cell: Cell{Correct: n, CPU: sumOf(cpu)}}}}}}},
			Recognitions: []RecognitionResult{{Name: "biggest_lead", Views: []RecognitionView{
				{View: "par", Winners: winners}}}},
		}}}
	}
	for _, test := range []struct {
		name     string
		from, to *Result
		want     []string
	}{
		{"nothing", result(false, 3, Second), result(false, 3, Second), nil},
		{"a count", result(false, 3, Second), result(false, 4, Second),
			[]string{"single_query/D/par/A/n: 3 → 4"}},
		{"CPU time", result(false, 3, Second), result(false, 3, 2*Second),
			[]string{"single_query/D/par/A/c: 1 → 2"}},
		{"CPU time that was not recorded", result(true, 3, Second), result(true, 3, 2*Second), nil},
		{"a new recognition", result(false, 3, Second), result(false, 3, Second, Winner{"D", "A"}),
			[]string{"single_query/par/biggest_lead: nothing → D A"}},
		{"another recognition", result(false, 3, Second, Winner{"D", "A"}),
			result(false, 3, Second, Winner{"D", "A"}, Winner{Solver: "B"}),
			[]string{"single_query/par/biggest_lead: D A → D A, B"}},
	} {
		var got []string
		for _, c := range Changes(test.from, test.to) {
			got = append(got, c.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
	}
}
