package scoreio

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestProductOfCoresAndLimit: on a large machine, m times T exceeds an int64 of picoseconds (256 * 43,200 s = 128
// days).
func TestProductOfCoresAndLimit(t *testing.T) {
	runs := handRuns(t, `x A sat sat 43000 43210 m=256 T=43200
x B sat sat 43000 123200 m=256 T=43200
x C sat unknown 43000 9000000 m=256 T=43200`)
	for _, test := range []struct{ rules, view, want string }{
		{"2015", "par", "1 A 0 1 43000 43210\n2 B 0 1 43000 123200\n3 C 0 0 43000 9000000\n"},
		{"2022", "par", "1 A 0 1 43000 43210\n2 B 0 1 43000 123200\n3 C 0 0 43000 9000000\n"},
		// c: cpu_s; for C, 2 * 256 * 43200.
		{"2026", "par2", "1 A 0 1 43000 43210\n2 B 0 1 43000 123200\n3 C 0 0 86400 22118400\n"},
	} {
		_, res := compute(t, test.rules, runs)
		r := division(res, "D").Ranking(test.view)
		if got := rankingLines(r); got != test.want || len(r.Winners) != 1 || r.Winners[0] != "A" {
			t.Errorf("rules %s, %s: won by %v\n%s\nwant\n%s", test.rules, test.view, r.Winners, got, test.want)
		}
	}
}

// TestComparisonsOfTimesAreExact: m times T is exact even if T is not a double: 3 * 0.7 is 2.1, and c = 2.1 is within
// it (SMT-COMP 2026 rules, §7.1).
func TestComparisonsOfTimesAreExact(t *testing.T) {
	_, res := compute(t, "2026", handRuns(t, "x A sat sat 0.7 2.1 m=3 T=0.7\nx B sat sat 0.7 2.100000000001 m=3 T=0.7"))
	if got := rankingLines(division(res, "D").Ranking("par")); got != "1 B 0 1 0.7 0\n2 A 0 1 0.7 2.1\n" {
		t.Error(got)
	}
	// Indistinguishable as doubles: 43200.000000000001 s is after 43200 s.
	_, res = compute(t, "2015", handRuns(t, "x A sat sat 43200 5 T=43200\nx B sat sat 43200.000000000001 5 T=43200"))
	if got := rankingLines(division(res, "D").Ranking("par")); got != "1 A 0 1 43200 5\n2 B 0 0 43200 5\n" {
		t.Error(got)
	}
}

// bigRun is a run with its times in picoseconds.
type bigRun struct {
	answer          string // answer on a satisfiable benchmark
	wall, cpu, T, m *big.Int
}

// bigScore is a benchmark score, or a sum of benchmark scores.
type bigScore struct {
	e, n int64
	w, c *big.Int
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func product(a *big.Int, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }

var zero = new(big.Int)

// ofText returns a run's benchmark score as the rules define it: 2015, §7.1, §7.2; 2019 and 2022, §7.1, §7.1.1, §7.2.3;
// 2026, §7.1, §7.1.1, §7.2.2, §7.2.4.
func (r bigRun) ofText(year, view string) bigScore {
	limit := r.T
	if view == "24s" {
		limit = smaller(r.T, big.NewInt(24e12))
	}
	late := r.wall.Cmp(limit) > 0
	// Since 2019, a late answer counts, but not after the 24-seconds score's cut.
	counts := !late || year != "2015" && limit.Cmp(r.T) == 0
	var s bigScore
	if counts && r.answer == "sat" {
		s.n = 1
	} else if counts && r.answer == "unsat" {
		s.e = 1
	}
	all := product(r.m, limit)
	s.w, s.c = smaller(r.wall, limit), smaller(r.cpu, all)
	if year == "2026" {
		actual := bigScore{w: s.w, c: s.c}
		if s.n == 0 || late {
			s.w = zero
		}
		if s.n == 0 || r.cpu.Cmp(all) > 0 {
			s.c = zero
		}
		if view == "par2" {
			s.w, s.c = actual.w, actual.c
			if s.n == 0 {
				s.w, s.c = product(big.NewInt(2), r.T), product(big.NewInt(2), all)
			}
		}
	}
	if view == "seq" && r.cpu.Cmp(r.T) > 0 {
		s.e, s.n = 0, 0
		s.c = zero
		if year != "2026" {
			s.c = r.T
		}
	}
	return s
}

func (s bigScore) better(o bigScore, view string) bool {
	switch {
	case s.e != o.e:
		return s.e < o.e
	case s.n != o.n:
		return s.n > o.n
	case view != "seq" && s.w.Cmp(o.w) != 0:
		return s.w.Cmp(o.w) < 0
	}
	return s.c.Cmp(o.c) < 0
}

func secondsOf(ps *big.Int) string {
	text := new(big.Rat).SetFrac(ps, big.NewInt(1e12)).FloatString(12)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// randomBig returns a time of any order of magnitude up to most, or one equal or adjacent to a bound.
func randomBig(rnd *rand.Rand, most *big.Int, bounds ...*big.Int) *big.Int {
	if len(bounds) > 0 && rnd.IntN(2) == 0 {
		at := new(big.Int).Add(bounds[rnd.IntN(len(bounds))], big.NewInt(rnd.Int64N(3)-1))
		if at.Sign() >= 0 && at.Cmp(most) <= 0 {
			return at
		}
	}
	bits := uint(rnd.IntN(63))
	return smaller(new(big.Int).Rsh(big.NewInt(rnd.Int64()), bits), most)
}

// TestTimesAgainstBig checks that every sum and rank equals the rules' result in exact arithmetic, for all values of T,
// m and times that a table can contain.
func TestTimesAgainstBig(t *testing.T) {
	views := map[string][]string{
		"2015": {"par", "seq"}, "2019": {"par", "seq", "24s"}, "2022": {"par", "seq", "24s"},
		"2026": {"par", "seq", "24s", "par2"},
	}
	longest := product(big.NewInt(106*24*3600), big.NewInt(1e12)) // 106 days
	for _, seed := range testkit.Sample(60, 20) {
		rnd := rand.New(rand.NewPCG(uint64(seed), 16))
		limit := randomBig(rnd, longest)
		limit.Add(limit, big.NewInt(1))
		limit = smaller(limit, longest)
		cores := big.NewInt([]int64{1, 3, 4, 256, 1 << 20, 1 + rnd.Int64N(1<<20)}[rnd.IntN(6)])
		runs := map[string][]bigRun{}
		var lines strings.Builder
		for s := range 5 {
			name := fmt.Sprint("S", s)
			for b := range 40 {
				r := bigRun{[]string{"sat", "sat", "sat", "unknown", "unsat"}[rnd.IntN(5-s%2)],
					randomBig(rnd, longest, limit, big.NewInt(24e12)),
					randomBig(rnd, longest, limit, product(limit, cores), product(big.NewInt(24e12), cores)), limit,
					cores}
				runs[name] = append(runs[name], r)
				fmt.Fprintf(&lines, "b%d %s sat %s %s %s m=%s T=%s\n", b, name, r.answer, secondsOf(r.wall),
					secondsOf(r.cpu), r.m, secondsOf(r.T))
			}
		}
		table := handRuns(t, lines.String())
		for year, names := range views {
			_, res := compute(t, year, table)
			for _, view := range names {
				checkAgainstBig(t, fmt.Sprintf("seed %d, %s, %s", seed, year, view), division(res, "D").Ranking(view),
					runs, year, view)
			}
		}
	}
}

func checkAgainstBig(t *testing.T, what string, got *score.Ranking, runs map[string][]bigRun, year, view string) {
	t.Helper()
	sums := map[string]bigScore{}
	for name, list := range runs {
		sum := bigScore{w: new(big.Int), c: new(big.Int)}
		for _, r := range list {
			x := r.ofText(year, view)
			sum.e, sum.n = sum.e+x.e, sum.n+x.n
			sum.w.Add(sum.w, x.w)
			sum.c.Add(sum.c, x.c)
		}
		sums[name] = sum
	}
	for _, e := range got.Entries {
		want := sums[e.Solver]
		wall := e.Cell.Wall.String()
		if view == "seq" { // it has no wall time
			wall = secondsOf(want.w)
		}
		if e.Cell.Errors != want.e || e.Cell.Correct != want.n || wall != secondsOf(want.w) ||
			e.Cell.CPU.String() != secondsOf(want.c) {
			t.Fatalf("%s: %s has <%d, %d, %s, %s>, want <%d, %d, %s, %s>", what, e.Solver, e.Cell.Errors,
				e.Cell.Correct, wall,
				e.Cell.CPU, want.e, want.n, secondsOf(want.w), secondsOf(want.c))
		}
		rank := 1
		for _, o := range sums {
			if o.better(want, view) {
				rank++
			}
		}
		if e.Rank != rank {
			t.Fatalf("%s: %s has rank %d, want %d", what, e.Solver, e.Rank, rank)
		}
	}
	if len(got.Entries) != len(runs) || !slices.IsSortedFunc(got.Entries,
		func(a, b score.Entry) int { return a.Rank - b.Rank }) {
		t.Fatalf("%s: %d entries, in another order than their ranks", what, len(got.Entries))
	}
}
