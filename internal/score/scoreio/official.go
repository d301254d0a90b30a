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

	"github.com/smtpipe/smtpipe/internal/score"
)

// Official is a folder of official results: the runs of one year and track in runs.csv.gz, runs.csv or runs.parquet,
// and what was published about them in published.json, if it is there.
type Official struct {
	Dir       string
	Year      int
	Track     string // as the folder names it: single-query, unsat-core, challenge-incremental, ...
	Runs      *score.Runs
	Published *Published // nil: none
}

// Warnings says what cannot be computed from the runs of the folder.
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

// officialTracks maps the track names of official folders to tracks of the rule sets. The challenge of 2019 was scored
// like the tracks that it resembles (D-2019-3).
var officialTracks = map[string]string{
	"single-query": "single_query", "main": "single_query", "incremental": "incremental", "application": "incremental",
	"unsat-core": "unsat_core", "model-validation": "model_validation", "parallel": "parallel", "cloud": "cloud",
	"challenge-incremental": "incremental", "challenge-non-incremental": "single_query",
	"industry-challenge": "single_query",
}

// RuleSetOfYear names the rule set whose practice the published tables of a year followed.
func RuleSetOfYear(year int) (string, error) {
	switch {
	case year == 2008:
		return "2008", nil
	case year >= 2015 && year <= 2018:
		return "2015", nil
	case year == 2019 || year == 2020:
		return "2019", nil
	case year >= 2021 && year <= 2023:
		return "2022", nil
	case year >= 2024 && year <= 2026:
		return "2026", nil
	}
	return "", fmt.Errorf("no rule set is known to cover the published tables of %d", year)
}

// limitOf is the wall time limit of a year and track.
func limitOf(year int, track string) score.Time {
	switch {
	case strings.Contains(track, "challenge"):
		return 43200 * score.Second
	case year <= 2019:
		return 2400 * score.Second
	}
	return 1200 * score.Second
}

// ReadOfficial reads a folder. Year and track come from published.json, or from the folder's name ("2019-unsat-core").
func ReadOfficial(dir string) (*Official, error) {
	o := &Official{Dir: dir}
	raw, err := os.ReadFile(filepath.Join(dir, "published.json"))
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
	t, done, err := openFile(o.runsFile())
	if err != nil {
		return nil, err
	}
	o.Runs, err = o.readRuns(t)
	return o, errors.Join(err, done())
}

// runsFile is the file of runs, the first that is there.
func (o *Official) runsFile() string {
	for _, name := range []string{"runs.parquet", "runs.csv"} {
		path := filepath.Join(o.Dir, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return filepath.Join(o.Dir, "runs.csv.gz")
}

// nameOf fills in year and track from the folder's name where published.json does not say them.
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
		return fmt.Errorf("%s: the proof track is not scored; its results are collected only", dir)
	case officialTracks[o.Track] == "" || o.Year == 0:
		return fmt.Errorf("%s: year and track are not known; name the folder like 2019-unsat-core, or give it a "+
			"published.json with year and track; the tracks are %s",
			dir, strings.Join(sorted(officialTracks), ", "))
	}
	return nil
}

// officialColumns are the columns of runs.csv.gz that are read; those with other names are ignored.
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
	// Scripts that were selected twice for the cloud and parallel tracks of 2021 count once (D-2021-1).
	once := o.Year == 2021 && (o.Track == "cloud" || o.Track == "parallel")
	builder := score.Builder{Duplicates: true, KeepFirst: once}
	limit := limitOf(o.Year, o.Track)
	if o.Published != nil {
		limit = cmp.Or(o.Published.limit(), limit)
	}
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

