package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/freeze"
	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/prove"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/engine"
)

// proveFlags are the flags of prove in addition to the project's.
type proveFlags struct {
	projectFlags
	root          bool
	folder, stage string
	out           string
}

func newProveCommand() *cobra.Command {
	var flags proveFlags
	cmd := &cobra.Command{
		Use:   "prove CELL | prove --root [TARGET...]",
		Short: "Write a file that proves a cell of a table, or print the root of the hash tree over all runs",
		Long: `Writes a file with which anybody can check one cell of a frozen folder's table: the folder's check.py does this in Python, without
the rest of the folder and without smtpipe. A cell is DIVISION TRACK VIEW SOLVER.COLUMN, such as "QF_BV single_query par cvc5.correct"; a logic
can be given instead of its division. Columns are correct, error, points, wall, cpu, actual_wall and actual_cpu. The file has the runs of the
cell with the digests of their outputs, what scoring needs to know about all other runs of the division, their paths to the root of the
hash tree over all runs, the lock with the root and its signature, the sections of the rules, and what each run adds.

--root prints the number of runs and the root, as in the lock of a frozen folder. They can be
published when the runs end, before anybody sees a result: a run that is changed, added or left out later changes the root.
All measured stages that the targets need must have been executed; stages computed from them need not. If all that tell who takes
part have finished, a second line has the root of the entrants, which a correction of these changes.

` + exit.Help,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch unused := firstSet(cmd.Flags(), "frozen", "stage", "out"); {
			case flags.root && unused != "":
				return exit.With(exit.Usage, fmt.Errorf("--%s has no effect with --root; leave one of them out",
					unused))
			case flags.root:
				return printRoot(cmd, &flags.projectFlags, args)
			case len(args) == 0:
				return exit.With(exit.Usage, errors.New("name a cell, such as \"QF_BV single_query par cvc5.correct\", or use --root"))
			}
			return flags.proveCell(cmd, strings.Join(args, " "))
		},
	}
	flags.register(cmd.Flags())
	f := cmd.Flags()
	f.BoolVar(&flags.root, "root", false, "print the root of the hash tree")
	f.StringVar(&flags.folder, "frozen", "frozen", "frozen folder that has the cell")
	f.StringVar(&flags.stage, "stage", "", "address of the stage that scored the cell (default: the only one that has it)")
	f.StringVarP(&flags.out, "out", "o", "cell.json.gz", "file to write; - is standard output")
	return cmd
}

func (f *proveFlags) proveCell(cmd *cobra.Command, text string) (err error) {
	name, err := prove.ParseName(text)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	folder, err := frozen.Open(f.folder)
	if err != nil {
		return fmt.Errorf("%w; \"smtpipe freeze\" writes a folder, and --frozen names it", err)
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	content, err := prove.Cell(cmd.Context(), folder, name, f.stage)
	if err != nil {
		return err
	}
	if f.out == "-" {
		_, err = cmd.OutOrStdout().Write(content)
		return err
	}
	if err := outfile.Write(f.out, content, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "Wrote %s, %s. \"python3 check.py %s\" checks it.\n", f.out,
		words.Bytes(int64(len(content))), f.out)
	return err
}

func printRoot(cmd *cobra.Command, flags *projectFlags, targets []string) (err error) {
	p, err := flags.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	snap, err := p.Snapshot(cmd.Context(), cmd.ErrOrStderr(), engine.SnapshotOptions{}, targets...)
	if err != nil {
		return err
	}
	roots, err := freeze.Roots(p.Store, snap.Steps)
	if err != nil {
		return err
	}
	if roots.Runs == "" {
		return errors.New("the pipeline has no runs")
	}
	if roots.Entrants != "" {
		roots.Runs += "\nentrants: " + roots.Entrants
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), roots.Runs)
	return err
}
