// Package workertest is the test suite that every kind of executor must pass.
package workertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
	"github.com/smtpipe/smtpipe/internal/exec/worker/local"
	"github.com/smtpipe/smtpipe/internal/smt/trace"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// serving is the environment variable that makes a test binary start as a worker.
const serving = "SMTPIPE_TEST_WORKER"

// Main is the TestMain of packages that use this suite. Their test binary also serves chunks.
func Main(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "tool" && os.Args[2] == "worker" {
		serveChunks(os.Args[3:])
	}
	if os.Getenv(serving) != "" {
		if err := worker.Serve(context.Background(), os.Stdin, os.Stdout, OpenLocal, nil); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// serveChunks executes chunks from an exchange folder, like "smtpipe tool worker".
func serveChunks(args []string) {
	var j exchange.Job
	flags := flag.NewFlagSet("worker", flag.ExitOnError)
	j.Flags(flags)
	_ = flags.Parse(args) // exits on errors
	if err := j.Serve(context.Background(), OpenLocal); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(exchange.ExitCode(err, 1))
	}
	os.Exit(0)
}

// Program returns a worker's command, which starts the test binary.
func Program(t *testing.T) []string {
	t.Setenv(serving, "1")
	return []string{"/proc/self/exe"}
}

// OpenLocal opens this machine's runner without locking its cores, which other tests may also use.
func OpenLocal(h worker.Header) (worker.Executor, error) {
	return local.Open(h, runner.Config{NoLock: true})
}

// Level returns the test works' isolation level on this machine.
func Level(t *testing.T) runner.Isolation {
	t.Helper()
	h, err := runner.Open(runner.Config{Isolation: runner.BestEffort, Jobs: 1, NoLock: true})
	if err != nil {
		t.Skip(err)
	}
	defer h.Close()
	if l := h.Isolation(); l.Private() {
		return l
	}
	if os.Getuid() == 0 {
		testkit.Missing(t, "SMTPIPE_REQUIRE_CGROUPS", "root's runs have no namespaces here, and see files only where they are")
	}
	t.Skip("runs have no namespaces here, so that they see files only where they are")
	return ""
}

// Header returns a chunk header with one core, 200 MB, and this machine's isolation level.
func Header(t *testing.T) worker.Header {
	return worker.Header{Format: worker.WorkFormat, Isolation: Level(t), Cores: 1, MemoryBytes: 200e6, Jobs: 1}
}

// Shell returns a shell command that sees the machine's programs.
func Shell(script string) runner.Command {
	return runner.Command{
		Argv: []string{"sh", "-c", script}, HostSystem: true, TimestampLines: 1,
		Limits: comp.Limits{WallTime: 20 * time.Second, MemoryBytes: 200e6, OutputBytes: 1000, Processes: 50, Cores: 1},
	}
}

// MustWork converts a command to a work, or fails the test.
func MustWork(t *testing.T, id string, c runner.Command, stdin []byte) *worker.Work {
	t.Helper()
	w, err := worker.FromCommand(id, &c, stdin)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Execute executes one work, which must produce a result.
func Execute(t *testing.T, x worker.Executor, w *worker.Work) *worker.Result {
	t.Helper()
	r, err := worker.Do(t.Context(), x, w)
	if err != nil || len(r) != 1 || r[0].ID != w.ID {
		t.Fatalf("%d results of one work, error %v", len(r), err)
	}
	return r[0]
}

// Run is the suite for an executor that was opened with Header and executes commands. It executes works both through
// the executor and directly with the runner, and compares the parts of the records that do not vary between runs. It
// includes Orders.
func Run(t *testing.T, x worker.Executor) {
	compareRecords(t, x)
	Orders(t, x, func(id, script string) *worker.Work { return MustWork(t, id, Shell(script), nil) })
}

func compareRecords(t *testing.T, x worker.Executor) {
	h := Header(t)
	const dialogueScript = "sat\nunsat\n" + trace.Separator + "\n(set-logic QF_UF)\n(check-sat)\n(check-sat)\n(exit)\n"
	const answers = `set -- sat unsat; while read -r l; do case $l in "(check-sat)") echo $1; shift;; *) echo success;; esac; done`
	withInput := Shell("cat /input/a.smt2; echo $COLOUR")
	withInput.Inputs = []runner.Input{{Target: "/input/a.smt2", Content: []byte("(check-sat)\n\xff\x00")}}
	withInput.Env = []string{"COLOUR=blue"}
	short := Shell("echo sat; exec sleep 60")
	short.Limits.WallTime = 300 * time.Millisecond
	left := Shell("echo unsat; echo 0 > proof")
	left.Attach = "proof"
	merged := Shell("echo x >&2; echo unsat; echo y >&2")
	merged.OneStream = true
	tests := []struct {
		name     string
		cmd      runner.Command
		stdin    string
		dialogue bool
	}{
		{name: "answers", cmd: Shell("echo unsat; echo x >&2")},
		{name: "one stream", cmd: merged},
		{name: "file that is left", cmd: left},
		{name: "fails", cmd: Shell("exit 3")},
		{name: "crashes", cmd: Shell("kill -SEGV $$")},
		{name: "input and environment", cmd: withInput},
		{name: "standard input", cmd: Shell("cat"), stdin: "hello\n"},
		{name: "too much output", cmd: Shell("i=0; while [ $i -lt 500 ]; do echo $i $i $i; i=$((i+1)); done")},
		{name: "wall limit", cmd: short},
		{name: "dialogue", cmd: Shell(answers), stdin: dialogueScript, dialogue: true},
		{name: "dialogue with a wrong answer", cmd: Shell("echo success; echo unsat; exec sleep 60"),
			stdin: dialogueScript, dialogue: true},
		{name: "cannot be started", cmd: runner.Command{Argv: []string{"no-such-solver"}, HostSystem: true}},
	}
	host, err := runner.Open(runner.Config{Isolation: h.Isolation, Jobs: 1, CoresPerRun: h.Cores,
		MemoryPerRun: h.MemoryBytes, NoLock: true})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdin []byte
			if tt.stdin != "" {
				stdin = []byte(tt.stdin)
			}
			w := MustWork(t, tt.name, tt.cmd, stdin)
			if tt.dialogue {
				w.Dialogue = &worker.Dialogue{}
			}
			want, wantErr := runDirectly(t, host, tt.cmd, stdin, tt.dialogue)
			got, gotErr := outcome(t, Execute(t, x, w))
			if diff := cmp.Diff(want, got); diff != "" || wantErr != gotErr {
				t.Errorf("error %q, want %q; record (-runner +executor):\n%s", gotErr, wantErr, diff)
			}
		})
	}
}

