package repeat

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/published"
	"github.com/smtpipe/smtpipe/internal/audit/shadow"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
)

// compareTables compares each folder's tables, and scores the tracks without published tables.
func (w *repeated) compareTables(tables []*shadow.Tables) {
	done := map[string]bool{}
	for _, t := range tables {
		done[t.RunsTrack()] = true
		if err := w.compareTable(t); err != nil {
			w.fail("tables", t.RunsTrack(), fmt.Errorf("%s: %w", t.Dir, err))
		}
	}
	for _, track := range slices.Sorted(maps.Keys(w.runs)) {
		if done[track] {
			continue
		}
		if err := w.score(track); err != nil {
			w.fail("tables", track, err)
		}
	}
}

// compareTable compares a folder's tables.
func (w *repeated) compareTable(t *shadow.Tables) error {
	parts, doc, res, err := t.Compare(w.ctx, w.steps.show)
	if err != nil {
		return err
	}
	w.add(parts...)
	if res == nil {
		return nil
	}
	name := "tables/" + filepath.Base(t.Dir)
	return errors.Join(w.writeBytes(name+".json", doc), w.writeTables(name+".csv", res))
}

// score scores a track without published tables.
func (w *repeated) score(track string) error {
	rd, ok := w.year.Rules.Published.Scoring(track)
	if !ok {
		rd = score.Readings{}
	}
	w.steps.show("scoring "+track, 0, 0)
	res, err := score.Compute(w.ctx, w.year.Scoring, w.runs[track], rd)
	if err != nil {
		return err
	}
	divisions := 0
	for _, t := range res.Tracks {
		divisions += len(t.Divisions)
	}
	name := fmt.Sprintf("%d-%s", w.number, strings.ReplaceAll(track, "_", "-"))
	w.add(&shadow.Part{Kind: "tables", Track: track,
		Made: fmt.Sprintf("%d divisions from %s", divisions, w.sources[track]),
		Why:  fmt.Sprintf("there is no folder %s with a published.json", name)})
	return w.writeTables("tables/"+name+".csv", res)
}

func (w *repeated) writeTables(name string, res *score.Result) error {
	return w.write(name, func(out io.Writer) error {
		return scoreio.WriteTables(out, "csv", w.year.Scoring, res, scoreio.Select{Logics: true})
	})
}

// compareSite writes the pages of all tracks that have runs, and compares them with the published pages.
func (w *repeated) compareSite() error {
	skip := func(why string) error {
		w.add(&shadow.Part{Kind: "pages", Why: "they are not made: " + why})
		return nil
	}
	switch {
	case w.Submissions == "" && len(w.record.Pages) > 0 && len(w.material.Pages[w.number]) == 0:
		return nil // HTML pages are compared as tables
	case len(w.runs) == 0:
		return skip("no results could be read")
	case w.Submissions == "":
		return skip("who takes part is in the submissions (--submissions)")
	}
	w.addRuns(w.year)
	var sources []string
	for _, track := range slices.Sorted(maps.Keys(w.runs)) {
		if !slices.Contains(sources, w.sources[track]) {
			sources = append(sources, w.sources[track])
		}
	}
	site := &shadow.Site{Year: w.year, Source: strings.Join(sources, ", "), Date: w.Date,
		Pages: w.material.Pages[w.number], Data: w.data(), Entered: w.hasEntered, Other: w.other}
	if none, err := site.NoDate(); err != nil || none {
		return errors.Join(err, skip("the date of the results is not known (--result-date)"))
	}
	w.steps.show("making pages", 0, 0)
	parts, files, err := site.Compare(w.ctx, w.steps.show)
	if err != nil {
		return err
	}
	w.add(parts...)
	for _, f := range files {
		if err := w.writeBytes("site/"+f.Path, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// data returns the year's data files or, if there are none, the files that are in no year's folder.
func (w *repeated) data() map[string]string {
	if of, ok := w.material.Data[w.number]; ok {
		return of
	}
	return w.material.Data[0]
}

// addRuns adds the runs of tracks without results, taken from folders of tables.
func (w *repeated) addRuns(year *published.Year) {
	if year.Runs == nil {
		year.Runs = &score.Runs{}
	}
	for _, track := range slices.Sorted(maps.Keys(w.runs)) {
		if w.sources[track] != fromResults {
			year.Runs.Tracks = append(year.Runs.Tracks, w.runs[track].Tracks...)
		}
	}
}

// addAbsent lists the year's tracks that could not be scored.
func (w *repeated) addAbsent() {
	for _, track := range w.year.Rules.Divisions.Tracks() {
		if w.runs[track] == nil && w.scored(track) && !w.hasPages(track) {
			why := cmp.Or(w.absent[track], "no results of the track are here, so there are no tables, recognitions and "+
				"pages of it")
			w.add(&shadow.Part{Kind: "tables", Track: track, Why: why})
		}
	}
}

// hasPages reports whether a track has pages, in which case another part of the report covers the track.
func (w *repeated) hasPages(track string) bool {
	for name := range w.record.Pages {
		if scoreio.RunsTrack(name) == track {
			return true
		}
	}
	return false
}

// scored reports whether the year's rules score a track.
func (w *repeated) scored(track string) bool {
	return slices.ContainsFunc(w.year.Scoring.Scores, func(r *score.ScoreRule) bool {
		return r.Tracks == nil || slices.Contains(r.Tracks, track)
	})
}
