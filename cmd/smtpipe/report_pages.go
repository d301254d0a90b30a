package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/audit/published"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/publish/report/smtcompsite"
	reportstage "github.com/smtpipe/smtpipe/internal/stages/report"
)

// pagesFlags are the flags for the official site's pages.
type pagesFlags struct {
	date        string
	options     []string
	published   string
	submissions string
	year        string
	charts      bool
}

func (f *pagesFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.date, "result-date", "", "smt-comp-site: date of the results (default: the stage's or the year's)")
	flags.StringSliceVar(&f.options, "options", nil, "smt-comp-site: "+strings.Join(smtcompsite.OptionNames(), ", ")+
		" (default: the stage's or the year's)")
	flags.BoolVar(&f.charts, "charts", false, "smt-comp-site: also write the pages of charts")
	flags.StringVar(&f.published, "published", "", "folder with results-TRACK-YEAR.json.gz and benchmarks-YEAR.json.gz "+
		"to make the pages from, instead of a pipeline")
	flags.StringVar(&f.submissions, "submissions", "submissions", "with --published: folder with submission files")
	flags.StringVar(&f.year, "year", "", "with --published: the year, where the folder has several, or a folder with "+
		"its rules")
}

// errPartialPages explains why --partial cannot be combined with pages of the official site, which may be the stage's
// format.
var errPartialPages = errors.New("pages of the official site cannot show that they are partial; --partial works only for " +
	"smtpipe's own site")

// check rejects contradictory flags.
func (f *reportFlags) check(cmd *cobra.Command, args []string) error {
	var wrong error
	switch changed := cmd.Flags().Changed; {
	case !slices.Contains(reportstage.Formats, f.format) && f.format != "":
		wrong = fmt.Errorf("unknown format %q; the formats are %s", f.format, strings.Join(reportstage.Formats, ", "))
	case f.pages.published != "" && f.format != reportstage.FormatPages:
		wrong = fmt.Errorf("--published makes only pages of the official site: use --format %s", reportstage.FormatPages)
	case f.pages.published != "" && len(args) > 0:
		wrong = errors.New("--published needs no stage")
	case f.pages.published == "" && (changed("submissions") || changed("year")):
		wrong = errors.New("--submissions and --year go with --published")
	case f.partial && f.format == reportstage.FormatPages:
		wrong = errPartialPages
	}
	if wrong != nil {
		return exit.With(exit.Usage, wrong)
	}
	return nil
}

// pagesOf returns a report stage's pages.
func (f *pagesFlags) pagesOf(cmd *cobra.Command, store *cache.Store,
	reporter reportstage.Reporter) (*smtcompsite.Site, error) {
	pages, err := reporter.Pages(store)
	if err != nil {
		return nil, err
	}
	return pages, f.change(cmd, pages)
}

// change overrides the settings of the stage or year with the flags.
func (f *pagesFlags) change(cmd *cobra.Command, pages *smtcompsite.Site) error {
	if f.date != "" {
		pages.ResultDate = f.date
	}
	pages.Charts = pages.Charts || f.charts
	if !cmd.Flags().Changed("options") {
		return nil
	}
	options, err := smtcompsite.ParseOptions(f.options)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	pages.Options = options
	return nil
}

// fromPublished returns the pages for published files, scored by their year's practice.
func (f *pagesFlags) fromPublished(cmd *cobra.Command) (*smtcompsite.Site, error) {
	year, err := published.Read(published.Files{Data: f.published, Submissions: f.submissions, Rules: f.year})
	if err != nil {
		return nil, err
	}
	for _, note := range year.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: %s.\n", note)
	}
	readings, err := year.Practice()
	if err != nil {
		return nil, err
	}
	pages, err := year.Site(cmd.Context(), readings)
	if err != nil {
		return nil, exit.Stopped(cmd.Context(), err)
	}
	return pages, f.change(cmd, pages)
}

// runPublished writes the pages for published files. The pages pass through a separate store, so that they are written
// atomically.
func (f *reportFlags) runPublished(cmd *cobra.Command) (err error) {
	pages, err := f.pages.fromPublished(cmd)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "smtpipe-pages-")
	if err != nil {
		return err
	}
	store, err := cache.Open(dir, cache.Options{})
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	defer func() { err = errors.Join(err, project.RemoveAll(store.Close, dir)()) }()
	_, tree, err := reportstage.WritePages(store, pages)
	if err != nil {
		return err
	}
	target, err := filepath.Abs(f.out)
	if err != nil {
		return err
	}
	if err := store.PublishTree(tree, target); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "Wrote %d files into %s.\n", len(tree.Files), f.out)
	return err
}
