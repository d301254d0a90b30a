package batch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/jobs"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// recipe returns the commands in an executor block in docs/run/batch.md.
func recipe(t *testing.T, name string) map[string]cty.Value {
	t.Helper()
	page, err := os.ReadFile("../../../../docs/run/batch.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), `executor "batch" "`+name+`"`)
	text, _, _ = strings.Cut(text, "```")
	file, diags := hclsyntax.ParseConfig([]byte(`executor "batch" "`+name+`"`+text), "batch.md", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	settings := map[string]cty.Value{}
	for name, a := range file.Body.(*hclsyntax.Body).Blocks[0].Body.Attributes {
		v, diags := a.Expr.Value(nil)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		settings[name] = v
	}
	return settings
}

// optionsOf returns options for a test executor.
func optionsOf(t *testing.T, h worker.Header, settings map[string]cty.Value) worker.Options {
	dir := t.TempDir()
	for name, v := range map[string]string{"time": "10m", "delay": "1s", "poll": "200ms"} {
		settings[name] = cty.StringVal(v)
	}
	settings["exchange"] = cty.NullVal(cty.String)
	return worker.Options{Header: h, Settings: settings, Folder: dir, State: filepath.Join(dir, "state"),
		Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
}

// TestSystems checks that the documented recipes work with the real batch systems. Orders are executed as by any
// executor. Each work has exactly one result even if the driver ends, a job is cancelled and another driver continues.
func TestSystems(t *testing.T) {
	for _, tt := range []struct {
		name  string
		start func(*testing.T)
	}{{"gridengine", workertest.StartGridEngine}, {"hyperqueue", workertest.StartHyperQueue}} {
		t.Run(tt.name, func(t *testing.T) {
			h := workertest.Header(t)
			tt.start(t)
			o := optionsOf(t, h, recipe(t, tt.name))
			x, err := Kind.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			workertest.Orders(t, x, func(id, script string) *worker.Work {
				return workertest.MustWork(t, id, workertest.Shell(script), nil)
			})
			disturbed(t, o)
			chunks, err := os.ReadDir(filepath.Join(o.Folder, "exchange/chunks"))
			if err != nil || len(chunks) > 0 {
				t.Errorf("%d chunks are left, error %v", len(chunks), err)
			}
		})
	}
}

// disturbed executes twelve works in three jobs. The driver ends after the first result, a job is cancelled, and the
// next driver takes over.
func disturbed(t *testing.T, o worker.Options) {
	o.Jobs, o.State = 3, filepath.Join(t.TempDir(), "state")
	results := map[string]string{}
	drive := func(ctx context.Context, taken func()) error {
		x, err := Kind.Open(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		order := &worker.Order{Limit: time.Second}
		for k := range 12 {
			if id := fmt.Sprint("w", k); results[id] == "" {
				order.Tasks = append(order.Tasks, worker.Task{ID: id, Expected: 20 * time.Second})
			}
		}
		order.Works = func(k int) ([]*worker.Work, error) {
			id := order.Tasks[k].ID
			return []*worker.Work{workertest.MustWork(t, id, workertest.Shell("sleep 0.7; echo "+id), nil)}, nil
		}
		order.Take = func(k int, r []*worker.Result) (bool, error) {
			id := order.Tasks[k].ID
			if r[0].Failure != nil || results[id] != "" {
				t.Errorf("%s has the failure %+v after the result %q", id, r[0].Failure, results[id])
				return false, nil
			}
			results[id] = strings.TrimSpace(string(r[0].Record.Stdout.Head))
			taken()
			return false, nil
		}
		return x.Execute(ctx, order)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first, end := context.WithCancel(ctx)
	if err := drive(first, end); !errors.Is(err, context.Canceled) {
		t.Fatalf("the first driver ends with %v", err)
	}
	s := o.Settings
	q := &queue{list: s.Text("list"), cancel: s.Text("cancel")}
	all, err := q.List(ctx)
	i := slices.IndexFunc(all, func(j jobs.Job) bool { return j.State == jobs.Running })
	if err != nil || i < 0 {
		t.Fatalf("the jobs are %+v, error %v; want one that runs", all, err)
	}
	if err := q.Cancel(ctx, []string{all[i].ID}); err != nil {
		t.Fatal(err)
	}
	if err := drive(ctx, func() {}); err != nil {
		t.Error(err)
	}
	for k := range 12 {
		if id := fmt.Sprint("w", k); results[id] != id {
			t.Errorf("%s has the result %q", id, results[id])
		}
	}
}

// TestList checks that job lines are found among other lines, and that invalid job lines are reported.
func TestList(t *testing.T) {
	for _, tt := range []struct {
		prints string
		want   []jobs.Job
		err    string
	}{
		{prints: "ID NAME\nother-job x y\n\nsmtpipe-ab-1-0 7 queued - no free node\nsmtpipe-ab-1-12 8.x running n2\n", want: []jobs.Job{
			{Name: "smtpipe-ab-1", ID: "7", Text: "no free node"},
			{Name: "smtpipe-ab-1", Index: 12, ID: "8.x", State: jobs.Running, Node: "n2"}}},
		{prints: "smtpipe-ab-2-0 7 ended n1 71\nsmtpipe-ab-2-1 8 ended\nsmtpipe-ab-2-2 9 ended - cancelled by root\n", want: []jobs.Job{
			{Name: "smtpipe-ab-2", ID: "7", State: jobs.Ended, Node: "n1", Text: "exit code 71", Exit: 71},
			{Name: "smtpipe-ab-2", Index: 1, ID: "8", State: jobs.Ended, Text: "it has ended"},
			{Name: "smtpipe-ab-2", Index: 2, ID: "9", State: jobs.Ended, Text: "cancelled by root", Cancelled: true}}},
		{prints: "smtpipe-ab 7 queued\n", err: "with the full name"},
		{prints: "smtpipe-ab-1-0 7\n", err: "NAME ID STATE"},
		{prints: "smtpipe-ab-1-0 7 qw\n", err: "queued, running or ended"},
	} {
		q := &queue{list: "printf '" + strings.ReplaceAll(tt.prints, "\n", `\n`) + "'"}
		got, err := q.List(t.Context())
		if !slices.Equal(got, tt.want) || (err == nil) != (tt.err == "") ||
			err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: %+v, error %v; want %+v, %q", tt.prints, got, err, tt.want, tt.err)
		}
	}
}

// TestSubmit checks that each job is submitted with its script and resources. Output that is not an ID is an error.
func TestSubmit(t *testing.T) {
	dir := t.TempDir()
	s := worker.Settings{"submit": cty.StringVal("cd " + dir + " && cat >$JOB_NAME &&\n" +
		`echo "$JOB_CORES cores $JOB_MEMORY_MIB MiB $JOB_TIME_S s, not $JOB_EXCLUDE" >>$JOB_NAME; echo "id of $JOB_NAME" |` +
		" sed 's/ of /-/'")}
	r := jobs.Resources{Cores: 8, MemoryBytes: 4000<<20 + 1, Time: 90 * time.Minute}
	two := &jobs.Submission{Name: "smtpipe-ab-3", Size: 2, Exclude: []string{"n1", "n7"},
		Script: func(number, _ string) string { return "script of " + number + "\n" }}
	if err := newQueue(s, r).Submit(t.Context(), two); err != nil {
		t.Error(err)
	}
	for i := range two.Size {
		got, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("smtpipe-ab-3-", i)))
		want := fmt.Sprintf("script of %d\n8 cores 4001 MiB 5400 s, not n1 n7\n", i)
		if err != nil || string(got) != want {
			t.Errorf("job %d has %q, error %v; want %q", i, got, err, want)
		}
	}
	for submit, want := range map[string]string{
		"echo Your job 7 has been submitted": `it printed "Your job 7`,
		"true":                               `it printed ""`,
		"echo no such queue >&2; false":      "no such queue",
	} {
		s["submit"] = cty.StringVal(submit)
		if err := newQueue(s, r).Submit(t.Context(), two); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", submit, err, want)
		}
	}
}

// TestRefused checks that opening the executor rejects invalid options.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		value cty.Value
		want  string
	}{
		{"list", cty.StringVal("echo the daemon is down >&2; exit 1"), "the daemon is down"},
		{"runs_per_job", cty.NumberFloatVal(1.5), "whole number"},
		{"runs_per_job", cty.NumberIntVal(0), "whole number"},
	} {
		settings := map[string]cty.Value{"submit": cty.StringVal("true"), "list": cty.StringVal("true"),
			"cancel": cty.StringVal("true"), tt.name: tt.value}
		_, err := Kind.Open(t.Context(), optionsOf(t, worker.Header{Cores: 1}, settings))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}
