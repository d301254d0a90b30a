package scoreio

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/score"
)

// Column describes a column of a runs table.
type Column struct {
	Name     string
	Optional bool // may be absent or empty
	Doc      string
}

// Columns are the columns of a runs table (CSV with a header, one line per run).
var Columns = []Column{
	{"benchmark", false, "name, unique within its division"},
	{"logic", false, "SMT-LIB logic"},
	{"division", false, "division; in early years the logic"},
	{"family", true, "benchmark family"},
	{"new", true, "yes or no: the family is new this year, which needs its name"},
	{"category", true, "check, industrial, crafted or random"},
	{"track", false, "single_query (main), incremental (application), unsat_core, model_validation, parallel, cloud, " +
		"industry_challenge"},
	{"solver", false, "name"},
	{"team", false, "team; two solvers of a team count as one for competitiveness"},
	{"competitive", false, "yes or no; no: entered by the organisers for comparison"},
	{"base_solver", true, "base of a derived solver, or wrapped tool of a wrapper tool"},
	{"open_source", true, "yes or no"},
	{"new_entrant", true, "yes or no"},
	{"barred", true, "why the solver is not competitive in the track (portfolio solvers); empty: it can be"},
	{"status", false, "known status of the benchmark: sat, unsat or unknown"},
	{"answer", false, "sat, unsat, unknown, timeout, memout, abort or empty"},
	{"n_checks", true, "incremental (required there): check-sats of the benchmark"},
	{"n_checks_correct", true, "incremental (required there): correct answers"},
	{"n_checks_wrong", true, "incremental (required there): wrong answers"},
	{"last_wall_s", true, "incremental: wall time of the last sat or unsat, seconds"},
	{"last_cpu_s", true, "incremental: CPU time of the last sat or unsat, seconds"},
	{"n_assertions", true, "unsat core (required there): named assertions"},
	{"core_size", true, "unsat core (required there): names in the core; empty: no core was printed"},
	{"validation", true, "unsat core: valid, invalid, illformed or empty; model validation (required there): VALID, " +
		"INVALID, UNKNOWN"},
	{"val_unsat", true, "unsat core: validation solvers that said unsat"},
	{"val_sat", true, "unsat core: validation solvers that said sat"},
	{"wall_s", false, "wall time, seconds; more than T means that the run was stopped"},
	{"cpu_s", false, "CPU time, seconds"},
	{"m", false, "cores, the same in all of a division"},
	{"T", false, "wall time limit, seconds, the same in all of a division"},
}

// trackNeeds are the optional columns without which a track cannot be scored.
var trackNeeds = map[comp.Track][]string{
	comp.Incremental:     {"n_checks", "n_checks_correct", "n_checks_wrong"},
	comp.UnsatCore:       {"n_assertions", "core_size"},
	comp.ModelValidation: {"validation"},
}

// ReadRunsFile reads a runs table: CSV, gzipped CSV or Parquet. A table of verdicts, as written by "smtpipe show", also
// works. divide is for its rows without a division. Warnings are about unknown columns.
func ReadRunsFile(path string, divide *Divide) (runs *score.Runs, warnings []string, err error) {
	t, done, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	runs, warnings, err = readRuns(t, divide, false)
	return runs, warnings, errors.Join(err, done())
}

// ReadRuns reads a runs table of any of these forms. All bad lines are reported, up to a limit, each with its number.
// name is the name of the file in errors.
func ReadRuns(r io.Reader, name string, divide *Divide) (runs *score.Runs, warnings []string, err error) {
	t, err := openStream(r, name)
	if err != nil {
		return nil, nil, err
	}
	runs, warnings, err = readRuns(t, divide, false)
	return runs, warnings, errors.Join(err, t.close())
}

