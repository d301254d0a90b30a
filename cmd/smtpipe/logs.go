package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
)

func newLogsCommand() *cobra.Command {
	var flags projectFlags
	var stderr, script bool
	cmd := &cobra.Command{
		Use:   "logs ADDRESS::BENCHMARK@SOLVER",
		Short: "Print what a solver wrote in one run",
		Long: `Prints the captured standard output of a run of an execute stage, such as stage.execute.main::QF_BV/fam/x.smt2@cvc5; with --stderr its
standard error, with --script the script that the solver received. The output is printed exactly as captured; if its middle was
dropped, a line says how much.

` + exit.Help,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			addr, item, ok := strings.Cut(args[0], "::")
			benchmark, solver, isRun := strings.Cut(item, "@")
			if !ok || !isRun {
				return exit.With(exit.Usage, fmt.Errorf("%q does not name a run; write "+
					"stage.execute.main::BENCHMARK@SOLVER", args[0]))
			}
			p, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.Close()) }()
			run, err := p.FindRun(addr, benchmark, solver)
			if err != nil {
				return err
			}
			switch {
			case stderr && script:
				return exit.With(exit.Usage, errors.New("--stderr and --script exclude each other"))
			case script && run.ScriptSHA256 == "":
				return fmt.Errorf("the run of %s on %s has no script; it was imported", solver, benchmark)
			case script:
				return p.CopyOutput(cmd.OutOrStdout(), "", run.ScriptSHA256)
			case stderr:
				return p.CopyOutput(cmd.OutOrStdout(), "", run.StderrSHA256)
			}
			return p.CopyOutput(cmd.OutOrStdout(), run.Stdout, run.StdoutSHA256)
		},
	}
	flags.register(cmd.Flags())
	addressCompletion{most: 1, behind: "::"}.register(cmd, &flags)
	cmd.Flags().BoolVar(&stderr, "stderr", false, "print standard error")
	cmd.Flags().BoolVar(&script, "script", false, "print the benchmark as the solver got it")
	return cmd
}
