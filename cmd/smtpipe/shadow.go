package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/audit/published"
	"github.com/smtpipe/smtpipe/internal/audit/record"
	"github.com/smtpipe/smtpipe/internal/audit/shadow"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// shadowFlags are the flags of shadow.
type shadowFlags struct {
	submissions string
	drawn       string // folder of the submissions for the draw
	year        string
	benchmarks  string
	draw        string
	selections  []string
	date        string
	out         string
	json        bool
	progress    string
}

func newShadowCommand() *cobra.Command {
	var s shadowFlags
	cmd := &cobra.Command{
		Use:   "shadow FOLDER... --submissions FOLDER -o FOLDER",
		Short: "Repeat a published year and show what differs, and why",
		Long: `Computes from published files what the organisers published: the draw, the tables, the recognitions, and the pages, data files and
certificates of the official site. It compares every figure with what is in the folders, and shows which rule,
practice switch or missing input explains each difference. No solver runs.

In the folders, and below them, it looks for
  results-TRACK-YEAR.json.gz     the organisers' results, to be scored
  benchmarks-YEAR.json.gz        the organisers' list of benchmarks, to be drawn from
  YEAR-TRACK/                    runs.csv.gz and published.json: runs and published tables
                                 or params.json, all.txt.gz and selected.txt.gz: what the organisers' script drew, and from what
  YEAR/results/*.html, *.md      pages, to be compared with the results, and with each other
  YEAR/                          tables of StarExec, lists of solvers, of selected and of removed benchmarks, as the
                                 organisers' two repositories have them
  *.md, tracks.json, division_tracks.json, participants.json, input_for_certificates.tex
                                 pages, data files and certificates of the official site, to be compared with

The draw is the program's pipeline draw-YEAR.hcl, or --draw. A reading or practice switch explains differences if changing it alone
removes them and no other figure differs. If no single one explains a difference, pairs are tried.

The output folder has draw/, tables/, the pages, and the comparison as shadow.md, shadow.html and shadow.json. What could not be
compared, because its input is missing, is listed. The exit code is 0 if everything is equal or explained.

` + exit.Help,
		Example: `  smtpipe shadow published --submissions submissions --year 2025 -o shadow-2025`,
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return s.execute(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&s.submissions, "submissions", "", "folder with submission files; without, there is no draw, and "+
		"published pages say who entered what")
	f.StringVar(&s.drawn, "draw-submissions", "", "folder with the submission files as they were when the "+
		"benchmarks were drawn (default: --submissions)")
	f.StringVar(&s.year, "year", "", "the year, where the folders have several, or a folder with its rules")
	f.StringVarP(&s.out, "out", "o", "shadow", "folder to write; one that smtpipe did not write is not replaced")
	f.StringVar(&s.benchmarks, "benchmarks", "", "list of benchmarks (default: benchmarks-YEAR.json.gz in the folders)")
	f.StringVar(&s.draw, "draw", "", "pipeline of the draw, with the variables list, submissions, history and answers, "+
		"or none (default: draw-YEAR.hcl of the program)")
	f.StringArrayVar(&s.selections, "selection", nil, "TRACK=FILE with the benchmarks that were selected (default: those "+
		"with results; repeatable)")
	f.StringVar(&s.date, "result-date", "", "date of the results on the pages (default: that of the year, else of the "+
		"pages in the folders)")
	f.BoolVar(&s.json, "json", false, "print the comparison as JSON")
	f.StringVar(&s.progress, "progress", "auto", "how to show progress: auto, bars, lines, json or none")
	return cmd
}

// noDraw is the value of --draw that disables the draw.
const noDraw = "none"

// shadowed is the reproduction of a year.
type shadowed struct {
	*shadowFlags
	cmd      *cobra.Command
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

func (s *shadowFlags) execute(cmd *cobra.Command, folders []string) (err error) {
	if _, err := ui.New(ui.Mode(s.progress), io.Discard); err != nil {
		return exit.With(exit.Usage, err)
	}
	m, err := s.find(folders)
	if err != nil {
		return err
	}
	w := &shadowed{shadowFlags: s, cmd: cmd, material: m, runs: map[string]*score.Runs{},
		fromPages: map[string]*shadow.FromPages{},
		sources:   map[string]string{}, absent: map[string]string{}, steps: steps{w: cmd.ErrOrStderr()}}
	w.steps.quiet = s.progress == string(ui.None) || s.progress == string(ui.JSON)
	if err := w.load(folders); err != nil {
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
		return exit.Stopped(cmd.Context(), err)
	}
	return w.finish()
}

// find searches the folders for the inputs. It returns a single error for everything that is missing.
func (s *shadowFlags) find(folders []string) (*shadow.Material, error) {
	var errs []error
	paths := slices.Clone(folders)
	draw := s.draw
	if draw == noDraw {
		draw = ""
	}
	for _, path := range []string{s.submissions, s.drawn, s.benchmarks, draw} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			errs = append(errs, exit.Plain(err, path))
		}
	}
	if len(errs) > 0 {
		return nil, exit.With(exit.Usage, errors.Join(errs...))
	}
	return shadow.Find(folders)
}

