package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/worker"
	"github.com/smtpipe/smtpipe/internal/worker/exchange"
	"github.com/smtpipe/smtpipe/internal/worker/local"
)

// newToolWorkerCommand executes runs for another machine.
func newToolWorkerCommand() *cobra.Command {
	var results string
	var hardware bool
	var cpus string
	var attempt exchange.Attempt
	cmd := &cobra.Command{
		Use:   "worker [CHUNK]",
		Short: "Execute runs that another smtpipe describes",
		Long: `Execute the runs of a chunk, a file of JSON lines or standard input, and write one line of JSON for each, as they end. A
chunk is self-contained: commands, limits, inputs, and the digests of the programs. docs/worker.md has the format.

An executor "process" of a pipeline starts this command, mostly through a program that does it elsewhere (ssh, srun). With
--results the lines are appended to a file, and the runs that it has are not executed again, so that a worker that was killed
is started again with the same arguments.

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
			cfg := runner.Config{Logger: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))}
			if cpus != "" {
				var err error
				if cfg.CPUs, err = runner.ParseCPUs(cpus); err != nil || len(cfg.CPUs) == 0 {
					return withExit(exitUsage, fmt.Errorf("--cpus: %q is not a list of CPUs; write for example 0-3,8",
						cpus))
				}
			}
			if attempt.Exchange != "" {
				return runAttempt(cmd, &attempt, cfg)
			}
			return runWorker(cmd, args, results, cfg)
		},
	}
	cmd.Flags().StringVar(&results, "results", "", "append the results to a file, and leave out the runs that it has "+
		"(default standard output)")
	cmd.Flags().StringVar(&cpus, "cpus", "", "the CPUs to use, as 0-3,8 (default all)")
	cmd.Flags().BoolVar(&hardware, "hardware", false, "print the hardware profile of this machine, for the attribute "+
		"hardware of an executor, and end")
	attemptFlags(cmd.Flags(), &attempt)
	return cmd
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
		f, err := openResults(results, done)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	}
	open := func(h worker.Header) (worker.Executor, error) { return local.Open(h, cfg) }
	err = worker.Serve(cmd.Context(), chunk, out, open, done)
	if err != nil && cmd.Context().Err() != nil {
		return withExit(exitInterrupted, errors.New("interrupted; start it again with the same --results to execute "+
			"the rest"))
	}
	return err
}

// openResults opens a file of results to append to it, behind its last whole line. done gets the works that have a
// record; failures of the machine are tried again.
func openResults(name string, done map[string]bool) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	all, size, err := worker.ReadResults(f)
	if err == nil {
		err = f.Truncate(size)
	}
	if err == nil {
		_, err = f.Seek(size, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	for _, r := range all {
		done[r.ID] = r.Failure == nil || r.Failure.Kind != worker.FailMachine
	}
	return f, nil
}
