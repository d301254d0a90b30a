package report

import (
	"context"
	"testing"
)

// TestAgainstLastYear compares the sample with figures computed by hand. This year, alpha solves 40 of 40 benchmarks,
// Beta 33, gamma-wide 26, and delta 19.
func TestAgainstLastYear(t *testing.T) {
	m, err := build(context.Background(), sample(false))
	if err != nil {
		t.Fatal(err)
	}
	s := &site{m: m}
	track := m.tracks[0]
	for _, d := range track.divisions {
		tab := s.earlierOf(d)
		if d.name != "Arith" {
			if tab != nil {
				t.Errorf("%s was not held last year, and is compared", d.name)
			}
			continue
		}
		if got, want := plainTable(tab), "Solver|Solved|Last year|Difference|Place|Last year; "+
			"alpha|100.0|50.0|+50.0|1|2; Beta|82.5|75.0|+7.5|2|1; gamma-wide|65.0|–|–|–|–; "+
			"delta|47.5|–|–|3|–; sigma|–|25.0|–|–|3"; got != want {
			t.Errorf("Arith:\n%s\nwant\n%s", got, want)
		}
	}
	if got, want := plainTable(s.earlier(track)), "Division|winner|Last year|Most solved|Most last year; "+
		"Arith|alpha|Beta|100.0|75.0"; got != want {
		t.Errorf("track:\n%s\nwant\n%s", got, want)
	}
}
