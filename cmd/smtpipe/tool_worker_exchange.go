package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// jobWorker is the worker of a job of a batch system.
type jobWorker struct {
	exchange.Job
	header, again string
}

// flags are those with which a job of a batch system executes chunks of an exchange folder.
func (w *jobWorker) flags(flags *pflag.FlagSet) {
	const of = "of the exchange folder: "
	flags.StringVar(&w.Exchange, "exchange", "", "execute chunks of this exchange folder, as jobs of the executors "+
		"\"slurm\" and \"batch\" do")
	flags.StringVar(&w.Pool, "pool", "", of+"the chunks that the job may take")
	flags.StringVar(&w.Name, "name", "", of+"the name of the files of results, which nobody else writes")
	flags.StringVar(&w.header, "header", "", of+"what the chunks require, the first line of each of them")
	flags.StringVar(&w.again, "again", "", of+"a command that starts the job again, if it has no time for the chunks that "+
		"are left")
	flags.DurationVar(&w.Within, "within", 0, of+"begin no run whose limit ends later (default no limit)")
	flags.DurationVar(&w.Delay, "delay", 0, of+"for how long one machine may not see what another one wrote")
}

// run executes chunks of an exchange folder.
func (w *jobWorker) run(cmd *cobra.Command, cfg runner.Config) error {
	if w.Pool == "" || w.Name == "" {
		return withExit(exitUsage, errors.New("--exchange needs --pool, --name and --header"))
	}
	if err := json.Unmarshal([]byte(w.header), &w.Header); err != nil {
		return withExit(exitUsage, fmt.Errorf("--header: %w", err))
	}
	more, err := w.Serve(cmd.Context(), openHere(cfg))
	switch {
	case err != nil && cmd.Context().Err() != nil:
		return withExit(exitInterrupted, errors.New("interrupted"))
	case exchange.Full(err):
		return withExit(exchange.ExitFull, err)
	case err == nil && more && w.again != "":
		cmd := exec.Command("sh", "-c", w.again)
		cmd.Stderr = os.Stderr
		return cmd.Run()
	case err == nil && more:
		return withExit(exchange.ExitAgain, errors.New("there are chunks for which the job has no time"))
	}
	return err
}
