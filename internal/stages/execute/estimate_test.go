package execute

import (
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestLimits checks the limits of 10 runs of 20 minutes on 4 cores each, 4 of them known and 2 concurrent on 8 cores: 6
// × 1200 s × 4 = 28,800 s of CPU time and 3 × 1200 s of wall time. A CPU time limit below 4,800 s replaces the product
// of wall time and cores.
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
