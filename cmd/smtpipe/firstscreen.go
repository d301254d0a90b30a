package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
)

// firstScreen prints the commands that are useful in this folder, depending on whether it is a frozen folder, contains
// a pipeline, or neither.
func firstScreen(cmd *cobra.Command) error {
	here, commands := "There is no pipeline in this folder.", [][2]string{
		{"smtpipe init quickstart", "write a small competition into the folder quickstart"},
		{"smtpipe run -p quickstart", "execute it, in a minute with z3 and cvc5"},
		{"smtpipe init --help", "what else to begin with: a year, a comparison, a review"},
	}
	_, notFrozen := os.Stat(frozen.LockName)
	pipelines, err := filepath.Glob("*.hcl")
	switch {
	case err != nil:
		return err
	case notFrozen == nil:
		here, commands = "This is a frozen folder.", [][2]string{
			{"smtpipe verify .", "check that everything in it follows from the measurements"},
			{"smtpipe plan -p pipeline --evidence .", "show its stages"},
			{"smtpipe init review ../mine", "copy its pipeline, to try other rules on its measurements"},
		}
	case len(pipelines) > 0:
		here, commands = "There is a pipeline in this folder.", [][2]string{
			{"smtpipe plan", "show what would be executed, why, and how long it would take"},
			{"smtpipe run", "execute that; finished runs are never executed again"},
			{"smtpipe serve", "show the report, also while it runs"},
		}
	}
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "smtpipe runs a solver competition from a file. %s\n\n", here)
	for _, c := range commands {
		fmt.Fprintf(w, "  %-40s%s\n", c[0], c[1])
	}
	_, err = fmt.Fprintln(w, "\n\"smtpipe --help\" lists all commands.")
	return err
}