// ReadVerdicts reads stored tables of verdicts, such as those of the two halves of one track. The divisions are those
// of divide, regardless of the tables.
func ReadVerdicts(divide *Divide, tables ...*bytes.Reader) (*score.Runs, error) {
	var builder score.Builder
	for _, r := range tables {
		t, err := openParquet(r, r.Size(), "verdicts")
		if err != nil {
			return nil, err
		}
		builder.Expected = t.expected()
		_, err = addRuns(&builder, t, divide, true)
		if err := errors.Join(err, t.close()); err != nil {
			return nil, err
		}
	}
	return builder.Runs(), nil
}

// readRuns reads all rows. With always, the divisions of the rows are not looked at.
func readRuns(t *table, divide *Divide, always bool) (runs *score.Runs, warnings []string, err error) {
	builder := score.Builder{Expected: t.expected()}
	if warnings, err = addRuns(&builder, t, divide, always); err != nil {
		return nil, warnings, err
	}
	return builder.Runs(), warnings, nil
}

// addRuns reads all rows of a table into a builder.
func addRuns(builder *score.Builder, t *table, divide *Divide, always bool) (warnings []string, err error) {
	rd, warnings, err := newRunReader(t)
	if err != nil {
		return nil, err
	}
	rd.divide, rd.always = divide, always
	if divide != nil {
		rd.kinds = divide.kinds
	}
	found := problems{name: t.name}
	before := builder.Runs().Len()
	for {
		err := t.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = rd.read(builder)
		}
		if err == nil {
			continue
		}
		var at *lineError
		if !errors.As(err, &at) {
			return nil, fmt.Errorf("read %s: %w", t.name, err)
		}
		found.add(at)
	}
	if err := found.err(); err != nil {
		return warnings, err
	}
	if builder.Runs().Len() == before {
		return warnings, fmt.Errorf("%s has no runs", t.name)
	}
	return warnings, nil
}

// runReader turns the fields of a line into a run.
type runReader struct {
	t        *table
	verdicts bool // a table of verdicts, which has other names and -1 for missing values
	divide   *Divide
	always   bool // divisions are those of divide
	kinds    comp.Kinds
	tracks   map[string]string
	row      score.Row
	known    known
	cols     struct {
		benchmark, logic, division, family, isNew, category, track, solver, team, competitive, base, open, fresh,
		barred,
		status, answer,
		checks, correct, wrong, lastWall, lastCPU, assertions, core, validation, valUnsat, valSat, wall, cpu, m,
		limit int
	}
}

// verdictNames maps columns to their names in a table of verdicts, if these differ.
var verdictNames = map[string]string{"wall_s": "wall_time_s", "cpu_s": "cpu_time_s", "T": "wall_limit_s", "m": "cores"}

// verdictNeeds are the columns that a table of verdicts must have.
var verdictNeeds = []string{"track", "benchmark", "solver", "team", "logic", "status", "answer", "wall_s", "cpu_s", "T",
	"m", "competitive"}

