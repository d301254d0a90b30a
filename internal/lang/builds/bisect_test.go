package builds

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestLikeBad judges a good run, a bad run and a run of a build in between, with times up to 10 seconds. A time of zero
// means no answer.
func TestLikeBad(t *testing.T) {
	x := &Bisection{Lab: &Lab{Limits: comp.Limits{WallTime: 10 * time.Second}}}
	answers := &judge{Bisection: x}
	times := &judge{Bisection: x, times: true, slowdown: math.Log(3)}
	family := &judge{Bisection: x, times: true, family: true, slowdown: math.Log(1.2)}
	ran := func(answer string, seconds float64) (r compare.Run) {
		if seconds > 0 {
			r.Answer, r.CPUTimeS, r.WallTimeS = answer, run.Seconds(seconds), run.Seconds(seconds)
		}
		return r
	}
	for _, m := range []struct {
		by              *judge
		name            string
		good, bad       compare.Run
		between         compare.Run
		differ, likeBad bool
	}{
		{answers, "lost, and has it", ran("sat", 1), ran("", 0), ran("sat", 2), true, false},
		{answers, "lost, and lost it", ran("sat", 1), ran("", 0), ran("", 0), true, true},
		{answers, "lost near the limit", ran("sat", 9), ran("", 0), ran("sat", 9), false, false},
		{answers, "wrong, and right", ran("sat", 1), ran("unsat", 1), ran("sat", 5), true, false},
		{answers, "wrong, and wrong", ran("sat", 1), ran("unsat", 1), ran("unsat", 5), true, true},
		{answers, "wrong in place of nothing", ran("", 0), ran("unsat", 1), ran("unsat", 5), true, true},
		{answers, "gained", ran("", 0), ran("sat", 1), ran("", 0), false, false},
		{answers, "slower", ran("sat", 1), ran("sat", 2), ran("sat", 2), false, false},
		{answers, "the same, and none under this seed", ran("sat", 1), ran("sat", 1), ran("", 0), false, true},
		{times, "slower, and as fast", ran("sat", 1), ran("sat", 2), ran("sat", 1.3), true, false},
		{times, "slower, and as slow", ran("sat", 1), ran("sat", 2), ran("sat", 1.5), true, true},
		{times, "slower, and beyond the limit", ran("sat", 1), ran("sat", 2), ran("", 0), true, true},
		{family, "a family a bit slower, and as fast", ran("sat", 1), ran("sat", 1.4), ran("sat", 1.09), false, false},
		{family, "a family a bit slower, and as slow", ran("sat", 1), ran("sat", 1.4), ran("sat", 1.1), false, true},
		{family, "a family a bit slower, one run by chance", ran("sat", 1), ran("sat", 2), ran("sat", 1.1), true, true},
		{times, "too short to tell", ran("sat", 0.001), ran("sat", 0.009), ran("sat", 0.009), false, false},
		{times, "faster", ran("sat", 2), ran("sat", 1), ran("sat", 1), false, false},
	} {
		of := func(b compare.Run) compare.Pair {
			return compare.Pair{Benchmark: compare.Benchmark{Status: "sat"}, A: m.good, B: b}
		}
		differ := m.by.answersDiffer
		if m.by.times {
			differ = m.by.timesDiffer
		}
		if got := differ(of(m.bad)); got != m.differ {
			t.Errorf("%s: differ is %t", m.name, got)
		}
		if got := m.by.likeBad(of(m.bad), of(m.between)); got != m.likeBad {
			t.Errorf("%s: like the bad one is %t", m.name, got)
		}
	}
}

func TestVersions(t *testing.T) {
	want := []string{"z3-4.8.9.whl", "z3-4.8.12.whl", "z3-4.8.012.1.whl", "z3-4.13.0.whl", "z3-10.0.whl", "z4"}
	got := slices.Clone(want)
	slices.Reverse(got)
	if slices.SortFunc(got, compareVersions); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOnlyProgram checks that executable libraries for other systems, as in wheels, are ignored.
func TestOnlyProgram(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"lib/libz3.dylib": "\xcf\xfa\xed\xfe", "lib/libz3.so": "\x7fELF",
		"bin/z3": "\x7fELF"} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := onlyProgram(folder); err != nil || !slices.Equal(got, []string{"bin/z3"}) {
		t.Errorf("%q, %v", got, err)
	}
}
