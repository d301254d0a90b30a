package intake_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// behaviour is a solver's scripted behaviour, with the expected reading of its run with and without the killer.
type behaviour struct {
	name, does    string
	plain, killed benchexec.Outcome
	output        string // start of the output, also with the killer unless noOutput is set
	noOutput      bool   // the killer is stopped before it prints anything
	truncated     bool
}

var (
	lost    = benchexec.Outcome{Ending: comp.Exited, CodeLost: true}
	timeout = benchexec.Outcome{Ending: comp.WallTimeout, ExitCode: -1}
	memout  = benchexec.Outcome{Ending: comp.OutOfMemory, ExitCode: -1}
)

func exited(code int) benchexec.Outcome {
	return benchexec.Outcome{Ending: comp.Exited, ExitCode: code}
}

func by(signal int) benchexec.Outcome {
	return benchexec.Outcome{Ending: comp.Signalled, ExitCode: -1, Signal: signal}
}

var behaviours = []behaviour{
	{name: "sat", does: "echo sat", plain: exited(0), killed: lost, output: "sat\n"},
	{name: "core", does: "echo unsat; echo; echo '(smtcomp1 smtcomp2)'", plain: exited(0), killed: lost,
		output: "unsat\n\n(smtcomp1 smtcomp2)\n"},
	{name: "silent", does: ":", plain: exited(0), killed: lost},
	{name: "error", does: "echo '(error \"no\")'; exit 1", plain: exited(1), killed: lost, output: "(error \"no\")\n"},
	{name: "sat_then_1", does: "echo sat; exit 1", plain: exited(1), killed: lost, output: "sat\n"},
	{name: "sleeps", does: "echo sat; sleep 60", plain: timeout, killed: timeout, output: "sat\n"},
	{name: "memory", does: "echo sat; exec tail /dev/zero", plain: memout, killed: memout, output: "sat\n",
		noOutput: true},
	{name: "segv", does: "echo sat; kill -SEGV $$", plain: by(11), killed: by(11), output: "sat\n"},
	{name: "abrt", does: "kill -ABRT $$", plain: by(6), killed: by(6)},
	{name: "kills_itself", does: "kill -KILL $$", plain: by(9), killed: by(9)},
	{name: "warns", does: "echo careful >&2; echo unsat", plain: exited(0), killed: lost, output: "careful\nunsat\n"},
	{name: "floods", does: "echo unsat; yes smtcomp1 | head -c 3000000", plain: exited(0), killed: lost,
		output: "unsat\n", truncated: true},
}

// toolModule checks nothing in the solver's output, because the outcome of a run is determined without it.
const toolModule = `import benchexec.result as result
from benchexec.tools.template import BaseTool2

class Tool(BaseTool2):
    def executable(self, tool_locator):
        return tool_locator.find_executable("fake.sh")
    def name(self):
        return "Fake"
    def cmdline(self, executable, options, task, rlimits):
        return [*options, executable, *task.input_files]
    def determine_result(self, run):
        return result.RESULT_UNKNOWN
`

// wallTimeKiller behaves as CLUSTERS.md describes for the organisers' program of this name: after the solver has ended,
// it prints an empty line after each line, and exits with the raw status.
const wallTimeKiller = `#!/usr/bin/python3
import os, signal, subprocess, sys, tempfile
out = tempfile.TemporaryFile()
p = subprocess.Popen(sys.argv[2:], stdout=out, stderr=out, start_new_session=True)
late = False
def stop(*_):
    global late
    late = True
    os.killpg(p.pid, signal.SIGKILL)
signal.signal(signal.SIGALRM, stop)
signal.alarm(int(sys.argv[1]))
_, status = os.waitpid(p.pid, 0)
signal.alarm(0)
out.seek(0)
for line in out.read().decode().splitlines(keepends=True):
    print(line)
if late:
    print("TIMEOUT")
    sys.stdout.flush()
    os._exit(9)
sys.stdout.flush()
os._exit(status & 0xff)
`

const benchmarkXML = `<?xml version="1.0"?>
<!DOCTYPE benchmark PUBLIC "+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN" "https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd">
<benchmark tool="tools.fake" timelimit="20s" walltimelimit="%s" memlimit="150 MB" cpuCores="1">
  <rundefinition name="Fake,0,SingleQuery">%s<tasks name="task"><include>b/QF_LIA/*.yml</include></tasks></rundefinition>
</benchmark>
`

