package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/trace"
)

// TestMain is also the program "worker" of the tests: this binary with SMTPIPE_TEST_WORKER=1 serves a chunk.
func TestMain(m *testing.M) {
	runner.MaybeInit()
	if os.Getenv("SMTPIPE_TEST_WORKER") != "" {
		if err := Serve(context.Background(), os.Stdin, os.Stdout, runner.Config{NoLock: true}, nil); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// level is the isolation that works of the tests can have on this machine.
func level(t *testing.T) runner.Isolation {
	t.Helper()
	h, err := runner.Open(runner.Config{Isolation: runner.BestEffort, Jobs: 1, NoLock: true})
	if err != nil {
		t.Skip(err)
	}
	defer h.Close()
	if l := h.Isolation(); l == runner.Full || l == runner.NamespacesOnly {
		return l
	}
	t.Skip("runs have no namespaces here, so that they see files only where they are")
	return ""
}

func header(t *testing.T) Header {
	return Header{Format: WorkFormat, Isolation: level(t), Cores: 1, MemoryBytes: 200e6, Jobs: 1}
}

// shell is a command that sees the machine's programs.
func shell(script string) runner.Command {
	return runner.Command{
		Argv: []string{"sh", "-c", script}, HostSystem: true, TimestampLines: 1,
		Limits: comp.Limits{WallTime: 20 * time.Second, MemoryBytes: 200e6, OutputBytes: 1000, Processes: 50, Cores: 1},
	}
}

func mustWork(t *testing.T, id string, c runner.Command, stdin []byte) *Work {
	t.Helper()
	w, err := FromCommand(id, &c, stdin)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestExecutors executes the same works here, through another process, and by the runner without this package, and
// compares the records in all that does not vary between runs.
func TestExecutors(t *testing.T) {
	h := header(t)
	const dialogueScript = "sat\nunsat\n" + trace.Separator + "\n(set-logic QF_UF)\n(check-sat)\n(check-sat)\n(exit)\n"
	const answers = `set -- sat unsat; while read -r l; do case $l in "(check-sat)") echo $1; shift;; *) echo success;; esac; done`
	withInput := shell("cat /input/a.smt2; echo $COLOUR")
	withInput.Inputs = []runner.Input{{Target: "/input/a.smt2", Content: []byte("(check-sat)\n\xff\x00")}}
	withInput.Env = []string{"COLOUR=blue"}
	short := shell("echo sat; exec sleep 60")
	short.Limits.WallTime = 300 * time.Millisecond
	merged := shell("echo x >&2; echo unsat; echo y >&2")
	merged.OneStream = true
	tests := []struct {
		name     string
		cmd      runner.Command
		stdin    string
		dialogue bool
	}{
		{name: "answers", cmd: shell("echo unsat; echo x >&2")},
		{name: "one stream", cmd: merged},
		{name: "fails", cmd: shell("exit 3")},
		{name: "crashes", cmd: shell("kill -SEGV $$")},
		{name: "input and environment", cmd: withInput},
		{name: "standard input", cmd: shell("cat"), stdin: "hello\n"},
		{name: "too much output", cmd: shell("i=0; while [ $i -lt 500 ]; do echo $i $i $i; i=$((i+1)); done")},
		{name: "wall limit", cmd: short},
		{name: "dialogue", cmd: shell(answers), stdin: dialogueScript, dialogue: true},
		{name: "dialogue with a wrong answer", cmd: shell("echo success; echo unsat; exec sleep 60"), stdin: dialogueScript, dialogue: true},
		{name: "cannot be started", cmd: runner.Command{Argv: []string{"no-such-solver"}, HostSystem: true}},
	}
	local, err := OpenLocal(h, runner.Config{NoLock: true})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	t.Setenv("SMTPIPE_TEST_WORKER", "1")
	process, err := StartProcess(t.Context(), []string{"/proc/self/exe"}, h)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := process.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdin []byte
			if tt.stdin != "" {
				stdin = []byte(tt.stdin)
			}
			w := mustWork(t, tt.name, tt.cmd, stdin)
			if tt.dialogue {
				w.Dialogue = &Dialogue{}
			}
			want, wantErr := directly(t, local.host, tt.cmd, stdin, tt.dialogue)
			for _, x := range []Executor{local, process} {
				r, err := x.Execute(t.Context(), w)
				if err != nil {
					t.Fatal(err)
				}
				got, gotErr := outcome(t, r)
				if diff := cmp.Diff(want, got); diff != "" || wantErr != gotErr {
					t.Errorf("%T: error %q, want %q; record (-runner +executor):\n%s", x, gotErr, wantErr, diff)
				}
			}
		})
	}
}

