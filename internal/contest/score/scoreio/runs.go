package scoreio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// needs lists the required columns of a runs table. The other columns are those of score.Row.
var needs = []string{"benchmark", "logic", "division", "track", "solver", "team", "competitive", "status", "answer",
	"wall_s", "cpu_s", "m", "T"}

// trackNeeds lists the optional columns that each track requires for scoring.
var trackNeeds = map[comp.Track][]string{
	comp.Incremental:     {"n_checks", "n_checks_correct", "n_checks_wrong"},
	comp.UnsatCore:       {"n_assertions", "core_size"},
	comp.ModelValidation: {"validation"},
}

// ReadRunsFile reads a runs table: CSV, gzipped CSV or Parquet. A table of verdicts, as written by "smtpipe show", also
// works. divide applies to rows without a division. The warnings are about unknown columns.
func ReadRunsFile(path string, divide *Divide) (runs *score.Runs, warnings []string, err error) {
	t, done, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	runs, warnings, err = readRuns(t, divide, false)
	return runs, warnings, errors.Join(err, done())
}

// ReadRuns reads a runs table in any of these formats. It reports all bad lines, up to a limit, each with its line
// number. name is the file's name in errors.
func ReadRuns(r io.Reader, name string, divide *Divide) (runs *score.Runs, warnings []string, err error) {
	t, err := openStream(r, name)
	if err != nil {
		return nil, nil, err
	}
	runs, warnings, err = readRuns(t, divide, false)
	return runs, warnings, errors.Join(err, t.close())
}

// ReadVerdicts reads stored tables of verdicts, such as those of the two halves of a track. The divisions come from
// divide, even if the tables contain others.
func ReadVerdicts(divide *Divide, tables ...*bytes.Reader) (*score.Runs, error) {
	var builder score.Builder
	for _, r := range tables {
		t, err := openParquet(r, r.Size(), "verdicts")
		if err != nil {
			return nil, err
		}
		if len(tables) == 1 {
			runs, _, err := readRuns(t, divide, true)
			return runs, errors.Join(err, t.close())
		}
		builder.Expected = t.rows
		_, err = addRuns(&builder, t, divide, true)
		if err := errors.Join(err, t.close()); err != nil {
			return nil, err
		}
	}
	return builder.Runs(), nil
}

// readRuns reads all rows, on all cores if the table can be split.
func readRuns(t *table, divide *Divide, always bool) (runs *score.Runs, warnings []string, err error) {
	if _, warnings, err = newRunReader(t); err != nil {
		return nil, warnings, err
	}
	if runs = readParts(t.split(runtime.GOMAXPROCS(0)), divide, always); runs != nil {
		return runs, warnings, nil
	}
	builder := score.Builder{Expected: t.rows}
	if warnings, err = addRuns(&builder, t, divide, always); err != nil {
		return nil, warnings, err
	}
	return builder.Runs(), warnings, nil
}

// readParts reads a table's parts concurrently. It returns nil if there are fewer than two, or if there is any error:
// reading all rows in order finds its cause and its place.
func readParts(parts []*table, divide *Divide, always bool) *score.Runs {
	if len(parts) < 2 {
		return nil
	}
	builders, errs := make([]score.Builder, len(parts)), make([]error, len(parts))
	var group sync.WaitGroup
	for i, t := range parts {
		if builders[i].Expected = t.rows; i == 0 {
			builders[i].Expected *= len(parts) // it receives the others' runs
		}
		group.Go(func() {
			_, err := addRuns(&builders[i], t, divide, always)
			errs[i] = errors.Join(err, t.close())
		})
	}
	group.Wait()
	for i := range builders {
		if errs[i] != nil || i > 0 && !builders[0].Join(&builders[i]) {
			return nil
		}
	}
	return builders[0].Runs()
}

