package record

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// line returns a line with the given pairs of names and figures.
func line(solver string, competing bool, pairs string) Row {
	r := Row{Solver: solver, Competing: competing, Figures: map[string]float64{}}
	for pair := range strings.FieldsSeq(pairs) {
		name, n, _ := strings.Cut(pair, "=")
		var f float64
		fmt.Sscan(n, &f)
		r.Figures[name] = f
	}
	return r
}

// site returns the pages of a consistent division with two logics and an overview.
func site() *Material {
	page := func(kind, name string, benchmarks int, rows ...Row) *Page {
		p := newPage(kind, "single-query")
		p.Name, p.Benchmarks, p.Views["parallel"], p.Winners["parallel"] = name, benchmarks, rows, "B"
		return p
	}
	division := page(Division, "Arith", 5,
		line("N", false, "correct=5 solved=5 solved_sat=2 solved_unsat=3 wall=1"), line("B", true, "correct=4 wall=2"),
		line("A", true, "correct=4 wall=3"))
	division.Logics = map[string]int{"LIA": 2, "LRA": 3}
	overview := newPage(Overview, "single-query")
	overview.Orders = []Order{{Division: "Arith", View: "parallel", Benchmarks: 5, HasWinner: true, Winner: "B",
		Solvers: []string{"N", "B", "A"}}}
	return &Material{Pages: map[string][]*Page{"single-query": {division, overview,
		page(Logic, "LIA", 2, line("N", false, "correct=2 solved=2 solved_sat=2"), line("B", true, "correct=2"),
			line("A", true, "correct=2")),
		page(Logic, "LRA", 3, line("N", false, "correct=3 solved=3 solved_unsat=3"), line("B", true, "correct=2"),
			line("A", true, "correct=2")),
	}}, Listed: map[string]bool{"A": true, "B": true, "N": true}}
}

