package repeat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/published"
	"github.com/smtpipe/smtpipe/internal/audit/record"
	"github.com/smtpipe/smtpipe/internal/audit/shadow"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/pipelines"
)

// withoutRules returns a year that has pages but no rules. Its pages can only be compared with each other.
func (w *repeated) withoutRules() *published.Year {
	year, err := strconv.Atoi(w.name)
	if err != nil || !slices.Contains(w.material.Years(), year) {
		return nil
	}
	if _, err := fs.Stat(pipelines.Files, w.name); err == nil {
		return nil
	}
	return &published.Year{Rules: &rules.Rules{Name: w.name, Year: year, Title: "SMT-COMP " + w.name},
		Scoring: &score.RuleSet{}}
}

// gather finds pages and results tables in the organisers' repositories.
func (w *repeated) gather() {
	w.steps.show("reading pages", 0, 0)
	var err error
	if w.record, err = record.Gather(w.material.Files, w.number); err != nil {
		w.fail("checks", "", err)
	}
	w.note(w.record.Unread...)
}

// checkPages compares the pages with each other, and with lists and submissions.
func (w *repeated) checkPages() error {
	if w.Submissions != "" {
		w.record.Submitted, w.record.Drawn = entriesOf(w.year), w.drawEntries
	}
	var errs []error
	for _, track := range slices.Sorted(maps.Keys(w.record.Pages)) {
		facts, known := w.year.Rules.Published.Of(track)
		old := facts.OrderDigits > 0 || !known
		part, err := shadow.Check(w.record, track, w.year.Rules.Published, old)
		if errs = append(errs, err); err == nil {
			w.add(part)
		}
	}
	return errors.Join(errs...)
}

// prepareAll creates folders of tables from pages and results, unless they already exist.
func (w *repeated) prepareAll() {
	if w.Submissions != "" && len(w.material.Pages[w.number]) > 0 {
		return // the pages are made and compared as a whole
	}
	prepared := map[string]bool{}
	for _, dir := range w.material.Tables[w.number] {
		_, track, _ := strings.Cut(filepath.Base(dir), "-")
		prepared[strings.ReplaceAll(track, "_", "-")] = true
	}
	for _, track := range slices.Sorted(maps.Keys(w.record.Pages)) {
		if !prepared[track] && scoreio.RunsTrack(track) != "" {
			if err := w.prepare(track); err != nil {
				w.fail("tables", strings.ReplaceAll(track, "-", "_"), err)
			}
		}
	}
}

// prepare creates a track's folder, or records why it cannot.
func (w *repeated) prepare(track string) error {
	facts, known := w.year.Rules.Published.Of(track)
	name := strings.ReplaceAll(track, "-", "_")
	fromTables := len(w.record.Results[track]) > 0
	why := ""
	switch {
	case !slices.ContainsFunc(w.record.Pages[track], func(p *record.Page) bool { return p.Name != "" }):
		why = "no page of a division is here"
	case !known:
		why = "smtpipe has no rules of the year"
	case !fromTables && w.runs[scoreio.RunsTrack(track)] == nil:
		why = "no results of the track are here"
		if len(w.material.Results[w.number]) > 0 && w.Benchmarks == "" {
			why += fmt.Sprintf(" that can be read without benchmarks-%d.json.gz", w.number)
		}
	}
	if why != "" {
		w.add(&shadow.Part{Kind: "tables", Track: name, Why: why})
		return nil
	}
	w.steps.show("reading results of "+track, 0, 0)
	divide := scoreio.DivideBy(w.year.Rules.Divisions, nil, nil).Of
	runs := &record.Runs{Track: track, Names: facts.SolverNames, Benchmarks: w.Benchmarks,
		Divide: func(logic string) string { return divide(name, logic) }}
	if facts.Weighted {
		part, notes, err := shadow.Weighted(w.record, runs)
		if err == nil {
			w.add(part)
			w.note(notes...)
		}
		return err
	}
	dir := filepath.Join(w.folder, fmt.Sprintf("%d-%s", w.number, track))
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	from := &shadow.FromPages{Lists: "there is no page of them", Lacking: map[string]string{}}
	tables := record.Tables(w.record.Pages[track], facts.OrderDigits > 0)
	keep := func(names map[string]bool, why string) {
		for _, name := range tables.Keep(names) {
			from.Lists, from.Lacking[name] = why, why
		}
	}
	if w.Submissions == "" || fromTables {
		const why = "not all pages are here, which say who entered"
		whole, all := record.Whole(w.record.Pages[track])
		keep(whole, why)
		if !all {
			from.Lists = why
			tables.BestOverall, tables.BiggestLead, tables.LargestContribution = nil, nil, nil
		}
	}
	if fromTables {
		out, err := os.Create(filepath.Join(dir, "runs.csv"))
		if err != nil {
			return err
		}
		seen, notes, err := w.record.WriteRuns(out, runs)
		if err := errors.Join(err, out.Close()); err != nil {
			return err
		}
		w.note(notes...)
		if len(seen) == 0 {
			w.add(&shadow.Part{Kind: "tables", Track: name,
				Why: "the files of results have no run of a solver that a page of the track names"})
			return nil
		}
		keep(seen, "not all results of the track are here")
	}
	w.fromPages[dir] = from
	raw, err := json.Marshal(tables)
	if err != nil {
		return err
	}
	w.material.Tables[w.number] = append(w.material.Tables[w.number], dir)
	return os.WriteFile(filepath.Join(dir, "published.json"), raw, 0o666)
}
