// Package repeat repeats a published year from what the organisers published, compares the results, and writes both.
// Package shadow compares and explains.
package repeat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/audit/published"
	"github.com/smtpipe/smtpipe/internal/audit/record"
	"github.com/smtpipe/smtpipe/internal/audit/shadow"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// NoDraw is the value of --draw that disables the draw.
const NoDraw = "none"

// Options define which year is repeated, and from which files. Apart from Folders, Year and Out, all are optional.
type Options struct {
	Folders     []string // folders with published files
	Submissions string   // folder of submissions; without, there is no draw
	Drawn       string   // folder of the submissions for the draw, if they differ
	Year        string   // year or folder of rules; empty: the only year in the folders
	Benchmarks  string   // list of benchmarks
	Draw        string   // pipeline of the draw, or NoDraw
	Selections  []string // TRACK=FILE with published selections
	Date        string   // date of the results on the pages
	Out         string   // folder to write
	JSON        bool     // print the comparison as JSON
	Progress    ui.Mode

	Version        string // version of this program
	Stdout, Stderr io.Writer
}

// repeated is the reproduction of a year.
type repeated struct {
	*Options
	ctx      context.Context
	material *shadow.Material
	record   *record.Material // pages and results in the form of the organisers' repositories
	// fromPages holds folders of tables that were made from pages, and the content that they lack.
	fromPages map[string]*shadow.FromPages
	year      *published.Year
	number    int
	name      string            // name of the rules
	listed    map[string]string // files in --selection, by track
	scratch   *cache.Store
	folder    string // folder for temporary files
	tree      cache.Manifest
	report    shadow.Report
	steps     steps
	// runs holds the runs from the organisers' results or from folders of tables, by track.
	runs        map[string]*score.Runs
	sources     map[string]string // source of the runs, by track
	entered     map[[3]string]bool
	drawEntries record.Entered    // entries of the draw's submissions, if they differ from the tables' submissions
	absent      map[string]string // reason why a track with published tables has no runs, by track
	other       *shadow.Other     // the draw's submissions; nil if they are the tables' submissions
	failed      error             // errors of the parts that could not be computed
}

// Year repeats a year, writes the output folder and prints the comparison. Its error has the exit code.
func Year(ctx context.Context, o Options) (err error) {
	if _, err := ui.New(o.Progress, io.Discard); err != nil {
		return exit.With(exit.Usage, err)
	}
	m, err := o.find()
	if err != nil {
		return err
	}
	w := &repeated{Options: &o, ctx: ctx, material: m, runs: map[string]*score.Runs{},
		fromPages: map[string]*shadow.FromPages{},
		sources:   map[string]string{}, absent: map[string]string{}, steps: steps{w: o.Stderr}}
	w.steps.quiet = o.Progress == ui.None || o.Progress == ui.JSON
	if err := w.load(); err != nil {
		return err
	}
	if w.folder, err = os.MkdirTemp("", "smtpipe-shadow-"); err != nil {
		return err
	}
	if w.scratch, err = cache.Open(filepath.Join(w.folder, "out"), cache.Options{}); err != nil {
		return errors.Join(err, os.RemoveAll(w.folder))
	}
	defer func() { err = errors.Join(err, project.RemoveAll(w.scratch.Close, w.folder)()) }()
	if err := w.make(); err != nil {
		return exit.Stopped(ctx, err)
	}
	return w.finish()
}

// find searches the folders for the inputs. It returns a single error for everything that is missing.
func (o *Options) find() (*shadow.Material, error) {
	var errs []error
	draw := o.Draw
	if draw == NoDraw {
		draw = ""
	}
	for _, path := range append(slices.Clone(o.Folders), o.Submissions, o.Drawn, o.Benchmarks, draw) {
		if _, err := os.Stat(path); path != "" && err != nil {
			errs = append(errs, exit.Plain(err, path))
		}
	}
	if len(errs) > 0 {
		return nil, exit.With(exit.Usage, errors.Join(errs...))
	}
	return shadow.Find(o.Folders)
}

// load determines the year and reads its published results.
func (w *repeated) load() error {
	w.name = w.Options.Year
	if w.name == "" {
		years := w.material.Years()
		switch len(years) {
		case 0:
			return exit.With(exit.Usage, fmt.Errorf("%s: no results, tables or pages of any year were found; \"smtpipe shadow --help\" "+
				"lists the file names that it looks for", strings.Join(w.Folders, ", ")))
		case 1:
			w.name = strconv.Itoa(years[0])
		default:
			return exit.With(exit.Usage, fmt.Errorf("%s: files of the years %v; name one with --year",
				strings.Join(w.Folders, ", "), years))
		}
	}
	if w.year = w.withoutRules(); w.year == nil {
		if _, err := project.LoadRules(w.Stderr, w.name); err != nil {
			return err
		}
		var err error
		if w.year, err = published.Named(w.name); err != nil {
			return exit.With(exit.Usage, err)
		}
	}
	w.number = w.year.Rules.Year
	w.report.Year, w.report.Rules = w.number, w.year.Rules.Name
	w.report.Title = fmt.Sprintf("%s, compared with what was published", w.year.Rules.Title)
	if w.Benchmarks == "" {
		w.Benchmarks = w.material.Benchmarks[w.number]
	}
	if !slices.Contains(w.material.Years(), w.number) && w.Benchmarks == "" {
		return exit.With(exit.Usage, fmt.Errorf("%s: there is nothing for %d, only for %v",
			strings.Join(w.Folders, ", "), w.number, w.material.Years()))
	}
	w.listed = map[string]string{}
	var errs []error
	for _, item := range w.Selections {
		track, file, ok := strings.Cut(item, "=")
		if _, err := os.Stat(file); !ok || err != nil {
			errs = append(errs, fmt.Errorf("--selection %s must be TRACK=FILE, naming an existing file", item))
		}
		w.listed[strings.ReplaceAll(track, "-", "_")] = file
	}
	if len(errs) > 0 {
		return exit.With(exit.Usage, errors.Join(errs...))
	}
	return nil
}

// make reproduces the year and compares the results with the published ones.
func (w *repeated) make() error {
	w.gather()
	if err := w.readResults(); err != nil {
		return err
	}
	if err := w.checkPages(); err != nil {
		return err
	}
	w.prepareAll()
	tables, err := w.readTables()
	if err != nil {
		return err
	}
	w.compareTables(tables)
	if err := w.compareSite(); err != nil {
		w.fail("pages", "", err)
	}
	if err := w.compareDraw(); err != nil {
		w.fail("draw", "", err)
	}
	w.addAbsent()
	w.report.Finish()
	w.report.AddPages(w.record)
	return w.ctx.Err()
}

func (w *repeated) add(parts ...*shadow.Part) { w.report.Parts = append(w.report.Parts, parts...) }

func (w *repeated) note(notes ...string) { w.report.Notes = append(w.report.Notes, notes...) }

// fail records a part that could not be computed. Everything else is still reproduced, and the report is still written.
func (w *repeated) fail(kind, track string, err error) {
	p := &shadow.Part{Kind: kind, Track: track, Why: "it failed"}
	if errors.Is(err, exit.ErrReported) {
		w.failed = cmp.Or(w.failed, err)
	} else {
		first, _, _ := strings.Cut(err.Error(), "\n")
		p.Why += ": " + first
		w.failed = errors.Join(w.failed, fmt.Errorf("%s: %w", p.Name(), err))
	}
	w.add(p)
}