// TestCheck changes single values in a consistent site: the check must find exactly the change.
func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		change func(division, overview *Page, m *Material)
		want   []Finding
	}{
		"nothing": {func(*Page, *Page, *Material) {}, nil},
		"a winner": {func(d, _ *Page, _ *Material) { d.Winners["parallel"] = "A" }, []Finding{
			{"Arith", "parallel / overview / winner", "A", "B"}, {"Arith", "parallel / winner", "B", "A"}}},
		"an order": {func(d, _ *Page, _ *Material) { d.Views["parallel"][1].Figures["wall"] = 4 }, []Finding{
			{"Arith", "parallel / order", "A before B", "B before A"},
			{"Arith", "parallel / overview / order", "A before B", "B before A"}}},
		"a size": {func(d, _ *Page, _ *Material) { d.Logics["LIA"] = 1; d.Benchmarks = 4 }, []Finding{
			{"Arith", "LIA / logic", "2", "1"}, {"Arith", "n_benchmarks, in the overview", "5", "4"}}},
		"a sum": {func(d, _ *Page, _ *Material) { d.Views["parallel"][2].Figures["correct"] = 3 }, []Finding{
			{"Arith", "parallel / A / correct, of its logics", "4", "3"}}},
		"parts of a line": {func(d, _ *Page, _ *Material) { d.Views["parallel"][0].Figures["solved"] = 6 }, []Finding{
			{"Arith", "parallel / N / solved, of its logics", "5", "6"},
			{"Arith", "parallel / N / solved, sat and unsat", "5", "6"}}},
		"a name": {func(_, _ *Page, m *Material) { delete(m.Listed, "N") }, []Finding{
			{"Arith", "N", "no solver in the lists", "a line"}, {"LIA", "N", "no solver in the lists", "a line"},
			{"LRA", "N", "no solver in the lists", "a line"}}},
		"submissions": {func(_, _ *Page, m *Material) {
			m.Submitted, m.Drawn = Entered{}, Entered{}
			for _, group := range []string{"Arith", "LIA", "LRA"} {
				for _, name := range []string{"A", "B", "N"} {
					m.Submitted[[3]string{"single_query", group, name}] = true
				}
			}
			delete(m.Submitted, [3]string{"single_query", "LIA", "A"})
			delete(m.Submitted, [3]string{"single_query", "LRA", "B"})
			m.Drawn[[3]string{"single_query", "LRA", "B"}] = true
			m.Submitted[[3]string{"single_query", "LRA", "C"}] = true
		}, []Finding{{"LIA", "A, in the submissions", "nothing", "a line"},
			{"LRA", "B, in the submissions", "a submission of the draw only", "a line"},
			{"LRA", "C, in the submissions", "a submission", "nothing"}}},
		"a name in the overview": {func(_, o *Page, _ *Material) { o.Orders[0].Solvers[2] = "C" }, []Finding{
			{"Arith", "parallel / overview / A", "a line", "nothing"},
			{"Arith", "parallel / overview / C", "nothing", "place 3"}}},
		"another form": {func(d, _ *Page, m *Material) {
			other := *d
			other.Views = map[string][]Row{"parallel": {line("N", false, "correct=5"), line("B", true, "correct=9"),
				line("A", true, "")}}
			m.Twins = append(m.Twins, [2]*Page{d, &other})
		}, []Finding{{"Arith", "parallel / B / correct, twice", "4", "9"}}},
	} {
		m := site()
		test.change(m.Pages["single-query"][0], m.Pages["single-query"][1], m)
		got, n, err := m.Check("single-query", false, "")
		if err != nil || n < 28 {
			t.Errorf("%s: %d comparisons, %v", name, n, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// TestCheckDraw compares the number of benchmarks with the list of selected benchmarks, excluding removed ones.
func TestCheckDraw(t *testing.T) {
	paths := write(t, map[string]string{
		"2020/selected_benchmarks/benchmark_selection_unsat_core_2020.tar!list": "/non-incremental/UF/f/a.smt2\n" +
			"/non-incremental/UF/f/b.smt2\n/non-incremental/UF/f/c.smt2\n",
		"2020/selected_benchmarks/benchmark_excluded_nonincremental_2020.txt": "UF/f/b.smt2\n",
		"_results_2020/UF-unsat-core.md":                                      unsatCorePage,
	})
	const place = "n_benchmarks, in the list of selected benchmarks"
	for benchmarks, want := range map[int][]Finding{2: nil, 3: {{"UF", place, "2", "3"}}} {
		m, err := Gather(paths, 2020)
		if err != nil {
			t.Fatal(err)
		}
		m.Pages["unsat-core"][0].Benchmarks = benchmarks
		got, n, err := m.Check("unsat-core", false, "")
		if diff := cmp.Diff(want, got); diff != "" || n == 0 || err != nil {
			t.Errorf("%d benchmarks: %d, %v, -want +got\n%s", benchmarks, n, err, diff)
		}
	}
}

// TestWide compares competition-wide scores with those of two divisions, which have 100 and 10 benchmarks.
//
//	A  sound:  (50/100)² ln 100 + (10/10)² ln 10 = 0.25 * 4.60517 + 2.302585 = 3.4539
//	B  2 errors in the first, and n = 5 in the other: -2 * 4.60517 + 0.25 * 2.302585 = -8.6347 by the rules of 2016,
//	   -4 * 4.60517 + 0.5756 = -17.8450 by those of 2017
func TestWide(t *testing.T) {
	const html = `<h2>Competition-Wide Scoring for the Main Track</h2><table>
<tr><th>Sequential Performances</th><th>Parallel Performances</th></tr><tr><td><table></table></td><td><table>
<tr><td><b>Rank</b></td><td><b>Solver</b></td><td><b>Score</b></td></tr>
<tr><td>-</td><td>a<sup>n</sup></td><td>3.45</td></tr><tr><td>1</td><td>B</td><td>-8.63</td></tr></table></td></tr>` + "</table>"
	page := func(name string, benchmarks int, a, b string) *Page {
		p := newPage(Division, "main")
		p.Name, p.Benchmarks = name, benchmarks
		p.Views["sequential"] = []Row{line("A", false, a), line("B", true, b)}
		return p
	}
	p, err := parse("x/2016/results/competition-main.html", []byte(strings.Replace(html, "<table></table>",
		"<table><tr><td>Rank</td><td>Solver</td><td>Score</td></tr><tr><td>-</td><td>a<sup>n</sup></td><td>3.45</td></tr>"+
			"<tr><td>1</td><td>B</td><td>-8.63</td></tr></table>", 1)))
	if err != nil {
		t.Fatal(err)
	}
	delete(p.Views, "parallel")
	uncontested := page("QF_FP", 1000, "correct=1000", "correct=1000")
	uncontested.Uncontested = true
	m := &Material{Pages: map[string][]*Page{"main": {p, uncontested,
		page("LRA", 100, "correct=50", "correct=90 error=2"), page("UF", 10, "correct=10", "correct=5")}}}
	for penalty, want := range map[string][]Finding{
		"": nil, "-e": nil, "-4": {{"competition_wide", "sequential / B / score", "-17.85", "-8.63"}},
	} {
		got, _, err := m.Check("main", true, penalty)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, -want +got\n%s", penalty, err, diff)
		}
	}
}
