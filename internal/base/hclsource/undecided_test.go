package hclsource

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUndecided checks that every value that names a year is marked until it is decided, and that each mark causes a
// warning at its position.
func TestUndecided(t *testing.T) {
	const src = `# Rules of 2026.
rules {
  year     = 2027
  document = "SMT-COMP 2026 rules" # cited
  factor   = 100
  cite     = "D-2024-1"
  program  = ["2027/smt12", "z3"]
}
entrants {
  first = "2026-05-27" # Deadlines
  years = [
    2023,
    2024,
  ]
}
`
	const want = `# Rules of 2026.
rules {
  year     = 2027
  # undecided: as in SMT-COMP 2026
  document = "SMT-COMP 2026 rules" # cited
  factor   = 100
  cite     = "D-2024-1"
  program  = ["2027/smt12", "z3"]
}
entrants {
  # undecided: in SMT-COMP 2026, first = "2026-05-27" # Deadlines
  # undecided: as in SMT-COMP 2026
  years = [
    2023,
    2024,
  ]
}
`
	got, err := MarkUndecided([]byte(src), "SMT-COMP 2026", "2027")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Fatalf("marked (-want +got):\n%s", diff)
	}
	var places []string
	for _, d := range Undecided(got, "x.hcl") {
		places = append(places, fmt.Sprintf("%d-%d %s", d.Subject.Start.Line, d.Subject.End.Line, d.Detail[:19]))
	}
	wantPlaces := []string{"4-5 Decide the line bel", "11-11 Decide the attribut", "12-13 Decide the line bel"}
	if diff := cmp.Diff(wantPlaces, places); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if diags := Undecided([]byte("a = \"# undecided\"\n"), "x.hcl"); diags != nil {
		t.Errorf("a text is not a comment: %v", diags)
	}
}
