package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// runJob executes chunks from an exchange folder, in a job of a batch system.
func runJob(cmd *cobra.Command, j *exchange.Job, cfg runner.Config) error {
	if j.Pool == "" || j.Name == "" || j.Header.Format == "" {
		return exit.With(exit.Usage, errors.New("--exchange needs --pool, --name and --header"))
	}
	err := j.Serve(cmd.Context(), openHere(cfg))
	switch {
	case err == nil:
		return nil
	case cmd.Context().Err() != nil:
		return exit.ErrInterrupted
	}
	return exit.With(exchange.ExitCode(err, exit.Error), err)
}
