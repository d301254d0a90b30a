package design

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// TestDecided uses numbers computed by hand, like the script "decided". If A solves all of the first 30 of 60
// benchmarks and B none, A leads by at least 55 to 5 with an error of 2.5 % on either side. If B solves 12 of the 30
// and A the other 18, no lead is certain.
func TestDecided(t *testing.T) {
	first := func(n int, then bool) func(int, int) float64 {
		return func(f, i int) float64 {
			if 10*f+i < n == then {
				return 36
			}
			return 0
		}
	}
	for _, tt := range []struct {
		name   string
		a, b   func(int, int) float64
		winner string
	}{
		{"all and none", always(36), always(0), "A"},
		{"none and all", always(0), always(36), "B"},
		{"12 and 18", first(18, true), first(18, false), ""},
		{"nobody", always(0), always(0), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runs := runsOf(t, 3, solver{name: "A", after: tt.a}, solver{name: "B", after: tt.b})
			got := &Decision{}
			err := Points(context.Background(), ruleSet(t), score.Readings{}, runs, "", func(p *score.Points) error {
				if got = Decided(p, 60, 1, 0.05); Decided(p, 30, 1, 0.05) != nil {
					t.Error("a division that is complete is said to be decided")
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if got == nil {
				got = &Decision{}
			}
			// 30 runs of 36 s and 30 of 1000 s on four cores: 1.2 and 33.3 h.
			if got.Winner != tt.winner || tt.name == "all and none" && (math.Abs(got.CoreHours-1.2) > 1e-9 ||
				math.Abs(got.CoreHoursSaved-100.0/3) > 1e-9) {
				t.Errorf("got %+v, want %q", got, tt.winner)
			}
		})
	}
}

// TestWrongAnswer: A solves everything but answers one benchmark wrong, so B wins with a fifth solved. Whenever A is
// declared the winner before its wrong answer, only A continues, and the other solvers catch up after that answer.
func TestWrongAnswer(t *testing.T) {
	fifth := func(_, i int) float64 {
		if i%5 == 0 {
			return 1
		}
		return 0
	}
	runs := runsOf(t, 30, solver{name: "A", after: always(1), wrong: func(f, i int) bool { return f == 3 && i == 3 }},
		solver{name: "B", after: fifth})
	got, err := Replays(context.Background(), ruleSet(t), score.Readings{}, runs, ReplayOptions{Heats: 10, Error: 0.05,
		Orders: 200, Seed: 1, Workers: 2, Progress: func() {}})
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if got[0].Wrong != 0 || got[0].Stopped < 0.5 {
		t.Errorf("%+v, want that B is certain in most orders, and A never to the end", got[0])
	}
}

// TestReplay checks a thousand random orders of the 2022 and 2024 runs in ten heats. The declared winner loses in at
// most 5 % of them in each division, and nearly half of 2022's core hours are saved.
func TestReplay(t *testing.T) {
	orders := 100
	if os.Getenv("SMTPIPE_LONG") != "" {
		orders = 1000
	}
	for name, least := range map[string]float64{"2022-single-query": 0.4, "2024-parallel": 0.15} {
		o, err := scoreio.ReadOfficial(testkit.Shared(t, "official-results", name), rules.PublishedOf)
		if err != nil {
			t.Fatal(err)
		}
		rs, rd, err := o.Practice()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Replays(context.Background(), rs, rd, o.Runs, ReplayOptions{Heats: 10, Error: 0.05, Orders: orders,
			Seed: 1, Workers: 2, Progress: func() {}})
		if err != nil {
			t.Fatal(err)
		}
		var hours, saved float64
		for _, r := range got {
			if r.Wrong > 0.05 {
				t.Errorf("%s: another winner in %v of the orders", r.Division, r.Wrong)
			}
			hours, saved = hours+r.CoreHours, saved+r.Saved
		}
		t.Logf("%s: %.0f of %.0f core hours saved", name, saved, hours)
		if saved < least*hours {
			t.Errorf("%s: %.0f of %.0f core hours saved", name, saved, hours)
		}
	}
}

// TestLooks: two solvers each solve half of a large division's benchmarks, and A one more. In at most 5 % of many
// divisions drawn at random, the wrong solver is declared the winner, despite nine looks.
func TestLooks(t *testing.T) {
	random := newRandom(5)
	wrong, trials := 0, 400
	for range trials {
		order := random.Perm(300)
		at := make([]int, 300)
		for place, b := range order {
			at[b] = place
		}
		solves := func(below, from int) func(int, int) float64 {
			return func(f, i int) float64 {
				if b := at[10*f+i]; b < below && b >= from {
					return 1
				}
				return 0
			}
		}
		p := onePoints(t, runsOf(t, 30, solver{name: "A", after: solves(151, 0)}, solver{name: "B",
			after: solves(300, 151)}))
		if r := newRule(p, 300, 9, 0.05); r != nil {
			if w, _ := r.play(random.Perm(300), 10); w >= 0 && p.Ranking.Entries[w].Solver != "A" {
				wrong++
			}
		}
	}
	if wrong > trials/20 {
		t.Errorf("B was called certain in %d of %d", wrong, trials)
	}
}

func onePoints(t *testing.T, runs *score.Runs) (out *score.Points) {
	t.Helper()
	if err := Points(context.Background(), ruleSet(t), score.Readings{}, runs, "", func(p *score.Points) error {
		out = p
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}
