package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/ui"
)

func newShowCommand() *cobra.Command {
	var flags projectFlags
	var format string
	opt := ui.TableOptions{}
	cmd := &cobra.Command{
		Use:   "show ADDRESS",
		Short: "Show the output of a stage that has been executed",
		Long: `Shows outputs of a stage from the store; nothing is executed. ADDRESS is a stage (stage.score.main) for all its outputs, or one
output of it (stage.score.main.scores); with --format or flags about tables, a stage is its first table. On a terminal, tables are cut to its
width, and longer output goes through $PAGER (default: less).

` + exit.Help,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if cmd.Flags().Changed("top") && opt.Top < 1 {
				return exit.With(exit.Usage, fmt.Errorf("--top %d is not a number of rows, which is at least 1",
					opt.Top))
			}
			if !slices.Contains([]results.Format{"", results.CSV, results.JSONLines, results.JSON, results.Parquet},
				results.Format(format)) {
				return exit.With(exit.Usage, fmt.Errorf("--format is csv, jsonl, json or parquet, not %q", format))
			}
			ofTable := firstSet(cmd.Flags(), "division", "view", "columns", "sort", "top")
			p, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.Close()) }()
			outputs, only, err := p.Find(args[0])
			if err != nil {
				return err
			}
			if only == "" && format == "" && ofTable == "" && len(outputs) > 1 {
				return listOutputs(cmd.OutOrStdout(), args[0], outputs)
			}
			if only == "" {
				only = p.MainOutput(args[0], outputs)
			}
			pager := ui.NewPager(cmd.OutOrStdout())
			defer func() { err = errors.Join(err, pager.Close()) }()
			if art, ok := stages.ArtifactOf(outputs[only]); ok && format == "" {
				if opt.Below, err = p.Below(cmd.Context(), art.Schema); err != nil {
					return err
				}
			}
			err = p.Show(pager, outputs[only], format, opt)
			if _, ok := errors.AsType[*ui.AbsentError](err); ok {
				return exit.With(exit.Usage, err)
			}
			return err
		},
	}
	flags.register(cmd.Flags())
	addressCompletion{most: 1, outputs: true}.register(cmd, &flags)
	cmd.Flags().StringVar(&format, "format", "", "csv, jsonl, json or parquet (default: a table for people)")
	cmd.Flags().StringVar(&opt.Division, "division", "", "only rows of this division")
	cmd.Flags().StringVar(&opt.View, "view", "", "only rows of this view")
	cmd.Flags().StringSliceVar(&opt.Columns, "columns", nil, "columns to show")
	cmd.Flags().StringSliceVar(&opt.Sort, "sort", nil,
		"columns to sort by, with - before a name for the largest first, as -n,w_s")
	cmd.Flags().IntVar(&opt.Top, "top", 0, "only the first rows")
	return cmd
}

// firstSet returns the first given flag that is set, or an empty text.
func firstSet(flags *pflag.FlagSet, names ...string) string {
	for _, n := range names {
		if flags.Changed(n) {
			return n
		}
	}
	return ""
}

func listOutputs(w io.Writer, address string, outputs map[string]cty.Value) error {
	for _, n := range project.OutputNames(outputs) {
		if _, err := fmt.Fprintf(w, "%s.%s = %s\n", address, n, project.ValueText(outputs[n])); err != nil {
			return err
		}
	}
	return nil
}
