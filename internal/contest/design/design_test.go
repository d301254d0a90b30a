package design

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// solver returns how many seconds an invented solver takes for its answer, or 0 if it does not answer.
type solver struct {
	name  string
	after func(family, benchmark int) float64
	wrong func(family, benchmark int) bool
}

const limit = 1000 // in seconds

// runsOf creates the solvers' runs on families of ten benchmarks of unknown status, alternating between the logics
// QF_LIA and QF_IDL. Each run uses four cores.
func runsOf(t *testing.T, families int, solvers ...solver) *score.Runs {
	t.Helper()
	var b score.Builder
	for f := range families {
		for i := range 10 {
			for _, s := range solvers {
				row := score.Row{Identity: run.Identity{Track: "single_query", Solver: s.name,
					Benchmark: fmt.Sprintf("f%02d/%d.smt2", f, i), Logic: []string{"QF_LIA", "QF_IDL"}[i%2]},
					Subject: run.Subject{Division: "QF_LinearIntArith", Status: "sat"},
					Entrant: run.Entrant{Team: s.name, Competitive: true},
					Rest:    score.Rest{Limit: limit * score.Second, Cores: 4, Recorded: score.NoRecord}}
				after := s.after(f, i)
				row.Answer = "sat"
				if s.wrong != nil && s.wrong(f, i) {
					row.Answer = "unsat"
				}
				if after == 0 {
					after, row.Answer = limit, "unknown"
				}
				row.Wall, row.CPU = score.Time(after*float64(score.Second)), score.Time(after*float64(score.Second))
				if err := b.Add(&row); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return b.Runs()
}

func always(after float64) func(int, int) float64 { return func(int, int) float64 { return after } }

func ruleSet(t testing.TB) *score.RuleSet {
	t.Helper()
	rs, _, diags := rules.FindScoring("2022", "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return rs
}

func planned(t *testing.T, runs *score.Runs, limits ...score.Time) Plan {
	t.Helper()
	plans, err := Of(context.Background(), ruleSet(t), score.Readings{}, runs, Options{
		Limits: append([]score.Time{}, limits...), Certainty: 0.95, Draws: 400, Seed: 1, Workers: 2,
		Progress: func() {}})
	if err != nil {
		t.Fatal(err)
	}
	if len(plans) != 1 || len(plans[0].Limits) != len(limits)+1 || len(plans[0].Limits[0].Divisions) != 1 {
		t.Fatalf("plans of other tracks, limits or divisions: %+v", plans)
	}
	return plans[0]
}

// TestClear: A solves all 200 benchmarks in 100 s and B none, so the smallest share is enough: 4 of the 100 in each
// logic (3.125 rounded up). The runs reserved 200·4·(100 + 1000) s = 244.4 h. With a limit of 500 s they reserve
// 200·4·(100 + 500) s = 133.3 h. With 50 s, too short to solve anything, they reserve 200·4·(50 + 50) s = 22.2 h.
func TestClear(t *testing.T) {
	p := planned(t, runsOf(t, 20, solver{name: "A", after: always(100)}, solver{name: "B", after: always(0)}),
		500*score.Second, 50*score.Second)
	if benchmarks, hours := p.All(); benchmarks != 200 || math.Abs(hours-244.44) > 0.01 {
		t.Errorf("all: %d benchmarks and %v h, want 200 and 244.44", benchmarks, hours)
	}
	for i, want := range []struct {
		share, hours float64
		needed       int
	}{{0.03125, 244.44 * 0.03125, 4}, {0.03125, 133.33 * 0.03125, 4}, {0, 22.222, 100}} {
		d := p.Limits[i].Divisions[0]
		if d.Share != want.share || math.Abs(d.CoreHours-want.hours) > 0.01 ||
			!cmp.Equal(d.Needed, map[string]int{"QF_LIA": want.needed, "QF_IDL": want.needed}) {
			t.Errorf("limit %v: %+v, want %+v", p.Limits[i].LimitS, d, want)
		}
	}
	if p.Best() != 1 {
		t.Errorf("the best limit is %v, want 500 s", p.Limits[p.Best()].LimitS)
	}
}

// TestClose: A solves the even families and one more benchmark, B the odd families. About half of the family draws have
// a different winner, whatever subset of the benchmarks is used, so all benchmarks are needed.
func TestClose(t *testing.T) {
	half := func(odd int) func(int, int) float64 {
		return func(f, i int) float64 {
			if f%2 == odd || odd == 0 && f == 1 && i == 0 {
				return 1
			}
			return 0
		}
	}
	p := planned(t, runsOf(t, 20, solver{name: "A", after: half(0)}, solver{name: "B", after: half(1)}))
	if d := p.Limits[0].Divisions[0]; d.Share != 1 || *d.Certainty != 1 || d.Needed["QF_IDL"] != 100 {
		t.Errorf("%+v, want all benchmarks", d)
	}
}

// TestOtherWinner: A solves everything in 100 s, B four of five benchmarks in 1 s. Within 10 s only B solves anything.
func TestOtherWinner(t *testing.T) {
	most := func(f, _ int) float64 {
		if f%5 == 0 {
			return 0
		}
		return 1
	}
	p := planned(t, runsOf(t, 20, solver{name: "A", after: always(100)}, solver{name: "B", after: most}),
		10*score.Second)
	if d := p.Limits[1].Divisions[0]; d.Kept() || d.Needed["QF_LIA"] != 100 {
		t.Errorf("%+v, want that A does not win, and all benchmarks", d)
	}
	if p.Best() != 0 || p.Limits[0].Kept() != 1 {
		t.Errorf("the limit is to stay: %+v", p)
	}
}

// TestFewFamilies: four families are too few to judge subsets of the benchmarks.
func TestFewFamilies(t *testing.T) {
	p := planned(t, runsOf(t, 4, solver{name: "A", after: always(100)}, solver{name: "B", after: always(0)}),
		500*score.Second)
	for i := range p.Limits {
		if d := p.Limits[i].Divisions[0]; d.Share != 1 || d.Certainty != nil {
			t.Errorf("%+v, want all benchmarks and no certainty", d)
		}
	}
}

// TestDraw: A solves six of ten benchmarks and B the other four. Of the C(10,5) = 252 samples of five, A leads in
// C(6,3)·C(4,2) + C(6,4)·C(4,1) + C(6,5) = 120 + 60 + 6 = 186, or 73.8 %.
func TestDraw(t *testing.T) {
	solves := func(of bool) func(int, int) float64 {
		return func(_, i int) float64 {
			if i < 6 == of {
				return 1
			}
			return 0
		}
	}
	runs := runsOf(t, 1, solver{name: "A", after: solves(true)}, solver{name: "B", after: solves(false)})
	err := Points(context.Background(), ruleSet(t), score.Readings{}, runs, "", func(p *score.Points) error {
		for i := range p.Logics {
			p.Logics[i] = "QF_LIA" // a sample of all ten benchmarks
		}
		d := newDivision(p)
		got := d.draw(context.Background(), Options{Seed: 3}, d.families, 20000, false, []float64{1, 0.5})[0]
		if math.Abs(got[0]-1) > 1e-9 || math.Abs(got[1]-186.0/252) > 0.012 { // four standard deviations
			t.Errorf("got %v, want 1 and %v", got, 186.0/252)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoTime checks that runs whose times are zero, and so cost nothing, save nothing.
func TestNoTime(t *testing.T) {
	const none = 1e-13 // an answer, with a time that is rounded to zero
	wrong := func(int, int) bool { return true }
	runs := runsOf(t, 20, solver{name: "A", after: always(none)}, solver{name: "B", after: always(none), wrong: wrong})
	var b strings.Builder
	p := planned(t, runs, 500*score.Second)
	if err := p.WriteText(&b, 0); err != nil || strings.Contains(b.String(), "NaN") {
		t.Errorf("%v\n%s", err, b.String())
	}
	checks, err := CheckHalves(context.Background(), ruleSet(t), score.Readings{}, runs, Options{
		Limits: []score.Time{}, Certainty: 0.95, Draws: 10, Seed: 1, Workers: 2, Progress: func() {}})
	if err != nil || len(checks) != 1 || checks[0].CoreHours != checks[0].Benchmarks {
		t.Errorf("%+v, %v", checks, err)
	}
}

// TestLogics checks that each prefix of a shuffled division contains the same share of every logic, within one
// benchmark.
func TestLogics(t *testing.T) {
	runs := runsOf(t, 20, solver{name: "A", after: always(1)}, solver{name: "B", after: always(0)})
	err := Points(context.Background(), ruleSet(t), score.Readings{}, runs, "", func(p *score.Points) error {
		d := newDivision(p)
		all := make([]int, len(p.Benchmarks))
		for i := range all {
			all[i] = i
		}
		d.shuffle(newRandom(1), all)
		count := map[string]int{}
		for i, b := range all {
			count[p.Logics[b]]++
			if n := count["QF_LIA"]; n > i/2+2 || n < i/2-1 {
				t.Fatalf("%d of the first %d are in QF_LIA", n, i+1)
			}
		}
		if !cmp.Equal(count, map[string]int{"QF_LIA": 100, "QF_IDL": 100}) {
			t.Errorf("shuffled: %v", count)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHalves checks that, with sizes suggested by half of the 2022 families, about 95 % of the draws have the other
// half's winners. In some divisions the halves have different winners, so this holds only on average.
func TestHalves(t *testing.T) {
	draws := 100
	if os.Getenv("SMTPIPE_LONG") != "" {
		draws = 1000
	}
	o, err := scoreio.ReadOfficial(testkit.Shared(t, "official-results", "2022-single-query"), rules.PublishedOf)
	if err != nil {
		t.Fatal(err)
	}
	checks, err := CheckHalves(context.Background(), ruleSet(t), score.Readings{}, o.Runs, Options{
		Limits: []score.Time{}, Certainty: 0.95, Draws: draws, Seed: 1, Workers: 2, Progress: func() {}})
	if err != nil {
		t.Fatal(err)
	}
	c := checks[0]
	t.Logf("%+v", c)
	if c.Divisions < 15 || c.Kept < 0.93 || c.CoreHours > 0.8 {
		t.Errorf("%d divisions keep their winners in %.3f of the draws with %.2f of the core hours", c.Divisions, c.Kept,
			c.CoreHours)
	}
}
