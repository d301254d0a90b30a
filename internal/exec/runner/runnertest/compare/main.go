// Command compare measures the runner against plain fork+exec and, if BENCHEXEC names a folder in which BenchExec is
// installed, against runexec, in one session on the same machine. It prints Markdown tables.
//
// A run's overhead is the time from the call to the result for a command that does nothing. Every figure is given as
// the median and the 10th percentile. The latter approximates an idle machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

func main() {
	n := flag.Int("n", 200, "runs of each kind")
	victim := flag.String("victim", "", "the helper program internal/exec/runner/runnertest/victim, for accuracy")
	flag.Parse()
	if err := compare(*n, *victim); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func compare(n int, victim string) error {
	p := runner.Hardware()
	fmt.Printf("%s, Linux %s, %s\n\n", p, p.Kernel, loadText())
	if err := overheads(n); err != nil {
		return err
	}
	if err := throughput(n); err != nil {
		return err
	}
	if victim != "" {
		return accuracy(victim)
	}
	return nil
}

func loadText() string {
	data, _ := os.ReadFile("/proc/loadavg")
	load, _, _ := strings.Cut(string(data), " ")
	return "load " + load
}

// sample is a series of durations.
type sample []time.Duration

func measure(n int, f func() error) (sample, error) {
	s := make(sample, 0, n)
	for range n {
		start := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		s = append(s, time.Since(start))
	}
	slices.Sort(s)
	return s, nil
}

func (s sample) at(percent int) float64 { return float64(s[len(s)*percent/100]) / 1e6 }

func row(name string, s sample) {
	fmt.Printf("| %s | %.2f | %.2f |\n", name, s.at(50), s.at(10))
}

// overheads measures sequential runs.
func overheads(n int) error {
	fmt.Printf("| one run of /bin/true, n=%d | median ms | p10 ms |\n|---|---|---|\n", n)
	s, err := measure(n, func() error { return exec.Command("/bin/true").Run() })
	if err != nil {
		return err
	}
	row("fork and exec", s)
	limits := comp.Limits{WallTime: 20 * time.Second, CPUTime: 10 * time.Second, MemoryBytes: 100e6}
	for _, level := range []runner.Isolation{runner.Unisolated, runner.NamespacesOnly, runner.CgroupOnly, runner.Full} {
		h, err := runner.Open(runner.Config{Isolation: level, Jobs: 1})
		if err != nil {
			fmt.Printf("| isolation %s | not available | |\n", level)
			continue
		}
		var around sample
		s, err := measure(n, func() error {
			start := time.Now()
			rec, err := h.Run(context.Background(), runner.Command{Argv: []string{"/bin/true"}, HostSystem: true,
				Limits: limits})
			around = append(around, time.Since(start)-rec.WallTimeS.Duration())
			return err
		})
		if err != nil {
			return err
		}
		row("isolation "+string(level)+", all limits", s)
		slices.Sort(around)
		row("... without the command's own wall time", around)
		if err := h.Close(); err != nil {
			return err
		}
	}
	return benchexecOverheads(max(1, n/10))
}

// benchexecOverheads measures runexec, with and without a container.
func benchexecOverheads(n int) error {
	dir := os.Getenv("BENCHEXEC")
	if dir == "" {
		fmt.Println("| runexec | BENCHEXEC is not set | |")
		return nil
	}
	work, err := os.MkdirTemp("/var/tmp", "compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	container := []string{"--read-only-dir", "/", "--overlay-dir", "/home", "--overlay-dir", work}
	limits := []string{"--timelimit", "10", "--walltimelimit", "20", "--memlimit", "100MB", "--cores", "0"}
	for _, kind := range []struct {
		name string
		args []string
	}{
		{"runexec --no-container, all limits", append([]string{"--no-container"}, limits...)},
		{"runexec container, all limits", append(container, limits...)},
	} {
		s, err := measure(n, func() error { return runexec(dir, work, append(kind.args, "/bin/true")) })
		if err != nil {
			fmt.Printf("| %s | failed: %v | |\n", kind.name, err)
			continue
		}
		row(kind.name, s)
	}
	return nil
}

func runexec(dir, work string, args []string) error {
	_, err := runexecOutput(dir, work, args)
	return err
}

func runexecOutput(dir, work string, args []string) (string, error) {
	cmd := exec.Command(filepath.Join(dir, "bin", "runexec"), append([]string{"--quiet", "--output",
		filepath.Join(work, "log")}, args...)...)
	cmd.Dir = work
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("runexec: %w", err)
	}
	return string(out), nil
}

// throughput measures concurrent runs.
func throughput(n int) error {
	fmt.Printf("\n| %d runs of /bin/true, full isolation | s | runs/s |\n|---|---|---|\n", n)
	for _, workers := range []int{1, 2} {
		h, err := runner.Open(runner.Config{Jobs: workers, Overcommit: true})
		if err != nil {
			fmt.Printf("| %d workers | not available | |\n", workers)
			continue
		}
		start := time.Now()
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for range n / workers {
					_, _ = h.Run(context.Background(), runner.Command{Argv: []string{"/bin/true"}, HostSystem: true})
				}
			})
		}
		wg.Wait()
		took := time.Since(start).Seconds()
		fmt.Printf("| %d workers | %.2f | %.0f |\n", workers, took, float64(n/workers*workers)/took)
		if err := h.Close(); err != nil {
			return err
		}
	}
	return nil
}

