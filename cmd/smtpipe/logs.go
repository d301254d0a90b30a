package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

func newLogsCommand() *cobra.Command {
	var flags projectFlags
	var stderr, script bool
	cmd := &cobra.Command{
		Use:   "logs ADDRESS::BENCHMARK@SOLVER",
		Short: "Print what a solver wrote in one run",
		Long: `Prints the captured standard output of a run of an execute stage, such as stage.execute.main::QF_BV/fam/x.smt2@cvc5; with --stderr its
standard error, with --script the benchmark as the solver got it. The bytes are those that were captured; if the middle was
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
			run, err := p.findRun(addr, benchmark, solver)
			if err != nil {
				return err
			}
			switch {
			case stderr && script:
				return exit.With(exit.Usage, errors.New("--stderr and --script exclude each other"))
			case script && run.ScriptSHA256 == "":
				return fmt.Errorf("the run of %s on %s has no script; it was imported", solver, benchmark)
			case script:
				return p.copyOutput(cmd.OutOrStdout(), "", run.ScriptSHA256)
			case stderr:
				return p.copyOutput(cmd.OutOrStdout(), "", run.StderrSHA256)
			}
			return p.copyOutput(cmd.OutOrStdout(), run.Stdout, run.StdoutSHA256)
		},
	}
	flags.register(cmd.Flags())
	addressCompletion{most: 1, behind: "::"}.register(cmd, &flags)
	cmd.Flags().BoolVar(&stderr, "stderr", false, "print standard error")
	cmd.Flags().BoolVar(&script, "script", false, "print the benchmark as the solver got it")
	return cmd
}

// findRun returns a run's last attempt. The benchmark may be named without its collection.
func (p *project) findRun(addr, benchmark, solver string) (*results.RunRow, error) {
	outputs, _, err := p.find(addr)
	if err != nil {
		return nil, err
	}
	art, ok := stages.ArtifactOf(outputs["runs"])
	if !ok || !results.SchemaOf[results.RunRow]().Reads(art.Schema) {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s has no runs; name an execute stage", addr))
	}
	rows, err := artifact.ReadTable[results.RunRow](p.store, art)
	if err != nil {
		return nil, err
	}
	var found *results.RunRow
	for i := range rows {
		r := &rows[i]
		if r.Solver == solver && (r.Benchmark == benchmark || r.Benchmark == "non-incremental/"+benchmark ||
			r.Benchmark == "incremental/"+benchmark) {
			found = r
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%s has no run of %s on %s", addr, solver, benchmark)
	}
	return found, nil
}

// copyOutput writes an output, which is either short and in the table itself, or a blob.
func (p *project) copyOutput(w io.Writer, short, digest string) error {
	if digest == "" {
		_, err := io.WriteString(w, short)
		return err
	}
	d, err := cache.ParseDigest(digest)
	if err != nil {
		return err
	}
	return p.store.CopyBlob(w, d)
}
