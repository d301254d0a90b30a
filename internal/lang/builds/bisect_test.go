package builds

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestLikeBad has a good and a bad run, and one of a build between, within 10 seconds. A time of zero is no answer.
func TestLikeBad(t *testing.T) {
	x := &Bisection{Lab: &Lab{Limits: comp.Limits{WallTime: 10 * time.Second}}}
	ran := func(answer string, seconds float64) (r compare.Run) {
		if seconds > 0 {
			r.Answer, r.CPUTimeS, r.WallTimeS = answer, run.Seconds(seconds), run.Seconds(seconds)
		}
		return r
	}
	for _, m := range []struct {
		name            string
		good, bad       compare.Run
		between         compare.Run
		differ, likeBad bool
	}{
		{"lost, and has it", ran("sat", 1), ran("", 0), ran("sat", 2), true, false},
		{"lost, and lost it", ran("sat", 1), ran("", 0), ran("", 0), true, true},
		{"lost near the limit", ran("sat", 9), ran("", 0), ran("sat", 9), false, false},
		{"slower, and as fast", ran("sat", 1), ran("sat", 2), ran("sat", 1.3), true, false},
		{"slower, and as slow", ran("sat", 1), ran("sat", 2), ran("sat", 1.5), true, true},
		{"a little slower", ran("sat", 1), ran("sat", 1.4), ran("sat", 1.4), false, false},
		{"too short to tell", ran("sat", 0.001), ran("sat", 0.009), ran("sat", 0.009), false, false},
		{"wrong, and right", ran("sat", 1), ran("unsat", 1), ran("sat", 5), true, false},
		{"wrong, and wrong", ran("sat", 1), ran("unsat", 1), ran("unsat", 5), true, true},
		{"faster", ran("sat", 2), ran("sat", 1), ran("sat", 1), false, false},
		{"gained", ran("", 0), ran("sat", 1), ran("", 0), false, false},
		{"the same, and none under this seed", ran("sat", 1), ran("sat", 1), ran("", 0), false, true},
	} {
		p := compare.Pair{Benchmark: compare.Benchmark{Status: "sat"}, A: m.good, B: m.bad}
		if got := x.differ(p); got != m.differ {
			t.Errorf("%s: differ is %t", m.name, got)
		}
		if got := x.likeBad(p, m.between); got != m.likeBad {
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

// TestOnlyProgram: a wheel has libraries of other systems that may be executed, too.
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
