package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestExperimental checks the divisions and tracks that the rules documents call experimental. 2015, §3 and §7:
// floating point; 2019, §3: strings, and §5.6: models; 2022, §3: models of floating point and proofs, §5.6 and §5.7:
// parallel and cloud; 2026, §5.5: models of non-linear arithmetic, arrays and datatypes, §5.6: parallel. 2022, §3, also
// states what was experimental in 2021.
func TestExperimental(t *testing.T) {
	t.Parallel()
	const all = "(all)"
	for year, want := range map[string]map[string]string{
		"2008": {},
		"2015": {"single_query": "QF_BVFP QF_FP"},
		"2019": {"single_query": "QF_S QF_SLIA", "unsat_core": "QF_S QF_SLIA", "model_validation": all},
		"2021": {"model_validation": "QF_Equality QF_Equality+Bitvec QF_Equality+LinearArith", "proof": all,
			"parallel": all, "cloud": all},
		"2022": {"model_validation": "QF_FPArith", "proof": all, "parallel": all, "cloud": all},
		"2026": {"model_validation": "QF_ADT+BitVec QF_ADT+LinArith QF_Datatypes QF_Equality+NonLinearArith " +
			"QF_NonLinearIntArith QF_NonLinearRealArith", "parallel": all},
	} {
		r, diags := Load(year, "")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		for _, track := range r.Divisions.Tracks() {
			var got []string
			of := r.Divisions.Divisions(track)
			for _, d := range of {
				if r.Divisions.Experimental(track, d.Name) {
					got = append(got, string(d.Name))
				}
			}
			if want[track] == all && len(got) == len(of) {
				continue
			}
			if text := strings.Join(got, " "); text != want[track] {
				t.Errorf("%s, %s: %q, want %q", year, track, text, want[track])
			}
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		year  int
		track string
		logic comp.Logic
		want  comp.Division // expected division; empty: none
	}{
		{"a division is a logic in 2015", 2015, "main", "QF_BV", "QF_BV"},
		{"the name of today for the main track", 2015, "single_query", "QF_BV", "QF_BV"},
		{"the application track", 2015, "application", "QF_UFLRA", "QF_UFLRA"},
		{"challenge of 2019", 2019, "challenge_incremental", "QF_ABV", "QF_ABV"},
		{"the track of both challenges", 2019, "IndustryChallenge", "QF_AUFBV", "QF_AUFBV"},
		{"a logic that it lacks", 2019, "industry_challenge", "QF_LIA", ""},
		{"several logics from 2021 on", 2022, "single_query", "QF_RDL", "QF_LinearRealArith"},
		{"names with a plus", 2026, "single_query", "UFBVDTNIA", "Equality+MachineArith"},
		{"one of the five logics that came in 2025", 2024, "single_query", "UFBVDTNIA", ""},
		{"three parts", 2026, "incremental", "QF_BVLRA", "QF_Equality+Bitvec+Arith"},
		{"the same logic in another track", 2026, "model_validation", "QF_UFBVDT", "QF_ADT+BitVec"},
		{"the organisers' name of the track", 2026, "SingleQuery", "QF_S", "QF_Strings"},
		{"a logic that is in no division", 2026, "single_query", "QF_NOTHING", ""},
		{"no such track", 2026, "quantum", "QF_BV", ""},
		{"no rules of the year", 2014, "single_query", "QF_BV", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			table, _ := divisionsOf(tt.year)
			got, ok := table.Of(tt.track, tt.logic)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Of(%d, %s, %s) = %q, %v; want %q", tt.year, tt.track, tt.logic, got, ok, tt.want)
			}
		})
	}
}

// TestCounts checks the numbers of divisions and logics by year and track, counted in the organisers' tables.
func TestCounts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		year              int
		track             string
		divisions, logics int
	}{
		{2015, "main", 40, 40}, {2015, "application", 14, 14},
		{2019, "single_query", 55, 55}, {2019, "incremental", 28, 28}, {2019, "model_validation", 1, 1},
		{2022, "single_query", 19, 78}, {2022, "incremental", 17, 39}, {2022, "model_validation", 7, 16},
		{2022, "cloud", 19, 78},
		{2024, "single_query", 19, 84}, {2024, "model_validation", 13, 38},
		{2025, "parallel", 19, 89}, {2026, "single_query", 19, 89}, {2026, "unsat_core", 19, 89},
		{2026, "incremental", 17, 39},
	}
	for _, tt := range tests {
		year, ok := divisionsOf(tt.year)
		if !ok {
			t.Fatalf("no data of %d", tt.year)
		}
		logics := 0
		for _, d := range year.Divisions(tt.track) {
			logics += len(d.Logics)
			if !slices.IsSorted(d.Logics) {
				t.Errorf("%d %s %s: logics are not sorted", tt.year, tt.track, d.Name)
			}
		}
		if got := len(year.Divisions(tt.track)); got != tt.divisions || logics != tt.logics {
			t.Errorf("%d %s: %d divisions, %d logics; want %d, %d", tt.year, tt.track, got, logics, tt.divisions,
				tt.logics)
		}
	}
}

// TestAgainstOrganisers compares with the organisers' tables if they are available.
func TestAgainstOrganisers(t *testing.T) {
	t.Parallel()
	names := map[string]string{"proof-exhibition": "proof"}
	for _, y := range []int{2015, 2019, 2022, 2024, 2025, 2026} {
		b, err := os.ReadFile(testkit.Shared(t, fmt.Sprintf("divisions/%d.json", y)))
		if err != nil {
			t.Fatal(err)
		}
		var theirs struct {
			DivisionNames map[string]string              `json:"division_names"`
			Tracks        map[string]map[string][]string `json:"tracks"`
			// Published is set only in 2019. Some of the divisions had no entrants.
			Published map[string][]string `json:"published_divisions"`
		}
		if err := json.Unmarshal(b, &theirs); err != nil {
			t.Fatal(err)
		}
		year, _ := divisionsOf(y)
		if theirs.Tracks["challenge-incremental"] != nil { // two tables for one track (SMT-COMP 2019 rules, §5.4)
			theirs.Tracks["industry-challenge"] = theirs.Tracks["challenge-incremental"]
		}
		if y == 2026 { // the organisers' table has five other tracks (SMT-COMP 2026 rules, §3)
			delete(theirs.Tracks, "cloud")
			delete(theirs.Tracks, "proof-exhibition")
		}
		if got, want := len(year.Tracks()), len(theirs.Tracks); got != want {
			t.Errorf("%d: %d tracks, theirs %d", y, got, want)
		}
		for track, divisions := range theirs.Tracks {
			ours := names[track]
			if ours == "" {
				ours = strings.ReplaceAll(track, "-", "_")
			}
			got, want := map[string][]string{}, map[string][]string{}
			for _, d := range year.Divisions(ours) {
				for _, l := range d.Logics {
					got[string(d.Name)] = append(got[string(d.Name)], string(l))
				}
			}
			for d, logics := range divisions {
				if name := theirs.DivisionNames[d]; name != "" {
					d = name
				}
				want[d] = slices.Sorted(slices.Values(logics))
			}
			for _, d := range theirs.Published[track] {
				want[d] = []string{d}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d %s (-theirs +ours):\n%s", y, track, diff)
			}
		}
	}
}

// divisionsOf returns a built-in year's divisions.
func divisionsOf(year int) (divisions.Table, bool) {
	name := strconv.Itoa(year)
	if !IsBuiltin(name) {
		return divisions.Table{}, false
	}
	r, diags := builtin(name)
	return r.Divisions, !diags.HasErrors()
}
