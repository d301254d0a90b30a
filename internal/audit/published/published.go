// Package published turns the files that the organisers published for a year, from 2024 on, into the results of a
// pipeline: runs, scores and the pages of the official site. It needs no solver.
package published

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/organisers"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/publish/report/smtcompsite"
	"github.com/smtpipe/smtpipe/internal/stages/submissions"
)

// Files contains the paths of a year's published files.
type Files struct {
	Data        string // folder with results-TRACK-YEAR.json.gz of one or more years, and benchmarks-YEAR.json.gz
	Submissions string // folder with submission files
	Rules       string // name of the year's rules, as in rules.Load; if empty, the only year with results is used
}

// Year contains a year's published data.
type Year struct {
	Rules       *rules.Rules
	Scoring     *score.RuleSet
	Runs        *score.Runs
	Solvers     []results.SolverRow
	Submissions []*submission.Submission
	Entries     []submission.Entry // entries in the submissions
	Notes       []string           // what was omitted, or cannot be distinguished
}

var resultsFile = pattern.Lazy(`^results-[a-z_]+-([0-9]{4})\.json(\.gz)?$`)

// Read reads a year's files.
func Read(f Files) (*Year, error) {
	of, err := f.results()
	if err != nil {
		return nil, err
	}
	out, err := f.year(of)
	if err != nil {
		return nil, err
	}
	year := out.Rules.Year
	if of[year] == nil {
		return nil, fmt.Errorf("%s has no results for %d; it has results for %v", f.Data, year,
			slices.Sorted(maps.Keys(of)))
	}
	benchmarks, err := fs.Glob(os.DirFS(f.Data), fmt.Sprintf("benchmarks-%d.json*", year))
	if err != nil || len(benchmarks) != 1 {
		return nil, fmt.Errorf("%s must have one file benchmarks-%d.json.gz, and has %d", f.Data, year, len(benchmarks))
	}
	if err := out.ReadEntrants(f.Submissions); err != nil {
		return nil, err
	}
	return out, out.ReadResults(of[year], filepath.Join(f.Data, benchmarks[0]))
}

// ReadEntrants reads the submissions in a folder.
func (y *Year) ReadEntrants(folder string) error {
	all, entries, err := submissions.ReadFolder(folder, y.Rules.Divisions)
	if err != nil {
		return err
	}
	y.Solvers, _ = submissions.Rows(all, entries, nil, y.Rules.Entrants)
	y.Submissions, y.Entries = all, entries
	y.Notes = y.SharedNames()
	return nil
}

// SharedNames returns a note on each name under which several files enter the same track. In 2025, the organisers
// renamed such configurations before they generated the tables.
func (y *Year) SharedNames() (notes []string) {
	type place struct{ solver, track string }
	files := map[place][]string{}
	for _, e := range y.Entries {
		at := place{e.Submission.Name, e.Track}
		if file := filepath.Base(e.Submission.File); !slices.Contains(files[at], file) {
			files[at] = append(files[at], file)
		}
	}
	for at, names := range files {
		if len(names) > 1 {
			slices.Sort(names)
			notes = append(notes, fmt.Sprintf("%d files submit solver %s to track %s (%s): results of that name count "+
				"as those of one solver, which competes if one of the files does", len(names), at.solver, at.track,
				strings.Join(names, ", ")))
		}
	}
	slices.Sort(notes)
	return notes
}

// OfTrack returns a track's runs.
func (y *Year) OfTrack(track string) *score.Runs {
	return &score.Runs{Tracks: slices.DeleteFunc(slices.Clone(y.Runs.Tracks), func(t *score.Track) bool {
		return t.Name != track
	})}
}

// Differing returns the solvers, sorted, whose entries differ from those in another state of the submissions.
func (y *Year) Differing(other *Year) []string {
	rows := func(of *Year) map[string][]results.SolverRow {
		all := map[string][]results.SolverRow{}
		for _, r := range of.Solvers {
			all[r.Solver] = append(all[r.Solver], r)
		}
		return all
	}
	mine, theirs := rows(y), rows(other)
	all := maps.Clone(mine)
	maps.Copy(all, theirs)
	maps.DeleteFunc(all, func(name string, _ []results.SolverRow) bool {
		return reflect.DeepEqual(mine[name], theirs[name])
	})
	return slices.Sorted(maps.Keys(all))
}