func newRunReader(t *table) (*runReader, []string, error) {
	_, isVerdicts := t.columns[verdictNames["wall_s"]]
	_, isRuns := t.columns["wall_s"]
	rd := &runReader{t: t, tracks: map[string]string{}, verdicts: isVerdicts && !isRuns}
	column := func(name string) int {
		if rd.verdicts && verdictNames[name] != "" {
			name = verdictNames[name]
		}
		return t.column(name)
	}
	var missing, warnings, names []string
	for _, c := range Columns {
		names = append(names, c.Name)
		needed := !c.Optional
		if rd.verdicts {
			needed = slices.Contains(verdictNeeds, c.Name)
		}
		if column(c.Name) < 0 && needed {
			missing = append(missing, c.Name)
		}
	}
	if missing != nil {
		return nil, nil, fmt.Errorf("%s lacks the columns %s", t.name, strings.Join(missing, ", "))
	}
	for _, h := range t.header {
		if !rd.verdicts && !slices.Contains(names, h) {
			warnings = append(warnings, fmt.Sprintf("%s: column %q is not known and not used%s", t.name, h,
				near(h, names)))
		}
	}
	c := &rd.cols
	for name, at := range map[string]*int{
		"benchmark": &c.benchmark, "logic": &c.logic, "division": &c.division, "category": &c.category,
		"family": &c.family, "new": &c.isNew,
		"track":  &c.track,
		"solver": &c.solver, "team": &c.team, "competitive": &c.competitive, "base_solver": &c.base,
		"open_source": &c.open,
		"new_entrant": &c.fresh, "barred": &c.barred, "status": &c.status, "answer": &c.answer, "n_checks": &c.checks,
		"n_checks_correct": &c.correct, "n_checks_wrong": &c.wrong, "last_wall_s": &c.lastWall,
		"last_cpu_s":   &c.lastCPU,
		"n_assertions": &c.assertions, "core_size": &c.core, "validation": &c.validation, "val_unsat": &c.valUnsat,
		"val_sat": &c.valSat, "wall_s": &c.wall, "cpu_s": &c.cpu, "m": &c.m, "T": &c.limit,
	} {
		*at = column(name)
	}
	rd.known = known{solver: c.solver, name: c.benchmark, answer: c.answer, wall: c.wall, cpu: c.cpu,
		ofBenchmark: []int{c.track, c.logic, c.division, c.category,
			c.family, c.isNew, c.status, c.m, c.limit, c.checks, c.assertions},
		ofSolver: []int{c.team, c.competitive, c.base, c.open, c.fresh, c.barred},
		ofRun:    []int{c.correct, c.wrong, c.lastWall, c.lastCPU, c.core, c.validation, c.valUnsat, c.valSat}}
	return rd, warnings, nil
}

// BaseWarnings returns a warning for the solvers whose base solver has no runs in the same track, so that they cannot
// win: derived solvers (SMT-COMP 2026 rules, §7.5), and wrapper tools (SMT-COMP 2008 rules, §2).
func BaseWarnings(rs *score.RuleSet, runs *score.Runs) []string {
	if rs.Derived == nil && (rs.Disqualify == nil || !rs.Disqualify.Wrappers) {
		return nil
	}
	var out []string
	for _, t := range runs.Tracks {
		var names []string
		for i := range t.Solvers {
			names = append(names, t.Solvers[i].Name)
		}
		for i := range t.Solvers {
			s := &t.Solvers[i]
			switch {
			case s.Base == "":
			case s.Base == s.Name:
				out = append(out, fmt.Sprintf("track %s: %s is named as its own base solver, so that it cannot win",
					t.Name, s.Name))
			case !slices.Contains(names, s.Base):
				out = append(out, fmt.Sprintf("track %s: the base solver %q of %s has no runs, so that %s cannot win%s",
					t.Name, s.Base, s.Name, s.Name, near(s.Base, names)))
			}
		}
	}
	return out
}

func near(given string, known []string) string {
	for _, k := range known {
		if levenshtein.Distance(given, k, nil) <= 2 {
			return fmt.Sprintf("; did you mean %q?", k)
		}
	}
	return ""
}

func (rd *runReader) read(b *score.Builder) error {
	f := fieldReader{t: rd.t, minus: rd.verdicts}
	at := rd.known.spot(rd.t.packed)
	if at == nil {
		rd.readNames(&f)
	} else {
		rd.row.Solver = f.t.get(rd.cols.solver)
	}
	rd.readRun(&f, at != nil && rd.known.sameRun(rd.t.packed))
	rd.needed(&f)
	f.consistent(&rd.row, rd.incremental())
	switch {
	case f.errs != nil:
	case at == nil:
		f.fail(b.Add(&rd.row))
	default:
		f.fail(b.Again(&rd.row, *at))
	}
	if f.errs != nil {
		return rd.t.bad(errors.Join(f.errs...))
	}
	rd.known.note(rd.t.packed, &rd.row, b.Last())
	rd.more(b)
	return nil
}

