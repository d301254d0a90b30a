package compare

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// seeded returns a benchmark's pairs from two texts with a letter for each seed: "s" is sat, "u" unsat, and "." no
// answer. The k-th run of A takes k seconds, the k-th run of B twice as long.
func seeded(path, status, a, b string) (pairs []Pair) {
	said := map[byte]string{'s': "sat", 'u': "unsat", '.': ""}
	for i := range a {
		p := Pair{Benchmark: Benchmark{Path: path, Logic: "QF_UF", Family: "f", Status: status, Seed: int64(i + 1)},
			A: Run{Answer: said[a[i]]}, B: Run{Answer: said[b[i]]}, Interleaved: true}
		p.A.WallTimeS, p.B.WallTimeS = run.Seconds(i+1), run.Seconds(2*i+2)
		pairs = append(pairs, p)
	}
	return pairs
}

func TestBySeeds(t *testing.T) {
	for _, m := range []struct {
		a, b, status string
		want         Spread
		agree        bool
		found        string // kind of the merged pair's finding; empty: none
		wall         float64
	}{
		{"sss", "sss", "sat", Spread{A: 3, B: 3, Class: Stable}, true, "", 2},
		{"...", "...", "sat", Spread{Class: Stable}, true, "", 1},
		{"sss", "...", "sat", Spread{A: 3, Class: Lost}, false, Lost, 3},
		{"...", "sss", "sat", Spread{B: 3, Class: Gained}, false, Gained, 1},
		{"sss", "s.s", "sat", Spread{A: 3, B: 2, Class: Unstable}, false, "", 2},
		{"s..", "...", "sat", Spread{A: 1, Class: Unstable}, false, "", 1},
		{"s..", ".s.", "sat", Spread{A: 1, B: 1, Class: Unstable}, false, "", 1},
		{"sss", "ssu", "sat", Spread{A: 3, B: 2, Class: Unstable}, false, Wrong, 3},
		{"sss", "ssu", "unknown", Spread{A: 3, B: 3, Class: Stable}, false, Disagrees, 3},
	} {
		pairs := seeded("b.smt2", m.status, m.a, m.b)
		merged, st := BySeeds(pairs)
		m.want.Benchmark, m.want.Seeds = "b.smt2", 3
		if got := spreadOf(pairs); got != m.want {
			t.Errorf("%s %s: %+v, want %+v", m.a, m.b, got, m.want)
		}
		if Agree(pairs) != m.agree || len(merged) != 1 || (st.Stable == 1) != (m.want.Class == Stable) {
			t.Errorf("%s %s: agree is %t, %+v", m.a, m.b, !m.agree, st)
		}
		f, found := find(merged[0], Options{WallTime: time.Hour})
		if found != (m.found != "") || f.Kind != m.found || float64(merged[0].A.WallTimeS) != m.wall {
			t.Errorf("%s %s: %+v, want %q after %v s", m.a, m.b, f, m.found, m.wall)
		}
	}
}

// TestLessStable checks that one unstable benchmark is chance. If all eight benchmarks are answered under fewer seeds,
// the sign test returns 2/256, which Holm's method multiplies by the report's four tests.
func TestLessStable(t *testing.T) {
	for _, m := range []struct {
		fewer, more int
		want        string
	}{
		{1, 0, ""}, {5, 0, ""}, {4, 4, ""}, {0, 8, ""},
		{8, 0, "stability: 8 unstable benchmarks are answered for fewer seeds, 0 for more, p 0.031"},
	} {
		var pairs []Pair
		for i := range m.fewer {
			pairs = append(pairs, seeded("f"+string(rune('a'+i)), "sat", "ssss", "s.s.")...)
		}
		for i := range m.more {
			pairs = append(pairs, seeded("m"+string(rune('a'+i)), "sat", "s.s.", "ssss")...)
		}
		r := Compare(pairs, Options{Alpha: 0.05, Slower: 9, MoreMemory: 9, WallTime: time.Hour})
		if got := strings.Join(r.Reasons, "; "); got != m.want || len(r.Pairs) != m.fewer+m.more {
			t.Errorf("%d fewer, %d more: %q of %d pairs", m.fewer, m.more, got, len(r.Pairs))
		}
	}
}

func TestSeeds(t *testing.T) {
	few, many := Seeds(7, 3), Seeds(7, 50)
	if diff := cmp.Diff(few, many[:3]); diff != "" || slices.Equal(few, Seeds(8, 3)) {
		t.Error(diff)
	}
	seen := map[int64]bool{}
	for _, s := range many {
		if seen[s] || s < 1 || s > 1<<31-1 {
			t.Errorf("seed %d", s)
		}
		seen[s] = true
	}
}

// TestBusyMachine checks that time spent waiting for a CPU supports no claim about wall time, and that time beyond it
// does.
func TestBusyMachine(t *testing.T) {
	for _, m := range []struct {
		name    string
		busy    int     // number of pairs in which B waited
		wait    float64 // in seconds
		gained  bool
		reasons string
		heads   string
	}{
		{"quiet", 0, 0, false, "wall time", "Regression"},
		{"a pair of twenty", 1, 1, false, "wall time", "Regression"},
		{"all of it was waiting", 20, 1, false, "", "No regression"},
		{"half of it was waiting", 20, 0.5, false, "wall time less waits", "Regression"},
		{"more answers", 0, 0, true, "wall time", "More answers, with regressions"},
	} {
		var pairs []Pair
		for i := range 20 {
			p := Pair{Benchmark: Benchmark{Path: string(rune('a' + i)), Logic: "QF_UF", Status: "sat"},
				Interleaved: true,
				A:           Run{Answer: "sat"}, B: Run{Answer: "sat"}}
			p.A.WallTimeS, p.B.WallTimeS = 1, 2
			if i < m.busy {
				p.B.Wait = run.Seconds(m.wait)
			}
			pairs = append(pairs, p)
		}
		if m.gained {
			pairs = append(pairs, Pair{Benchmark: Benchmark{Path: "z", Logic: "QF_UF"}, B: Run{Answer: "sat"}})
		}
		r := Compare(pairs, Options{Alpha: 0.05, Slower: 0.05, MoreMemory: 0.2, WallTime: time.Hour})
		if !strings.HasPrefix(strings.Join(r.Reasons, "; "), m.reasons) || (m.reasons == "") != (len(r.Reasons) == 0) ||
			!strings.HasPrefix(r.Headline(), m.heads) {
			t.Errorf("%s: %q, %s", m.name, r.Reasons, r.Headline())
		}
	}
}