// load determines the year and reads its published results.
func (w *shadowed) load(folders []string) error {
	w.name = w.shadowFlags.year
	if w.name == "" {
		years := w.material.Years()
		switch len(years) {
		case 0:
			return exit.With(exit.Usage, fmt.Errorf("%s: no results, tables or pages of any year were found; \"smtpipe shadow --help\" "+
				"lists the file names that it looks for", strings.Join(folders, ", ")))
		case 1:
			w.name = strconv.Itoa(years[0])
		default:
			return exit.With(exit.Usage, fmt.Errorf("%s: files of the years %v; name one with --year",
				strings.Join(folders, ", "), years))
		}
	}
	if w.year = w.withoutRules(); w.year == nil {
		if _, err := loadYear(w.cmd.ErrOrStderr(), w.name); err != nil {
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
	if w.benchmarks == "" {
		w.benchmarks = w.material.Benchmarks[w.number]
	}
	if !slices.Contains(w.material.Years(), w.number) && w.benchmarks == "" {
		return exit.With(exit.Usage, fmt.Errorf("%s: there is nothing for %d, only for %v",
			strings.Join(folders, ", "), w.number, w.material.Years()))
	}
	w.listed = map[string]string{}
	var errs []error
	for _, item := range w.selections {
		track, file, ok := strings.Cut(item, "=")
		if _, err := os.Stat(file); !ok || err != nil {
			errs = append(errs, fmt.Errorf("--selection %s: it is TRACK=FILE, with a file that is there", item))
		}
		w.listed[strings.ReplaceAll(track, "-", "_")] = file
	}
	if len(errs) > 0 {
		return exit.With(exit.Usage, errors.Join(errs...))
	}
	return nil
}

// make reproduces the year and compares the results with the published ones.
func (w *shadowed) make() error {
	var errs []error // errors in the inputs, reported together
	if err := w.gather(); err != nil {
		errs = append(errs, err)
	}
	if err := w.readResults(); err != nil {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
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
	return w.cmd.Context().Err()
}

// fail records a part that could not be computed. Everything else is still reproduced, and the report is still written.
func (w *shadowed) fail(kind, track string, err error) {
	p := &shadow.Part{Kind: kind, Track: track, Why: "it failed"}
	if errors.Is(err, exit.ErrReported) {
		w.failed = cmp.Or(w.failed, err)
	} else {
		first, _, _ := strings.Cut(err.Error(), "\n")
		p.Why += ": " + first
		w.failed = errors.Join(w.failed, fmt.Errorf("%s: %w", p.Name(), err))
	}
	w.report.Parts = append(w.report.Parts, p)
}

// compareTables compares each folder's tables, and scores the tracks without published tables.
func (w *shadowed) compareTables(tables []*shadow.Tables) {
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
func (w *shadowed) compareTable(t *shadow.Tables) error {
	parts, doc, res, err := t.Compare(w.cmd.Context(), w.steps.show)
	if err != nil {
		return err
	}
	w.report.Parts = append(w.report.Parts, parts...)
	if res == nil {
		return nil
	}
	name := "tables/" + filepath.Base(t.Dir)
	return errors.Join(w.writeBytes(name+".json", doc), w.writeTables(name+".csv", res))
}

// score scores a track without published tables.
func (w *shadowed) score(track string) error {
	rd, ok := w.year.Rules.Published.Scoring(track)
	if !ok {
		rd = score.Readings{}
	}
	w.steps.show("scoring "+track, 0, 0)
	res, err := score.Compute(w.cmd.Context(), w.year.Scoring, w.runs[track], rd)
	if err != nil {
		return err
	}
	divisions := 0
	for _, t := range res.Tracks {
		divisions += len(t.Divisions)
	}
	name := fmt.Sprintf("%d-%s", w.number, strings.ReplaceAll(track, "_", "-"))
	w.report.Parts = append(w.report.Parts, &shadow.Part{Kind: "tables", Track: track,
		Made: fmt.Sprintf("%d divisions from %s", divisions, w.sources[track]),
		Why:  fmt.Sprintf("there is no folder %s with a published.json", name)})
	return w.writeTables("tables/"+name+".csv", res)
}

func (w *shadowed) writeTables(name string, res *score.Result) error {
	return w.write(name, func(out io.Writer) error {
		return scoreio.WriteTables(out, "csv", w.year.Scoring, res, scoreio.Select{Logics: true})
	})
}

// compareSite writes the pages of all tracks that have runs, and compares them with the published pages.
func (w *shadowed) compareSite() error {
	skip := func(why string) error {
		w.report.Parts = append(w.report.Parts, &shadow.Part{Kind: "pages", Why: "they are not made: " + why})
		return nil
	}
	switch {
	case w.submissions == "" && len(w.record.Pages) > 0 && len(w.material.Pages[w.number]) == 0:
		return nil // HTML pages are compared as tables
	case len(w.runs) == 0:
		return skip("no results could be read")
	case w.submissions == "":
		return skip("who takes part is in the submissions (--submissions)")
	}
	w.addRuns(w.year)
	var sources []string
	for _, track := range slices.Sorted(maps.Keys(w.runs)) {
		if !slices.Contains(sources, w.sources[track]) {
			sources = append(sources, w.sources[track])
		}
	}
	site := &shadow.Site{Year: w.year, Source: strings.Join(sources, ", "), Date: w.date,
		Pages: w.material.Pages[w.number], Data: w.data(), Entered: w.hasEntered, Other: w.other}
	if none, err := site.NoDate(); err != nil || none {
		return errors.Join(err, skip("the date of the results is not known (--result-date)"))
	}
	w.steps.show("making pages", 0, 0)
	parts, files, err := site.Compare(w.cmd.Context(), w.steps.show)
	if err != nil {
		return err
	}
	w.report.Parts = append(w.report.Parts, parts...)
	for _, f := range files {
		if err := w.writeBytes("site/"+f.Path, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// data returns the year's data files or, if there are none, the files that are in no year's folder.
func (w *shadowed) data() map[string]string {
	if of, ok := w.material.Data[w.number]; ok {
		return of
	}
	return w.material.Data[0]
}

// addRuns adds the runs of tracks without results, taken from folders of tables.
func (w *shadowed) addRuns(year *published.Year) {
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
func (w *shadowed) addAbsent() {
	for _, track := range w.year.Rules.Divisions.Tracks() {
		if w.runs[track] == nil && w.scored(track) && !w.hasPages(track) {
			why := cmp.Or(w.absent[track], "no results of the track are here, so there are no tables, recognitions and "+
				"pages of it")
			w.report.Parts = append(w.report.Parts, &shadow.Part{Kind: "tables", Track: track, Why: why})
		}
	}
}

// hasPages reports whether a track has pages, in which case another part of the report covers the track.
func (w *shadowed) hasPages(track string) bool {
	for name := range w.record.Pages {
		if scoreio.RunsTrack(name) == track {
			return true
		}
	}
	return false
}

// scored reports whether the year's rules score a track.
func (w *shadowed) scored(track string) bool {
	return slices.ContainsFunc(w.year.Scoring.Scores, func(r *score.ScoreRule) bool {
		return r.Tracks == nil || slices.Contains(r.Tracks, track)
	})
}

// write adds a file to the output folder.
func (w *shadowed) write(name string, content func(io.Writer) error) error {
	digest, size, err := w.scratch.Write(content)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w.tree.Files = append(w.tree.Files, cache.ManifestFile{Path: name, Size: size, Digest: digest})
	return nil
}

func (w *shadowed) writeBytes(name string, data []byte) error {
	return w.write(name, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// finish writes the output folder and prints the comparison.
func (w *shadowed) finish() error {
	r := &w.report
	for name, content := range map[string]func(io.Writer) error{
		shadow.ReportFile: r.WriteJSON, "shadow.md": r.WriteMarkdown, "shadow.html": r.WriteHTML,
	} {
		if err := w.write(name, content); err != nil {
			return err
		}
	}
	w.tree.Sort()
	target, err := filepath.Abs(w.out)
	if err != nil {
		return err
	}
	if err := w.scratch.PublishTree(&w.tree, target); err != nil {
		return err
	}
	print := r.WriteText
	if w.json {
		print = r.WriteJSON
	}
	if err := print(w.cmd.OutOrStdout()); err != nil {
		return err
	}
	fmt.Fprintf(w.cmd.ErrOrStderr(), "Wrote %d files into %s.\n", len(w.tree.Files), w.out)
	if w.failed == nil && r.State == shadow.Differs {
		return exit.With(exit.Differs, nil)
	}
	return w.failed
}

// steps displays the current step.
type steps struct {
	w     io.Writer
	quiet bool
	what  string
	last  time.Time
}

// show prints a step when it begins, and the step's progress every two seconds.
func (s *steps) show(what string, done, total int) {
	const often = 2 * time.Second
	if s.quiet || what == s.what && time.Since(s.last) < often {
		return
	}
	s.what, s.last = what, time.Now()
	if total > 0 {
		what = fmt.Sprintf("%s: %d of %d", what, done, total)
	}
	fmt.Fprintf(s.w, "%s%s\n", strings.ToUpper(what[:1]), what[1:])
}