// more reads the following rows as long as they resemble the row just read. In tracks that need more than answers and
// times, and if there are time stamps of last answers, each row is parsed.
func (rd *runReader) more(b *score.Builder) {
	p := rd.t.packed
	if p == nil || rd.known.codes == nil || len(trackNeeds[rd.kinds.Of(rd.row.Track)]) > 0 || rd.row.LastWall >= 0 ||
		rd.row.LastCPU >= 0 {
		return
	}
	from := p.at
	rd.known.more(p, b, rd.verdicts)
	rd.t.row += p.at - from
	rd.row.Benchmark = p.text(rd.cols.benchmark)
}

// readNames reads the data of a row about its benchmark and its solver.
func (rd *runReader) readNames(f *fieldReader) {
	c := &rd.cols
	rd.row = score.Row{
		Track: rd.track(f), Logic: f.need(c.logic, "logic"),
		Benchmark: f.need(c.benchmark, "benchmark"), Category: f.word(c.category, "category", categories),
		Status: rd.status(f), Solver: f.need(c.solver, "solver"), Team: f.need(c.team, "team"),
		Competitive: f.yes(c.competitive, "competitive", true), Base: f.name(c.base, "base_solver"),
		OpenSource: f.yes(c.open, "open_source", false), NewEntrant: f.yes(c.fresh, "new_entrant", false),
		Barred: f.text(c.barred, "barred"),
		Limit:  f.time(c.limit, "T"), Cores: f.number(c.m, "m", 0), Checks: f.number(c.checks, "n_checks", 0),
		Assertions: f.number(c.assertions, "n_assertions", 0), Recorded: score.NoRecord,
	}
	rd.row.Division = rd.division(f)
	if f.yes(c.isNew, "new", false) {
		rd.row.NewFamily = f.text(c.family, "family")
	}
}

// readRun reads the data of the run itself, not of its benchmark or solver. With same, everything except its answer and
// times equals the row before.
func (rd *runReader) readRun(f *fieldReader, same bool) {
	c, row := &rd.cols, &rd.row
	row.Answer = f.word(c.answer, "answer", answers)
	row.Wall, row.CPU = f.time(c.wall, "wall_s"), f.time(c.cpu, "cpu_s")
	if same {
		return
	}
	row.ChecksCorrect = f.number(c.correct, "n_checks_correct", 0)
	row.ChecksWrong = f.number(c.wrong, "n_checks_wrong", 0)
	row.LastWall, row.LastCPU = f.optionalTime(c.lastWall, "last_wall_s"), f.optionalTime(c.lastCPU, "last_cpu_s")
	row.CoreSize = f.number(c.core, "core_size", -1)
	row.Validation = f.word(c.validation, "validation", validations)
	row.ValUnsat, row.ValSat = bothVotes(f.number(c.valUnsat, "val_unsat", -1), f.number(c.valSat, "val_sat", -1))
}

// needed reports values that the track needs and the row lacks.
func (rd *runReader) needed(f *fieldReader) {
	c := &rd.cols
	for _, name := range trackNeeds[rd.kinds.Of(rd.row.Track)] {
		at := rd.t.column(name)
		switch {
		case at < 0:
			f.fail(fmt.Errorf("the track %s needs the column %s, which the table lacks", rd.row.Track, name))
		case f.empty(at) && (rd.incremental() || name == "n_assertions" && !f.empty(c.core)):
			f.fail(fmt.Errorf("column %s is empty; the track %s needs it", name, rd.row.Track))
		case f.empty(at) && name == "validation" && rd.row.Answer == string(comp.AnswerSat):
			f.fail(errors.New("column validation is empty; the model of an answer sat is VALID, INVALID or UNKNOWN"))
		}
	}
}

// division returns the division of the row, or for verdicts the one that follows from the logic.
func (rd *runReader) division(f *fieldReader) string {
	if rd.divide != nil && (rd.always || rd.verdicts && f.t.get(rd.cols.division) == "") {
		return rd.divide.Of(rd.row.Track, rd.row.Logic)
	}
	return f.need(rd.cols.division, "division")
}

