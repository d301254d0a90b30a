package scoreio

import (
	"math"
	"strconv"
	"strings"
)

// limit is a difference from published tables that the archived files make unavoidable. Empty fields match anything.
type limit struct {
	year                     int
	track, kind, table, view string
	row                      string
	columns                  []string
	by                       float64 // if not zero: computed minus published is exactly this
	why                      string
}

const (
	cutFiles  = "the archived files are cut at T for the parallel view"
	noEndings = "the archived files do not say how runs ended"
	noRuns    = "no run of any entrant is in the files"
)

// limits are the known limits of the official data, one by one.
var limits = []limit{
	// 2022 single query: csv files cut for the parallel view, so that the CPU clock sees other times.
	{year: 2022, track: "single-query", view: "sequential", columns: []string{"cpu", "wall"}, why: cutFiles},
	{year: 2022, track: "single-query", columns: []string{"timeout", "memout"}, why: noEndings},
	{year: 2022, track: "single-query", kind: "division", table: "QF_Bitvec", view: "sequential", row: "Yices2",
		columns: []string{"correct", "solved", "solved_sat"}, by: -1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "division", table: "QF_Bitvec", view: "sequential", row: "Yices2",
		columns: []string{"unsolved"}, by: 1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "QF_BV", view: "sequential", row: "Yices2",
		columns: []string{"correct", "solved", "solved_sat"}, by: -1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "QF_BV", view: "sequential", row: "Yices2",
		columns: []string{"unsolved"}, by: 1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "division", table: "QF_NonLinearIntArith", view: "sequential",
		row: "MathSAT", columns: []string{"correct", "solved", "solved_sat"}, by: -1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "division", table: "QF_NonLinearIntArith", view: "sequential",
		row: "MathSAT", columns: []string{"unsolved"}, by: 1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "QF_NIA", view: "sequential", row: "MathSAT",
		columns: []string{"correct", "solved", "solved_sat"}, by: -1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "QF_NIA", view: "sequential", row: "MathSAT",
		columns: []string{"unsolved"}, by: 1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "division", table: "QF_NonLinearIntArith", view: "sequential",
		row: "Yices-ismt", columns: []string{"correct", "solved", "solved_unsat"}, by: -1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "division", table: "QF_NonLinearIntArith", view: "sequential",
		row: "Yices-ismt", columns: []string{"unsolved"}, by: 1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "QF_NIA", view: "sequential", row: "Yices-ismt",
		columns: []string{"correct", "solved", "solved_unsat"}, by: -1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "QF_NIA", view: "sequential", row: "Yices-ismt",
		columns: []string{"unsolved"}, by: 1, why: cutFiles},
	{year: 2022, track: "single-query", kind: "division", table: "QF_LinearRealArith", view: "sequential",
		row: "2021-Yices2", columns: []string{"place"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "division", table: "QF_LinearRealArith", view: "sequential",
		row: "Yices2", columns: []string{"place"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "ABV", view: "sequential", row: "2021-cvc5",
		columns: []string{"place"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "ABV", view: "sequential", row: "cvc5",
		columns: []string{"place"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "AUFDTLIA", view: "sequential", row: "cvc5",
		columns: []string{"place"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "AUFDTLIA", view: "sequential", row: "2020-CVC4",
		columns: []string{"place"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "QF_RDL", view: "sequential", row: "2021-Yices2",
		columns: []string{"place"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "logic", table: "QF_RDL", view: "sequential", row: "Yices2",
		columns: []string{"place"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "recognition", table: "biggest_lead", view: "sequential",
		columns: []string{"time_score"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "recognition", table: "biggest_lead", view: "sequential",
		row: "QF_Bitvec Bitwuzla", columns: []string{"score", "place"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "recognition", table: "biggest_lead", view: "sequential",
		row: "QF_LinearRealArith Yices2", columns: []string{"place"}, why: cutFiles},
	{year: 2022, track: "single-query", kind: "recognition", table: "largest_contribution", view: "sequential",
		row: "QF_Bitvec Bitwuzla", columns: []string{"score", "time_score"}, why: cutFiles},

	// 2023 single query: files of the same kind.
	{year: 2023, track: "single-query", view: "sequential", columns: []string{"cpu", "wall"}, why: cutFiles},
	{year: 2023, track: "single-query", columns: []string{"timeout", "memout"}, why: noEndings},
	{year: 2023, track: "single-query", view: "sequential", columns: []string{"correct", "solved", "solved_sat",
		"solved_unsat"}, by: -1, why: cutFiles},
	{year: 2023, track: "single-query", view: "sequential", columns: []string{"unsolved"}, by: 1, why: cutFiles},
	{year: 2023, track: "single-query", kind: "recognition", view: "sequential", columns: []string{"time_score"},
		why: cutFiles},

	// 2024 parallel: divisions of which nothing was run.
	{year: 2024, track: "parallel", kind: "division", table: "QF_Equality_LinearArith", why: noRuns},
	{year: 2024, track: "parallel", kind: "division", table: "QF_NonLinearIntArith", why: noRuns},
	{year: 2024, track: "parallel", kind: "division", table: "QF_NonLinearRealArith", why: noRuns},
	{year: 2024, track: "parallel", kind: "logic", table: "QF_ALIA", why: noRuns},
	{year: 2024, track: "parallel", kind: "logic", table: "QF_NIA", why: noRuns},
	{year: 2024, track: "parallel", kind: "logic", table: "QF_NRA", why: noRuns},
	{year: 2024, track: "parallel", kind: "logic", table: "QF_UFIDL", why: noRuns},
	{year: 2024, track: "parallel", kind: "logic", table: "QF_UFLIA", why: noRuns},
	{year: 2024, track: "parallel", kind: "logic", table: "QF_UFLRA", why: noRuns},

	// 2024 unsat core: one selected benchmark of QF_BV has no run of any solver.
	{year: 2024, track: "unsat-core", kind: "division", table: "QF_Bitvec", columns: []string{"n_benchmarks",
		"unsolved", "abstained", "logic"}, by: -1, why: "one selected benchmark has no run of any solver"},
	{year: 2024, track: "unsat-core", kind: "logic", table: "QF_BV", columns: []string{"n_benchmarks", "unsolved",
		"abstained"}, by: -1, why: "one selected benchmark has no run of any solver"},

	// 2024 cloud: the selection of the parallel track was used as well, and is not in the files (D-2024-5).
	{year: 2024, track: "cloud", columns: []string{"n_benchmarks", "unsolved", "abstained", "logic"},
		why: "the selection of both tracks was used (D-2024-5)"},

	{year: 2024, track: "cloud", kind: "division", columns: []string{""}, why: noRuns},
	{year: 2024, track: "cloud", kind: "logic", columns: []string{""}, why: noRuns},
	// In 24 s the second of this division is a solver without a run, for two benchmarks that nothing was run on
	// (D-2024-6).
	{year: 2024, track: "cloud", kind: "recognition", table: "biggest_lead", view: "twentyfour",
		row: "QF_LinearRealArith SMTS", columns: []string{""}, why: noRuns},
	{year: 2024, track: "cloud", kind: "recognition", table: "biggest_lead", view: "twentyfour",
		row: "QF_LinearIntArith SMTS", columns: []string{"place"}, by: -1, why: "a line before it is missing"},
	{year: 2024, track: "cloud", kind: "recognition", table: "biggest_lead", view: "twentyfour",
		row: "QF_NonLinearRealArith Z3-Parti-Z3++", columns: []string{"place"}, by: -1,
		why: "a line before it is missing"},

	// 2017 application: the files hold a broken run of one solver that the pages have a rerun of.
	{year: 2017, track: "application", row: "z3-4.5.0",
		why: "the archived runs of this solver are not those of the page"},
}

// knownLimit says why a difference is expected, or nothing.
func (o *Official) knownLimit(d *Difference) string {
	for i := range limits {
		if l := &limits[i]; l.covers(o, d) {
			return l.why
		}
	}
	return ""
}

// unknownRow reports whether no cell of a solver is known, wherever it stands.
func (o *Official) unknownRow(solver string) bool {
	for i := range limits {
		if l := &limits[i]; l.year == o.Year && l.track == o.Track && l.row == solver && l.table == "" &&
			l.columns == nil {
			return true
		}
	}
	return false
}

func (l *limit) covers(o *Official, d *Difference) bool {
	match := func(pattern, s string) bool { return pattern == "" || pattern == s }
	if l.year != o.Year || l.track != o.Track || !match(l.kind, d.Kind) || !match(l.table, d.Table) ||
		!match(l.view, d.View) || !match(l.row, d.Row) {
		return false
	}
	if l.columns != nil && !strings.Contains("\n"+strings.Join(l.columns, "\n")+"\n", "\n"+d.Column+"\n") {
		return false
	}
	if (l.columns == nil && l.row == "" || l.why == noRuns) && d.Got != "nothing" {
		return false // a table or row is known to be absent, not to be wrong
	}
	return l.by == 0 || math.Abs(l.by-d.change()) < 1e-9
}

// change is computed minus published, or NaN.
func (d *Difference) change() float64 {
	got, err := strconv.ParseFloat(d.Got, 64)
	if err != nil {
		return math.NaN()
	}
	want, err := strconv.ParseFloat(d.Want, 64)
	if err != nil {
		return math.NaN()
	}
	return got - want
}
