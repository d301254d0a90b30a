package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/engine"
	reportstage "github.com/smtpipe/smtpipe/internal/stages/report"
)

// reportFlags are the flags of report beside those of the project.
type reportFlags struct {
	projectFlags
	partial bool
	out     string
}

func newReportCommand() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report [ADDRESS]",
		Short: "Write the site of a competition, also while it runs",
		Long: `Writes the site of a report stage from what the store has, with the stages of the pipeline, their keys and the digests of their
outputs on its page on provenance. No run is executed. ADDRESS is the stage, as stage.report.site; it can be left out where there
is only one.

With --partial the runs need not be complete: those that have a record are judged and scored, and every page says how many there
are. This works while another process executes the pipeline; "smtpipe serve" shows the same and goes on with it.

` + exitCodesHelp,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args) },
	}
	flags.register(cmd.Flags())
	cmd.Flags().BoolVar(&flags.partial, "partial", false, "make the site from the runs that are done so far")
	cmd.Flags().StringVarP(&flags.out, "out", "o", "report",
		"folder to write; one that smtpipe did not write is not replaced")
	return cmd
}

func (f *reportFlags) run(cmd *cobra.Command, args []string) (err error) {
	p, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	scratch, remove, err := p.scratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	opt := engine.SnapshotOptions{}
	if f.partial {
		opt = partialOptions(scratch, nil)
	}
	snap, err := p.snapshot(cmd, opt)
	if err != nil {
		return err
	}
	step, err := reportStep(snap, args)
	if err != nil {
		return err
	}
	if len(step.Waits) > 0 {
		return notComplete(step, f.partial)
	}
	for _, problem := range snap.Problems {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: %v\n", problem)
	}
	in, err := siteInput(scratch, snap, step)
	if err != nil {
		return err
	}
	_, tree, err := reportstage.Write(cmd.Context(), scratch, in)
	if err != nil {
		return stopped(cmd.Context(), err)
	}
	target, err := filepath.Abs(f.out)
	if err != nil {
		return err
	}
	if err := scratch.PublishTree(tree, target); err != nil {
		return err
	}
	text := fmt.Sprintf("Wrote %d files into %s.\n", len(tree.Files), f.out)
	if in.Progress != nil {
		text = fmt.Sprintf("Wrote %d files into %s: %s.\n", len(tree.Files), f.out, progressText(in.Progress))
	}
	_, err = fmt.Fprint(cmd.ErrOrStderr(), text)
	return err
}

// notComplete says what the report waits for.
func notComplete(step *engine.SnapshotStep, partial bool) error {
	if partial {
		return fmt.Errorf("%s cannot be made yet: it needs outputs of %s that are no tables; execute them with "+
			"\"smtpipe run\"", step.Addr, strings.Join(step.Waits, ", "))
	}
	return fmt.Errorf("%s is not complete: it waits for %s; execute them with \"smtpipe run\", or use --partial for "+
		"the runs so far", step.Addr, strings.Join(step.Waits, ", "))
}

// stopped makes an interruption the exit code of one.
func stopped(ctx context.Context, err error) error {
	if interrupted(ctx, err) {
		return withExit(exitInterrupted, errors.New("interrupted"))
	}
	return err
}

// reportStep finds the report that is asked for, or the only one.
func reportStep(snap *engine.Snapshot, args []string) (*engine.SnapshotStep, error) {
	var found []*engine.SnapshotStep
	var names []string
	for i := range snap.Steps {
		if s := &snap.Steps[i]; s.Kind == reportstage.Kind && (len(args) == 0 || s.Addr == args[0]) {
			found, names = append(found, s), append(names, s.Addr)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, withExit(exitUsage, fmt.Errorf("the pipeline has several reports; name one of %s",
			strings.Join(names, ", ")))
	case len(args) == 1:
		return nil, withExit(exitUsage, fmt.Errorf("there is no report %s; \"smtpipe graph\" lists the stages",
			args[0]))
	}
	return nil, withExit(exitUsage, errors.New("the pipeline has no report stage; \"smtpipe stages report\" shows "+
		"how one is written"))
}

// removeAll is os.RemoveAll on the folder of a store that must be closed before.
func removeAll(close func() error, dir string) func() error {
	return func() error { return errors.Join(close(), os.RemoveAll(dir)) }
}
