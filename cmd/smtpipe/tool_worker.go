package main

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
	"github.com/smtpipe/smtpipe/internal/exec/worker/local"
)

// newToolWorkerCommand returns the command that executes runs for another machine.
func newToolWorkerCommand() *cobra.Command {
	var results string
	var hardware bool
	var cpus string
	var job exchange.Job
	cmd := &cobra.Command{
		Use:   "worker [CHUNK]",
		Short: "Execute runs that another smtpipe describes",
		Long: `Executes the runs of a chunk, which is a file of JSON lines or standard input, and writes a line of JSON for each run as it ends. A
chunk is self-contained: commands, limits, inputs, and the digests of the programs. docs/run/worker.md describes the format.

An executor "process" of a pipeline starts this command, usually through a program that starts it elsewhere (ssh, srun). With
--results the results are written to a file, each one to the disk at once. To continue after a worker was killed, start it again with
the same arguments: if the file exists, it writes results.attempt-2.jsonl beside results.jsonl, and so on, and leaves out the
runs of earlier attempts. Each file is written by one worker only.

In a Slurm job, or where a cgroup bounds its memory, the worker has as many slots as fit what was granted. A step of several
tasks is refused, because each of them would execute every run.

Exit codes: 0 every run has a result, 1 the chunk cannot be read or this machine cannot execute it, 2 usage error,
130 interrupted.`,
		Example: `  smtpipe tool worker --hardware
  smtpipe tool worker --results results.jsonl chunk.jsonl
  ssh node1 smtpipe tool worker <chunk.jsonl >results.jsonl`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if hardware {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), runner.Hardware())
				return err
			}
			defer endsItself()()
			cfg := runner.Config{Logger: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))}
			if cpus != "" {
				var err error
				if cfg.CPUs, err = runner.ParseCPUs(cpus); err != nil || len(cfg.CPUs) == 0 {
					return exit.With(exit.Usage, fmt.Errorf("--cpus: %q is not a list of CPUs; write for example 0-3,8",
						cpus))
				}
			}
			if job.Exchange != "" {
				return runJob(cmd, &job, cfg)
			}
			return runWorker(cmd, args, results, cfg)
		},
	}
	cmd.Flags().StringVar(&results, "results", "", "write the results to a file of this attempt, and leave out the runs that "+
		"attempts before it have (default standard output)")
	cmd.Flags().StringVar(&cpus, "cpus", "", "the CPUs to use, such as 0-3,8 (default all)")
	cmd.Flags().BoolVar(&hardware, "hardware", false, "print the hardware profile of this machine, for the attribute "+
		"hardware of an executor, and end")
	ofJob := flag.NewFlagSet("", flag.ContinueOnError)
	job.Flags(ofJob)
	cmd.Flags().AddGoFlagSet(ofJob)
	return cmd
}

// openHere returns a function that opens this machine's runner for a worker.
func openHere(cfg runner.Config) func(worker.Header) (worker.Executor, error) {
	return func(h worker.Header) (worker.Executor, error) {
		if n := runner.ReadJob().Tasks; n > 1 {
			return nil, fmt.Errorf("this step of Slurm has %d tasks, and each of them would execute every run; start one task "+
				"(srun --ntasks=1 --nodes=1), and say workers = %d in the pipeline for as many jobs", n, n)
		}
		return local.Open(h, cfg)
	}
}

func runWorker(cmd *cobra.Command, args []string, results string, cfg runner.Config) (err error) {
	chunk := cmd.InOrStdin()
	if len(args) == 1 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer f.Close()
		chunk = f
	}
	out, done := cmd.OutOrStdout(), map[string]bool{}
	if results != "" {
		f, before, err := worker.NewResults(results)
		if err != nil {
			return err
		}
		done = before
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	}
	err = worker.Serve(cmd.Context(), chunk, out, openHere(cfg), done)
	if err != nil && cmd.Context().Err() != nil {
		return exit.With(exit.Interrupted, errors.New("interrupted; start it again with the same --results to execute "+
			"the rest"))
	}
	return err
}
