package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Limits of the measurements. Times are CPU times, because other work on the machine can multiply wall times.
const (
	maxIdleS     = 0.6 // unchanged pipeline: the whole process
	maxIdleMB    = 150
	maxFirstRunS = 1.5 // one changed benchmark: until its runs start
	repeats      = 3   // measurements per scenario without changes; the best counts
)

// measureAll measures every scenario in dir and prints the outcomes.
func measureAll(dir string, benchmarks, solvers int, asJSON bool) error {
	if dir == "" {
		temp, err := os.MkdirTemp("", "smtpipe-scale-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temp)
		dir = temp
	}
	if err := writeBenchmarks(dir, benchmarks); err != nil {
		return err
	}
	time.Sleep(2100 * time.Millisecond) // otherwise the files would be too recent for their digests to be cached
	all, err := scenarios(dir, benchmarks, solvers)
	if err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(all); err != nil {
			return err
		}
	} else {
		printTable(all)
	}
	return check(all, benchmarks, solvers)
}

// scenarios executes the pipeline after each of several changes.
func scenarios(dir string, benchmarks, solvers int) ([]*outcome, error) {
	s := shape{solvers: solvers, scoring: "par"}
	steps := []struct {
		name    string
		repeats int
		change  func() error
	}{
		{"everything", 1, nil},
		{"nothing changed", repeats, nil},
		{"one benchmark changed", 1, func() error {
			return os.WriteFile(benchmarkPath(dir, benchmarks/2), []byte("(set-logic QF_UF)\n(check-sat)\n"), 0o666)
		}},
		{"one new solver", 1, func() error { s.solvers++; return nil }},
		{"scoring changed", 1, func() error { s.scoring = "par2"; return nil }},
		{"nothing changed again", repeats, nil},
	}
	var all []*outcome
	for _, step := range steps {
		if step.change != nil {
			if err := step.change(); err != nil {
				return nil, err
			}
		}
		var best *outcome
		for range step.repeats {
			out, err := process(step.name, dir, s)
			if err != nil {
				return nil, err
			}
			if best == nil || out.CPUTimeS < best.CPUTimeS {
				best = out
			}
		}
		all = append(all, best)
	}
	return all, nil
}

func printTable(all []*outcome) {
	fmt.Printf("%-24s %8s %8s %10s %8s %10s %12s %8s\n", "scenario", "wall s", "CPU s", "memory MB", "stages", "runs",
		"first run s", "CPU s")
	for _, o := range all {
		first, cpu := "-", "-"
		if o.Runs > 0 {
			first, cpu = fmt.Sprintf("%.2f", o.FirstRunS), fmt.Sprintf("%.2f", o.FirstCPUS)
		}
		fmt.Printf("%-24s %8.2f %8.2f %10.0f %8d %10d %12s %8s\n", o.Scenario, o.WallTimeS, o.CPUTimeS, o.MemoryMB,
			o.Executed, o.Runs, first, cpu)
	}
}

// check compares the outcomes with the expected runs and the limits.
func check(all []*outcome, benchmarks, solvers int) error {
	runs := []int64{int64(benchmarks * solvers), 0, int64(solvers), int64(benchmarks), 0, 0}
	var errs []error
	for i, o := range all {
		if o.Runs != runs[i] {
			errs = append(errs, fmt.Errorf("%s: %d runs were executed, want %d", o.Scenario, o.Runs, runs[i]))
		}
		switch idle := o.Executed == 0; {
		case idle && o.CPUTimeS > maxIdleS:
			errs = append(errs, fmt.Errorf("%s: it took %.2f s of CPU time, want at most %.1f s", o.Scenario,
				o.CPUTimeS, maxIdleS))
		case idle && o.MemoryMB > maxIdleMB:
			errs = append(errs, fmt.Errorf("%s: it took %.0f MB, want at most %d MB", o.Scenario, o.MemoryMB,
				maxIdleMB))
		case o.Runs == int64(solvers) && o.FirstCPUS > maxFirstRunS:
			errs = append(errs, fmt.Errorf("%s: the first run started after %.2f s of CPU time, want at most %.1f s",
				o.Scenario, o.FirstCPUS, maxFirstRunS))
		}
	}
	return errors.Join(errs...)
}
