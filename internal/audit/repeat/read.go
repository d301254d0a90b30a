package repeat

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/audit/published"
	"github.com/smtpipe/smtpipe/internal/audit/record"
	"github.com/smtpipe/smtpipe/internal/audit/shadow"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/pages"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
)

// fromResults describes the organisers' results as a source of runs.
const fromResults = "the results"

// readResults reads submissions and the organisers' results.
func (w *repeated) readResults() error {
	files := w.material.Results[w.number]
	fromPages := w.Submissions == "" && len(w.record.Pages) > 0
	if w.Submissions == "" && !fromPages {
		if len(files) > 0 {
			w.note(fmt.Sprintf("%s of results not read: who competes in "+
				"what is in the submissions (--submissions)", words.Count(len(files), "file")))
		}
		return nil
	}
	w.steps.show("reading submissions and results", 0, 0)
	if len(files) > 0 && w.Benchmarks == "" {
		w.note(fmt.Sprintf("%s of results not read: statuses and "+
			"logics are in the list benchmarks-%d.json.gz (--benchmarks)", words.Count(len(files), "file"), w.number))
	}
	if fromPages {
		w.year.Submissions, w.year.Entries = w.record.Entries(scoreio.DivideBy(w.year.Rules.Divisions, nil, nil).Of)
		w.note("who entered what is read from the pages, since there are no submissions (--submissions)")
	} else if err := w.year.ReadEntrants(w.Submissions); err != nil {
		return err
	}
	if err := w.readYear(w.year); err != nil {
		return err
	}
	if w.year.Runs != nil {
		for _, t := range w.year.Runs.Tracks {
			w.runs[t.Name] = w.year.OfTrack(t.Name)
			w.sources[t.Name] = fromResults
		}
	}
	w.note(w.year.Notes...)
	w.entered = entriesOf(w.year)
	return w.readDrawn()
}

// entriesOf returns the tracks, logics and divisions that the year's submissions enter.
func entriesOf(year *published.Year) record.Entered {
	out := record.Entered{}
	for _, e := range year.Entries {
		for _, p := range e.Places {
			for _, group := range []string{string(p.Logic), string(p.Division)} {
				out[[3]string{e.Track, pageName(group), e.Submission.Name}] = true
			}
		}
	}
	return out
}

// readYear reads results if both they and their benchmarks exist.
func (w *repeated) readYear(year *published.Year) error {
	files := w.material.Results[w.number]
	if len(files) == 0 || w.Benchmarks == "" {
		return nil
	}
	return year.ReadResults(files, w.Benchmarks)
}

// readDrawn reads the draw's submissions if they differ from the tables' submissions. Without them, it warns if the
// tables can hardly have been made from their own submissions.
func (w *repeated) readDrawn() error {
	if w.Drawn == "" {
		if shared := w.year.SharedNames(); len(shared) > 0 && w.year.Runs != nil {
			fmt.Fprintf(w.Stderr, "Warning: %s. If the submissions changed between the draw and the tables, "+
				"give the later ones with --submissions, and the earlier ones with --draw-submissions.\n",
				strings.Join(shared, "; "))
		}
		return nil
	}
	drawn, err := published.Named(w.name)
	if err != nil {
		return err
	}
	if err := drawn.ReadEntrants(w.Drawn); err != nil {
		return err
	}
	differing := w.year.Differing(drawn)
	if len(differing) == 0 {
		return nil
	}
	w.drawEntries = entriesOf(drawn)
	maps.Copy(w.entered, w.drawEntries)
	text := "they differ in " + strings.Join(differing, ", ")
	w.note("the submissions of the draw differ from those of the tables: " + text)
	w.other = &shadow.Other{Name: "the submissions of the draw", Text: text,
		Year: sync.OnceValues(func() (*published.Year, error) {
			w.steps.show("reading results with the submissions of the draw", 0, 0)
			err := w.readYear(drawn)
			w.addRuns(drawn)
			return drawn, err
		})}
	return nil
}

// pageName returns the name that pages use for a division or logic.
func pageName(group string) string { return strings.ReplaceAll(group, "+", "_") }

func (w *repeated) hasEntered(track, group, solver string) bool {
	return w.entered[[3]string{track, pageName(group), solver}]
}

// readTables reads the folders of published tables. Runs from the organisers' results replace a folder's runs.
func (w *repeated) readTables() ([]*shadow.Tables, error) {
	var all []*shadow.Tables
	var errs []error
	for _, dir := range w.material.Tables[w.number] {
		t, err := w.readTable(dir)
		if err != nil {
			errs = append(errs, err)
		} else if t != nil {
			all = append(all, t)
		}
	}
	return all, errors.Join(errs...)
}

// readTable reads a folder of published tables. It returns nil if the folder contains no runs to score.
func (w *repeated) readTable(dir string) (*shadow.Tables, error) {
	base := filepath.Base(dir)
	w.steps.show("reading "+base, 0, 0)
	o, err := scoreio.ReadPublished(dir, func(int) (pages.Year, *score.RuleSet, error) {
		return w.year.Rules.Published, w.year.Scoring, nil
	})
	if err != nil {
		return nil, err
	}
	track := o.RunsTrack()
	fromPages := w.Submissions == "" && o.HasRuns() // results do not say who entered a division without a page
	switch runs := w.runs[track]; {
	case runs != nil && w.year.Runs != nil && !fromPages:
		o.Runs, o.Identifiers = runs, true
	case o.HasRuns():
		if err := o.ReadRuns(); err != nil {
			return nil, err
		}
		for _, warning := range o.Warnings() {
			w.note(base + ": " + filepath.Base(warning))
		}
		w.runs[track], w.sources[track] = o.Runs, "the runs of "+base
		if w.fromPages[dir] != nil {
			w.sources[track] = "the tables of results"
		}
	default:
		w.absent[track] = fmt.Sprintf("no runs of the track are here, though published.json of %s is", base)
		return nil, nil
	}
	t := &shadow.Tables{Official: o, Source: w.sources[track], FromPages: w.fromPages[dir]}
	if w.sources[track] == fromResults {
		t.Other = w.other
	}
	if w.entered != nil {
		t.Entered = w.hasEntered
	}
	return t, nil
}
