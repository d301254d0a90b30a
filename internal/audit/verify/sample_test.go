package verify

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

func TestParseSample(t *testing.T) {
	for text, want := range map[string]int{"2%": 20, "0.1%": 1, "0.05%": 1, "100%": 1000, "200": 200, "5000": 1000,
		"1": 1} {
		s, err := ParseSample(text, 3)
		if err != nil || s.size(1000) != want || s.Seed != 3 {
			t.Errorf("%s of 1000 runs is %+v, %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "0%", "101%", "NaN%", "x", "2 %", "1.5"} {
		if s, err := ParseSample(text, 0); err == nil {
			t.Errorf("%q is %+v", text, s)
		}
	}
}

func TestProportional(t *testing.T) {
	tests := []struct {
		sizes []int
		n     int
		want  []int
	}{
		{[]int{10, 10}, 4, []int{2, 2}},
		{[]int{90, 10}, 10, []int{9, 1}},
		{[]int{98, 1, 1}, 3, []int{1, 1, 1}},
		{[]int{98, 1, 1}, 10, []int{8, 1, 1}},
		{[]int{5, 0, 5}, 3, []int{2, 0, 1}},
		{[]int{1, 2}, 9, []int{1, 2}},
		{[]int{7, 7, 7}, 2, []int{1, 1, 0}},
		{nil, 5, []int{}},
	}
	for _, tt := range tests {
		if got := proportional(tt.sizes, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("%d of %v is %v, want %v", tt.n, tt.sizes, got, tt.want)
		}
	}
}

// TestChoose checks that the same seed chooses the same runs, different seeds choose different runs, and every stratum
// is included.
func TestChoose(t *testing.T) {
	strata := map[stratum][][32]byte{}
	for i := range 400 {
		s := stratum{fmt.Sprint("s", i%2), fmt.Sprint("d", i%5)}
		strata[s] = append(strata[s], sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
	}
	a := (&Sample{Count: 50, Seed: 1}).choose(strata)
	for s := range strata {
		slices.Reverse(strata[s])
	}
	again := (&Sample{Count: 50, Seed: 1}).choose(strata)
	other := (&Sample{Count: 50, Seed: 2}).choose(strata)
	if len(a) != 50 || !slices.Equal(a, again) || slices.Equal(a, other) {
		t.Errorf("%d runs are chosen; again the same: %t; with another seed: %t", len(a), slices.Equal(a, again),
			slices.Equal(a, other))
	}
	for name, keys := range strata {
		n := 0
		for _, k := range keys {
			if slices.Contains(a, k) {
				n++
			}
		}
		if n != 5 {
			t.Errorf("%d runs of %v are chosen, want 5 of 40", n, name)
		}
	}
}

func TestAgree(t *testing.T) {
	ended := func(e comp.Ending) *results.RunRow {
		return &results.RunRow{Measured: run.Measured{Ending: e}}
	}
	tests := []struct {
		name      string
		a, b      comp.Ending
		then, now []string
		want      bool
	}{
		{"the same", comp.Exited, comp.Exited, []string{"sat"}, []string{"sat"}, true},
		{"another answer", comp.Exited, comp.Exited, []string{"sat"}, []string{"unsat"}, false},
		{"another answer before a timeout", comp.WallTimeout, comp.WallTimeout, []string{"sat"}, []string{"unsat"},
			false},
		{"a timeout now", comp.Exited, comp.WallTimeout, []string{"sat"}, nil, true},
		{"a timeout then", comp.CPUTimeout, comp.Exited, nil, []string{"sat"}, true},
		{"out of memory now", comp.Exited, comp.OutOfMemory, []string{"sat"}, nil, true},
		{"silence now", comp.Exited, comp.Exited, []string{"sat"}, nil, false},
		{"a crash now", comp.Exited, comp.Signalled, []string{"sat"}, nil, false},
		{"a timeout then is no excuse for silence now", comp.WallTimeout, comp.Exited, []string{"sat"}, nil, false},
		{"fewer checks before a timeout", comp.Exited, comp.WallTimeout, []string{"sat", "unsat"}, []string{"sat"},
			true},
		{"unknown now", comp.Exited, comp.Exited, []string{"sat"}, []string{"unknown"}, false},
		{"nothing twice", comp.Exited, comp.WallTimeout, nil, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Agree(ended(tt.a), ended(tt.b), tt.then, tt.now); got != tt.want {
				t.Errorf("they agree: %t", got)
			}
		})
	}
}
