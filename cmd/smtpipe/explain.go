package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
)

func newExplainCommand() *cobra.Command {
	var flags projectFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain ADDRESS[::ITEM]",
		Short: "Explain what a result depends on, and why a stage would execute",
		Long: `Prints the components of a stage's key, which are everything that its result depends on, and the changes since its latest record.
With an item, it explains one row:

  stage.cap.main::QF_BV/fam/x.smt2         why a benchmark is in or out; filters work, too
  stage.execute.main::QF_BV/fam/x.smt2@z3  what identifies a run, and its result
  stage.validate.main::QF_BV/fam/x.smt2@z3 how the verdict on a run came about
  stage.score.main::QF_BV/par/z3           the sums of a solver in a view, with the term of every run

Nothing is executed.

` + exit.Help,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			p, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.Close()) }()
			e, err := p.Engine(engine.Options{})
			if err != nil {
				return err
			}
			addr, item, hasItem := strings.Cut(args[0], "::")
			if hasItem {
				x, err := e.ExplainItem(addr, item)
				if err != nil {
					return project.MeantStage(e, err)
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), x)
				}
				if err := project.WriteComponents(cmd.OutOrStdout(), x.Components); err != nil {
					return err
				}
				return p.ExplainVersions(cmd.Context(), cmd.OutOrStdout(), addr, item[strings.LastIndexAny(item,
					"@/")+1:])
			}
			x, err := e.Explain(addr)
			if err != nil {
				return project.MeantStage(e, err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), x)
			}
			if err := writeExplanation(cmd.OutOrStdout(), x); err != nil {
				return err
			}
			return p.ExplainVersions(cmd.Context(), cmd.OutOrStdout(), addr, "")
		},
	}
	flags.register(cmd.Flags())
	addressCompletion{most: 1}.register(cmd, &flags)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON; docs/tools/json.md describes it")
	return cmd
}

func writeExplanation(w io.Writer, x *engine.Explanation) error {
	fmt.Fprintf(w, "%s: %s\n", x.Addr, x.Decision)
	if x.Key != "" {
		fmt.Fprintf(w, "key %s\n", x.Key)
	}
	if !x.Finished.IsZero() {
		fmt.Fprintf(w, "executed %s by smtpipe %s, in %.3f s\n", x.Finished.Format("2006-01-02 15:04:05 MST"),
			x.Version, x.WallTimeS)
	}
	if len(x.Waits) > 0 {
		fmt.Fprintf(w, "known after %s\n", strings.Join(x.Waits, ", "))
	}
	for _, c := range x.Changes {
		fmt.Fprintf(w, "  %s\n", c)
	}
	if len(x.Components) > 0 {
		fmt.Fprintln(w, "depends on")
	}
	return project.WriteComponents(w, x.Components)
}