func (rd *runReader) track(f *fieldReader) string {
	text := f.need(rd.cols.track, "track")
	if name, ok := rd.tracks[text]; ok || text == "" {
		return name
	}
	track, _, err := rd.kinds.Parse(text)
	if err != nil {
		f.fail(err)
		return ""
	}
	track = strings.Clone(track)
	rd.tracks[strings.Clone(text)] = track
	return track
}

// incremental reports whether the row is of an incremental track.
func (rd *runReader) incremental() bool { return rd.kinds.Of(rd.row.Track) == comp.Incremental }

// status reads the known status. The benchmarks of the incremental track have many, and may leave it empty.
func (rd *runReader) status(f *fieldReader) string {
	if rd.verdicts {
		return f.text(rd.cols.status, "status")
	}
	if rd.t.get(rd.cols.status) == "" && rd.kinds.Of(rd.t.get(rd.cols.track)) == comp.Incremental {
		return "unknown"
	}
	return f.word(rd.cols.status, "status", statuses)
}

// The words that columns can hold.
var (
	categories  = []string{"", "check", "industrial", "crafted", "random"}
	statuses    = textsOfAnswers(comp.Answers)
	answers     = append(textsOfAnswers(comp.Answers), "timeout", "memout", "abort", "")
	validations = []string{"", "valid", "invalid", "illformed", "VALID", "INVALID", "UNKNOWN"}
)

func textsOfAnswers(answers []comp.Answer) (texts []string) {
	for _, a := range answers {
		texts = append(texts, string(a))
	}
	return texts
}

// fieldReader reads the fields of one line and collects their errors.
type fieldReader struct {
	t     *table
	minus bool  // missing values are written as -1
	err   error // the first of errs
	errs  []error
}

func (f *fieldReader) fail(err error) {
	if err != nil {
		f.err = cmp.Or(f.err, err)
		f.errs = append(f.errs, err)
	}
}

// empty reports whether a column has no value in the row.
func (f *fieldReader) empty(i int) bool {
	s := f.t.get(i)
	return s == "" || f.minus && s == "-1"
}

// text reads a field of text.
func (f *fieldReader) text(i int, name string) string {
	s := f.t.get(i)
	if !utf8.ValidString(s) {
		f.fail(fmt.Errorf("column %s has bytes that are not UTF-8: %q", name, s))
	}
	return s
}

// name reads a name, which may be empty but not blank.
func (f *fieldReader) name(i int, name string) string {
	s := f.text(i, name)
	if s != "" && strings.TrimSpace(s) == "" {
		f.fail(fmt.Errorf("column %s is blank: %q", name, s))
	}
	return s
}

// need reads a name that must be there.
func (f *fieldReader) need(i int, name string) string {
	s := f.name(i, name)
	if s == "" {
		f.fail(&EmptyError{name})
	}
	return s
}

// EmptyError is the error of a column without a value.
type EmptyError struct{ Column string }

func (e *EmptyError) Error() string { return fmt.Sprintf("column %s is empty", e.Column) }

func (f *fieldReader) word(i int, name string, allowed []string) string {
	s := f.text(i, name)
	for _, w := range allowed {
		if s == w {
			return w
		}
	}
	if f.minus {
		return s // the words of verdicts come from the judging stage
	}
	f.fail(fmt.Errorf("column %s cannot be %q; it is one of %s", name, s, strings.Trim(strings.Join(allowed, ", "),
		", ")))
	return ""
}

func (f *fieldReader) yes(i int, name string, required bool) bool {
	if i >= 0 && f.t.packed != nil {
		if yes, ok := f.t.packed.truth(i); ok {
			return yes
		}
	}
	switch s := f.t.get(i); {
	case s == "yes" || s == "true":
		return true
	case s == "no" || s == "false" || s == "" && !required:
	default:
		f.fail(fmt.Errorf("column %s cannot be %q; it is yes or no", name, s))
	}
	return false
}

