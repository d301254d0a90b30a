package scoreio

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/pages"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Official is a folder with official results: a year's runs in one track, in runs.csv.gz, runs.csv or runs.parquet, and
// the published results, if any, in published.json.
type Official struct {
	Dir       string
	Year      int
	Track     string // as in the folder's name: single-query, unsat-core, challenge-incremental, ...
	Runs      *score.Runs
	Published *Published // nil: none
	// Identifiers means that division names that contain + in the runs contain _ in the published tables.
	Identifiers bool

	rules *score.RuleSet
	year  pages.Year
	page  pages.Track // facts about the track's pages
}

// Years returns the facts known about a year's published results, and the rule set behind them.
type Years func(year int) (pages.Year, *score.RuleSet, error)

// Warnings returns a warning for each kind of result that cannot be computed from the folder's runs.
func (o *Official) Warnings() []string {
	var out []string
	for _, t := range o.Runs.Tracks {
		if t.NoCPU() {
			out = append(out, o.runsFile()+" does not record the CPU times of all runs: c and ac, ranks by CPU time "+
				"and ties that they would break are not computed")
		}
	}
	return out
}

// officialTracks maps official folders' track names to tracks of the rule sets. The challenge tracks were scored like
// the tracks that they resemble.
var officialTracks = map[string]string{
	"single-query": "single_query", "main": "single_query", "incremental": "incremental", "application": "incremental",
	"unsat-core": "unsat_core", "model-validation": "model_validation", "parallel": "parallel", "cloud": "cloud",
	"challenge-incremental": "incremental", "challenge-non-incremental": "single_query",
	"industry-challenge": "single_query",
}

// RunsTrack maps an official folder's track to its runs' track, or to "" if it is not scored.
func RunsTrack(track string) string { return officialTracks[track] }

// ReadOfficial reads a folder. The year and track come from published.json, or from the folder's name
// ("2019-unsat-core").
func ReadOfficial(dir string, years Years) (*Official, error) {
	o, err := ReadPublished(dir, years)
	if err != nil {
		return nil, err
	}
	return o, o.ReadRuns()
}

// ReadPublished reads a folder without its runs.
func ReadPublished(dir string, years Years) (*Official, error) {
	o := &Official{Dir: dir}
	raw, err := limits.Document.ReadFile(filepath.Join(dir, "published.json"))
	switch {
	case err == nil:
		o.Published = &Published{}
		if err := json.Unmarshal(raw, o.Published); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "published.json"), err)
		}
		o.Year, o.Track = o.Published.Year, o.Published.Track
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	if err := o.nameOf(dir); err != nil {
		return nil, err
	}
	if o.year, o.rules, err = years(o.Year); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	o.page, _ = o.year.Of(o.Track)
	return o, nil
}

// ReadRuns reads the folder's runs.
func (o *Official) ReadRuns() error {
	t, done, err := openFile(o.runsFile())
	if err != nil {
		return err
	}
	o.Runs, err = o.readRuns(t)
	return errors.Join(err, done())
}

// HasRuns reports whether the folder contains a runs file.
func (o *Official) HasRuns() bool {
	_, err := os.Stat(o.runsFile())
	return err == nil
}

