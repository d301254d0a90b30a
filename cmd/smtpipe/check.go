package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/lang/config"
)

func newCheckCommand() *cobra.Command {
	flags := projectFlags{project.Options{Reads: true}}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check a pipeline without executing anything",
		Long: `Reads the pipeline and checks its syntax, names, types, references, row expressions, input files and programs. All errors
are reported at once, as is everything marked with the comment "# undecided".

` + exit.Help,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return checkJSON(cmd, &flags)
			}
			p, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer p.Close()
			if err := p.Report(cmd.ErrOrStderr(), p.Pipeline.Unfinished()); err != nil {
				return err
			}
			if err := p.WarnOfMachine(cmd.ErrOrStderr()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "The pipeline is valid: %d stages.\n", len(p.Pipeline.Nodes()))
			return err
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print diagnostics as JSON on stdout")
	return cmd
}

// checkJSON prints a pipeline's diagnostics as JSON.
func checkJSON(cmd *cobra.Command, flags *projectFlags) error {
	p, diags, err := flags.load(cmd)
	if err != nil {
		return err
	}
	defer p.Close()
	diags = append(diags, p.Pipeline.Unfinished()...)
	if err := config.DiagnosticsJSON(cmd.OutOrStdout(), diags, p.Sources()); err != nil {
		return err
	}
	if diags.HasErrors() {
		return exit.ErrReported
	}
	return nil
}

// printJSON prints a value as JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