// stable contains the parts of a record that do not vary between runs.
type stable struct {
	Ending           comp.Ending
	ExitCode, Signal int64
	Stdout, Stderr   runner.Output
	Answers          []string
	Flags            string
	Isolation        string
	Layout           string
	Env              []string
	Trace            string
	Measured         bool
}

// stableFlags contains the flags that do not vary between runs.
const stableFlags = runner.FlagTruncated | runner.FlagLateExit | runner.FlagSampled | runner.FlagNoMemoryLimit

func stableOf(r *runner.Record, traced string) stable {
	l := stable{
		Ending: r.Ending, ExitCode: r.ExitCode, Signal: r.Signal, Stdout: r.Stdout, Stderr: r.Stderr,
		Flags:     (r.Flags & stableFlags).String(),
		Isolation: r.Isolation, Layout: r.Layout, Env: r.Env, Trace: traced,
		Measured: r.WallTimeS > 0 && r.CPUTimeS > 0 && r.MemoryBytes > 0 && !r.Started.IsZero(),
	}
	for _, line := range r.Lines {
		l.Answers = append(l.Answers, string(line.Text))
	}
	for _, o := range []*runner.Output{&l.Stdout, &l.Stderr} { // treats nil and empty as equal
		o.Head, o.Tail = append([]byte{}, o.Head...), append([]byte{}, o.Tail...)
	}
	return l
}

// runDirectly executes a command with the runner.
func runDirectly(t *testing.T, h *runner.Host, cmd runner.Command, stdin []byte, dialogue bool) (stable, string) {
	t.Helper()
	traced := ""
	if dialogue {
		script, err := trace.Parse(bytes.NewReader(stdin))
		if err != nil {
			t.Fatal(err)
		}
		cmd.Interact = func(ctx context.Context, p *runner.Peer) error {
			r := trace.Execute(ctx, script, p.In, p.Out, p.Clock, trace.Options{})
			traced = string(r.Ending) + " " + trace.EncodeAnswers(r.Answers)
			if r.Ending.LeavesSolver() {
				return errors.New(r.Message)
			}
			return nil
		}
	} else if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	rec, err := h.Run(t.Context(), cmd)
	if err != nil {
		return stable{}, err.Error()
	}
	return stableOf(&rec, traced), ""
}

func outcome(t *testing.T, r *worker.Result) (stable, string) {
	t.Helper()
	if r.Failure != nil {
		err := r.Failure.Err()
		if (r.Failure.Kind == worker.FailStart) != errors.Is(err, runner.ErrStart) {
			t.Errorf("%+v is the error %v", r.Failure, err)
		}
		return stable{}, err.Error()
	}
	traced := ""
	if len(r.Trace) > 0 {
		var result trace.Result
		if err := json.Unmarshal(r.Trace, &result); err != nil {
			t.Fatal(err)
		}
		traced = string(result.Ending) + " " + trace.EncodeAnswers(result.Answers)
	}
	return stableOf(r.Record, traced), ""
}
