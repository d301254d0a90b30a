// Package batch implements the executor for batch systems that smtpipe does not know. Three commands in the pipeline
// submit, list and cancel jobs.
package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/jobs"
)

// Kind is the executor "batch".
var Kind = &worker.Kind{
	Name: "batch",
	Doc: "jobs of a batch system execute the runs of a stage; shell commands submit, list and cancel them; jobs " +
		"is how many there are concurrently",
	Attrs: jobs.Attrs(
		worker.Attr{Name: "submit", Type: cty.String, Required: true,
			Doc: "submits one job that executes the shell script on standard input, and prints its ID. The variables " +
				"JOB_NAME, JOB_CORES, JOB_MEMORY_MIB, JOB_TIME_S and JOB_EXCLUDE (node names separated by blanks) " +
				"specify " +
				"what it needs"},
		worker.Attr{Name: "list", Type: cty.String, Required: true,
			Doc: "prints a line NAME ID STATE [NODE [TEXT]] for each job, and possibly for unrelated jobs; STATE is " +
				"queued, running, " +
				"or ended, with the exit code as optional TEXT"},
		worker.Attr{Name: "cancel", Type: cty.String, Required: true,
			Doc: `cancels the jobs whose IDs are the arguments "$@"`},
		worker.Attr{Name: "runs_per_job", Type: cty.Number,
			Doc: "how many runs a job executes concurrently; it needs cores and memory for all of them; default: 1"}),
	PerJob: func(_ worker.Header, settings worker.Settings) int {
		n, _ := runsPerJob(settings) // Open reports the error
		return n
	},
	Open: func(ctx context.Context, o worker.Options) (worker.Executor, error) {
		s := o.Settings
		slots, err := runsPerJob(s)
		if err != nil {
			return nil, err
		}
		setup := func(ctx context.Context, r jobs.Resources, _ func(string, string) string) (jobs.System, error) {
			q := newQueue(s, r)
			_, err := q.List(ctx)
			return q, err
		}
		return jobs.Open(ctx, o, "the batch system", slots, false, setup)
	},
}

// runsPerJob returns the number of concurrent runs per job.
func runsPerJob(s worker.Settings) (int, error) {
	if !s.Has("runs_per_job") {
		return 1, nil
	}
	n, accuracy := s["runs_per_job"].AsBigFloat().Int64()
	if accuracy != big.Exact || n < 1 || n > math.MaxInt16 {
		return 1, errors.New("the executor's \"runs_per_job\" must be a whole number above 0")
	}
	return int(n), nil
}

// queue implements jobs.System.
type queue struct {
	submit, list, cancel string   // shell commands
	env                  []string // environment of submit
}

func newQueue(s worker.Settings, r jobs.Resources) *queue {
	return &queue{submit: s.Text("submit"), list: s.Text("list"), cancel: s.Text("cancel"), env: []string{
		fmt.Sprintf("JOB_CORES=%d", r.Cores), fmt.Sprintf("JOB_MEMORY_MIB=%d", (r.MemoryBytes+1<<20-1)>>20),
		fmt.Sprintf("JOB_TIME_S=%.0f", r.Time.Seconds())}}
}

// Submit implements jobs.System. Each job's name ends with the job's number.
func (q *queue) Submit(ctx context.Context, s *jobs.Submission) error {
	for i := range s.Size {
		env := append([]string{fmt.Sprintf("JOB_NAME=%s-%d", s.Name, i), "JOB_EXCLUDE=" + strings.Join(s.Exclude, " ")},
			q.env...)
		out, err := jobs.Call(ctx, s.Script(strconv.Itoa(i), ""), env, "sh", "-c", q.submit)
		if err != nil {
			return fmt.Errorf("the command submit: %w", err)
		}
		if len(strings.Fields(out)) != 1 {
			return fmt.Errorf("the submit command must print only the job's ID; it printed %.200q", out)
		}
	}
	return nil
}

// List implements jobs.System.
func (q *queue) List(ctx context.Context) ([]jobs.Job, error) {
	out, err := jobs.Call(ctx, "", nil, "sh", "-c", q.list)
	if err != nil {
		return nil, fmt.Errorf("the command list: %w", err)
	}
	var all []jobs.Job
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) == 0 || !strings.HasPrefix(f[0], jobs.NamePrefix) {
			continue
		}
		i := strings.LastIndexByte(f[0], '-')
		j := jobs.Job{Name: f[0][:i]}
		if j.Index, err = strconv.Atoi(f[0][i+1:]); err != nil || len(f) < 3 {
			return nil, fmt.Errorf("the \"list\" command must print lines NAME ID STATE [NODE [TEXT]] with the full name; "+
				"it printed %.200q", line)
		}
		switch f[2] {
		case "queued":
		case "running":
			j.State = jobs.Running
		case "ended":
			j.State = jobs.Ended
		default:
			return nil, fmt.Errorf("the \"list\" command must print queued, running or ended as a job's state; it "+
				"printed %.200q", line)
		}
		if j.ID = f[1]; len(f) > 3 && f[3] != "-" {
			j.Node = f[3]
		}
		if j.Text = strings.Join(f[min(4, len(f)):], " "); j.State == jobs.Ended {
			if j.Exit, err = strconv.Atoi(j.Text); err == nil {
				j.Text = "exit code " + j.Text
			}
			j.Cancelled = strings.HasPrefix(strings.ToLower(j.Text), "cancel")
			j.Text = cmp.Or(j.Text, "it has ended")
		}
		all = append(all, j)
	}
	return all, nil
}

// Cancel implements jobs.System.
func (q *queue) Cancel(ctx context.Context, ids []string) error {
	return jobs.CancelWith(ctx, ids, "sh", "-c", q.cancel, "cancel")
}
