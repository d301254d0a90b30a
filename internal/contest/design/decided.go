package design

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/contest/confidence"
	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// A winner is decided if, whatever rival wins in the end, the probability of declaring the wrong winner is at most the
// stated error. The benchmarks run so far are a random sample of the division. The number of benchmarks that only the
// winner solves, and the number that only a rival solves, have exact bounds in the division (see confidence.Most). The
// winner is ahead of the rival if the lower bound of the first number exceeds the upper bound of the second. The error
// is divided among the two bounds, the looks after each heat, and the solvers that may be declared the winner
// (Bonferroni).
//
// Wrong answers outrank all other results and are too rare to estimate from a sample. The winner alone therefore runs
// the remaining heats, which costs little. If it gives a wrong answer there, the other solvers catch up, and the
// division continues.

// rule decides a division's winner at each of several looks.
type rule struct {
	p          *score.Points
	e, n       int // positions of e and n among the ranking's keys
	benchmarks int // number of benchmarks in the whole division
	tail       float64
	known      map[[2]int]int // results of confidence.Most, by number found and sample size
}

// newRule returns nil unless the ranking starts with the numbers of wrong and correct answers.
func newRule(p *score.Points, benchmarks, looks int, wrong float64) *rule {
	r := &rule{p: p, e: -1, benchmarks: benchmarks, known: map[[2]int]int{}}
	if len(p.Order) > 0 && p.Order[0].Column == "e" {
		r.e, r.n = 0, 1
	}
	if len(p.Order) <= r.n || p.Order[r.n].Column != "n" || !p.Order[r.n].Desc {
		return nil
	}
	for _, v := range p.Correct {
		if v > 1 {
			return nil
		}
	}
	r.tail = wrong / float64(2*max(looks, 1)*max(len(r.eligible())-1, 1))
	return r
}

func (r *rule) eligible() (out []int) {
	for i := range r.p.Ranking.Entries {
		if x := &r.p.Ranking.Entries[i]; x.Rank > 0 && x.Eligible && x.Excluded == "" {
			out = append(out, i)
		}
	}
	return out
}

func (r *rule) most(found, sample int) int {
	at := [2]int{found, sample}
	v, ok := r.known[at]
	if !ok {
		v = confidence.Most(found, sample, r.benchmarks, r.tail)
		r.known[at] = v
	}
	return v
}

// tally counts a division's results after some heats.
type tally struct {
	sample int
	errors []int64 // by entry; negative, as in Points
	right  []int64 // correct answers, by entry
	// ahead[i*n+j] is the number of benchmarks that entry i solves and entry j does not.
	ahead []int
}

func newTally(entries int) *tally {
	return &tally{errors: make([]int64, entries), right: make([]int64, entries), ahead: make([]int, entries*entries)}
}

// add counts a benchmark's results.
func (t *tally) add(r *rule, benchmark int) {
	n := len(t.right)
	t.sample++
	for i := range n {
		v := r.p.At(i, benchmark)
		if r.e >= 0 {
			t.errors[i] += v[r.e]
		}
		t.right[i] += v[r.n]
		if v[r.n] == 0 {
			continue
		}
		for j := range n {
			if r.p.At(j, benchmark)[r.n] == 0 {
				t.ahead[i*n+j]++
			}
		}
	}
}

// winner returns the entry whose win is certain, or -1.
func (r *rule) winner(t *tally) int {
	entries := r.eligible()
	if len(entries) == 0 || t.sample == 0 {
		return -1
	}
	first := slices.MaxFunc(entries, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.errors[a], t.errors[b]), cmp.Compare(t.right[a], t.right[b]))
	})
	for _, rival := range entries {
		if rival != first && t.errors[rival] == t.errors[first] && !r.above(t, first, rival) {
			return -1
		}
	}
	if t.right[first] == 0 {
		return -1
	}
	return first
}

func (r *rule) above(t *tally, first, rival int) bool {
	plus, minus := t.ahead[first*len(t.right)+rival], t.ahead[rival*len(t.right)+first]
	if plus <= minus {
		return false
	}
	return r.benchmarks-r.most(t.sample-plus, t.sample) > r.most(minus, t.sample)
}

// Decision is a division whose winner is decided.
type Decision struct {
	Track      string `json:"track"`
	Division   string `json:"division"`
	View       string `json:"view"`
	Winner     string `json:"winner"`
	Run        int    `json:"benchmarks_run"` // number of benchmarks in the heats run so far
	Benchmarks int    `json:"benchmarks"`     // number of benchmarks in all heats
	// CoreHours is the cost of the remaining heats: for the winner, and for the other solvers, which can skip them.
	CoreHours      float64 `json:"core_hours"`
	CoreHoursSaved float64 `json:"core_hours_saved"`
}