// addRun turns a line into a run.
func (o *Official) addRun(b *score.Builder, t *table, c *officialColumns, limit score.Time) error {
	f := fieldReader{t: t}
	if o.Track == "industry-challenge" { // of its two parts the one whose runs these are
		o.Track = "challenge-non-incremental"
		if t.get(c.answer) == "incremental" || t.get(c.status) == "incremental" {
			o.Track = "challenge-incremental"
		}
	}
	row := score.Row{
		Track: officialTracks[o.Track], Division: f.need(c.division, "division"), Logic: f.need(c.logic, "logic"),
		Benchmark: f.need(c.benchmark, "benchmark"), Status: t.get(c.status), Solver: f.need(c.solver, "solver"),
		SolverID: t.get(c.solverID), Team: teamOf(t.get(c.solver), o.Year), Competitive: f.yes(c.competitive,
			"competitive", true),
		Answer: t.get(c.answer), Wall: f.time(c.wall, "wall_s"), CPU: o.cpuTime(&f, c.cpu), Limit: limit, Cores: 4,
		LastWall: -1, LastCPU: -1, CoreSize: -1, ValUnsat: -1, ValSat: -1,
		Recorded: score.Recorded{
			Correct: o.correct(&f, c.correct), Error: f.number(c.errors, "error", -1),
			Wrong: f.number(c.wrongs, "wrong", -1), Total: f.number(c.total, "n_total", -1),
			RunStatus:       t.get(c.runStatus),
			ValidatorStatus: t.get(c.validator), ValidatorError: t.get(c.validatorError),
			ValidatorException: t.get(c.validatorException), JobSet: t.get(c.jobSet),
			Excluded: given(t.get(c.excluded)),
		},
	}
	row.Category = "industrial" // the pages with industrial tables, of 2015, have no other benchmarks
	if row.Status != "sat" && row.Status != "unsat" {
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

// mayLackCPU reports whether the CPU times of the track may not have been recorded: those of the cloud and parallel
// tracks were not always measured, and the files of 2021 to 2023 have no column for them.
func (o *Official) mayLackCPU() bool { return o.Track == "cloud" || o.Track == "parallel" }

// cpuTime returns the CPU time of a run, or -1 if it was not recorded.
func (o *Official) cpuTime(f *fieldReader, i int) score.Time {
	if s := f.t.get(i); (s == "" || s == "-" || strings.HasPrefix(s, "-1")) && o.mayLackCPU() {
		return -1
	}
	return f.time(i, "cpu_s")
}

// correct returns n_correct of a run. The reductions of 2024 and later were computed without a floor: a core larger
// than the recorded assertions is less than nothing.
func (o *Official) correct(f *fieldReader, i int) int64 {
	s := f.t.get(i)
	if officialTracks[o.Track] != "unsat_core" || o.Year < 2024 || !strings.HasPrefix(s, "-") {
		return f.number(i, "n_correct", score.NoCorrect)
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < -maxNumber {
		f.fail(fmt.Errorf("column n_correct cannot be %q; it is a whole number", s))
	}
	return n
}

// enter notes the entrants that the pages since 2024 list though no run of them is in the files (D-2024-6): the pages
// are the only record of what they entered.
func (o *Official) enter(b *score.Builder) {
	if o.Published == nil || o.Year < 2024 {
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
						Team: teamOf(name, o.Year), Competitive: competitive})
				}
			}
		}
	}
}

// given reports whether a column says yes, or gives a reason.
func given(s string) bool { return !slices.Contains([]string{"", "0", "no", "false", "False", "-"}, s) }

// fillTrack sets the columns of a track from what is recorded.
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

// modelVerdict is the validator's word, or what follows from the recorded score.
func modelVerdict(rec *score.Recorded) string {
	switch {
	case rec.ValidatorStatus == "VALID" || rec.ValidatorStatus == "INVALID":
		return rec.ValidatorStatus
	case rec.ValidatorStatus != "": // UNKNOWN, or "-" where nothing was validated
		return "UNKNOWN"
	case rec.Correct > 0:
		return "VALID"
	case rec.Error > 0:
		return "INVALID"
	}
	return "UNKNOWN"
}

// teamOf guesses the team of a solver, which the files do not name. Until 2018 the pages call a division competitive if
// it has entrants of two teams; variants of a solver begin with the same word, and CVC3 and CVC4 are of one team. The
// pages of 2025 take the name up to the first hyphen.
func teamOf(solver string, year int) string {
	name := strings.ToLower(strings.Trim(solver, "[]"))
	switch {
	case year <= 2018:
		if strings.HasPrefix(name, "cvc") {
			return "cvc"
		}
		i := strings.IndexFunc(name, func(r rune) bool { return r < 'a' || r > 'z' })
		if i > 0 {
			return name[:i]
		}
		return name
	case year >= 2025:
		team, _, _ := strings.Cut(name, "-")
		return team
	}
	return solver
}

// Practice returns the rule set and the readings that the published tables of the year and track followed.
func (o *Official) Practice() (*score.RuleSet, score.Readings, error) {
	name, err := RuleSetOfYear(o.Year)
	if err != nil {
		return nil, score.Readings{}, err
	}
	if o.Year >= 2016 && o.Year <= 2018 && officialTracks[o.Track] != "incremental" {
		return nil, score.Readings{}, fmt.Errorf("%s: the tables of 2016 to 2018 weigh benchmarks by their families, "+
			"as none of the rule sets does, except those of the application track", o.Dir)
	}
	rs, diags := score.Load(name)
	if diags.HasErrors() {
		return nil, score.Readings{}, diags
	}
	rd, ok := rs.Published(o.Year, officialTracks[o.Track])
	if !ok {
		return nil, rd, fmt.Errorf("rule set %s has no practice for %d", name, o.Year)
	}
	return rs, rd, nil
}
