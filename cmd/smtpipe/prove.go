package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/freeze"
)

func newProveCommand() *cobra.Command {
	var flags projectFlags
	var root bool
	cmd := &cobra.Command{
		Use:   "prove --root [TARGET...]",
		Short: "Print the root of the hash tree over all runs",
		Long: `Prints how many runs there are and the root of the hash tree over them, as the lock of a frozen folder has them. They can be
published when the runs end, before anybody sees a result: a run that is changed, added or left out later gives another root.
All that the targets need measured must have been executed; nothing that is computed from it need be.

` + exitCodesHelp,
		RunE: func(cmd *cobra.Command, targets []string) error {
			if !root {
				return withExit(exitUsage, errors.New("say what to print: --root"))
			}
			return printRoot(cmd, &flags, targets)
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().BoolVar(&root, "root", false, "print the root of the hash tree")
	return cmd
}

func printRoot(cmd *cobra.Command, flags *projectFlags, targets []string) (err error) {
	p, err := flags.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	e, err := p.engine(engine.Options{Targets: targets})
	if err != nil {
		return err
	}
	snap, diags := e.Snapshot(cmd.Context(), engine.SnapshotOptions{})
	if err := p.report(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	text, err := freeze.Root(p.store, snap.Steps)
	if err != nil {
		return err
	}
	if text == "" {
		return errors.New("the pipeline has no runs")
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}
