// Package slurm implements the executor that uses Slurm. Jobs submitted together form a job array.
package slurm

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/jobs"
)

// Kind is the executor "slurm".
var Kind = &worker.Kind{
	Name: "slurm",
	Doc:  "jobs of Slurm execute the runs of a stage; jobs is how many there are concurrently",
	Attrs: jobs.Attrs(
		worker.Attr{Name: "partition", Type: cty.String, Doc: "the partition; default: Slurm's"},
		worker.Attr{Name: "exclusive", Type: cty.Bool,
			Doc: "a job has a node with all its slots; default: a job has the cores and the memory of one run"},
		worker.Attr{Name: "options", Type: cty.List(cty.String),
			Doc: `additional sbatch options, such as ["--qos=long"]`}),
	PerJob: perJob,
	Open: func(ctx context.Context, o worker.Options) (worker.Executor, error) {
		s := o.Settings
		setup := func(ctx context.Context, r jobs.Resources, script func(worker, again string) string) (jobs.System,
			error) {
			q := &queue{options: options(s, r)}
			args := append([]string{"sbatch", "--test-only"}, q.options...)
			if _, err := jobs.Call(ctx, script("0", ""), nil, args...); err != nil {
				return nil, fmt.Errorf("this executor's jobs are rejected by Slurm: %w", err)
			}
			return q, nil
		}
		return jobs.Open(ctx, o, "Slurm", perJob(o.Header, s), s.Holds("exclusive"), setup)
	},
}

// perJob returns the number of concurrent runs per job: one, or as many as fit the declared hardware of a whole node.
func perJob(h worker.Header, s worker.Settings) int {
	if !s.Holds("exclusive") {
		return 1
	}
	n := 0
	if found := coresOf().FindStringSubmatch(h.Hardware); found != nil {
		cores, _ := strconv.Atoi(found[1]) // the pattern allows only digits
		n = cores / max(h.Cores, 1)
	}
	if found := memoryOf().FindStringSubmatch(h.Hardware); found != nil && h.MemoryBytes > 0 {
		gigabytes, _ := strconv.ParseInt(found[1], 10, 32)
		n = min(n, int(gigabytes*1e9/h.MemoryBytes))
	}
	return max(n, 1)
}

// Patterns for cores and memory in a hardware profile.
var (
	coresOf  = pattern.Lazy(`\b(\d{1,6}) cores`)
	memoryOf = pattern.Lazy(`\b(\d{1,9}) GB`)
)

// options returns the sbatch options for a job's resources.
func options(s worker.Settings, r jobs.Resources) []string {
	minutes := (r.Time + time.Minute - 1) / time.Minute
	all := []string{"--nodes=1", "--ntasks=1", fmt.Sprintf("--time=%d", minutes)}
	if p := s.Text("partition"); p != "" {
		all = append(all, "--partition="+p)
	}
	if s.Holds("exclusive") {
		all = append(all, "--exclusive", "--mem=0")
	} else {
		all = append(all, fmt.Sprintf("--cpus-per-task=%d", r.Cores),
			fmt.Sprintf("--mem=%dK", (r.MemoryBytes+1023)/1024))
	}
	return append(all, s.List("options")...)
}

// queue implements jobs.System. It uses only sbatch, squeue and scancel.
type queue struct {
	options []string // additional sbatch options
}

// Submit implements jobs.System.
func (q *queue) Submit(ctx context.Context, s *jobs.Submission) error {
	args := append([]string{"sbatch", "--parsable", "--job-name=" + s.Name, fmt.Sprintf("--array=0-%d", s.Size-1),
		"--requeue", "--output=/dev/null", "--chdir=/"}, q.options...)
	if len(s.Exclude) > 0 {
		args = append(args, "--exclude="+strings.Join(s.Exclude, ","))
	}
	again := "scontrol requeue ${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" // SLURM_JOB_ID may be the array's ID
	_, err := jobs.Call(ctx, s.Script("$SLURM_ARRAY_TASK_ID", again), nil, args...)
	if err != nil && strings.Contains(err.Error(), "Requested node configuration is not available") {
		err = fmt.Errorf("%w: %w", jobs.ErrNoNode, err)
	}
	return err
}

// List implements jobs.System.
func (q *queue) List(ctx context.Context) ([]jobs.Job, error) {
	out, err := jobs.Call(ctx, "", nil, "squeue", "--noheader", "--array", "--states=all",
		"--users="+strconv.Itoa(os.Getuid()), "--Format=Name:|,ArrayJobID:|,ArrayTaskID:|,State:|,NodeList:|,exit_code:|,Reason:|")
	if err != nil {
		return nil, err
	}
	return readList(out), nil
}

// readList parses the output of squeue: name, array ID, element number, state, node, wait status, reason.
func readList(out string) []jobs.Job {
	var all []jobs.Job
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) < 7 {
			continue
		}
		index, err := strconv.Atoi(f[2])
		if err != nil {
			continue // the job is not part of an array
		}
		j := jobs.Job{Name: f[0], Index: index, ID: f[1] + "_" + f[2], Node: f[4], State: jobs.Running}
		switch f[3] {
		case "PENDING":
			j.State, j.Text = jobs.Queued, f[6]
		case "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
			"TIMEOUT":
			status, _ := strconv.Atoi(f[5]) // 0 if the field is not a number
			j.State, j.Exit, j.Cancelled = jobs.Ended, status>>8&0xff, f[3] == "CANCELLED"
			j.Text = fmt.Sprintf("%s, exit code %d", f[3], j.Exit)
			if n := status & 0x7f; n != 0 {
				j.Text = fmt.Sprintf("%s, signal %d", f[3], n)
			}
		}
		all = append(all, j)
	}
	return all
}

// Cancel implements jobs.System.
func (q *queue) Cancel(ctx context.Context, ids []string) error {
	return jobs.CancelWith(ctx, ids, "scancel", "--quiet")
}
