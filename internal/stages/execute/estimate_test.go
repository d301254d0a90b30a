package execute

import (
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestLimits: 10 runs of 20 minutes on 4 cores each, 4 known, 2 at one time on 8 cores: 6 × 1200 s × 4 = 28,800 s of
// CPU time and 3 × 1200 s of wall time. A CPU time limit below 4,800 s counts instead.
func TestLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		cpu         time.Duration
		jobs        int
		executor    int
		slots       int64
		cpuS, wallS float64
	}{
		{"by cores", 0, 8, 0, 2, 28_800, 3600},
		{"with a CPU time limit", 1000 * time.Second, 8, 0, 2, 6000, 3600},
		{"a CPU time limit above all cores", 3 * time.Hour, 8, 0, 2, 28_800, 3600},
		{"fewer cores than one run wants", 0, 2, 0, 1, 28_800, 7200},
		{"an executor with one job", 0, 8, 1, 1, 28_800, 7200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			act := newBare(stages.NewArgs(nil, "", hcl.Range{}))
			act.place.Jobs = tt.executor
			act.limits = comp.Limits{WallTime: 20 * time.Minute, CPUTime: tt.cpu, Cores: 4, MemoryBytes: 1 << 20}
			c := &forecast{Forecast: &stages.Forecast{Jobs: tt.jobs}, act: act, cost: stages.Cost{Runs: 10, Reused: 4}}
			c.slots()
			c.limits()
			if c.cost.Slots != tt.slots || c.cost.CPULimitS != tt.cpuS || c.cost.WallLimitS != tt.wallS {
				t.Errorf("%d at one time, %v s CPU, %v s wall; want %d, %v, %v", c.cost.Slots, c.cost.CPULimitS,
					c.cost.WallLimitS, tt.slots, tt.cpuS, tt.wallS)
			}
		})
	}
}

// TestSamples: a run takes what it took; one without a record what its solver's runs took on average; one of an unknown
// solver what all took. Nothing takes more than its limits, and what was cut at its limit uses up the new one.
func TestSamples(t *testing.T) {
	t.Parallel()
	s := newSamples()
	limit := spent{cpu: 200, wall: 100}
	s.add(runName{"b1", "z3"}, 1, spent{1, 2}, limit, false)
	s.add(runName{"b2", "z3"}, 3, spent{3, 4}, limit, false)
	s.add(runName{"b2", "z3"}, 2, spent{99, 99}, limit, false) // an earlier attempt
	s.add(runName{"b1", "cvc5"}, 4, spent{900, 900}, limit, false)
	// timed out at 50 s with half a core: 50 s of CPU time in 100 s
	s.add(runName{"b2", "cvc5"}, 5, spent{25, 50}, limit, true)
	s.sort()
	tests := []struct {
		name string
		run  runName
		want spent
	}{
		{"known", runName{"b2", "z3"}, spent{3, 4}},
		{"above the limits", runName{"b1", "cvc5"}, spent{200, 100}},
		{"cut at a smaller limit", runName{"b2", "cvc5"}, spent{50, 100}},
		{"another benchmark", runName{"b3", "z3"}, spent{2, 3}},
		// 1 + 3 + 200 + 50 and 2 + 4 + 100 + 100
		{"another solver", runName{"b3", "yices"}, spent{254.0 / 4, 206.0 / 4}},
	}
	for _, tt := range tests {
		if got := s.of(tt.run); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
