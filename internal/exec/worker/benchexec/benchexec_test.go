package benchexec

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// solver executes the commands in its script. It is the program of an archive that runs see as /solver.
const solver = "#!/bin/sh\neval \"$(sed -n 's/^;do //p' \"$1\")\"\n"

func options(t *testing.T, mode, folder string, command ...string) worker.Options {
	t.Helper()
	list := cty.NullVal(cty.List(cty.String))
	if len(command) > 0 {
		var words []cty.Value
		for _, w := range command {
			words = append(words, cty.StringVal(w))
		}
		list = cty.ListVal(words)
	}
	return worker.Options{
		Header: worker.Header{Isolation: runner.Full, Cores: 1, MemoryBytes: 150e6}, Folder: folder,
		Settings: map[string]cty.Value{"mode": cty.StringVal(mode), "folder": cty.StringVal("job"), "benchexec": list},
		Log:      slog.New(slog.DiscardHandler),
	}
}

// work returns a run of the solver in the folder tree on a script.
func work(t *testing.T, tree, name string, number int, script string) *worker.Work {
	t.Helper()
	cmd := runner.Command{
		Argv: []string{"/solver/bin/solver", "/input/benchmark.smt2"}, HostSystem: true,
		Mounts: []runner.Mount{{Source: tree, Target: "/solver"}},
		Inputs: []runner.Input{{Target: "/input/benchmark.smt2", Content: []byte(script)}},
		Limits: comp.Limits{WallTime: 3500 * time.Millisecond, MemoryBytes: 150e6, Cores: 1},
	}
	w, err := worker.FromCommand(name, &cmd, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.About = &worker.About{Benchmark: "non-incremental/QF_LIA/a/b/" + name + ".smt2", Logic: "QF_LIA", Family: "a/b",
		Status: "sat", Number: number, Script: 100 - number, Solver: "Solver-1.2 X", Track: "single_query"}
	return w
}

// order executes works in one order and returns their results.
func order(ctx context.Context, x worker.Executor, works ...*worker.Work) ([]*worker.Result, error) {
	results := make([]*worker.Result, len(works))
	o := &worker.Order{
		Works: func(k int) ([]*worker.Work, error) { return works[k : k+1], nil },
		Take:  func(k int, r []*worker.Result) (bool, error) { results[k] = r[0]; return false, nil },
	}
	for _, w := range works {
		o.Tasks = append(o.Tasks, worker.Task{ID: w.ID})
	}
	return results, x.Execute(ctx, o)
}

// awaited reports whether a result must come from elsewhere, and returns the message that explains how.
func awaited(r *worker.Result) (message string, ok bool) {
	if r == nil || r.Failure == nil || r.Failure.Kind != worker.Awaited {
		return "", false
	}
	return r.Failure.Text, true
}

func solverTree(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	if err := os.MkdirAll(filepath.Join(tree, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "bin", "solver"), []byte(solver), 0o755); err != nil {
		t.Fatal(err)
	}
	return tree
}

// readable matches the statuses that the organisers' converter reads (CLUSTERS.md, part B3). The converter stops at any
// other status.
var readable = regexp.MustCompile(`^(TIMEOUT.*|OUT OF MEMORY.*|DONE.*|true|false|unknown|ERROR)$`)

// TestLocal uses BenchExec on this machine to execute a job with a solver that shows several behaviours.
func TestLocal(t *testing.T) {
	bin := testkit.BenchExecRuns(t)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	behaviours := []struct {
		name, does, stdout string
		want               run.Measured
		flags              runner.Flags
	}{
		{"sat", "echo sat", "sat\n", run.Measured{Ending: comp.Exited}, 0},
		{"three", "echo unknown; exit 3", "unknown\n", run.Measured{Ending: comp.Exited, ExitCode: 3}, 0},
		{"sleeps", "echo sat; sleep 60", "sat\n", run.Measured{Ending: comp.WallTimeout, ExitCode: -1}, 0},
		// BenchExec supports only whole seconds, so its limit is 4 s.
		{"late", "sleep 3.7; echo sat", "sat\n", run.Measured{Ending: comp.WallTimeout}, runner.FlagLateExit},
		{"memory", "exec tail /dev/zero", "", run.Measured{Ending: comp.OutOfMemory, ExitCode: -1}, 0},
		{"abrt", "kill -ABRT $$", "", run.Measured{Ending: comp.Signalled, ExitCode: -1, Signal: 6}, 0},
		{"kill", "kill -KILL $$", "", run.Measured{Ending: comp.Signalled, ExitCode: -1, Signal: 9},
			runner.FlagForeignKill},
	}
	dir, tree := t.TempDir(), solverTree(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	x, err := open(options(t, "local", dir, "benchexec", "--no-container"))
	if err != nil {
		t.Fatal(err)
	}
	var works []*worker.Work
	for i, b := range behaviours {
		works = append(works, work(t, tree, b.name, i, ";do "+b.does+"\n"))
	}
	results, err := order(ctx, x, works...)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range behaviours {
		if results[i] == nil || results[i].Record == nil {
			t.Errorf("%s: %+v", b.name, results[i])
			continue
		}
		got := results[i].Record
		if got.Ending != b.want.Ending || got.ExitCode != b.want.ExitCode || got.Signal != b.want.Signal ||
			got.Flags != b.flags || !strings.HasPrefix(string(got.Stdout.Head), b.stdout) || got.WallTimeS <= 0 {
			t.Errorf("%s: %+v, want %+v", b.name, got, b)
		}
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	checkStatuses(t, filepath.Join(dir, "job"))
}

// TestOrders runs the suite for executors with BenchExec. Each order is one call of BenchExec.
func TestOrders(t *testing.T) {
	bin := testkit.BenchExecRuns(t)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	tree := solverTree(t)
	x, err := open(options(t, "local", t.TempDir(), "benchexec", "--no-container"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	numbers := map[string]int{}
	workertest.Orders(t, x, func(id, script string) *worker.Work {
		time.Sleep(time.Second) // results of orders within one second would have the same name
		if _, known := numbers[id]; !known {
			numbers[id] = len(numbers)
		}
		return work(t, tree, id, numbers[id], ";do "+script+"\n")
	})
}

// checkStatuses checks every status that BenchExec wrote.
func checkStatuses(t *testing.T, folder string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(folder, "results", "*.xml.bz2"))
	if len(files) != 1 {
		t.Fatalf("results %v", files)
	}
	in, err := compressed.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	_, err = benchexec.Read(in, func(_ *benchexec.Header, r benchexec.Run) error {
		if !readable.MatchString(r.Status) {
			t.Errorf("%s has the status %q, which the organisers' converter cannot read", r.Name, r.Status)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestHandOver writes a job with one task and compares it with the output of the organisers' tool.
func TestHandOver(t *testing.T) {
	dir, tree := t.TempDir(), solverTree(t)
	hand := func(w *worker.Work) error {
		x, err := open(options(t, "hand-over", dir))
		if err != nil {
			t.Fatal(err)
		}
		r, err := order(t.Context(), x, w)
		if err != nil {
			return err
		}
		if message, ok := awaited(r[0]); !ok || !strings.Contains(message, "run_definitions/solver12x.xml") {
			t.Errorf("the result is %+v", r[0])
		}
		return nil
	}
	if err := hand(work(t, tree, "x", 7, "(check-sat)\n")); err != nil {
		t.Fatal(err)
	}
	unpacked := "unpack/" + treeName(worker.Mount{Source: tree})
	for name, want := range map[string]string{
		"benchmarks/properties/SMT.prp":               "",
		"benchmarks/files/QF_LIA/scrambled93.smt2":    "(check-sat)\n",
		"benchmarks/files/QF_LIA/7_QF_LIA_a__b_x.yml": "format_version: '2.0'\n\ninput_files: 'scrambled93.smt2'\n\n# original_files: 'non-incremental/QF_LIA/a/b/x.smt2'\n\nproperties:\n  - property_file: '../../properties/SMT.prp'\n    expected_verdict: true\n",
		"benchmarks/files/original_id.csv":            "scramble_id,file\n93,7\n",
		"benchmarks/files/benchmarks.csv":             "file,benchmark\n7,non-incremental/QF_LIA/a/b/x.smt2\n",
		"run_definitions/solver12x.set":               "../benchmarks/files/QF_LIA/7_QF_LIA_a__b_x.yml\n",
		"tools/solver12x.py":                          "from tools.tool import SMTCompTool\n\n\nclass Tool(SMTCompTool):\n    NAME = \"Solver-1.2 X\"\n    REQUIRED_PATHS = ['tools/run.sh', '" + unpacked + "']\n",
		"works.csv":                                   "task,run_key\n\"Solver-1.2 X,0,SingleQuery.7_QF_LIA_a__b_x.yml\",x\n",
		unpacked + "/bin/solver":                      solver,
	} {
		got, err := os.ReadFile(filepath.Join(dir, "job", name))
		if string(got) != want || err != nil {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
	definition, _ := os.ReadFile(filepath.Join(dir, "job", "run_definitions", "solver12x.xml"))
	const head = `<benchmark tool="tools.solver12x" timelimit="4s" walltimelimit="4s" memlimit="150 MB" cpuCores="1">`
	for _, want := range []string{head,
		`<require cpuCores="1" memory="150 MB"/>`, `<rundefinition name="Solver-1.2 X,0,SingleQuery">`, "<option>" + unpacked + "/bin/solver</option>"} {
		if !strings.Contains(string(definition), want) {
			t.Errorf("the definition has no %s:\n%s", want, definition)
		}
	}
	// After another task is added, the numbers of both must be known.
	if err := hand(work(t, tree, "y", 8, "(check-sat)\n")); err != nil {
		t.Fatal(err)
	}
	ids, _ := os.ReadFile(filepath.Join(dir, "job", "benchmarks/files/original_id.csv"))
	if string(ids) != "scramble_id,file\n92,8\n93,7\n" {
		t.Errorf("numbers:\n%s", ids)
	}
	// A run with another key must not match the run in the folder.
	other := work(t, tree, "x", 7, "(check-sat)\n")
	other.ID = "another key"
	if err := hand(other); !errors.Is(err, worker.ErrWork) || !strings.Contains(err.Error(), "belongs to other runs") {
		t.Errorf("another run: %v", err)
	}
}

// TestLoads checks that BenchExec's parser and loader accept the definitions of a job that is handed over. The
// definitions must meet the requirements of the organisers' cloud client: existing files, all in one folder, and no
// feature unknown to the client.
func TestLoads(t *testing.T) {
	bin := testkit.BenchExec(t)
	script, err := filepath.Abs("testdata/cloud.py")
	if err != nil {
		t.Fatal(err)
	}
	dir, tree := t.TempDir(), solverTree(t)
	x, err := open(options(t, "hand-over", dir))
	if err != nil {
		t.Fatal(err)
	}
	r, err := order(t.Context(), x, work(t, tree, "x", 0, "(check-sat)\n"), work(t, tree, "y", 1, "(check-sat)\n"))
	if _, ok := awaited(r[1]); err != nil || !ok {
		t.Fatalf("%+v, %v", r, err)
	}
	cmd := exec.CommandContext(t.Context(), bin+"/python", script, "--no-container", "--outputpath", "results/",
		"run_definitions/solver12x.xml")
	cmd.Dir = filepath.Join(dir, "job")
	cmd.Env = append(os.Environ(), "PYTHONPATH=.")
	out, err := cmd.CombinedOutput()
	unpacked := "unpack/" + treeName(worker.Mount{Source: tree})
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		"LOADED . 4 150000000 1 2 ", // base, CPU time, memory, cores and number of runs, as in work
		"tools/run.sh", unpacked,
		`"` + unpacked + `/bin/solver", "benchmarks/files/QF_LIA/scrambled100.smt2"]`,
		`"` + unpacked + `/bin/solver", "benchmarks/files/QF_LIA/scrambled99.smt2"]`,
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("there is no %s in:\n%s", want, out)
		}
	}
}

func TestRefuses(t *testing.T) {
	dir, tree := t.TempDir(), solverTree(t)
	_, err := open(options(t, "by pigeon", dir))
	if err == nil || !strings.Contains(err.Error(), "local or hand-over") {
		t.Errorf("mode: %v", err)
	}
	x, err := open(options(t, "hand-over", dir))
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*worker.Work){
		"has a comma":                 func(w *worker.Work) { w.About.Solver = "A,B" },
		"a comma, a slash":            func(w *worker.Work) { w.About.Solver = "../A" },
		"no letter":                   func(w *worker.Work) { w.About.Solver = "+++" },
		"no name for the track cloud": func(w *worker.Work) { w.About.Track = "cloud" },
		"provides no standard input":  func(w *worker.Work) { f := worker.Content("", nil); w.Stdin = &f },
		"does not say what":           func(w *worker.Work) { w.About = nil },
		"does not end in its script":  func(w *worker.Work) { w.Command = w.Command[:1] },
	} {
		w := work(t, tree, "x", 1, "")
		change(w)
		r, err := order(t.Context(), x, w)
		if err != nil || r[0].Failure == nil || r[0].Failure.Kind != worker.FailWork ||
			!strings.Contains(r[0].Failure.Text, want) {
			t.Errorf("%s: %+v, %v", want, r[0], err)
		}
	}
	// Two solver names that differ only in characters not allowed in file names.
	var works []*worker.Work
	for i, name := range []string{"Solver-1", "Solver 1"} {
		w := work(t, tree, "x", i, "")
		w.About.Solver = name
		works = append(works, w)
	}
	const want = "result in the same file"
	if _, err := order(t.Context(), x, works...); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("names that collide: %v", err)
	}
}

// TestRunScript tests how a job's shell script handles arguments, folders and signals.
func TestRunScript(t *testing.T) {
	dir := t.TempDir()
	text, err := fixed.ReadFile("job/tools/run.sh")
	if err != nil {
		t.Fatal(err)
	}
	const program = "#!/bin/sh\npwd; echo \"$@\"\n"
	for name, content := range map[string]string{"run.sh": string(text), "in.smt2": "", "unpack/x/p": program} {
		path := filepath.Join(dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o755))
		if err != nil {
			t.Fatal(err)
		}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		out  string
		code int
	}{
		{[]string{"unpack/x/p", "-a", "b c", "in.smt2"}, real + "\n-a b c " + real + "/in.smt2\n", 0},
		{[]string{"-C", "unpack/x", "-t", "/tmp", "unpack/x/p", "-t", "in.smt2"},
			real + "/unpack/x\n-t " + real + "/in.smt2 /tmp\n", 0},
		{[]string{"sh", "-c", "exit 7", "in.smt2"}, "", 7},
		{[]string{"sh", "-c", "kill -SEGV $$", "in.smt2"}, "", 139},
	} {
		cmd := exec.Command("/bin/sh", append([]string{"./run.sh"}, c.args...)...)
		cmd.Dir = real
		out, _ := cmd.Output()
		if string(out) != c.out || cmd.ProcessState.ExitCode() != c.code {
			t.Errorf("%q: %q, code %d, want %q, %d", c.args, out, cmd.ProcessState.ExitCode(), c.out, c.code)
		}
	}
}
