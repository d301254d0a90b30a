package runner

import (
	"context"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// BenchmarkRun measures the overhead of a run with all limits at each isolation level. See docs/inside/performance.md.
func BenchmarkRun(b *testing.B) {
	limits := comp.Limits{WallTime: 20 * time.Second, CPUTime: 10 * time.Second, MemoryBytes: 100e6}
	for _, level := range []Isolation{Unisolated, NamespacesOnly, CgroupOnly, Full, "image"} {
		b.Run(string(level), func(b *testing.B) {
			cmd := Command{Argv: []string{"/bin/true"}, HostSystem: true, Limits: limits}
			if level == "image" {
				level = Full
				cmd.HostSystem, cmd.Argv = false, []string{SolverDir + "/victim", "ls"}
				cmd.Mounts = []Mount{{Source: victimPath, Target: cmd.Argv[0]},
					{Source: makeImage(b), Target: ImageRoot}}
			}
			h, err := Open(Config{Isolation: level, Jobs: 1, NoLock: true})
			if err != nil {
				b.Skip(err)
			}
			defer h.Close()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.Run(context.Background(), cmd); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
