package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newTableCommand groups the commands for lists of benchmarks and tables of results in any format.
func newTableCommand() *cobra.Command {
	table := &cobra.Command{
		Use:   "table",
		Short: "Compare, merge and count lists of benchmarks and results",
	}
	table.AddCommand(newTableCountCommand(), newTableDiffCommand(), newTableMergeCommand())
	return table
}

// formerly returns a command under the tool name that it had until version 0.1.
func formerly(name string, cmd *cobra.Command) *cobra.Command {
	now, run := cmd.Name(), cmd.RunE
	cmd.Use, cmd.Hidden = name+strings.TrimPrefix(cmd.Use, now), true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: \"tool %s\" is \"table %s\" now, and its old name goes with the next version.\n",
			name, now)
		return run(cmd, args)
	}
	return cmd
}
