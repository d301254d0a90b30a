package admission

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAdmitted checks that every reason is reported with its section and with what the entrant still takes part in. The
// numbers of all entrants count towards the seed, except those of solvers that do not compete (SMT-COMP 2026 rules, §6
// "Pseudo-random numbers": of all entrants other than the organisers'). All of them are executed and ranked (§3
// "Derived solver scoring").
func TestAdmitted(t *testing.T) {
	f := Field{Reasons: map[string]Rule{
		"comparison": {Section: `§6 "Competitive Divisions"`, Runs: true, Ranked: true},
		"portfolio":  {Section: `§4 "Portfolio Solver"`, Seed: true, Runs: true, Ranked: true},
		"no_base":    {Section: `§4 "Derived Tool"`, Seed: true, Runs: true, Ranked: true},
	}, Track: "single_query", BaseMustEnter: true, PortfolioTracks: []string{"parallel", "cloud"}}
	f.Entrants = []Entrant{
		{Solver: "Plain", Competes: true},
		{Solver: "Plain-New", Base: "Plain", Competes: true},
		{Solver: "Mix", Competes: true, Portfolio: true},
		{Solver: "Lost", Base: "Gone", Portfolio: true,
			Given: []Reason{{Kind: Barred, Text: "the organisers said so"}}},
		{Solver: "A", Base: "B", Competes: true},
		{Solver: "B", Base: "A", Competes: true},
	}
	everybody := func(int) bool { return true }
	for name, test := range map[string]struct {
		of      int
		entered func(int) bool
		want    Admission
	}{
		"no reason":     {0, everybody, Admission{nil, Effects{true, true, true, true}}},
		"with its base": {1, everybody, Admission{nil, Effects{true, true, true, true}}},
		"its base does not play": {1, func(i int) bool { return i > 0 }, Admission{[]Reason{{NoBase, `§4 "Derived Tool"`,
			"its base solver Plain is not there", false}}, Effects{true, true, false, true}}},
		"portfolio": {2, everybody, Admission{[]Reason{{Portfolio, `§4 "Portfolio Solver"`,
			"a portfolio solver may not enter the track single_query; the rules open only parallel and cloud to them", false}},
			Effects{true, true, false, true}}},
		"everything": {3, everybody, Admission{[]Reason{
			{Comparison, `§6 "Competitive Divisions"`, "its authors did not submit it to compete", false},
			{Barred, "", "the organisers said so", false},
			{Portfolio, `§4 "Portfolio Solver"`,
				"a portfolio solver may not enter the track single_query; the rules open only parallel and cloud to them", false},
			{NoBase, `§4 "Derived Tool"`, "its base solver Gone is not there", false},
		}, Effects{false, true, false, true}}},
		"a circle": {4, everybody, Admission{[]Reason{{NoBase, `§4 "Derived Tool"`, "it is its own base solver", false}},
			Effects{true, true, false, true}}},
	} {
		got := f.Admitted(test.of, test.entered)
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(Reason{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	f.PortfolioTracks = nil
	if got := f.Admitted(2, everybody); len(got.Reasons) > 0 {
		t.Errorf("rules without a word about portfolio solvers: %v", got)
	}
	f.PortfolioTracks = []string{}
	if got := f.Admitted(2, everybody); got.Refused() != "a portfolio solver may not enter the track single_query; the "+
		"rules open no track to them" {
		t.Errorf("no track is open: %v", got)
	}
}
