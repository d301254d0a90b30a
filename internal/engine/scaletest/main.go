// Command scaletest measures the overhead of the engine in a competition: 50,000 benchmarks and 20 solvers make a
// million runs that are recorded and take no time. Each measurement runs in a separate process.
//
//	go run ./internal/engine/scaletest           measure, print a table, exit with 1 above a limit
//	go run ./internal/engine/scaletest -json     for programs
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
)

// outcome is the result of one process.
type outcome struct {
	Scenario  string  `json:"scenario"`
	WallTimeS float64 `json:"wall_time_s"` // wall time of the whole process
	CPUTimeS  float64 `json:"cpu_time_s"`
	MemoryMB  float64 `json:"memory_mb"` // peak resident set, including mapped files
	Executed  int     `json:"stages_executed"`
	Runs      int64   `json:"runs_executed"`
	FirstRunS float64 `json:"first_run_s,omitempty"`     // wall time from process start to the first run
	FirstCPUS float64 `json:"first_run_cpu_s,omitempty"` // CPU time until the first run

	scores cty.Value
}

func main() {
	var s shape
	benchmarks := flag.Int("benchmarks", 50_000, "number of benchmarks")
	flag.IntVar(&s.solvers, "solvers", 20, "number of solvers")
	flag.StringVar(&s.scoring, "scoring", "par", "argument of the scoring")
	dir := flag.String("dir", "", "folder for benchmarks and store (default: a temporary one)")
	child := flag.Bool("execute", false, "execute the pipeline once in this process, and print what it did")
	profile := flag.String("cpuprofile", "", "with -execute: write a CPU profile to this file")
	asJSON := flag.Bool("json", false, "print as JSON")
	flag.Parse()
	var err error
	if *child {
		err = executeOnce(*dir, &s, *profile)
	} else {
		err = measureAll(*dir, *benchmarks, s.solvers, *asJSON)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

// executeOnce executes the pipeline s in dir and prints its outcome as JSON.
func executeOnce(dir string, s *shape, profile string) error {
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	out, err := execution(context.Background(), dir, s)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

func execution(ctx context.Context, dir string, s *shape) (_ *outcome, err error) {
	s.meter = &meter{started: time.Now()}
	s.folder = filepath.Join(dir, "benchmarks")
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{Durability: s.durability})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	s.index = store.FileIndex(false)
	defer s.index.Save()
	e, err := engine.New(s, engine.Options{Store: store, Name: filepath.Join(dir, "scale"), Folder: dir,
		Version: "scaletest"})
	if err != nil {
		return nil, err
	}
	result, diags, err := e.Run(ctx)
	if diags.HasErrors() {
		err = errors.Join(err, diags)
	}
	if err != nil {
		return nil, err
	}
	return &outcome{
		Executed:  result.Executed,
		Runs:      s.meter.runs.Load(),
		FirstRunS: time.Duration(s.meter.first.Load()).Seconds(),
		FirstCPUS: time.Duration(s.meter.cpu.Load()).Seconds(),
		scores:    result.Known[scoreAddr]["scores"],
	}, nil
}

// writeBenchmarks writes n small scripts, a hundred per folder. They are dated before the clock's last tick, so their
// digests are cached.
func writeBenchmarks(dir string, n int) error {
	old := time.Now().Add(-time.Hour)
	for i := range n {
		path := benchmarkPath(dir, i)
		if i%100 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return err
			}
		}
		text := fmt.Sprintf("(set-logic QF_UF)\n(set-info :status unknown)\n; %d\n(check-sat)\n(exit)\n", i)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
		if err := os.Chtimes(path, old, old); err != nil {
			return err
		}
	}
	return nil
}

func benchmarkPath(dir string, i int) string {
	return filepath.Join(dir, "benchmarks", fmt.Sprintf("family-%04d", i/100), fmt.Sprintf("b%06d.smt2", i))
}

// process starts this program again for one measurement.
func process(scenario, dir string, s shape) (*outcome, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-execute", "-dir", dir, "-solvers", fmt.Sprint(s.solvers), "-scoring", s.scoring)
	cmd.Stderr = os.Stderr
	start := time.Now()
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", scenario, err)
	}
	out := &outcome{}
	if err := json.Unmarshal(text, out); err != nil {
		return nil, err
	}
	out.Scenario, out.WallTimeS = scenario, time.Since(start).Seconds()
	out.CPUTimeS = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		out.MemoryMB = float64(usage.Maxrss) / 1000 // KiB to MB, approximately
	}
	return out, nil
}
