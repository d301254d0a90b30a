package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// attemptFlags are the flags with which a job of a batch system executes a chunk of an exchange folder.
func attemptFlags(flags *pflag.FlagSet, a *exchange.Attempt) {
	flags.StringVar(&a.Exchange, "exchange", "", "execute a chunk of this exchange folder, as jobs of the executors "+
		"\"slurm\" and \"batch\" do")
	flags.StringVar(&a.Chunk, "chunk", "", "of the exchange folder: the name of the chunk")
	flags.StringVar(&a.Name, "attempt", "", "of the exchange folder: the name of the file of results, "+
		"JOB-RESTART-RANDOM, which nobody else writes")
	flags.DurationVar(&a.Within, "within", 0, "of the exchange folder: begin no run whose limit ends later (default "+
		"no limit)")
	flags.DurationVar(&a.Delay, "delay", 0, "of the exchange folder: for how long one machine may not see what "+
		"another one wrote")
}

// runAttempt executes a chunk of an exchange folder.
func runAttempt(cmd *cobra.Command, a *exchange.Attempt, cfg runner.Config) error {
	if a.Chunk == "" || a.Name == "" {
		return withExit(exitUsage, errors.New("--exchange needs --chunk and --attempt"))
	}
	err := a.Serve(cmd.Context(), openHere(cfg))
	if err != nil && cmd.Context().Err() != nil {
		return withExit(exitInterrupted, errors.New("interrupted"))
	}
	if exchange.Full(err) {
		return withExit(exchange.ExitFull, err)
	}
	return err
}
