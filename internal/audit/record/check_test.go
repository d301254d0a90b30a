package record

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// line returns a line. The pairs are its figures.
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

// site is a consistent division of two logics with an overview.
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

// TestCheck changes one thing in a consistent site, and exactly that is found.
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
		got, n, err := m.Check("single-query", false)
		if err != nil || n < 28 {
			t.Errorf("%s: %d comparisons, %v", name, n, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// TestCheckDraw compares the number of benchmarks with the list of selected ones, excluding those that were removed.
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
		got, n, err := m.Check("unsat-core", false)
		if diff := cmp.Diff(want, got); diff != "" || n == 0 || err != nil {
			t.Errorf("%d benchmarks: %d, %v, -want +got\n%s", benchmarks, n, err, diff)
		}
	}
}
