package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/reproduce"
	"github.com/smtpipe/smtpipe/internal/base/exit"
)

func newReproduceCommand() *cobra.Command {
	var flags projectFlags
	var o reproduce.Options
	cmd := &cobra.Command{
		Use:   "reproduce RUN | CELL",
		Short: "Take a published run home: its script, command, limits and output, executed again here",
		Long: `Writes a run into a folder: the script that the solver received, its output, and run.sh with its command and limits, for trying
your own build. If the solver is available, it is executed again on this machine, with the same isolation and limits, and the
answers are compared.

A run is BENCHMARK@SOLVER, with the address of its stage in front (ADDRESS::BENCHMARK@SOLVER) if several stages have it. A cell is named as for
"smtpipe prove", such as "QF_BV single_query par cvc5.correct". For a cell of several runs the command lists those that the view counts:
those that are correct for correct, those that are wrong for error, and otherwise all. A site does not have the rules of its views, so that verdicts
alone decide there.

Runs are those of the pipeline's store, or with --frozen those of a frozen folder, or with --site those of a published site: its
address, or a copy of the folder. Solvers of frozen folders and sites are strangers' programs: they are executed with full isolation, or not at
all. What is not public, such as the scripts of a year that was imported, is listed.

A site has no scripts. With --release, the script is made from the benchmark, with the seed that the site names, and must have the digest
that the site names. --release is the benchmark's file, an archive, or a folder of files or archives. A program that is installed here and has the
digest that the site names is found; --solver names another, or the archive of the solver.

Exit codes: 0 done, 1 error, 2 usage error, 4 nothing of the run is public or it cannot be executed isolated, 5 another answer than
before, 130 interrupted.`,
		Example: `  smtpipe reproduce --frozen smt-comp-2027 "QF_BV single_query par cvc5.error"
  smtpipe reproduce --frozen smt-comp-2027 QF_BV/fam/x.smt2@cvc5
  smtpipe reproduce --site https://smt-comp.example.org/2027 --release smt-lib --solver cvc5.zip QF_BV/fam/x.smt2@cvc5`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			defer endsItself()()
			o.Options = flags.here()
			return exit.Stopped(cmd.Context(), o.Run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(),
				strings.Join(args, " ")))
		},
	}
	flags.register(cmd.Flags())
	f := cmd.Flags()
	f.StringVar(&o.Folder, "frozen", "", "frozen folder, .zip or .tar.zst that has the run")
	f.StringVar(&o.Site, "site", "", "address or folder of the published site that has the run")
	f.StringVar(&o.Release, "release", "", "release or benchmark from which the script is made, for --site")
	f.StringVar(&o.Solver, "solver", "", "archive or program of the solver, for --site")
	f.StringVarP(&o.Out, "out", "o", "", "folder to write (default: BENCHMARK@SOLVER)")
	f.BoolVar(&o.NoRun, "no-run", false, "execute nothing")
	return cmd
}
