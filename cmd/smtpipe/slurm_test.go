package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
	"github.com/smtpipe/smtpipe/internal/lang/builds"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// slurmBlock is the executor that replaces the local one.
const slurmBlock = `executor "slurm" "here" {
  isolation = "none"
  time      = "10m"
  jobs      = 3
  exchange  = "exchange"
  delay     = "1s"
  poll      = "200ms"
}`

// TestSlurm executes 120 runs on three nodes of a real Slurm cluster. Meanwhile, the driver is killed, a node is lost,
// a job is cancelled, another job is requeued, and the exchange folder is full for some time. Except for measurements,
// the table must equal a local run's, and no recorded run may be executed again. With SMTPIPE_SLURM_KILLS=10, the
// driver is killed ten times, and there are 300 runs.
func TestSlurm(t *testing.T) {
	kills, solvers := 4, 2
	if n, err := strconv.Atoi(os.Getenv("SMTPIPE_SLURM_KILLS")); err == nil {
		kills, solvers = n, 5
	}
	cluster := workertest.StartCluster(t)
	s := newStorm(t, solvers, "0.1")
	competition := filepath.Join(s.dir, "competition.hcl")
	text, err := os.ReadFile(competition)
	if err != nil {
		t.Fatal(err)
	}
	write(t, competition, strings.NewReplacer(`executor "local" "here" { isolation = "none" }`, slurmBlock,
		"executor.local.here", "executor.slurm.here").Replace(string(text)), 0o666)
	exchange := filepath.Join(s.dir, "exchange")
	mountSmall(t, exchange)

	oneOf := func(state string) string {
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			for _, j := range cluster.Jobs() {
				if j.State == state {
					return j.ID
				}
			}
		}
		t.Errorf("no job is %s", state)
		return ""
	}
	disturbances := []func(){
		func() { cluster.KillNode(2) },
		func() { slurm(t, "scancel", oneOf("RUNNING")) },
		func() { slurm(t, "scontrol", "requeue", oneOf("RUNNING")) },
		func() {
			cluster.StartNode(2)
			ballast := filepath.Join(exchange, "ballast")
			fill(t, ballast)
			time.Sleep(2 * time.Second)
			if err := os.Remove(ballast); err != nil {
				t.Error(err)
			}
		},
	}
	type moment struct {
		executed int
		recorded map[string]bool
	}
	var moments []moment
	for n := range kills {
		cmd := s.command()
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(500+rand.IntN(1000)) * time.Millisecond)
		for i, disturb := range disturbances {
			if n == (i+1)*kills/(len(disturbances)+1) {
				disturb()
			}
		}
		cmd.Process.Kill()
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() >= 0 {
			t.Fatalf("the driver ended by itself after %d kills: %v: %s", n, err, &said)
		}
		recorded := s.recorded(t)
		moments = append(moments, moment{len(s.executions(t)), recorded})
	}
	s.finish(t)
	here := newStorm(t, solvers, "0.001")
	here.finish(t)
	rows, digests := s.tables(t)
	wantRows, wantDigests := here.tables(t)
	if diff := cmp.Diff(wantRows, rows); diff != "" || digests != wantDigests || len(rows) != s.total+1 {
		t.Errorf("%d rows; the tables of a local run are others (-want +got)\n%s\n%s%s", len(rows)-1, diff, wantDigests,
			digests)
	}
	checkNodes(t, filepath.Join(s.dir, ".smtpipe"))
	keyOf := map[string]string{}
	column := func(name string) int { return slices.Index(rows[0], name) }
	for _, r := range rows[1:] {
		keyOf[r[column("solver")]+" "+r[column("script_sha256")]] = r[column("run_key")]
	}
	checkMachine(t, filepath.Join(s.dir, ".smtpipe"), rows[1][column("hardware")])
	executions := s.executions(t)
	for i, m := range moments {
		for _, run := range executions[m.executed:] {
			if m.recorded[keyOf[run]] {
				t.Errorf("%s was executed again after it was recorded at kill %d", run, i)
			}
		}
	}
	lost := len(executions) - s.total
	if lost < 0 || lost > 15 {
		t.Errorf("%d executions have no result, want those that were going on when something failed, at most 15", lost)
	}
	chunks, err := os.ReadDir(filepath.Join(exchange, "chunks"))
	if err != nil || len(chunks) > 0 {
		t.Errorf("%d chunks are left in the exchange folder, error %v", len(chunks), err)
	}
	t.Logf("%d runs, %d executions lost; recorded at the kills: %v", s.total, lost, func() (n []int) {
		for _, m := range moments {
			n = append(n, len(m.recorded))
		}
		return n
	}())
}

