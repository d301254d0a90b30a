package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
)

func newExplainCommand() *cobra.Command {
	var flags projectFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain ADDRESS[::ITEM]",
		Short: "Explain what a result depends on, and why a stage would execute",
		Long: `Prints the components of a stage's key: everything that its result depends on, with the changes since its latest record. With an
item, explains one row:

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
			e, err := p.engine(engine.Options{})
			if err != nil {
				return err
			}
			addr, item, hasItem := strings.Cut(args[0], "::")
			if hasItem {
				x, err := e.ExplainItem(addr, item)
				if err != nil {
					return meantStage(e, err)
				}
				if asJSON {
					return printJSON(cmd, x)
				}
				if err := writeComponents(cmd.OutOrStdout(), x.Components); err != nil {
					return err
				}
				return p.explainVersions(cmd, addr, item[strings.LastIndexAny(item, "@/")+1:])
			}
			x, err := e.Explain(addr)
			if err != nil {
				return meantStage(e, err)
			}
			if asJSON {
				return printJSON(cmd, x)
			}
			if err := writeExplanation(cmd.OutOrStdout(), x); err != nil {
				return err
			}
			return p.explainVersions(cmd, addr, "")
		},
	}
	flags.register(cmd.Flags())
	addressCompletion{most: 1}.register(cmd, &flags)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON; docs/tools/json.md describes it")
	return cmd
}

// explainVersions prints the versions of a measured stage's solvers, or of one solver in any stage.
func (p *project) explainVersions(cmd *cobra.Command, addr, solver string) error {
	if solver != "" {
		addr = ""
	}
	doc, versions, err := p.evidenceNow(cmd.Context(), addr)
	if err != nil {
		return err
	}
	solvers := []string{solver}
	if solver == "" {
		solvers = slices.Collect(maps.Keys(versions))
	}
	lines := versions.lines(solvers)
	if solver == "" {
		lines += machineLines(doc)
	}
	if lines != "" {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "evidence, which is part of no key\n  %s\n",
			strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n  "))
	}
	return err
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
	return writeComponents(w, x.Components)
}

// writeComponents prints a list on one line, as "name[3] a, b, c", and anything else by name and value.
func writeComponents(w io.Writer, components []cache.Component) error {
	var lines []cache.Component
	list := "" // the list whose items are joined
	for _, c := range components {
		c.Value = strings.ReplaceAll(strings.TrimRight(c.Value, "\n"), "\n", "\\n")
		name, item, _ := strings.Cut(c.Name, "[")
		last := len(lines) - 1
		switch {
		case item == "0]" && last >= 0 && lines[last].Name == name+".count":
			list = name
			lines[last] = cache.Component{Name: name + "[" + lines[last].Value + "]", Value: c.Value}
		case list != "" && name == list && strings.HasSuffix(item, "]"):
			lines[last].Value += ", " + c.Value
		default:
			list = ""
			lines = append(lines, c)
		}
	}
	width := 0
	for _, c := range lines {
		width = max(width, len(c.Name))
	}
	for _, c := range lines {
		if _, err := fmt.Fprintf(w, "  %-*s  %s\n", width, c.Name, c.Value); err != nil {
			return err
		}
	}
	return nil
}