// ReadResults reads results files, with the corresponding list of benchmarks, for the solvers that entered.
func (y *Year) ReadResults(results []string, benchmarks string) error {
	limits, allCompete := map[string]score.Time{}, false
	for _, rule := range y.Scoring.Scores {
		for _, track := range rule.Tracks {
			said, _ := y.Rules.Published.Of(track)
			limits[track], allCompete = said.Limit(), said.AllCompete
		}
	}
	runs, notes, err := organisers.Read(&organisers.Files{Results: results, Benchmarks: benchmarks,
		Submissions: y.Submissions, Entries: y.Entries, Divide: scoreio.DivideBy(y.Rules.Divisions, nil, nil).Of,
		WallLimits: limits, AllCompete: allCompete})
	y.Runs, y.Notes = runs, append(y.Notes, notes...)
	return err
}

// year loads the rules of the requested year or, by default, of the only year with results.
func (f Files) year(of map[int][]string) (*Year, error) {
	name := f.Rules
	if name == "" {
		years := slices.Sorted(maps.Keys(of))
		if len(years) > 1 {
			return nil, fmt.Errorf("%s has results for %v; name the year of the pages", f.Data, years)
		}
		name = strconv.Itoa(years[0])
	}
	return Named(name)
}

// Named loads a year's rules by number or folder.
func Named(name string) (*Year, error) {
	year, diags := rules.Load(name, "")
	if diags.HasErrors() {
		return nil, diags
	}
	set, diags := year.Scoring()
	if diags.HasErrors() {
		return nil, diags
	}
	return &Year{Rules: year, Scoring: set}, nil
}

// results returns the results files by year. It returns an error if there are none.
func (f Files) results() (map[int][]string, error) {
	names, err := fs.Glob(os.DirFS(f.Data), "results-*")
	if err != nil {
		return nil, err
	}
	of := map[int][]string{}
	for _, name := range names {
		if m := resultsFile().FindStringSubmatch(name); m != nil {
			y, _ := strconv.Atoi(m[1]) // the pattern allows only digits
			of[y] = append(of[y], filepath.Join(f.Data, name))
		}
	}
	if len(of) == 0 {
		return nil, fmt.Errorf("%s contains no results-TRACK-YEAR.json.gz", f.Data)
	}
	return of, nil
}

// Practice returns the readings that the year's published tables follow.
func (y *Year) Practice() (score.Readings, error) {
	rd := score.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
	for _, t := range y.Runs.Tracks {
		p, ok := y.Rules.Published.Scoring(t.Name)
		if !ok {
			return rd, fmt.Errorf("rules %s do not specify how the published tables of track %s were "+
				"computed", y.Rules.Name,
				t.Name)
		}
		maps.Copy(rd.Values, p.Values)
		maps.Copy(rd.Practice, p.Practice)
	}
	return rd, nil
}

// Site scores the runs and returns the pages' input: the scores under the given readings, and all other data as
// published.
func (y *Year) Site(ctx context.Context, rd score.Readings) (*smtcompsite.Site, error) {
	res, err := score.Compute(ctx, y.Scoring, y.Runs, rd)
	if err != nil {
		return nil, err
	}
	site := &smtcompsite.Site{Year: y.Rules.Year, Scores: scoreio.ScoreRows(res, y.Scoring, y.Runs),
		Recognitions: scoreio.RecognitionRows(res, y.Scoring), Participants: smtcompsite.Participants(y.Solvers),
		Divisions: y.Rules.Divisions, Limits: map[string]run.Limits{}, Runs: y.runs}
	for _, t := range y.Runs.Tracks {
		said, _ := y.Rules.Published.Of(t.Name)
		memory, _ := comp.ParseSize(said.Memory) // already checked; the site reports a missing size
		site.Limits[t.Name] = run.Limits{WallLimitS: run.Seconds(said.Limit().Seconds()),
			MemoryLimit: memory}
		site.ResultDate = said.ResultDate
		site.Options = smtcompsite.Options{
			ContestedByNames:   said.Winners == "two_families",
			UncontestedWinners: said.Winners != "competitive",
			NoBases:            !said.BaseDeltas,
			NoBestOverall:      !slices.Contains(said.Recognitions, "best_overall"),
		}
	}
	return site, nil
}

// runs yields the runs in the form needed for charts.
func (y *Year) runs(yield func(smtcompsite.Run) bool) {
	for _, t := range y.Runs.Tracks {
		more := true
		t.Each(func(b *score.Benchmark, s *score.Solver, answer string, cpu score.Time) bool {
			more = yield(smtcompsite.Run{Track: t.Name, Division: b.Division, Logic: b.Logic, Benchmark: b.Name,
				Solver: s.Name, Answer: answer, CPUS: cpu.Seconds()})
			return more
		})
		if !more {
			return
		}
	}
}