// number reads a whole number; an empty field is missing, or an error if missing is 0 and the column is required.
func (f *fieldReader) number(i int, name string, missing int64) int64 {
	if i >= 0 && f.t.packed != nil {
		if n, ok := f.t.packed.number(i); ok && (n >= 0 && n <= maxNumber || n == -1 && f.minus) {
			if n < 0 {
				n = missing
			}
			return n
		}
	}
	s := f.t.get(i)
	if s == "" || s == "-1" && f.minus {
		if name == "m" {
			f.fail(errors.New("column m is empty"))
		}
		return missing
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > maxNumber {
		f.fail(fmt.Errorf("column %s cannot be %q; it is a whole number, 0 to %d", name, s, maxNumber))
	}
	return n
}

// maxNumber is the largest number of answers, assertions and the like that is believed. No sum over the runs of a track
// overflows with it.
const maxNumber = 1 << 31

func (f *fieldReader) time(i int, name string) score.Time {
	if i >= 0 && f.t.packed != nil {
		if t, ok, err := f.t.packed.time(i); ok {
			if err != nil {
				f.fail(fmt.Errorf("column %s: %w", name, err))
			}
			return t
		}
	}
	s := f.t.get(i)
	if s == "" {
		f.fail(fmt.Errorf("column %s is empty", name))
		return 0
	}
	t, err := score.ParseTime(s)
	if err != nil {
		f.fail(fmt.Errorf("column %s: %w", name, err))
	}
	return t
}

func (f *fieldReader) optionalTime(i int, name string) score.Time {
	if i < 0 || f.minus && f.t.packed != nil && f.t.packed.isMinusOne(i) {
		return -1
	}
	if s := f.t.get(i); s == "" || s == "-1" && f.minus {
		return -1
	}
	return f.time(i, name)
}

// bothVotes takes an empty count of votes for zero when the other is given.
func bothVotes(unsat, sat int64) (int64, int64) {
	if unsat < 0 && sat < 0 {
		return unsat, sat
	}
	return max(unsat, 0), max(sat, 0)
}

// consistent reports values that contradict each other.
func (f *fieldReader) consistent(r *score.Row, incremental bool) {
	if f.errs != nil {
		return // a value that could not be read contradicts nothing
	}
	if r.Cores == 0 {
		f.fail(errors.New("column m is 0; a run has at least one core"))
	}
	if r.Cores > comp.MostCores {
		f.fail(fmt.Errorf("column m is %d; the most cores that can be scored are %d", r.Cores, comp.MostCores))
	}
	if r.Limit == 0 {
		f.fail(errors.New("column T is 0; a run has a time limit"))
	}
	if r.Assertions > 0 && r.CoreSize > r.Assertions {
		f.fail(fmt.Errorf("core_size is %d and n_assertions %d; a core is not larger than its benchmark", r.CoreSize,
			r.Assertions))
	}
	if r.Assertions == 0 && r.CoreSize > 0 {
		f.fail(fmt.Errorf("core_size is %d and n_assertions is empty; a reduction needs both", r.CoreSize))
	}
	answers := r.ChecksCorrect + r.ChecksWrong
	if r.Checks > 0 && answers > r.Checks {
		f.fail(fmt.Errorf("n_checks is %d, and n_checks_correct and n_checks_wrong are %d together", r.Checks, answers))
	}
	f.lastAnswer("last_wall_s", r.LastWall, "wall_s", r.Wall, answers == 0 && incremental)
	f.lastAnswer("last_cpu_s", r.LastCPU, "cpu_s", r.CPU, answers == 0 && incremental)
}

// lastAnswer reports a time stamp of a last answer that does not exist, or that is after the end of the run.
func (f *fieldReader) lastAnswer(name string, last score.Time, whole string, end score.Time, none bool) {
	if last >= 0 && none {
		f.fail(fmt.Errorf("%s is %s, but there is no answer: n_checks_correct and n_checks_wrong are 0", name, last))
	}
	if last > end {
		f.fail(fmt.Errorf("%s is %s and %s is %s; the last answer cannot come after the end of the run", name, last,
			whole, end))
	}
}