// lasting is what of a record does not vary between two runs.
type lasting struct {
	Ending           comp.Ending
	ExitCode, Signal int
	Stdout, Stderr   runner.Output
	Answers          []string
	Flags            string
	Isolation        runner.Isolation
	Layout           string
	Env              []string
	Trace            string
	Measured         bool
}

func lastingOf(r *runner.Record, traced string) lasting {
	l := lasting{
		Ending: r.Ending, ExitCode: r.ExitCode, Signal: int(r.Signal), Stdout: r.Stdout, Stderr: r.Stderr,
		Flags:     (r.Flags & (runner.FlagTruncated | runner.FlagLateExit | runner.FlagSampled | runner.FlagNoMemoryLimit)).String(),
		Isolation: r.Isolation, Layout: r.Layout, Env: r.Env, Trace: traced,
		Measured: r.WallTime > 0 && r.CPUTime > 0 && r.MemoryBytes > 0 && !r.Started.IsZero(),
	}
	for _, line := range r.Lines {
		l.Answers = append(l.Answers, line.Text)
	}
	for _, o := range []*runner.Output{&l.Stdout, &l.Stderr} { // no bytes are no bytes
		o.Head, o.Tail = append([]byte{}, o.Head...), append([]byte{}, o.Tail...)
	}
	return l
}

// directly executes a command by the runner.
func directly(t *testing.T, h *runner.Host, cmd runner.Command, stdin []byte, talks bool) (lasting, string) {
	t.Helper()
	traced := ""
	if talks {
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
		return lasting{}, err.Error()
	}
	return lastingOf(&rec, traced), ""
}

func outcome(t *testing.T, r *Result) (lasting, string) {
	t.Helper()
	if r.Failure != nil {
		err := r.Failure.Err()
		if (r.Failure.Kind == FailStart) != errors.Is(err, runner.ErrStart) {
			t.Errorf("%+v is the error %v", r.Failure, err)
		}
		return lasting{}, err.Error()
	}
	rec, err := r.Record.Runner()
	if err != nil {
		t.Fatal(err)
	}
	traced := ""
	if len(r.Trace) > 0 {
		var result trace.Result
		if err := json.Unmarshal(r.Trace, &result); err != nil {
			t.Fatal(err)
		}
		traced = string(result.Ending) + " " + trace.EncodeAnswers(result.Answers)
	}
	return lastingOf(&rec, traced), ""
}

// TestServe serves a chunk, is cut off in the middle of a line, and goes on.
func TestServe(t *testing.T) {
	h := header(t)
	var chunk bytes.Buffer
	enc := json.NewEncoder(&chunk)
	if err := enc.Encode(h); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "c"} {
		if err := enc.Encode(mustWork(t, id, shell("echo "+id), nil)); err != nil {
			t.Fatal(err)
		}
	}
	var results bytes.Buffer
	if err := Serve(t.Context(), bytes.NewReader(chunk.Bytes()), &results, runner.Config{NoLock: true}, nil); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(results.String(), "\n") // hello, a, b, c and an empty one
	if len(lines) != 5 {
		t.Fatalf("%d lines of results, want 4:\n%s", len(lines)-1, results.String())
	}
	cut := strings.Join(lines[:2], "") + lines[2][:20]
	all, size, err := ReadResults(strings.NewReader(cut))
	if err != nil || len(all) != 1 || all[0].ID != "a" || size != int64(len(lines[0])+len(lines[1])) {
		t.Fatalf("of a file that is cut off %d results of %d bytes were read, error %v; want a", len(all), size, err)
	}
	results.Reset()
	if err := Serve(t.Context(), bytes.NewReader(chunk.Bytes()), &results, runner.Config{NoLock: true}, map[string]bool{"a": true}); err != nil {
		t.Fatal(err)
	}
	all, _, err = ReadResults(&results)
	if err != nil || len(all) != 2 || all[0].ID != "b" || string(all[1].Record.Stdout.Head) != "c\n" {
		t.Errorf("after it came %+v, error %v; want b and c", all, err)
	}
}