// accuracy compares limits and measurements with a program's own accounting.
func accuracy(victim string) error {
	h, err := runner.Open(runner.Config{Jobs: 1})
	if err != nil {
		return err
	}
	defer h.Close()
	run := func(lim comp.Limits, args ...string) (runner.Record, error) {
		return h.Run(context.Background(), runner.Command{
			Argv: append([]string{runner.SolverDir + "/victim"}, args...), Limits: lim,
			Mounts: []runner.Mount{{Source: victim, Target: runner.SolverDir + "/victim", Warm: true}},
		})
	}
	fmt.Printf("\n| accuracy, worst of 5 | wanted | measured |\n|---|---|---|\n")
	for _, c := range []struct {
		name string
		lim  comp.Limits
		args []string
		get  func(runner.Record) time.Duration
		want time.Duration
	}{
		{"burn 0.1 s: CPU time", comp.Limits{}, []string{"burn", "100ms"}, cpu, 100 * time.Millisecond},
		{"burn 1 s: CPU time", comp.Limits{}, []string{"burn", "1s"}, cpu, time.Second},
		{"burn 1 s in 2 threads: CPU time", comp.Limits{}, []string{"burn", "1s", "2"}, cpu, time.Second},
		{"wall limit 0.5 s, sleeping: wall time", comp.Limits{WallTime: 500 * time.Millisecond},
			[]string{"sleep", "9s"}, wall, 500 * time.Millisecond},
		{"CPU limit 0.5 s, 1 thread: CPU time", comp.Limits{CPUTime: 500 * time.Millisecond}, []string{"burn", "9s"},
			cpu, 500 * time.Millisecond},
		{"CPU limit 0.5 s, 2 threads: CPU time", comp.Limits{CPUTime: 500 * time.Millisecond},
			[]string{"burn", "9s", "2"}, cpu, 500 * time.Millisecond},
	} {
		worst := c.want
		for range 5 {
			rec, err := run(c.lim, c.args...)
			if err != nil {
				return err
			}
			if got := c.get(rec); (got - c.want).Abs() > (worst - c.want).Abs() {
				worst = got
			}
		}
		fmt.Printf("| %s | %.4f | %.4f |\n", c.name, c.want.Seconds(), worst.Seconds())
	}
	rec, err := run(comp.Limits{MemoryBytes: 100e6}, "alloc", "500")
	if err != nil {
		return err
	}
	fmt.Printf("| memory limit 100 MB, 500 MB touched: bytes | 100000000 | %d |\n", rec.MemoryBytes)
	return benchexecAccuracy(victim)
}

func cpu(r runner.Record) time.Duration  { return r.CPUTimeS.Duration() }
func wall(r runner.Record) time.Duration { return r.WallTimeS.Duration() }

func benchexecAccuracy(victim string) error {
	dir := os.Getenv("BENCHEXEC")
	if dir == "" {
		return nil
	}
	work, err := os.MkdirTemp("/var/tmp", "compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, c := range []struct {
		name, key, want string
		args            []string
	}{
		{"runexec: wall limit 1 s", "walltime", "1.0", []string{"--walltimelimit", "1", victim, "sleep", "9s"}},
		{"runexec: CPU limit 1 s", "cputime", "1.0", []string{"--timelimit", "1", victim, "burn", "9s"}},
	} {
		out, err := runexecOutput(dir, work, append([]string{"--no-container"}, c.args...))
		if err != nil {
			fmt.Printf("| %s | %s | failed: %v |\n", c.name, c.want, err)
			continue
		}
		for line := range strings.Lines(out) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), c.key+"="); ok {
				seconds, _ := strconv.ParseFloat(strings.TrimSuffix(v, "s"), 64)
				fmt.Printf("| %s | %s | %.4f |\n", c.name, c.want, seconds)
			}
		}
	}
	return nil
}