// runsFile returns the first runs file that exists.
func (o *Official) runsFile() string {
	for _, name := range []string{"runs.parquet", "runs.csv"} {
		path := filepath.Join(o.Dir, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return filepath.Join(o.Dir, "runs.csv.gz")
}

// nameOf derives the year and track from the folder's name if published.json lacks them.
func (o *Official) nameOf(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	year, track, _ := strings.Cut(filepath.Base(abs), "-")
	if o.Year == 0 {
		o.Year, _ = strconv.Atoi(year)
	}
	o.Track = cmp.Or(o.Track, track)
	o.Track = strings.ReplaceAll(strings.ToLower(o.Track), "_", "-")
	switch {
	case strings.HasPrefix(o.Track, "proof"):
		return fmt.Errorf("%s: the proof track is not scored; its results are only collected", dir)
	case officialTracks[o.Track] == "" || o.Year == 0:
		return fmt.Errorf("%s: year and track are not known; name the folder YEAR-TRACK, as with unsat-core, or give it a "+
			"published.json with year and track; the tracks are %s",
			dir, strings.Join(sorted(officialTracks), ", "))
	}
	return nil
}

// officialColumns are the columns of runs.csv.gz to read; all other columns are ignored.
type officialColumns struct {
	benchmark, logic, division, solver, solverID, competitive, status, answer, correct, total, wrongs, errors, wall,
	cpu,
	runStatus, validator, validatorError, validatorException, jobSet, excluded int
}

func (o *Official) readRuns(t *table) (*score.Runs, error) {
	c := officialColumns{
		benchmark: t.column("benchmark"), logic: t.column("logic"), division: t.column("division"),
		solver:   t.column("solver"),
		solverID: t.column("solver_id"), competitive: t.column("competitive"), status: t.column("status"),
		answer: t.column("answer"), correct: t.column("n_correct"), total: t.column("n_total"),
		wrongs: t.column("wrong"),
		errors: t.column("error"), wall: t.column("wall_s"), cpu: t.column("cpu_s"), runStatus: t.column("run_status"),
		validator:          t.column("model_validator_status", "validator_status"),
		validatorError:     t.column("model_validator_error", "validator_error"),
		validatorException: t.column("model_validator_exception", "validator_exception"),
		jobSet:             t.column("job_set"), excluded: t.column("excluded"),
	}
	needed := []string{"benchmark", "logic", "division", "solver", "competitive", "status", "answer", "wall_s"}
	if !o.mayLackCPU() {
		needed = append(needed, "cpu_s")
	}
	if missing := slices.DeleteFunc(needed, func(name string) bool { return t.column(name) >= 0 }); len(missing) > 0 {
		return nil, fmt.Errorf("%s lacks the columns %s", t.name, strings.Join(missing, ", "))
	}
	builder := score.Builder{Duplicates: true, KeepFirst: o.page.FirstOfDuplicates}
	limit := o.limit()
	for {
		err := t.next()
		if errors.Is(err, io.EOF) {
			if builder.Runs().Len() == 0 {
				return nil, fmt.Errorf("%s has no runs", t.name)
			}
			o.enter(&builder)
			return builder.Runs(), nil
		}
		if err == nil {
			err = o.addRun(&builder, t, &c, limit)
		}
		if err != nil {
			return nil, err
		}
	}
}

// limit returns a run's wall time limit.
func (o *Official) limit() score.Time {
	if o.Published != nil && o.Published.limit() > 0 {
		return o.Published.limit()
	}
	return o.page.Limit()
}

// addRun converts a line to a run.
func (o *Official) addRun(b *score.Builder, t *table, c *officialColumns, limit score.Time) error {
	f := fieldReader{t: t}
	if o.Track == "industry-challenge" { // the half of the challenge that these runs belong to
		o.Track = "challenge-non-incremental"
		if t.get(c.answer) == "incremental" || t.get(c.status) == "incremental" {
			o.Track = "challenge-incremental"
		}
		o.page, _ = o.year.Of(o.Track)
	}
	row := score.Row{
		Identity: run.Identity{Track: officialTracks[o.Track], Logic: f.need(c.logic, "logic"),
			Benchmark: f.need(c.benchmark, "benchmark"), Solver: f.need(c.solver, "solver")},
		Subject: run.Subject{Division: f.need(c.division, "division"), Status: t.get(c.status),
			Category: "industrial"}, // the 2015 pages with industrial tables cover only these benchmarks
		Entrant: run.Entrant{Team: teamOf(t.get(c.solver), o.page.Teams),
			Competitive: f.yes(c.competitive, "competitive", true)},
		SolverID: t.get(c.solverID), Wall: f.time(c.wall, "wall_s"), CPU: o.cpuTime(&f, c.cpu),
		Rest: score.Rest{Limit: limit, Cores: 4, Judged: run.Unjudged(), Recorded: score.Recorded{
			Correct: o.correct(&f, c.correct), Error: f.number(c.errors, "error", -1),
			Wrong: f.number(c.wrongs, "wrong", -1), Total: f.number(c.total, "n_total", -1),
			RunStatus:       t.get(c.runStatus),
			ValidatorStatus: t.get(c.validator), ValidatorError: t.get(c.validatorError),
			ValidatorException: t.get(c.validatorException), JobSet: t.get(c.jobSet),
			Excluded: given(t.get(c.excluded)),
		}},
	}
	row.Answer = t.get(c.answer)
	if !comp.Status(row.Status).Known() {
		row.Status = "unknown"
	}
	fillTrack(&row)
	if f.err == nil {
		f.err = b.Add(&row)
	}
	if f.err != nil {
		return t.bad(f.err)
	}
	return nil
}

// mayLackCPU reports whether the track may lack CPU times, which were not always measured in the cloud and parallel
// tracks.
func (o *Official) mayLackCPU() bool { return o.Track == "cloud" || o.Track == "parallel" }

// cpuTime returns a run's CPU time, or -1 if it was not recorded.
func (o *Official) cpuTime(f *fieldReader, i int) score.Time {
	if s := f.t.get(i); (s == "" || s == "-" || strings.HasPrefix(s, "-1")) && o.mayLackCPU() {
		return -1
	}
	return f.time(i, "cpu_s")
}

// correct returns a run's n_correct. A reduction can be below zero if the pages allow it.
func (o *Official) correct(f *fieldReader, i int) int64 {
	s := f.t.get(i)
	if officialTracks[o.Track] != "unsat_core" || !o.page.NegativeReductions || !strings.HasPrefix(s, "-") {
		return f.number(i, "n_correct", score.NoCorrect)
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < -maxNumber {
		f.fail(fmt.Errorf("column n_correct cannot be %q; it must be a whole number", s))
	}
	return n
}

// enter records the entrants that the pages list but that have no runs in the files (D-2024-6). The pages are the only
// record of their entries.
func (o *Official) enter(b *score.Builder) {
	if o.Published == nil || !o.page.EntrantsFromPages {
		return
	}
	for _, division := range sorted(o.Published.Divisions) {
		logics, _ := o.Published.Divisions[division]["logics"].(map[string]any)
		for _, logic := range sorted(logics) {
			rows, _ := o.Published.Logics[logic]["parallel"].([]any)
			for _, raw := range rows {
				row, _ := raw.(map[string]any)
				if name := text(row["solver"]); !b.Has(officialTracks[o.Track], division, logic, name) {
					competitive, _ := row["competitive"].(bool)
					b.Enter(officialTracks[o.Track], division, logic, score.Solver{Name: name,
						Entrant: run.Entrant{Team: teamOf(name, o.page.Teams), Competitive: competitive}})
				}
			}
		}
	}
}

// given reports whether a column contains "yes" or a reason.
func given(s string) bool { return !slices.Contains([]string{"", "0", "no", "false", "False", "-"}, s) }

// fillTrack derives a track's columns from the recorded data.
func fillTrack(row *score.Row) {
	rec := &row.Recorded
	switch row.Track {
	case "incremental":
		row.Checks = max(rec.Total, 0)
		row.ChecksCorrect = max(rec.Correct, 0)
		row.ChecksWrong = max(rec.Wrong, rec.Error, 0)
	case "unsat_core":
		row.Assertions = max(rec.Total, 0)
		if rec.Correct != 0 && rec.Correct != score.NoCorrect {
			row.CoreSize = row.Assertions - rec.Correct
		}
		if rec.Error > 0 {
			row.Validation = "invalid"
		}
	case "model_validation":
		row.Validation = modelVerdict(rec)
	}
}

// modelVerdict returns the validator's verdict, or the verdict implied by the recorded score.
func modelVerdict(rec *score.Recorded) string {
	switch {
	case rec.ValidatorStatus == "VALID" || rec.ValidatorStatus == "INVALID":
		return rec.ValidatorStatus
	case rec.ValidatorStatus != "": // UNKNOWN, or "-" if the validator checked nothing
		return "UNKNOWN"
	case rec.Correct > 0:
		return "VALID"
	case rec.Error > 0:
		return "INVALID"
	}
	return "UNKNOWN"
}

// teamOf guesses a solver's team from its name, because the files do not name teams. The team is the whole name, the
// part before the first hyphen, or the first word, because variants of a solver usually share their first word.
func teamOf(solver, by string) string {
	name := strings.ToLower(strings.Trim(solver, "[]"))
	switch by {
	case "first_word":
		if strings.HasPrefix(name, "cvc") { // CVC3 and CVC4 are from one team
			return "cvc"
		}
		i := strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' })
		if i > 0 {
			return name[:i]
		}
		return name
	case "before_hyphen":
		team, _, _ := strings.Cut(name, "-")
		return team
	}
	return solver
}

// Practice returns the rule set and the readings behind the published tables of the year and track.
func (o *Official) Practice() (*score.RuleSet, score.Readings, error) {
	if o.page.Weighted {
		return nil, score.Readings{}, fmt.Errorf("%s: its tables weigh benchmarks by their families, and rule sets add whole "+
			"numbers; \"smtpipe shadow\" compares the pages", o.Dir)
	}
	rd, _ := o.year.Scoring(o.Track)
	return o.rules, rd, nil
}

// Following returns the folder with pages that follow the given readings instead of those of its year.
func (o *Official) Following(rd score.Readings) *Official {
	other := *o
	other.page.Practice = nil
	for _, s := range sorted(rd.Practice) {
		if rd.Practice[s] {
			other.page.Practice = append(other.page.Practice, s)
		}
	}
	return &other
}

// RunsTrack returns the track of the runs, as named in rule sets and runs.
func (o *Official) RunsTrack() string { return officialTracks[o.Track] }