// checkNodes checks that a driver's store records which nodes executed runs. Killed drivers may have counted fewer
// runs, and a lost node may have executed none.
func checkNodes(t *testing.T, dir string) {
	t.Helper()
	store, err := cache.Open(dir, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	nodes, err := evidence.FindNodes(store, "stage.execute.main")
	var names []string
	for _, n := range nodes {
		if n.Runs > 0 && len(n.ReferencesS) > 0 && slices.Contains([]string{"n1", "n2", "n3"}, n.Name) {
			names = append(names, n.Name)
		}
	}
	if err != nil || len(names) < 2 {
		t.Errorf("nodes %+v, error %v; want runs on at least two of n1, n2 and n3", nodes, err)
	}
}

// checkMachine checks that a driver's store contains the machine's state. Only workers can have reported it, because
// the driver executes nothing. The test's nodes are this machine.
func checkMachine(t *testing.T, dir, hardware string) {
	t.Helper()
	store, err := cache.Open(dir, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	m, err := evidence.FindMachine(store, hardware)
	if err != nil {
		t.Fatal(err)
	}
	if want := runner.MachineState().Kernel; len(m.States) == 0 || want == "" || m.States[0].Kernel != want {
		t.Errorf("the states of %q are %+v, want the kernel %q", hardware, m.States, want)
	}
}

// TestCompareInCluster compares two builds on this machine and on three nodes of a real Slurm cluster, where the pairs
// are groups. The losses and gains must be the same, and the second build must be found to be slower.
func TestCompareInCluster(t *testing.T) {
	workertest.StartCluster(t)
	dir := everyDay(t, "case $1 in */f/[12].smt2) exit;; esac; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo sat\n")
	write(t, filepath.Join(dir, "b"), "#!/bin/sh\ncase $1 in */g/[345].smt2) exit;; esac\n"+
		"i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; echo sat\n", 0o777)
	level := string(workertest.Level(t))
	write(t, filepath.Join(dir, "pipeline.hcl"), strings.Replace(slurmBlock, `"none"`, strconv.Quote(level), 1), 0o666)
	compared := func(args ...string) (answers, reasons string) {
		c := comparedWith(t, dir, "./b", args...)
		for _, p := range c.Pairs {
			answers += fmt.Sprintln(p.Benchmark.Path, p.A.Answer, p.B.Answer, p.Interleaved)
		}
		return answers, strings.Join(c.Reasons, "; ")
	}
	here, _ := compared("--isolation", level)
	there, reasons := compared("--executor", "slurm.here")
	if diff := cmp.Diff(here, there); diff != "" {
		t.Errorf("answers (-here +there):\n%s", diff)
	}
	// Of 20 benchmarks, 2 are gained and 3 are lost.
	if sat, lost := strings.Count(there, "sat sat true"), strings.Count(there, "sat  true"); sat != 15 || lost != 3 {
		t.Errorf("%d benchmarks are solved by both and %d lost, want 15 and 3:\n%s", sat, lost, there)
	}
	if !strings.Contains(reasons, "CPU time") {
		t.Errorf("the cluster finds %q, and not that the second build takes twice the time", reasons)
	}
}

// TestSeedsInCluster compares commits with seeds and searches for the first bad one, on three nodes of a real Slurm
// cluster. The result must be the same as on this machine. Measurements from the cluster must have a history, and a
// reducer must be able to execute its questions there.
func TestSeedsInCluster(t *testing.T) {
	testkit.Long(t)
	workertest.StartCluster(t)
	testkit.Program(t, "git")
	testkit.Program(t, "cc")
	dir := t.TempDir()
	planted(t, dir, 4, [3]int{2, 3, 1})
	level := string(workertest.Level(t))
	write(t, filepath.Join(dir, "pipeline.hcl"), strings.Replace(slurmBlock, `"none"`, strconv.Quote(level), 1), 0o666)
	ask := func(into any, command, family string, args ...string) {
		t.Helper()
		cmd := exec.Command("smtpipe", slices.Concat([]string{command, "main~3", "main", "--repository", "repo",
			"--build", "cc -O1 -o solver solver.c", "--program", "solver", "--benchmarks", family, "--wall", "5s",
			"--progress", "none", "--store", t.TempDir()}, args)...)
		cmd.Dir = dir
		var said strings.Builder
		cmd.Stderr = &said
		out, failed := cmd.Output()
		if err := json.Unmarshal(out, into); err != nil {
			t.Fatalf("%v, %v: %s%s", failed, err, out, &said)
		}
	}
	var here, there compare.Report
	ask(&here, "compare", "unstable", "--seeds", "4", "--isolation", level, "--json", "-")
	ask(&there, "compare", "unstable", "--seeds", "4", "--executor", "slurm.here", "--json", "-")
	if diff := cmp.Diff(here.Stability.Spreads, there.Stability.Spreads); diff != "" || there.Stability.UnstableB == 0 {
		t.Errorf("benchmarks that are not stable (-here +there):\n%s", diff)
	}
	for family, want := range map[string]string{"slow": "commit 2", "unstable": "commit 1"} {
		var found builds.Bisected
		ask(&found, "bisect", family, "--seeds", "3", "--executor", "slurm.here", "--json")
		if len(found.First) != 1 || !strings.HasSuffix(found.First[0], want) || found.Runs == 0 {
			t.Errorf("of the family %s the first bad build is %q, want %s: %+v", family, found.First, want, found.Steps)
		}
	}

	// Two lost answers appear in both builds' history, and in a reducer's question about a script.
	store := t.TempDir()
	var lost compare.Report
	ask(&lost, "compare", "unknown", "--executor", "slurm.here", "--json", "-", "--store", store, "--history", "table")
	out, _ := smtpipe(t, "compare", "--history", "table", "--store", store, "--json", "-")
	var history compare.History
	if err := json.Unmarshal([]byte(out), &history); err != nil {
		t.Fatal(err)
	}
	if len(history.Builds) != 2 || history.Benchmarks != 12 || len(history.Lost) != 2 {
		t.Errorf("the history has %d builds on %d benchmarks, and lost %+v", len(history.Builds), history.Benchmarks,
			history.Lost)
	}
	for file, code := range map[string]int{"unknown/11.smt2": 0, "unknown/1.smt2": exit.Error} {
		cmd := exec.Command("smtpipe", "compare", "main~3", "main", "--repository", "repo", "--build",
			"cc -O1 -o solver solver.c", "--program", "solver", "--wall", "5s", "--store", store, "--executor",
			"slurm.here", "--progress", "none", "--still", "lost:exited", "--benchmarks", file)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("%s: exit code %d, want %d: %v\n%s", file, got, code, err, out)
		}
	}
}

// TestCompareWithSlowNode compares builds that burn a given CPU time on three nodes of a real Slurm cluster, one of
// which is twice as slow. The same program must not be a finding, because both runs of a pair are on one node. A build
// that takes 30 % longer must be one.
func TestCompareWithSlowNode(t *testing.T) {
	workertest.StartCluster(t)
	dir := everyDay(t, burning(10))
	write(t, filepath.Join(dir, "slower"), "#!/bin/sh\n"+burning(13), 0o777)
	write(t, filepath.Join(dir, "pipeline.hcl"), slurmBlock, 0o666)
	same := comparedWith(t, dir, "./b", "--executor", "slurm.here")
	slow, fast := 0, 0
	for _, p := range same.Pairs {
		switch least := min(p.A.CPUTimeS, p.B.CPUTimeS); {
		case max(p.A.CPUTimeS, p.B.CPUTimeS) > least*3/2:
			t.Errorf("%s: %v and %v were not measured on one node", p.Benchmark.Path, p.A.CPUTimeS, p.B.CPUTimeS)
		case least >= 0.19:
			slow++
		default:
			fast++
		}
	}
	if same.Regression || slow < 3 || fast < 3 {
		t.Errorf("a program beside itself: %q; %d pairs on the slow node, %d on the others", same.Reasons, slow, fast)
	}
	other := comparedWith(t, dir, "./slower", "--executor", "slurm.here")
	if !strings.Contains(strings.Join(other.Reasons, "; "), "CPU time") {
		t.Errorf("of a build that takes 30 %% longer it finds %q", other.Reasons)
	}
}

// TestOpinionsInCluster requests second opinions from the script run_opinions on three nodes of a real Slurm cluster. A
// SIGKILL ends the first attempt.
func TestOpinionsInCluster(t *testing.T) {
	workertest.StartCluster(t)
	dir := t.TempDir()
	script, err := txtar.ParseFile("testdata/script/run_opinions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range script.Files {
		place := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, place, strings.ReplaceAll(string(f.Data), "executor.process.there", "executor.slurm.here"), 0o755)
	}
	write(t, filepath.Join(dir, "slurm.hcl"), slurmBlock, 0o644)
	in := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v: %s%s", name, err, out, &said)
		}
		return string(out)
	}
	in("mkdir", "-p", "release/non-incremental")
	in("tar", "-cf", "release/non-incremental/QF_LIA.tar", "non-incremental")
	in("smtpipe", "run")
	got := in("smtpipe", "show", "stage.validate.models.verdicts", "--columns", "verdict,validation,details",
		"--format", "csv")
	if want, err := os.ReadFile(filepath.Join(dir, "want.csv")); err != nil || got != string(want) {
		t.Errorf("%v, got\n%swant\n%s", err, got, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "once")); err != nil {
		t.Errorf("nobody was ended: %v", err)
	}
}

