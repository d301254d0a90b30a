package record

import (
	"maps"
	"math"
	"path"
	"slices"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// weighted compares pages with results in which benchmarks are weighted by family (rules of 2016 to 2018, §7.3).
type weighted struct {
	checker
	main  bool              // whether the track judges answers instead of using the post-processor's judgement
	limit float64           // a run's time limit in seconds; 0 if no page states it
	runs  map[string][]ran  // runs by division
	at    map[[3]string]int // indexes of the runs, by logic, solver and benchmark
}

// ran is a run with its figures.
type ran struct {
	solver, benchmark, status, answer string
	wrong                             bool
	correct, wall, cpu                float64
}

// Weighted compares the figures of a track's divisions with those computed from results. lacking contains the reasons
// why pages were not compared.
func (m *Material) Weighted(r *Runs) (found []Finding, compared int, lacking map[string]string, notes []string,
	err error) {
	w := &weighted{main: r.Track == "main", runs: map[string][]ran{}, at: map[[3]string]int{}}
	for _, p := range m.Pages[r.Track] {
		w.limit = max(w.limit, float64(p.TimeLimitS)) // some pages do not state the limit
	}
	if _, notes, err = m.convert(r, w.add); err != nil {
		return nil, 0, nil, nil, err
	}
	lacking = map[string]string{}
	for _, p := range m.Pages[r.Track] {
		if why := w.page(p); why != "" {
			lacking[p.Name] = why
		}
	}
	return w.out, w.compared, lacking, notes, nil
}

// add adds a run. A repeated run replaces the earlier one.
func (w *weighted) add(cells map[string]string) error {
	number := func(name string) float64 {
		f, _ := strconv.ParseFloat(cells[name], 64) // values that the post-processor did not find are 0
		return f
	}
	x := ran{solver: cells["solver"], benchmark: cells["benchmark"], status: cells["status"], answer: cells["answer"],
		wrong: cells["error"] == "1", correct: number("n_correct"), wall: number("wall_s"), cpu: number("cpu_s")}
	if w.main && comp.Status(x.answer).Known() {
		x.wrong = comp.Status(x.status).Known() && x.answer != x.status
		x.correct = 1
	}
	if x.wrong { // §7.1
		x.correct = 0
	}
	of := cells["logic"]
	key := [3]string{of, x.solver, x.benchmark}
	if i, ok := w.at[key]; ok {
		w.runs[of][i] = x
		return nil
	}
	w.at[key] = len(w.runs[of])
	w.runs[of] = append(w.runs[of], x)
	return nil
}

// page compares a division's page, or returns the reason why it cannot.
func (w *weighted) page(p *Page) string {
	if p.Kind != Division {
		return ""
	}
	runs := w.runs[p.Name]
	if w.main {
		runs = agreed(runs)
	}
	weights, n := weigh(runs)
	if len(weights) == 0 || len(weights) < p.Benchmarks || w.limit == 0 {
		return "not all results of the division are here, or no page states the time limit"
	}
	if p.Benchmarks >= 0 {
		w.number(p.Name, "n_benchmarks", len(weights), p.Benchmarks)
	}
	for _, view := range slices.Sorted(maps.Keys(p.Views)) {
		sums := map[string]map[string]float64{}
		for i := range runs {
			x := runs[i]
			if view == "sequential" && x.cpu > w.limit { // §7.2
				x.cpu, x.correct, x.wrong = w.limit, 0, false
			}
			if sums[x.solver] == nil {
				sums[x.solver] = map[string]float64{"unsolved": n}
			}
			of, weight := sums[x.solver], weights[x.benchmark]
			if x.wrong {
				of["error"] += n * weight
			}
			if x.correct > 0 {
				of["solved"]++
				of["unsolved"]--
			}
			of["correct"] += n * weight * x.correct
			of["cpu"] += weight * x.cpu
			of["wall"] += weight * x.wall
		}
		for i := range p.Views[view] {
			w.line(p.Name, view, &p.Views[view][i], sums)
		}
		for _, solver := range slices.Sorted(maps.Keys(sums)) {
			w.same(p.Name, view+" / "+solver, "a line", "")
		}
	}
	return ""
}

// line compares a line and removes its solver from the sums.
func (w *weighted) line(table, view string, r *Row, sums map[string]map[string]float64) {
	of := sums[r.Solver]
	if delete(sums, r.Solver); of == nil {
		w.same(table, view+" / "+r.Solver, "", "a line")
		return
	}
	for _, figure := range slices.Sorted(maps.Keys(r.Figures)) {
		const printed = 0.00051 // half of the last digit, plus rounding errors of the sum
		if figure == "remaining" {
			continue // runs that had yet to be executed
		}
		made := strconv.FormatFloat(of[figure], 'f', 3, 64)
		if math.Abs(of[figure]-r.Figures[figure]) <= printed {
			made = decimal(r.Figures[figure])
		}
		w.same(table, view+" / "+r.Solver+" / "+figure, made, decimal(r.Figures[figure]))
	}
}

// agreed omits the runs on disputed benchmarks: those of unknown status on which solvers without a wrong answer in the
// division disagree (rules of 2017, §7.3).
func agreed(runs []ran) []ran {
	unsound := map[string]bool{}
	for _, x := range runs {
		unsound[x.solver] = unsound[x.solver] || x.wrong
	}
	said, disputed := map[string]string{}, map[string]bool{}
	for _, x := range runs {
		if unsound[x.solver] || comp.Status(x.status).Known() || !comp.Status(x.answer).Known() {
			continue
		}
		disputed[x.benchmark] = disputed[x.benchmark] || said[x.benchmark] != "" && said[x.benchmark] != x.answer
		said[x.benchmark] = x.answer
	}
	return slices.DeleteFunc(slices.Clone(runs), func(x ran) bool { return disputed[x.benchmark] })
}

// weigh returns the weights of the benchmarks in runs, and the number of benchmarks. A benchmark in a family of size F
// has a weight proportional to (1 + ln F) / F, and the sum of all weights is 1. As in the organisers' program, each
// folder counts as a family.
func weigh(runs []ran) (weights map[string]float64, n float64) {
	weights = map[string]float64{}
	families := map[string]float64{}
	for i := range runs {
		if _, seen := weights[runs[i].benchmark]; !seen {
			weights[runs[i].benchmark] = 0
			families[path.Dir(runs[i].benchmark)]++
		}
	}
	sum := 0.0
	for _, f := range slices.Sorted(maps.Values(families)) { // in any order, the last digit may vary
		sum += 1 + math.Log(f)
	}
	for benchmark := range weights {
		f := families[path.Dir(benchmark)]
		weights[benchmark] = (1 + math.Log(f)) / f / sum
	}
	return weights, float64(len(weights))
}
