package execute_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/execute"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

// The size of the competition that TestScale measures.
const (
	scaleBenchmarks = 50_000
	scaleSolvers    = 20
)

// scaleOutcome is the result of a measured process.
type scaleOutcome struct {
	Runs   int64   // number of executed runs
	FirstS float64 // seconds from the start of the stages to the first run
}

// TestScale measures this stage with a million runs that take no time, each scenario in a separate process. It takes
// minutes, so it runs only with SMTPIPE_SCALE=1 (docs/inside/performance.md contains the figures).
func TestScale(t *testing.T) {
	if dir := os.Getenv("SMTPIPE_SCALE_DIR"); dir != "" {
		scaleProcess(t, dir)
		return
	}
	if os.Getenv("SMTPIPE_SCALE") != "1" {
		t.Skip("it takes minutes; set SMTPIPE_SCALE=1")
	}
	dir := t.TempDir()
	for j := range scaleSolvers + 1 {
		name := filepath.Join(dir, fmt.Sprintf("s%02d", j))
		if err := os.WriteFile(name, fmt.Appendf(nil, "#!/bin/sh\n# %d\n", j), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		name             string
		changed, solvers int
		runs             int64
		plan             bool // only compute the remaining work
	}{
		{"everything", -1, scaleSolvers, scaleBenchmarks * scaleSolvers, false},
		{"nothing changed", -1, scaleSolvers, 0, false},
		{"one benchmark changed", 777, scaleSolvers, scaleSolvers, false},
		{"plan, one new solver", 777, scaleSolvers + 1, scaleBenchmarks, true},
		{"one new solver", 777, scaleSolvers + 1, scaleBenchmarks, false},
		{"nothing changed again", 777, scaleSolvers + 1, 0, false},
	}
	for _, s := range steps {
		scaleInput(t, dir, s.changed, s.solvers)
		cmd := exec.Command(os.Args[0], "-test.run=^TestScale$", "-test.timeout=30m")
		cmd.Env = append(os.Environ(), "SMTPIPE_SCALE_DIR="+dir, fmt.Sprintf("SMTPIPE_SCALE_PLAN=%t", s.plan))
		began := time.Now()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", s.name, err, out)
		}
		took := time.Since(began)
		line, _, _ := bytes.Cut(out, []byte("\n"))
		var got scaleOutcome
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v\n%s", s.name, err, out)
		}
		state := cmd.ProcessState
		memory := float64(state.SysUsage().(*syscall.Rusage).Maxrss) / 1000
		t.Logf("%-24s %6.2f s wall, %6.2f s CPU, %5.0f MB, %8d runs, first after %.2f s", s.name, took.Seconds(),
			(state.UserTime() + state.SystemTime()).Seconds(), memory, got.Runs, got.FirstS)
		if got.Runs != s.runs {
			t.Errorf("%s: %d runs were executed, want %d", s.name, got.Runs, s.runs)
		}
	}
}

// scaleInput writes the pipeline and its table of scripts.
func scaleInput(t *testing.T, dir string, changed, solvers int) {
	t.Helper()
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	w.Write([]string{"benchmark", "logic", "script_sha256"})
	for i := range scaleBenchmarks {
		text := fmt.Sprintf("(check-sat) ; %d", i%1000)
		if i == changed {
			text = "(check-sat) ; 1200.5"
		}
		text = fmt.Sprintf("; benchmark %d\n%s", i, text)
		d, err := store.PutBytes([]byte(strings.Replace(text, ";", "|", 1)))
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]string{fmt.Sprintf("non-incremental/QF_BV/family-%03d/benchmark-%05d.smt2", i/100, i), "QF_BV",
			d.String()})
	}
	w.Flush()
	if err := os.WriteFile(filepath.Join(dir, "scripts.csv"), table.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	names := make([]string, solvers)
	for j := range names {
		names[j] = fmt.Sprintf("s%02d", j)
	}
	text := solverBlocks(names...) + `
stage "rows" "x" {
  path   = "scripts.csv"
  schema = "scripts/1"
}
stage "execute" "x" {
  scripts  = stage.rows.x.scripts
  solvers  = solver
  track    = "single_query"
  limits {
    wall_time = "20m"
    memory    = "500MB"
  }
}
`
	if err := os.WriteFile(filepath.Join(dir, "pipeline.hcl"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// scaleProcess executes the pipeline once and reports the outcome.
func scaleProcess(t *testing.T, dir string) {
	if name := os.Getenv("SMTPIPE_SCALE_PROFILE"); name != "" {
		f, err := os.CreateTemp(name, "cpu-*")
		if err != nil {
			t.Fatal(err)
		}
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	index := store.FileIndex(false)
	defer index.Save()
	began := time.Now()
	var seen executed
	h := &stubHost{began: began}
	p, diags := config.Load(config.Options{
		Path: dir, Files: files{dir, index}, Version: "0.0.0", Kinds: []*stages.Kind{execute.Kind, stagetest.Rows},
	})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e, err := engine.New(p, engine.Options{
		Store: store, Name: "scale", Folder: dir, Jobs: runtime.NumCPU(), Observer: &seen,
		Machine: occupy(t, "local full 0 jobs 1 cores 500000000 bytes", h),
	})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SMTPIPE_SCALE_PLAN") == "true" {
		plan, diags := e.Plan()
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		cost := plan.Steps[len(plan.Steps)-1].Cost
		if cost == nil || cost.CPUTimeS < 0 {
			t.Fatalf("the plan's last step has the cost %+v", cost)
		}
		if err := json.NewEncoder(os.Stdout).Encode(scaleOutcome{cost.Runs - cost.Reused, 0}); err != nil {
			t.Fatal(err)
		}
		return
	}
	if _, diags, err := e.Run(t.Context()); err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	if err := json.NewEncoder(os.Stdout).Encode(scaleOutcome{seen.new, h.first.Seconds()}); err != nil {
		t.Fatal(err)
	}
}
