package main

import (
	"encoding/json"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
)

func newCheckCommand() *cobra.Command {
	flags := projectFlags{reads: true}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check a pipeline without executing anything",
		Long: `Reads the pipeline and checks its syntax, names, types, references, row expressions, input files and programs. All errors
are reported at once, and whatever is marked with a comment "# undecided".

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
			if err := p.report(cmd.ErrOrStderr(), p.pipeline.Unfinished()); err != nil {
				return err
			}
			if err := p.warnOfMachine(cmd); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "The pipeline is valid: %d stages.\n", len(p.pipeline.Nodes()))
			return err
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print diagnostics as JSON on stdout")
	return cmd
}

// warnOfMachine warns about parts of the pipeline that this machine cannot execute. Another machine may be able to, so
// this is not an error.
func (p *project) warnOfMachine(cmd *cobra.Command) error {
	diags, err := p.refused(engine.Options{})
	if err != nil {
		return err
	}
	return p.report(cmd.ErrOrStderr(), diags)
}

// refused lists the runs that this machine cannot execute, from stages that are not in the store.
func (p *project) refused(opt engine.Options) (diags hcl.Diagnostics, err error) {
	if p.evidence != nil {
		return nil, nil
	}
	e, err := p.engine(opt)
	if err != nil {
		return nil, err
	}
	plan, _ := e.Plan()
	return refusedSteps(plan), nil
}

// refusedSteps warns about a plan's runs that this machine cannot execute.
func refusedSteps(plan *engine.Plan) (diags hcl.Diagnostics) {
	for i := range plan.Steps {
		if d := plan.Steps[i].Refused(); d != nil {
			diags = append(diags, d)
		}
	}
	return diags
}

// checkJSON prints the diagnostics of a pipeline as JSON.
func checkJSON(cmd *cobra.Command, flags *projectFlags) error {
	p, diags, err := flags.load(cmd)
	if err != nil {
		return err
	}
	defer p.Close()
	diags = append(diags, p.pipeline.Unfinished()...)
	if err := config.DiagnosticsJSON(cmd.OutOrStdout(), diags, p.sources()); err != nil {
		return err
	}
	if diags.HasErrors() {
		return exit.ErrReported
	}
	return nil
}

// printJSON prints a value as JSON.
func printJSON(cmd *cobra.Command, v any) error {
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