// burning returns a program that burns hundredths of a CPU-second, twice as many on the second node. Only its ancestor,
// the worker, knows which node it is on.
func burning(hundredths int) string {
	return fmt.Sprintf(`n=%d p=$PPID
while [ "$p" -gt 1 ]; do
	tr '\0' '\n' </proc/$p/environ | grep -q '^SLURMD_NODENAME=n2$' && n=$((2*n)) && break
	p=$(sed 's/.*) //' /proc/$p/stat | cut -d' ' -f2)
done
used=0
while [ $used -lt $n ]; do
	read -r line </proc/$$/stat
	set -- ${line##*)}
	used=$((${12}+${13}))
done
echo sat
`, hundredths)
}

// comparison is compare's JSON output.
type comparison struct {
	Regression bool
	Reasons    []string
	Pairs      []struct {
		Benchmark   struct{ Path string }
		A, B        compare.Run
		Interleaved bool
	}
}

// comparedWith compares build a in a folder with another build.
func comparedWith(t *testing.T, dir, build string, args ...string) (c comparison) {
	t.Helper()
	cmd := exec.Command("smtpipe", append([]string{"compare", "./a", build, "--benchmarks", "non-incremental", "--json",
		"-", "--progress", "none", "--store", t.TempDir()}, args...)...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatalf("%v: %s%s", err, out, &said)
	}
	if c.Regression != (cmd.ProcessState.ExitCode() == exit.Differs) {
		t.Errorf("%q: %v, where it is a regression: %t", args, err, c.Regression)
	}
	return c
}

func slurm(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Errorf("%q: %v: %s", args, err, out)
	}
}

// mountSmall mounts a file system that fills up quickly.
func mountSmall(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=300m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// fill writes a file until no space is left.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for b := make([]byte, 1<<20); len(b) > 0; {
		if _, err := f.Write(b); err != nil {
			b = b[:len(b)/2]
		}
	}
}
