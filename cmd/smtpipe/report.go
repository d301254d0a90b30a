package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/interim"
	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/stages"
	reportstage "github.com/smtpipe/smtpipe/internal/stages/report"
)

// reportFlags are the flags of report in addition to the project's.
type reportFlags struct {
	projectFlags
	partial bool
	draft   bool
	out     string
	format  string
	pages   pagesFlags
}

func newReportCommand() *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report [ADDRESS]",
		Short: "Write the site of a competition, also while it runs",
		Long: `Writes the site of a report stage from the contents of the store; its provenance page lists the pipeline's stages, their keys and
the digests of their outputs. No run is executed. ADDRESS is the stage, such as stage.report.site, and can be omitted if there
is only one.

With --partial, the runs need not be complete: finished ones are judged and scored, and every page shows how many there
are. This works while another process executes the pipeline; "smtpipe serve" shows the same and keeps it up to date. With
--no-rankings, the site contains everything except rankings and the runs that they follow from, for publication before the results.

With --format smt-comp-site it writes the pages and data files of the official SMT-COMP site, to be copied into its repository,
and the LaTeX input of the certificates; docs/publish/report.md describes them. With --published they are made from the results that
the organisers publish, scored as the published tables of their year were, and no pipeline is needed:

    smtpipe report --format smt-comp-site --published data --submissions submissions --year 2025 -o out

` + exit.Help,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(cmd, args); err != nil {
				return err
			}
			if flags.pages.published != "" {
				return flags.runPublished(cmd)
			}
			return flags.run(cmd, args)
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().BoolVar(&flags.partial, "partial", false, "make the site from the runs that are finished so far")
	cmd.Flags().BoolVar(&flags.draft, "no-rankings", false, "leave out rankings, and runs to compute them from")
	cmd.Flags().StringVarP(&flags.out, "out", "o", "report",
		"folder to write; one that smtpipe did not write is not replaced")
	cmd.Flags().StringVar(&flags.format, "format", "", strings.Join(reportstage.Formats, " or ")+
		" (default: the stage's)")
	flags.pages.register(cmd.Flags())
	cmd.MarkFlagsMutuallyExclusive("no-rankings", "published")
	return cmd
}

func (f *reportFlags) run(cmd *cobra.Command, args []string) (err error) {
	p, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	p.NoteEvidence(cmd.ErrOrStderr())
	scratch, remove, err := p.Scratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	opt := engine.SnapshotOptions{}
	if f.partial {
		opt = project.PartialOptions(scratch, nil)
	}
	snap, err := p.Snapshot(cmd.Context(), cmd.ErrOrStderr(), opt)
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
	tree, progress, err := f.write(cmd, p, scratch, snap, step)
	if err != nil {
		return exit.Stopped(cmd.Context(), err)
	}
	target, err := filepath.Abs(f.out)
	if err != nil {
		return err
	}
	if err := scratch.PublishTree(tree, target); err != nil {
		return err
	}
	text := fmt.Sprintf("Wrote %d files into %s.\n", len(tree.Files), f.out)
	if progress != nil {
		text = fmt.Sprintf("Wrote %d files into %s: %s.\n", len(tree.Files), f.out, interim.ProgressText(progress))
	}
	_, err = fmt.Fprint(cmd.ErrOrStderr(), text)
	return err
}

// write writes the report to a store in the requested format, or in the stage's format by default. progress is nil if
// all runs are finished.
func (f *reportFlags) write(cmd *cobra.Command, p *project.Project, store *cache.Store, snap *engine.Snapshot,
	step *engine.SnapshotStep) (tree *cache.Manifest, progress *site.Progress, err error) {
	reporter, err := interim.Reporter(step)
	if err != nil {
		return nil, nil, err
	}
	if cmp.Or(f.format, reporter.Format()) == reportstage.FormatPages {
		if f.draft {
			return nil, nil, exit.With(exit.Usage, errors.New("the pages of the official site are rankings; "+
				"--no-rankings goes with --format site"))
		}
		if f.partial {
			return nil, nil, exit.With(exit.Usage, errPartialPages)
		}
		pages, err := f.pages.pagesOf(cmd, store, reporter)
		if err != nil {
			return nil, nil, err
		}
		_, tree, err = reportstage.WritePages(store, pages)
		return tree, nil, err
	}
	if unused := firstSet(cmd.Flags(), "result-date", "options", "charts"); unused != "" {
		return nil, nil, exit.With(exit.Usage, fmt.Errorf("--%s is for pages of the official site: use --format %s, or leave "+
			"it out", unused, reportstage.FormatPages))
	}
	in, err := interim.Input(cmd.Context(), p, store, snap, step)
	if err != nil {
		return nil, nil, err
	}
	if f.draft {
		in.HideResults()
	}
	kept, err := stages.KeptIn(store, reportstage.Kind)
	if err != nil {
		return nil, nil, err
	}
	_, tree, err = reportstage.Write(cmd.Context(), store, in, kept)
	return tree, in.Progress, err
}

// notComplete returns a message about the stages that the report is waiting for.
func notComplete(step *engine.SnapshotStep, partial bool) error {
	if partial {
		return fmt.Errorf("%s cannot be made yet: it needs outputs of %s that are not tables; execute them with "+
			"\"smtpipe run\"", step.Addr, strings.Join(step.Waits, ", "))
	}
	return fmt.Errorf("%s is not complete: it waits for %s; execute them with \"smtpipe run\", or use --partial for "+
		"the runs so far", step.Addr, strings.Join(step.Waits, ", "))
}

// reportStep returns the requested report, or the only one.
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
		return nil, exit.With(exit.Usage, fmt.Errorf("the pipeline has several reports; name one of %s",
			strings.Join(names, ", ")))
	case len(args) == 1:
		return nil, exit.With(exit.Usage, fmt.Errorf("there is no report %s; \"smtpipe graph\" lists the stages",
			args[0]))
	}
	return nil, exit.With(exit.Usage, errors.New("the pipeline has no report stage; \"smtpipe stages report\" shows "+
		"how one is written"))
}