// TestRealBenchExec executes a solver with every behaviour in BenchExec, both directly and through the wall time
// killer, and reads the results.
func TestRealBenchExec(t *testing.T) {
	bin := testkit.BenchExec(t)
	for _, c := range []struct{ name, wallTime, option string }{
		{"plain", "4s", ""},
		{"killer", "30s", "<option>./walltime_killer.py</option><option>4</option>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			killer := c.option != "" // requires cgroups that a container does not provide
			dir := t.TempDir()
			m := writeJob(t, dir, fmt.Sprintf(benchmarkXML, c.wallTime, c.option))
			inContainer := []string{"--read-only-dir", "/", "--read-only-dir", "/tmp", "--overlay-dir", "."}
			if killer || !execute(t, bin, dir, inContainer...) {
				if !execute(t, bin, dir, "--no-container") {
					t.Skip("BenchExec executes nothing on this machine")
				}
			}
			checkJob(t, filepath.Join(dir, "results"), m, killer)
		})
	}
}

// execute executes the job in a folder. It returns false if BenchExec executes nothing, because cgroups or containers
// are unavailable here or because it hangs. On a busy machine, it hangs if its child in a container waits for an
// inherited lock.
func execute(t *testing.T, bin, dir string, args ...string) bool {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "results")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "benchexec"),
		append([]string{"job.xml", "-o", "results/", "--maxLogfileSize", "1"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir, "TOKEN=secret")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // a hanging child in a container outlives BenchExec
	}
	if err != nil {
		t.Logf("benchexec %v: %v\n%s", args, err, out)
		return false
	}
	return true
}

// writeJob writes a job with a task for each behaviour, and returns the behaviours' benchmarks.
func writeJob(t *testing.T, dir, job string) *intake.Mapping {
	t.Helper()
	files := map[string]string{"job.xml": job, "tools/__init__.py": "", "tools/fake.py": toolModule,
		"walltime_killer.py": wallTimeKiller, "fake.sh": "#!/bin/sh\neval \"$(sed -n 's/^;do //p' \"$1\")\"\n"}
	m := &intake.Mapping{}
	for i, b := range behaviours {
		files[fmt.Sprintf("b/QF_LIA/scrambled%d.smt2", i)] = ";do " + b.does + "\n"
		files[fmt.Sprintf("b/QF_LIA/%d_QF_LIA_fam_%s.yml", i, b.name)] =
			fmt.Sprintf("format_version: '2.0'\n\ninput_files: 'scrambled%d.smt2'\n\nproperties: []\n", i)
		m.AddBenchmark(i, "non-incremental/QF_LIA/fam/"+b.name+".smt2")
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func checkJob(t *testing.T, results string, m *intake.Mapping, killer bool) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(results, "*.xml.bz2"))
	archives, _ := filepath.Glob(filepath.Join(results, "*.logfiles.zip"))
	if len(files) != 1 || len(archives) != 1 {
		t.Fatalf("BenchExec left %v and %v", files, archives)
	}
	logs, err := benchexec.OpenLogs(archives[0])
	if err != nil {
		t.Fatal(err)
	}
	defer logs.Close()
	got := map[string]intake.Execution{}
	absent, err := intake.Executions(files[0], intake.Source{Mapping: m}, logs, func(x *intake.Execution) error {
		got[strings.TrimSuffix(filepath.Base(x.Path), ".smt2")] = *x
		return nil
	})
	if err != nil || absent != 0 || len(got) != len(behaviours) {
		t.Fatalf("%d runs, %d absent, %v", len(got), absent, err)
	}
	for _, b := range behaviours {
		x := got[b.name]
		if x.Log == nil {
			t.Errorf("%s has no log", b.name)
			continue
		}
		want, output := b.plain, b.output
		if killer {
			want = b.killed
			if b.noOutput {
				output = ""
			}
		}
		if x.Outcome != want || x.Log.Killer != killer || x.Log.Truncated != b.truncated {
			t.Errorf("%s: %+v, killer %v, truncated %v, want %+v; %+v", b.name, x.Outcome, x.Log.Killer,
				x.Log.Truncated, want, x.Run)
		}
		if out := string(x.Log.Output); !strings.HasPrefix(out, output) || (!b.truncated && out != output) {
			t.Errorf("%s printed %.100q, want %q", b.name, out, output)
		}
		if x.Solver != "Fake" || x.Track != comp.SingleQuery || x.Header.CPULimitS != 20 ||
			x.Header.MemoryBytes != 150_000_000 || x.Header.Cores != 1 ||
			x.Run.WallTimeS <= 0 || x.Run.CPUTimeS < 0 || x.Run.MemoryBytes <= 0 {
			t.Errorf("%s: %+v of %+v", b.name, x.Run, x.Header)
		}
	}
}