// Decidable reports whether a ranking compares numbers of wrong answers and of solved benchmarks. It does not if
// solvers score points or answer more than once per benchmark, as in the incremental and the unsat-core track.
func Decidable(p *score.Points) bool { return newRule(p, len(p.Benchmarks), 1, 1) != nil }

// Decided returns nil if the winner is not decided yet. p holds the points from the heats run so far, benchmarks is the
// number of benchmarks in all heats, and looks is the number of looks: one after each heat except the last.
func Decided(p *score.Points, benchmarks, looks int, wrong float64) *Decision {
	n := len(p.Benchmarks)
	r := newRule(p, benchmarks, looks, wrong)
	if r == nil || n == 0 || n >= benchmarks {
		return nil
	}
	t := newTally(len(p.Ranking.Entries))
	for b := range n {
		t.add(r, b)
	}
	w := r.winner(t)
	if w < 0 {
		return nil
	}
	rest := float64(benchmarks-n) / float64(n)
	return &Decision{Track: p.Track, Division: p.Division.Name, View: p.Ranking.View,
		Winner: p.Ranking.Entries[w].Solver, Run: n, Benchmarks: benchmarks, CoreHours: rest * p.CoreHours[w],
		CoreHoursSaved: rest * (total(p.CoreHours) - p.CoreHours[w])}
}

// Replay reports how much stopping each division once its winner was decided would have saved.
type Replay struct {
	Track      string  `json:"track"`
	Division   string  `json:"division"`
	View       string  `json:"view"`
	Benchmarks int     `json:"benchmarks"`
	Never      bool    `json:"never,omitempty"`  // whether the winner can never be decided (see Decidable)
	Stopped    float64 `json:"stopped"`          // fraction of orders in which only the winner runs the last heat
	Wrong      float64 `json:"wrong"`            // fraction of orders in which the decided winner is not the real one
	CoreHours  float64 `json:"core_hours"`       // core hours of all runs
	Saved      float64 `json:"core_hours_saved"` // mean over the orders
}

// ReplayOptions holds the caller's choices.
type ReplayOptions struct {
	View     string // as in Options
	Heats    int    // number of equal heats
	Error    float64
	Orders   int // number of random benchmark orders
	Seed     uint64
	Workers  int
	Progress func() // called from any goroutine when a division is done
}

// Replays replays finished runs with each division's benchmarks in random orders.
func Replays(ctx context.Context, rs *score.RuleSet, rd score.Readings, runs *score.Runs, o ReplayOptions) ([]Replay,
	error) {
	var all []*score.Points
	err := Points(ctx, rs, rd, runs, o.View, func(p *score.Points) error {
		all = append(all, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]Replay, len(all))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(o.Workers, 1))
	for i, p := range all {
		group.Go(func() error {
			out[i] = replay(ctx, p, o)
			o.Progress()
			return ctx.Err()
		})
	}
	return out, group.Wait()
}

func replay(ctx context.Context, p *score.Points, o ReplayOptions) Replay {
	n := len(p.Benchmarks)
	out := Replay{Track: p.Track, Division: p.Division.Name, View: p.Ranking.View, Benchmarks: n,
		CoreHours: total(p.CoreHours)}
	r := newRule(p, n, o.Heats-1, o.Error)
	if out.Never = r == nil; out.Never {
		return out
	}
	random := confidence.Stream(o.Seed, p.Track, p.Division.Name+"\x00orders")
	for range o.Orders {
		if ctx.Err() != nil {
			break
		}
		w, run := r.play(random.Perm(n), o.Heats)
		if w < 0 {
			continue
		}
		out.Stopped++
		out.Saved += (out.CoreHours - p.CoreHours[w]) * float64(n-run) / float64(n)
		if len(p.Ranking.Winners) != 1 || p.Ranking.Winners[0] != p.Ranking.Entries[w].Solver {
			out.Wrong++
		}
	}
	for _, v := range []*float64{&out.Stopped, &out.Wrong, &out.Saved} {
		*v /= float64(o.Orders)
	}
	return out
}

// play replays the runs heat by heat. It returns the winner decided before the last heat, or -1, and how many
// benchmarks all solvers ran.
func (r *rule) play(order []int, heats int) (winner, run int) {
	t, winner := newTally(len(r.p.Ranking.Entries)), -1
	alone := 0 // benchmarks that only the winner ran
	for h := 1; h <= heats; h++ {
		end := len(order) * h / heats
		if winner >= 0 && !r.isWrong(winner, order[alone:end]) {
			alone = end
			continue
		}
		for _, b := range order[run:end] {
			t.add(r, b)
		}
		winner, run, alone = -1, end, end
		if h < heats {
			winner = r.winner(t)
		}
	}
	return winner, run
}

func (r *rule) isWrong(entry int, benchmarks []int) bool {
	return r.e >= 0 && slices.ContainsFunc(benchmarks, func(b int) bool { return r.p.At(entry, b)[r.e] < 0 })
}
