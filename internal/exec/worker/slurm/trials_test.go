package slurm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
)

// trial is what became of works.
type trial struct {
	outputs  map[string]string // by id
	failures map[string]string
	excluded []string // nodes
	err      error
}

// try executes works, which must have results within a minute. Those of one node may not be wrong.
func try(t *testing.T, o worker.Options, n int, expected time.Duration, work func(id string) *worker.Work) trial {
	t.Helper()
	x, err := Kind.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	got := trial{outputs: map[string]string{}, failures: map[string]string{}}
	order := &worker.Order{Limit: time.Second}
	for k := range n {
		order.Tasks = append(order.Tasks, worker.Task{ID: fmt.Sprint(k), Expected: expected})
	}
	order.Works = func(k int) ([]*worker.Work, error) { return []*worker.Work{work(order.Tasks[k].ID)}, nil }
	order.Take = func(_ int, r []*worker.Result) (bool, error) {
		if r[0].Failure != nil {
			got.failures[r[0].ID] = r[0].Failure.Text
		} else {
			got.outputs[r[0].ID] = string(r[0].Record.Stdout.Head)
		}
		return false, nil
	}
	order.Event = func(e worker.Event) {
		switch e.Kind {
		case worker.Excluded:
			got.excluded = append(got.excluded, e.Node)
		case worker.Admitted:
			got.excluded = slices.DeleteFunc(got.excluded, func(n string) bool { return n == e.Node })
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got.err = x.Execute(ctx, order)
	slices.Sort(got.excluded)
	return got
}

var header = worker.Header{Isolation: runner.Unisolated, Cores: 1, MemoryBytes: 200e6}

// TestFullDisk: the disk of a node is full. Isolated runs do not use it. Without isolation, nothing is executed there,
// and the other nodes do all work.
func TestFullDisk(t *testing.T) {
	isolated := workertest.Header(t)
	cluster := workertest.StartCluster(t)
	disk := t.TempDir()
	cluster.Changed(1, "mount -t tmpfs -o size=4k,nr_inodes=2 none "+disk+"; head -c 4096 /dev/zero >"+disk+"/ballast")
	cluster.WaitIdle()
	for _, tt := range []struct {
		header   worker.Header
		excluded []string
	}{{isolated, nil}, {header, []string{"n1"}}} {
		t.Run(string(tt.header.Isolation), func(t *testing.T) {
			o := optionsOf(t, tt.header, nil)
			o.Jobs = 2
			t.Setenv("TMPDIR", disk) // jobs have the variables of who submits them
			got := try(t, o, 12, 20*time.Second, func(id string) *worker.Work {
				c := workertest.Shell("cat")
				c.HostSystem = tt.excluded == nil
				return workertest.MustWork(t, id, c, []byte(strings.Repeat(id, 10_000)))
			})
			if got.err != nil || len(got.outputs) != 12 || !slices.Equal(got.excluded, tt.excluded) {
				t.Errorf("%d outputs, %d failures, excluded %v, error %v; want 12, 0, %v", len(got.outputs),
					len(got.failures), got.excluded, got.err, tt.excluded)
			}
		})
	}
}

// TestOutOfMemory: Slurm ends a job that takes more memory than it was granted. The run that does so is given up after
// three jobs, with a message, and all others have results.
func TestOutOfMemory(t *testing.T) {
	workertest.StartCluster(t, "JobAcctGatherType=jobacct_gather/linux", "JobAcctGatherFrequency=task=1",
		"JobAcctGatherParams=OverMemoryKill,NoShared")
	o := optionsOf(t, header, nil)
	o.Jobs = 3
	got := try(t, o, 9, 20*time.Second, func(id string) *worker.Work {
		script := "echo " + id
		if id == "4" {
			script = "head -c 900000000 /dev/zero | tail -c 900000000 | (sleep 15; wc -c)"
		}
		c := workertest.Shell(script)
		c.HostSystem, c.Limits.MemoryBytes = false, 0
		return workertest.MustWork(t, id, c, nil)
	})
	want := map[string]string{}
	for id := range 9 {
		want[fmt.Sprint(id)] = fmt.Sprintf("%d\n", id)
	}
	delete(want, "4")
	if got.err != nil || !maps.Equal(got.outputs, want) || !strings.Contains(got.failures["4"], "lost in the middle") {
		t.Errorf("%+v; want all outputs but that of 4, which is lost with its jobs", got)
	}
}
