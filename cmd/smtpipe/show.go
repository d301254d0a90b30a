package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
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
			ofTable := firstSet(cmd.Flags(), "division", "view", "columns", "sort", "top")
			p, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.Close()) }()
			outputs, only, err := p.find(args[0])
			if err != nil {
				return err
			}
			if only == "" && format == "" && ofTable == "" && len(outputs) > 1 {
				return listOutputs(cmd.OutOrStdout(), args[0], outputs)
			}
			if only == "" {
				only = p.mainOutput(args[0], outputs)
			}
			pager := ui.NewPager(cmd.OutOrStdout())
			defer func() { err = errors.Join(err, pager.Close()) }()
			if art, ok := stages.ArtifactOf(outputs[only]); ok && format == "" {
				if opt.Below, err = p.below(cmd.Context(), art.Schema); err != nil {
					return err
				}
			}
			err = p.show(pager, outputs[only], format, opt)
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

// firstSet returns the first of the given flags that was set, or an empty string.
func firstSet(flags *pflag.FlagSet, names ...string) string {
	for _, n := range names {
		if flags.Changed(n) {
			return n
		}
	}
	return ""
}

// find returns the outputs of an address's instance, and the output if the address names one.
func (p *project) find(address string) (map[string]cty.Value, string, error) {
	e, err := p.engine(engine.Options{})
	if err != nil {
		return nil, "", err
	}
	plan, _ := e.Plan()
	if outputs, ok := plan.Known[address]; ok {
		return outputs, "", nil
	}
	if i := strings.LastIndexByte(address, '.'); i > 0 {
		if outputs, ok := plan.Known[address[:i]]; ok {
			if _, ok := outputs[address[i+1:]]; !ok {
				return nil, "", exit.With(exit.Usage, fmt.Errorf("%s has no output %q; it has %s", address[:i],
					address[i+1:], strings.Join(outputNames(outputs), ", ")))
			}
			return outputs, address[i+1:], nil
		}
	}
	var instances []string
	for i := range plan.Steps {
		if s := &plan.Steps[i]; s.Addr != address && engine.Covers(address, s.Addr) {
			instances = append(instances, s.Addr)
		}
	}
	if len(instances) > 0 {
		return nil, "", exit.With(exit.Usage, fmt.Errorf("%s has for_each; name one of its instances, as %s", address,
			someOf(instances)))
	}
	for _, s := range plan.Steps {
		if s.Addr == address || strings.HasPrefix(address, s.Addr+".") {
			return nil, "", fmt.Errorf("%s is not up to date (%s); execute it with \"smtpipe run\"", s.Addr, s.Decision)
		}
	}
	known := stepAddresses(plan)
	i := strings.LastIndexByte(address, '.')
	if strings.Count(address, ".") > 2 && nearest.Name(address, known) == "" {
		address = address[:i] // the rest may be an output
	}
	return nil, "", noStage(address, known)
}

func outputNames(outputs map[string]cty.Value) []string {
	return sortedKeys(outputs)
}

// mainOutput returns the output that represents a stage: the only one, or the first table in its kind's order.
func (p *project) mainOutput(addr string, outputs map[string]cty.Value) string {
	for _, n := range p.pipeline.Nodes() {
		if !engine.Covers(n.Addr, addr) {
			continue
		}
		for _, out := range n.Kind.Outputs {
			if art, ok := stages.ArtifactOf(outputs[out.Name]); ok && art.IsTable() {
				return out.Name
			}
		}
	}
	return outputNames(outputs)[0]
}

func listOutputs(w io.Writer, address string, outputs map[string]cty.Value) error {
	for _, n := range outputNames(outputs) {
		if _, err := fmt.Fprintf(w, "%s.%s = %s\n", address, n, valueText(outputs[n])); err != nil {
			return err
		}
	}
	return nil
}

// below returns the evidence shown below a table of a schema: the solvers' versions and, for runs, the machines'
// states.
func (p *project) below(ctx context.Context, schema string) (func(solvers []string) string, error) {
	doc, versions, err := p.evidenceNow(ctx, "")
	return func(solvers []string) string {
		text := versions.lines(solvers)
		if schema == results.SchemaOf[results.RunRow]().Name {
			text += machineLines(doc)
		}
		return text
	}, err
}

// show prints one output.
func (p *project) show(w io.Writer, v cty.Value, format string, opt ui.TableOptions) error {
	art, ok := stages.ArtifactOf(v)
	switch {
	case !ok:
		_, err := fmt.Fprintln(w, valueText(v))
		return err
	case art.Schema == "tree":
		m, err := artifact.ReadTree(p.store, art)
		if err != nil {
			return err
		}
		for _, f := range m.Files {
			if _, err := fmt.Fprintf(w, "%s  %10d  %s\n", f.Digest, f.Size, f.Path); err != nil {
				return err
			}
		}
		return nil
	case art.Schema == "blob":
		return p.store.CopyBlob(w, art.Digest)
	case format != "" && format != string(results.CSV):
		if opt.Choose() {
			return exit.With(exit.Usage, fmt.Errorf("a table in the format %s is always whole; --columns, --sort, "+
				"--top, --division and --view are for csv and for people", format))
		}
		return artifact.ExportTable(w, p.store, art, results.Format(format))
	}
	data, err := p.store.ReadBytes(art.Digest)
	if err != nil {
		return err
	}
	if format != "" {
		return ui.WriteCSV(w, bytes.NewReader(data), int64(len(data)), opt)
	}
	return ui.WriteTable(w, bytes.NewReader(data), int64(len(data)), opt)
}