// addRuns reads all rows of a table into a builder.
func addRuns(builder *score.Builder, t *table, divide *Divide, always bool) (warnings []string, err error) {
	rd, warnings, err := newRunReader(t)
	if err != nil {
		return nil, err
	}
	rd.divide, rd.always = divide, always
	if divide != nil {
		rd.kinds = divide.Kinds
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

// runReader converts a line's fields to a run.
type runReader struct {
	t        *table
	verdicts bool // whether this is a table of verdicts, with other column names and -1 for missing values
	divide   *Divide
	always   bool // whether divisions always come from divide
	kinds    comp.Kinds
	row      score.Row // most recent row
	kind     comp.Track
	fields   []*field
	varying  []*field // fields whose columns vary in the current batch
	good     bool     // whether the row could be read
	parser   fieldReader

	solver  int                // index of the solver's column
	differs []bool             // whether the benchmark or a limit can change, by row of the batch
	last    map[string]lastRun // by solver
}

// lastRun is a solver's last run in the batch whose solver was read.
type lastRun struct {
	at     int
	track  string
	solver int32 // the solver's index in the track
}

// field is a column in a runs table.
type field struct {
	name string
	at   int // column index in the table; -1: missing
	to   any // pointer to the row's field
	none int64
	need bool
	read func(f *fieldReader) string // nil: the type of to determines how the value is read
	of   []int                       // all columns that affect the value
	// ofSolver and ofRun report whether the solver and the run determine the value; otherwise the benchmark does.
	ofSolver, ofRun bool

	changed []bool // whether the value can differ from the previous row's, by row of the batch; for varying fields
}

// verdictNames maps columns to their names in tables of verdicts, where they differ.
var verdictNames = map[string]string{"wall_s": "wall_time_s", "cpu_s": "cpu_time_s", "T": "wall_limit_s", "m": "cores"}

// notScored lists the columns of verdicts that do not affect scores.
var notScored = []string{"verdict", "reason"}

func newRunReader(t *table) (*runReader, []string, error) {
	_, isVerdicts := t.columns[verdictNames["wall_s"]]
	_, isRuns := t.columns["wall_s"]
	rd := &runReader{t: t, verdicts: isVerdicts && !isRuns}
	rd.row.Rest = score.Rest{Judged: run.Unjudged(), Recorded: score.NoRecord}
	var missing, warnings, names []string
	row, found := reflect.ValueOf(&rd.row).Elem(), map[string]bool{}
	for _, f := range reflect.VisibleFields(row.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		recorded := len(f.Index) > 1 && row.FieldByIndex(f.Index[:len(f.Index)-1]).Type() == recordedType
		if name == "" || recorded || slices.Contains(notScored, name) {
			continue
		}
		x := rd.bind(name, row.FieldByIndex(f.Index))
		of := row.Type().Field(f.Index[0]).Type
		x.ofSolver = name == "solver" || of == entrantType
		x.ofRun = name == "wall_s" || name == "cpu_s" || of == restType && !slices.Contains(ofBenchmark, name)
		if name == "solver" {
			rd.solver = x.at
		}
		names, found[name] = append(names, name), x.at >= 0
	}
	for _, name := range needs {
		if !found[name] && !(rd.verdicts && name == "division") {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return nil, nil, fmt.Errorf("%s lacks the columns %s", t.name, strings.Join(missing, ", "))
	}
	for _, h := range t.header {
		if !rd.verdicts && !slices.Contains(names, h) {
			warnings = append(warnings, fmt.Sprintf("%s: column %q is not known and not used.%s", t.name, h,
				nearest.Question(h, names)))
		}
	}
	return rd, warnings, nil
}

var (
	recordedType = reflect.TypeFor[score.Recorded]()
	restType     = reflect.TypeFor[score.Rest]()
	entrantType  = reflect.TypeFor[run.Entrant]()
)

// ofBenchmark lists the columns in score.Rest that are the same for all of a benchmark's runs.
var ofBenchmark = []string{"T", "m", "n_assertions", "n_checks"}

// affectedBy lists the other columns that affect a column's value.
var affectedBy = map[string][]string{"division": {"track", "logic"}, "status": {"track"}, "val_unsat": {"val_sat"},
	"val_sat": {"val_unsat"}}

// bind binds a column to a field in the row.
func (rd *runReader) bind(name string, to reflect.Value) *field {
	column := name
	if rd.verdicts && verdictNames[name] != "" {
		column = verdictNames[name]
	}
	x := &field{name: name, at: rd.t.column(column), to: to.Addr().Interface(), need: slices.Contains(needs, name)}
	if to.Kind() == reflect.Int64 {
		x.none = to.Int()
	}
	x.of = []int{x.at}
	for _, other := range affectedBy[name] {
		x.of = append(x.of, rd.t.column(other))
	}
	words := map[string][]string{"category": categories, "answer": answers, "validation": validations}[name]
	switch {
	case name == "track":
		x.read = rd.track
	case name == "details":
		x.read = func(f *fieldReader) string {
			rd.row.Value = score.ValueIn(f.t.get(x.at))
			return ""
		}
	case name == "division":
		x.read = func(f *fieldReader) string { return rd.division(f, x.at) }
	case name == "status":
		x.read = func(f *fieldReader) string { return rd.status(f, x.at) }
	case name == "base_solver":
		x.read = func(f *fieldReader) string { return f.name(x.at, name) }
	case words != nil:
		x.read = func(f *fieldReader) string { return f.word(x.at, name, words) }
	}
	rd.fields = append(rd.fields, x)
	return x
}

// BaseWarnings returns a warning for each solver that cannot win because its base solver has no runs in the same track:
// derived solvers (SMT-COMP 2026 rules, §7.5) and wrapper tools (SMT-COMP 2008 rules, §2).
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
			case s.BaseSolver == "":
			case s.BaseSolver == s.Name:
				out = append(out, fmt.Sprintf("track %s: %s is named as its own base solver, so it cannot win",
					t.Name, s.Name))
			case !slices.Contains(names, s.BaseSolver):
				out = append(out, fmt.Sprintf("track %s: the base solver %q of %s has no runs, so that %s cannot win.%s",
					t.Name, s.BaseSolver, s.Name, s.Name, nearest.Question(s.BaseSolver, names)))
			}
		}
	}
	return out
}

