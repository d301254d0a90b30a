package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/local"
)

// newToolExecCommand returns the command that executes a program as the competition executes a solver.
func newToolExecCommand() *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [limits] -- COMMAND [ARG...]",
		Short: "Execute one command isolated, limited and measured",
		Long: `Executes one command as the competition executes a solver, and prints the measurements as key=value lines or as JSON.

The command sees the machine's programs and the current folder read-only; anything it writes there goes to scratch space
that is discarded afterwards. In /, /dev, /proc and /sys it has an empty folder instead. Its output is written to the file of
--output, first stdout, then stderr.

Only the files of --input and --read-only-dir are read before the start, so that neither time nor memory of the command
depends on the page cache. Show the folder of a solver with --read-only-dir to measure it as the competition does.

Flags that BenchExec's runexec also has use the same names. Times are in seconds or have a unit (ms, s, min, h); sizes
are in bytes or have a unit (kB, MB, GB, KiB, MiB, GiB).

Exit codes: 0 the command was executed, whatever it did (see returnvalue, exitsignal and ending), 1 it could not be
executed, 2 usage error, 130 interrupted.`,
		Example: `  smtpipe tool exec --walltimelimit 20min --memlimit 30GB --cores 0-3 -- z3 benchmark.smt2
  smtpipe tool exec --json --output - -- true`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(); err != nil {
				return exit.With(exit.Usage, err)
			}
			defer endsItself()()
			return f.execute(cmd, args)
		},
	}
	f.define(cmd)
	return cmd
}

// open opens this machine as an executor with one slot.
func (f *execFlags) open() (*local.Executor, error) {
	cfg, h := runner.Config{}, worker.Header{Isolation: runner.Isolation(f.isolation), Jobs: 1}
	if f.cores != "" {
		cpus, err := runner.ParseCPUs(f.cores)
		if err != nil || len(cpus) == 0 {
			return nil, exit.With(exit.Usage, fmt.Errorf("--cores: %q is not a list of CPUs; write for example 0-3,8",
				f.cores))
		}
		cfg.CPUs, cfg.UseSiblings, h.Cores = cpus, true, len(cpus)
	}
	return local.Open(h, cfg)
}

// command returns the run's command.
func (f *execFlags) command(args []string, stdin io.Reader, isolation runner.Isolation) (runner.Command, error) {
	c := runner.Command{
		Argv: args, HostSystem: !f.bare, Hide: f.hide, Env: f.env, PassEnv: f.passEnv, SoftCPUTime: f.softtime,
		StopOutputBytes: f.stopBytes, OpenFiles: f.openFiles,
		Limits: comp.Limits{
			WallTime: f.walltime, CPUTime: f.timelimit, MemoryBytes: f.memBytes, OutputBytes: f.keepBytes,
			ScratchBytes: f.scratchBytes, Processes: f.processes,
		},
	}
	switch f.input {
	case "":
	case "-":
		c.Stdin = stdin
	default:
		c.StdinFile = f.input
	}
	if err := f.addFolders(&c, isolation); err != nil {
		return c, err
	}
	if len(f.results) > 0 {
		if err := os.MkdirAll(f.resultsInto, 0o755); err != nil {
			return c, err
		}
		c.Collect = &runner.Collect{Into: f.resultsInto, Patterns: f.results}
	}
	return c, nil
}

// ofRun reports whether each run has its own folder at this path, or the folder shows the kernel's state.
func ofRun(dir string) bool {
	return dir == "/" || dir == "/dev" || strings.HasPrefix(dir+"/", "/proc/") || strings.HasPrefix(dir+"/", "/sys/")
}

// addFolders makes the working folder and the flags' folders visible in the run. Without a private root, everything is
// visible anyway.
func (f *execFlags) addFolders(c *runner.Command, isolation runner.Isolation) error {
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return err
	}
	c.Dir = dir
	if !isolation.Private() {
		return nil
	}
	if ofRun(dir) {
		c.Dir = ""
	} else {
		c.Mounts = append(c.Mounts, runner.Mount{Source: dir, Target: dir, Overlay: true})
	}
	for _, group := range []struct {
		paths []string
		mount runner.Mount
	}{
		{f.readOnly, runner.Mount{Warm: true}},
		{f.overlay, runner.Mount{Overlay: true}},
		{f.full, runner.Mount{Writable: true}},
	} {
		for _, p := range group.paths {
			abs, err := filepath.Abs(p)
			if err != nil {
				return err
			}
			m := group.mount
			m.Source, m.Target = abs, abs
			c.Mounts = append(c.Mounts, m)
		}
	}
	return nil
}

func (f *execFlags) execute(cmd *cobra.Command, args []string) error {
	image, leave, err := f.image.open(cmd.Context())
	defer func() { _ = leave() }()
	if err != nil {
		return err
	}
	x, err := f.open()
	if err != nil {
		return err
	}
	c, err := f.command(args, cmd.InOrStdin(), x.Isolation())
	if err == nil && image != nil {
		err = image.Apply(&c, x.Isolation())
	}
	var results []*worker.Result
	if err == nil {
		results, err = worker.Do(cmd.Context(), x, &worker.Work{ID: "exec", Here: &c})
	}
	if len(results) == 1 { // otherwise, a signal came before the command was started
		err = nil
		if results[0].Failure != nil {
			err = results[0].Failure.Err()
		}
	}
	if err := errors.Join(err, x.Close()); err != nil {
		if errors.Is(err, context.Canceled) {
			return exit.With(exit.Interrupted, errors.New("interrupted before the command was started"))
		}
		return err
	}
	rec := *results[0].Record
	if err := f.writeOutput(&rec, cmd.ErrOrStderr()); err != nil {
		return err
	}
	if f.json {
		err = rec.WriteJSON(cmd.OutOrStdout(), args)
	} else {
		err = rec.WriteText(cmd.OutOrStdout())
	}
	if err == nil && rec.Ending == comp.Killed {
		return exit.With(exit.Interrupted, errors.New("interrupted; the figures above are of the part that was executed"))
	}
	return err
}

func (f *execFlags) writeOutput(rec *runner.Record, stderr io.Writer) error {
	all := append(rec.Stdout.Bytes(), rec.Stderr.Bytes()...)
	if f.output == "-" {
		_, err := stderr.Write(all)
		return err
	}
	return os.WriteFile(f.output, all, 0o644)
}
