package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/publish/report/smtcompsite"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// The formats of a report.
const (
	formatSite  = "site"          // smtpipe's own site
	FormatPages = "smt-comp-site" // pages for the official site
)

// Formats are the supported report formats.
var Formats = []string{formatSite, FormatPages}

// readPages reads what only the official site's pages need.
func (act *action) readPages(a *stages.Args) error {
	act.format = a.String("format")
	if act.format != formatSite && act.format != FormatPages {
		return a.Invalid("format", "Unknown format", fmt.Sprintf("The formats are %q, not %q.", Formats, act.format))
	}
	var err error
	if act.pages.Options, err = smtcompsite.ParseOptions(a.Strings("options")); err != nil {
		return a.Invalid("options", "Unknown option", err.Error()+".")
	}
	act.pages.Charts = a.Bool("charts")
	act.pages.ResultDate, act.pages.Divisions = a.String("result_date"), rules.TableOf(a.Value("tracks"))
	act.limits = run.Limits{WallLimitS: run.SecondsOf(a.Duration("wall_time")), MemoryLimit: a.Bytes("memory")}
	var errs []error
	if act.format == FormatPages && act.pages.ResultDate == "" {
		errs = append(errs, a.Invalid("result_date", "Missing date", "Every page of the official site has the date of "+
			"the results, such as \"2026-07-27\"."))
	}
	if act.format == FormatPages && len(act.pages.Divisions.Tracks()) == 0 {
		errs = append(errs, a.Invalid("tracks", "No tracks", "The competition has no tracks, so there are no pages of "+
			"them. Give the \"competition\" block rules or tracks."))
	}
	return errors.Join(errs...)
}

// Division implements Reporter.
func (act *action) Division(track, logic string) string {
	if d, ok := act.pages.Divisions.Of(track, comp.Logic(logic)); ok {
		return string(d)
	}
	return logic
}

// Format implements Reporter.
func (act *action) Format() string { return act.format }

// Pages implements Reporter.
func (act *action) Pages(store *cache.Store) (*smtcompsite.Site, error) {
	pages := act.pages
	pages.Year = act.competition.Year
	var errs [3]error
	pages.Scores, errs[0] = readAll[results.ScoreRow](store, act.scores)
	pages.Recognitions, errs[1] = readAll[results.RecognitionRow](store, act.recognitions)
	if len(act.tables)+len(act.blocks) == 0 {
		return nil, errors.New("the pages of the official site list the participants: give the report the attribute " +
			"solvers")
	}
	solvers, err := act.solvers(store, pages.Scores)
	pages.Participants = smtcompsite.Participants(solvers)
	errs[2] = act.readLimits(store, &pages)
	if len(act.verdicts) > 0 {
		pages.Runs = act.chartRuns(store)
	}
	return &pages, errors.Join(append(errs[:], err)...)
}

// chartRuns returns the runs in the form that charts show. Tables that cannot be read were reported when the limits
// were read.
func (act *action) chartRuns(store *cache.Store) iter.Seq[smtcompsite.Run] {
	return func(yield func(smtcompsite.Run) bool) {
		verdicts, _ := readAll[results.VerdictRow](store, act.verdicts)
		for i := range verdicts {
			v := &verdicts[i]
			if !yield(smtcompsite.Run{Track: v.Track, Division: v.Division, Logic: v.Logic, Benchmark: v.Benchmark,
				Solver: v.Solver, Answer: site.OfficialResult(v), CPUS: float64(v.CPUTimeS)}) {
				return
			}
		}
	}
}

// readLimits sets the limits of the tracks with scores, and of their divisions and logics: the limits of the runs and
// verdicts, or else the given limits.
func (act *action) readLimits(store *cache.Store, pages *smtcompsite.Site) error {
	all, parts := map[string]run.Limits{}, map[[2]string]run.Limits{}
	largest := func(a, b run.Limits) run.Limits {
		return run.Limits{WallLimitS: max(a.WallLimitS, b.WallLimitS), MemoryLimit: max(a.MemoryLimit, b.MemoryLimit)}
	}
	note := func(track, division, logic string, l run.Limits) {
		all[track] = largest(all[track], l)
		for _, name := range slices.Compact([]string{division, logic}) {
			parts[[2]string{track, name}] = largest(parts[[2]string{track, name}], l)
		}
	}
	runs, err := readAll[results.RunRow](store, act.runs)
	for i := range runs {
		r := &runs[i]
		note(r.Track, act.Division(r.Track, r.Logic), r.Logic, r.Limits)
	}
	verdicts, err2 := readAll[results.VerdictRow](store, act.verdicts)
	for i := range verdicts {
		v := &verdicts[i]
		note(v.Track, v.Division, v.Logic, run.Limits{WallLimitS: v.WallLimitS})
	}
	for i := range pages.Scores {
		l := all[pages.Scores[i].Track]
		all[pages.Scores[i].Track] = run.Limits{WallLimitS: cmp.Or(l.WallLimitS, act.limits.WallLimitS),
			MemoryLimit: cmp.Or(l.MemoryLimit, act.limits.MemoryLimit)}
	}
	pages.Limits, pages.PartLimits = all, parts
	return errors.Join(err, err2)
}

// WritePages writes the official site's pages into a store, as a tree.
func WritePages(store *cache.Store, pages *smtcompsite.Site) (stages.Artifact, *cache.Manifest, error) {
	files, err := pages.Files()
	if err != nil {
		return stages.Artifact{}, nil, err
	}
	manifest := &cache.Manifest{}
	for _, f := range files {
		digest, size, err := store.Write(func(w io.Writer) error {
			_, err := io.Copy(w, bytes.NewReader(f.Data))
			return err
		})
		if err != nil {
			return stages.Artifact{}, nil, err
		}
		manifest.Files = append(manifest.Files, cache.ManifestFile{Path: f.Path, Size: size, Digest: digest})
	}
	manifest.Sort()
	art, err := artifact.WriteTree(store, manifest)
	return art, manifest, err
}