func TestServeRefuses(t *testing.T) {
	tests := []struct{ name, chunk, want string }{
		{"empty", "", "read the header"},
		{"not JSON", "hello\n", "read the header"},
		{"another format", `{"format":"smtpipe-work/9"}`, `the format "smtpipe-work/9"`},
		{"another machine", `{"format":"smtpipe-work/1","isolation":"none","hardware":"abacus"}`, `to be measured on "abacus"`},
		{"best effort", `{"format":"smtpipe-work/1","isolation":"best_effort"}`, "best_effort"},
		{"too many cores", `{"format":"smtpipe-work/1","isolation":"none","cores":5000}`, "5000 cores"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Serve(t.Context(), strings.NewReader(tt.chunk), &bytes.Buffer{}, runner.Config{NoLock: true}, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestVerify gives works whose programs or files differ from what the work says.
func TestVerify(t *testing.T) {
	h := header(t)
	local, err := OpenLocal(h, runner.Config{NoLock: true})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "run"), []byte("#!/bin/sh\necho sat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	right, err := Fingerprint(tree)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(*Work)
		want   string
	}{
		{"right", func(w *Work) { w.Verify = []Digest{{tree, right}} }, ""},
		{"another tree", func(w *Work) { w.Verify = []Digest{{tree, strings.Repeat("0", 64)}} }, "install the same program"},
		{"no tree", func(w *Work) { w.Verify = []Digest{{tree + "/no", right}} }, "no such file"},
		{"another input", func(w *Work) { w.Inputs = []File{{Target: "/input/x", SHA256: right, Content: []byte("x")}} }, "its content has the digest"},
		{"no input", func(w *Work) { w.Inputs = []File{{Target: "/input/x", SHA256: right, Path: "/nonexistent"}} }, "no such file"},
		{"a dialogue without a script", func(w *Work) { w.Dialogue = &Dialogue{} }, "needs a script"},
		{"no id", func(w *Work) { w.ID = "" }, "no id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := mustWork(t, "x", shell("echo sat"), nil)
			tt.change(w)
			r, err := local.Execute(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.want == "" && r.Record == nil:
				t.Errorf("failed: %+v", r.Failure)
			case tt.want != "" && (r.Failure == nil || r.Failure.Kind != FailWork || !strings.Contains(r.Failure.Text, tt.want)):
				t.Errorf("failure %+v, want %q", r.Failure, tt.want)
			case tt.want != "" && !errors.Is(r.Failure.Err(), ErrWork):
				t.Errorf("its error is %v", r.Failure.Err())
			}
		})
	}
}

// TestProcessFails starts workers that are none, that refuse and that die.
func TestProcessFails(t *testing.T) {
	h := header(t)
	tests := []struct {
		name string
		argv []string
		want string
	}{
		{"empty", nil, "empty"},
		{"not there", []string{"/nonexistent"}, "start the worker"},
		{"says nothing", []string{"sh", "-c", "echo who are you >&2"}, "it says: who are you"},
		{"says nonsense", []string{"echo", "hello"}, "not JSON"},
		{"another format", []string{"echo", `{"format":"x"}`}, `in the format "x"`},
		{"refuses", []string{"echo", `{"format":"smtpipe-results/1","error":"I am busy"}`}, "I am busy"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := StartProcess(t.Context(), tt.argv, h)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	t.Run("dies", func(t *testing.T) {
		p, err := StartProcess(t.Context(), []string{"sh", "-c", `echo '{"format":"smtpipe-results/1","slots":1}'; read a; read b; echo out of order >&2`}, h)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		_, err = p.Execute(t.Context(), mustWork(t, "x", shell(":"), nil))
		if err == nil || !strings.Contains(err.Error(), "the worker is lost") || !strings.Contains(err.Error(), "out of order") {
			t.Errorf("error %v", err)
		}
	})
}

// TestRestart kills workers while they execute a run. The run has no result, the next one has another worker, and workers
// that only die are given up.
func TestRestart(t *testing.T) {
	h := header(t)
	t.Setenv("SMTPIPE_TEST_WORKER", "1")
	var log strings.Builder
	r, err := StartRestarting(t.Context(), []string{"/proc/self/exe"}, h, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	killed := func() error {
		timer := time.AfterFunc(200*time.Millisecond, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			_ = r.current.cmd.Process.Kill()
		})
		defer timer.Stop()
		got, err := r.Execute(t.Context(), mustWork(t, "x", shell("exec sleep 15"), nil))
		if got != nil {
			t.Errorf("a run whose worker was killed has the result %+v", got)
		}
		return err
	}
	for range 2 {
		if err := killed(); !errors.Is(err, ErrLost) {
			t.Fatalf("error %v", err)
		}
		got, err := r.Execute(t.Context(), mustWork(t, "x", shell("echo sat"), nil))
		if err != nil || got.Failure != nil || string(got.Record.Stdout.Head) != "sat\n" {
			t.Fatalf("the next worker gives %+v, error %v", got, err)
		}
	}
	if n := strings.Count(log.String(), "is started again"); n != 2 {
		t.Errorf("%d warnings, want 2: %s", n, log.String())
	}
	for range 1 + maxRestarts {
		if err := killed(); !errors.Is(err, ErrLost) {
			t.Fatalf("error %v", err)
		}
	}
	_, err = r.Execute(t.Context(), mustWork(t, "x", shell(":"), nil))
	if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "without a result") {
		t.Errorf("after %d restarts: error %v", maxRestarts, err)
	}
}

// TestProcessIsLeft ends a driver's context while a worker executes a run of a minute: both must end at once.
func TestProcessIsLeft(t *testing.T) {
	h := header(t)
	t.Setenv("SMTPIPE_TEST_WORKER", "1")
	p, err := StartProcess(t.Context(), []string{"/proc/self/exe"}, h)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	c := shell("exec sleep 60")
	c.Limits.WallTime = time.Minute
	if _, err := p.Execute(ctx, mustWork(t, "x", c, nil)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	start := time.Now()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 25*time.Second {
		t.Errorf("the worker lived on for %v", took)
	}
}

// TestRecordRoundTrip: a record survives JSON, every field of it.
func TestRecordRoundTrip(t *testing.T) {
	want := runner.Record{
		Ending: comp.OutOfMemory, ExitCode: -1, Signal: syscall.SIGKILL, WallTime: 1, CPUTime: 2, UserTime: 3, SystemTime: 4,
		MemoryBytes: 5, Processes: 6, ReadBytes: 7, WrittenBytes: 8, Pressure: &runner.Pressure{CPU: 9, Memory: 10, IO: 11},
		Stdout: runner.Output{Head: []byte("\xff\x00a"), Tail: []byte("b"), Total: 100, Dropped: 96},
		Stderr: runner.Output{Head: []byte("e"), Total: 1},
		Lines:  []runner.Line{{At: 12, CPU: 13, Text: "sat\xff"}},
		Flags:  runner.FlagTruncated | runner.FlagCollectPartly, Isolation: runner.Full, Layout: "v2", Slot: 14, CPUs: "0-1",
		Started: time.Date(2026, 11, 20, 1, 2, 3, 4, time.UTC), Env: []string{"A=b"},
	}
	text, err := json.Marshal(fromRecord(&want))
	if err != nil {
		t.Fatal(err)
	}
	var wire Record
	if err := json.Unmarshal(text, &wire); err != nil {
		t.Fatal(err)
	}
	got, err := wire.Runner()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFromCommandRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*runner.Command)
	}{
		{"standard input", func(c *runner.Command) { c.StdinFile = "/x" }},
		{"writable mount", func(c *runner.Command) { c.Mounts = []runner.Mount{{Source: "/a", Target: "/a", Writable: true}} }},
		{"file of the machine", func(c *runner.Command) { c.Inputs = []runner.Input{{Source: "/a", Target: "/a"}} }},
		{"variables of the driver", func(c *runner.Command) { c.PassEnv = []string{"HOME"} }},
		{"not UTF-8", func(c *runner.Command) { c.Argv = append(c.Argv, "\xff") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := shell(":")
			tt.change(&c)
			if _, err := FromCommand("x", &c, nil); err == nil {
				t.Error("there is no error")
			}
		})
	}
}

// FuzzReadResults: what is behind the last whole line is never counted, and nothing panics.
func FuzzReadResults(f *testing.F) {
	f.Add([]byte("{\"format\":\"smtpipe-results/1\"}\n{\"id\":\"a\"}\n{\"id"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, size, err := ReadResults(bytes.NewReader(data))
		if size > int64(len(data)) || err == nil && size > 0 && data[size-1] != '\n' || len(all) > bytes.Count(data, []byte("\n")) {
			t.Errorf("%d results, size %d of %d, error %v", len(all), size, len(data), err)
		}
	})
}
