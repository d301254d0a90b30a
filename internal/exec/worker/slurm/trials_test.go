package slurm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
)

// trial is the outcome of a set of works.
type trial struct {
	outputs  map[string]string // outputs by work id
	failures map[string]string
	excluded []string // excluded nodes
	err      error
}

// try executes n works, which must all have results within a minute, and returns their outcome.
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

// TestFullDisk fills a node's disk. Isolated runs do not use the disk. Without isolation, the node executes nothing,
// and the other nodes do all the work.
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
			t.Setenv("TMPDIR", disk) // jobs inherit the submitter's environment
			got := try(t, o, 12, 20*time.Second, func(id string) *worker.Work {
				c := workertest.Shell("sleep 0.5; cat") // slow enough that no job takes all chunks
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

// TestOutOfMemory checks that Slurm ends a job that exceeds its granted memory. The run responsible is given up after
// three jobs, with a message, and all other runs have results.
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

// TestDriversAway starts the driver of a second stage when the first stage's driver has jobs. It submits none, because
// the existing jobs also execute its works. Both drivers end after their first result. The jobs execute everything that
// is left, and restart themselves when their time is over. The next drivers collect the results, and nothing is
// executed again.
func TestDriversAway(t *testing.T) {
	workertest.Level(t)
	cluster := workertest.StartCluster(t)
	const works = 10 // works per stage, 2 s each
	log := filepath.Join(t.TempDir(), "log")
	o := optionsOf(t, header, map[string]cty.Value{"time": cty.StringVal("35s")}) // no run starts after 10 s
	o.Jobs = 3
	taken := [2]map[string]string{{}, {}}
	drive := func(ctx context.Context, stage int, first func()) error {
		o := o
		o.State = filepath.Join(o.Folder, fmt.Sprint("state-", stage))
		x, err := Kind.Open(ctx, o)
		if err != nil {
			return err
		}
		defer x.Close()
		order := &worker.Order{Limit: 10 * time.Second}
		for k := range works {
			if id := fmt.Sprintf("%d-%d", stage, k); taken[stage][id] == "" {
				order.Tasks = append(order.Tasks, worker.Task{ID: id, Expected: 3 * time.Second})
			}
		}
		order.Works = func(k int) ([]*worker.Work, error) {
			c := workertest.Shell("sleep 2; echo " + order.Tasks[k].ID + " | tee -a " + log)
			c.HostSystem, c.Limits.WallTime = false, order.Limit
			return []*worker.Work{workertest.MustWork(t, order.Tasks[k].ID, c, nil)}, nil
		}
		order.Take = func(_ int, r []*worker.Result) (bool, error) {
			if r[0].Failure != nil || taken[stage][r[0].ID] != "" {
				t.Errorf("%s has the failure %+v after the result %q", r[0].ID, r[0].Failure, taken[stage][r[0].ID])
				return false, nil
			}
			taken[stage][r[0].ID] = string(r[0].Record.Stdout.Head)
			first()
			return false, nil
		}
		return x.Execute(ctx, order)
	}
	var begun sync.WaitGroup
	begun.Add(1)
	var group errgroup.Group
	for stage := range taken {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if stage == 1 {
				begun.Wait()
			}
			err := drive(ctx, stage, func() {
				if stage == 0 && len(taken[0]) == 1 {
					begun.Done()
				}
				if stage == 1 || len(taken[0]) == 4 {
					cancel()
				}
			})
			if !errors.Is(err, context.Canceled) {
				return fmt.Errorf("driver %d ended with: %w", stage, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if all := cluster.Jobs(); len(all) == 0 || len(all) > o.Jobs {
		t.Errorf("there are the jobs %+v, want 1 to %d", all, o.Jobs)
	}
	before := len(taken[0]) + len(taken[1])
	for end := time.Now().Add(3 * time.Minute); len(cluster.Jobs()) > 0; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after three minutes there are the jobs %+v", cluster.Jobs())
		}
	}
	executed := func() []string {
		text, _ := os.ReadFile(log)
		all := strings.Fields(string(text))
		slices.Sort(all)
		return all
	}
	if n := len(executed()); n != 2*works || before > works {
		t.Errorf("without drivers, %d works were executed and %d results are taken; want %d and fewer", n, before, 2*works)
	}
	next := time.Now()
	for stage := range taken {
		if err := drive(t.Context(), stage, func() {}); err != nil {
			t.Fatal(err)
		}
	}
	if all := executed(); len(slices.Compact(slices.Clone(all))) != 2*works || len(all) != 2*works ||
		len(taken[0]) != works || len(taken[1]) != works {
		t.Errorf("executed were %v, and %d and %d results are taken", all, len(taken[0]), len(taken[1]))
	}
	if took := time.Since(next); took > 30*time.Second {
		t.Errorf("taking the results took %s", took)
	}
}