func (rd *runReader) read(b *score.Builder) error {
	f := &rd.parser
	if rd.t.at == 0 {
		rd.startBatch()
	}
	solver := rd.t.get(rd.solver)
	last, like := rd.like(solver)
	*f = fieldReader{t: rd.t, minus: rd.verdicts}
	if !rd.good || rd.t.at == 0 {
		for _, x := range rd.fields {
			f.set(x)
		}
	} else {
		for _, x := range rd.varying {
			if x.changed[rd.t.at] && !x.ofSolver || x.ofSolver && !like {
				f.set(x)
			}
		}
	}
	rd.row.ValUnsat, rd.row.ValSat = bothVotes(rd.row.ValUnsat, rd.row.ValSat)
	rd.needed(f)
	f.consistent(&rd.row, rd.incremental())
	if f.errs == nil && !(like && b.AddLike(last.solver, &rd.row)) {
		rd.add(b, solver, like)
	}
	if rd.good = f.errs == nil; !rd.good {
		return rd.t.bad(errors.Join(f.errs...))
	}
	return nil
}

// like reports whether the row has the benchmark and limits of the previous one, and a solver that has the data of its
// last run in the batch.
func (rd *runReader) like(solver string) (last lastRun, like bool) {
	if !rd.good || rd.differs[rd.t.at] {
		return last, false
	}
	last = rd.last[solver]
	like = last.track == rd.row.Track
	for _, x := range rd.varying {
		like = like && (!x.ofSolver || x.at == rd.solver || rd.t.values(x.at).Alike(rd.t.at, last.at))
	}
	return last, like
}

// add adds the row to the runs. The data of the solver have not been read if the row is like an earlier one.
func (rd *runReader) add(b *score.Builder, solver string, like bool) {
	for _, x := range rd.varying {
		if like && x.ofSolver {
			rd.parser.set(x)
		}
	}
	if err := b.Add(&rd.row); err != nil {
		rd.parser.fail(err)
		return
	}
	rd.last[solver] = lastRun{rd.t.at, rd.row.Track, b.LastSolver()}
}

// startBatch finds the rows of a batch in which each field can change.
func (rd *runReader) startBatch() {
	rd.varying, rd.differs, rd.last = rd.varying[:0], rd.t.marks(rd.differs), map[string]lastRun{}
	for _, x := range rd.fields {
		if !slices.ContainsFunc(x.of, func(i int) bool { return !rd.t.constant(i) }) {
			continue
		}
		rd.varying = append(rd.varying, x)
		x.changed = rd.t.marks(x.changed)
		for _, i := range x.of {
			if i >= 0 {
				rd.t.values(i).MarkChanges(x.changed)
			}
		}
		for i, changed := range x.changed {
			rd.differs[i] = rd.differs[i] || changed && !x.ofSolver && !x.ofRun
		}
	}
}

// needed reports missing values that the track requires.
func (rd *runReader) needed(f *fieldReader) {
	for _, name := range trackNeeds[rd.kind] {
		at := rd.t.column(name)
		switch {
		case at < 0:
			f.fail(fmt.Errorf("the track %s needs the column %s, which the table lacks", rd.row.Track, name))
		case f.empty(at) && (rd.incremental() || name == "n_assertions" && !f.empty(rd.t.column("core_size"))):
			f.fail(fmt.Errorf("column %s is empty; track %s needs it", name, rd.row.Track))
		case f.empty(at) && name == "validation" && rd.row.Answer == string(comp.AnswerSat):
			f.fail(errors.New("column validation is empty; the model of an answer sat is VALID, INVALID or UNKNOWN"))
		}
	}
}

// division returns the row's division or, for verdicts, its logic's division.
func (rd *runReader) division(f *fieldReader, at int) string {
	if rd.divide != nil && (rd.always || rd.verdicts && f.t.get(at) == "") {
		return rd.divide.Of(rd.row.Track, rd.row.Logic)
	}
	return f.need(at, "division")
}

func (rd *runReader) track(f *fieldReader) (track string) {
	text := f.need(rd.t.column("track"), "track")
	if text == "" {
		return ""
	}
	var err error
	track, rd.kind, err = rd.kinds.Parse(text)
	f.fail(err)
	return track
}

// incremental reports whether the row belongs to an incremental track.
func (rd *runReader) incremental() bool { return rd.kind == comp.Incremental }

// status reads the known status. Benchmarks in the incremental track have many statuses, so theirs can be empty.
func (rd *runReader) status(f *fieldReader, at int) string {
	if rd.verdicts {
		return f.text(at, "status")
	}
	if rd.t.get(at) == "" && rd.incremental() {
		return "unknown"
	}
	return f.word(at, "status", statuses)
}
