package score

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Row is a run in the format for scoring. Its strings may point into a larger buffer; the Builder copies the strings
// that it keeps, once per distinct value.
type Row struct {
	run.Identity // Track as printed by comp.Track; Benchmark must be unique within its division
	run.Subject  // Family is used only if it is new; Status is "incremental" if the official files say so
	run.Entrant
	SolverID string // distinguishes two entries with the same name; empty otherwise
	Wall     Time   `parquet:"wall_s"`
	CPU      Time   `parquet:"cpu_s"` // -1: not recorded
	Rest
}

// Rest holds the data that successive runs in a track usually share.
type Rest struct {
	Limit      Time  `parquet:"T"` // wall time limit
	Cores      int64 `parquet:"m"`
	run.Judged       // Details is not set
	Recorded
	Value Value
}

// Recorded holds a run's data in the organisers' files, apart from raw measurements. Rule sets see its columns, and
// those of Judged, as fields of runs.
type Recorded struct {
	Correct            int64  `parquet:"recorded_n"` // NoCorrect: not recorded; negative for a core larger than the recorded assertions
	Error              int64  `parquet:"recorded_e"` // -1: not recorded, as in the next two fields
	Wrong              int64  `parquet:"recorded_wrong"`
	Total              int64  `parquet:"recorded_total"`
	RunStatus          string `parquet:"run_status"`
	ValidatorStatus    string `parquet:"validator_status"`
	ValidatorError     string `parquet:"validator_error"`
	ValidatorException string `parquet:"validator_exception"`
	JobSet             string `parquet:"job_set"`
	Excluded           bool   `parquet:"excluded"`
}

// NoRecord is the Recorded of a run that is not in the organisers' files.
var NoRecord = Recorded{Correct: NoCorrect, Error: -1, Wrong: -1, Total: -1}

// NoCorrect is the value of Recorded.Correct if the number was not recorded.
const NoCorrect = math.MinInt64

// Benchmark is a division's benchmark.
type Benchmark struct {
	run.Subject        // Family is empty unless it is new
	Name        string `parquet:"name"`
	Logic       string `parquet:"logic"`
	Limit       Time   // largest T among its runs
	Cores       int64  // largest m among its runs
	group       int32  // index into Track.groups
	assertions  int64  // N of an unsat-core benchmark
	checks      int64  // number of check-sats of an incremental benchmark
}

// Solver is an entrant in one track.
type Solver struct {
	Name string `parquet:"name"`
	ID   string
	run.Entrant
}

// group is a logic within a division.
type group struct{ division, logic string }

// Track holds a track's runs in columns. Row i of every column is one run.
type Track struct {
	Name       string
	Benchmarks []Benchmark
	Solvers    []Solver
	groups     []group

	benchmark []int32
	solver    []int32
	wall, cpu []Time
	noCPU     bool // whether some CPU times were not recorded; they are stored as zero
	answer    table.Dictionary
	rest      []int32 // indices into rests
	rests     []Rest  // data without answers, shared by successive runs; see restOf

	ran     map[entry]bool // entries that have a run; built by Has
	entered []entry        // logics that solvers entered without a run

	benchmarkIDs map[benchmarkKey]int32 // IDs of the first few benchmarks; see index
	unordered    bool                   // whether the benchmarks' names are not in ascending order
	solverIDs    map[solverKey]int32
	groupIDs     map[group]int32
	pairs        bitTable
	lastDiv      string
	lastName     string
	lastID       int32
	words        map[string]string
	limits       map[string]limits // limits by division: those of its first benchmark
	names        map[nameKey]string
	spaced       map[benchmarkKey]string // benchmark names that contain blanks, by the name without them
}

// limits holds the limits shared by all of a division's runs.
type limits struct {
	T     Time
	cores int64
}

type benchmarkKey struct{ division, name string }
type solverKey struct{ name, id string }

// entry records that a solver entered a division's logic.
type entry struct{ group, solver int32 }

// Len returns the number of runs.
func (t *Track) Len() int { return len(t.solver) }

// Each calls yield for every run with its benchmark, its solver, the recorded answer, and the CPU time.
func (t *Track) Each(yield func(b *Benchmark, s *Solver, answer string, cpu Time) bool) {
	for i := range t.solver {
		if !yield(&t.Benchmarks[t.benchmark[i]], &t.Solvers[t.solver[i]], t.answer.At(i), t.cpu[i]) {
			return
		}
	}
}

// NoCPU reports whether some runs' CPU times were not recorded, which makes sums meaningless.
func (t *Track) NoCPU() bool { return t.noCPU }

// Runs is the input for scoring: the runs of every track, with tracks in order of their first occurrence.
type Runs struct {
	Tracks []*Track
	byName map[string]*Track
}

// Has reports whether a track has runs.
func (r *Runs) Has(track string) bool { return r.byName[track] != nil }

// Len returns the number of runs in all tracks.
func (r *Runs) Len() int {
	n := 0
	for _, t := range r.Tracks {
		n += t.Len()
	}
	return n
}

// Builder collects rows. The zero Builder is ready for use.
type Builder struct {
	// Duplicates accepts several runs of a solver on a benchmark, as in the organisers' files of 2022. All of them
	// count.
	Duplicates bool
	// KeepFirst keeps only the first of several runs of a solver on a benchmark.
	KeepFirst bool
	// Expected is the approximate number of the first track's rows.
	Expected int

	runs Runs
	last *Track // track of the last row
}

// Runs returns the added runs. The Builder must not be used afterwards.
func (b *Builder) Runs() *Runs { return &b.runs }

// Add appends a run. It reports every contradiction between the row and an earlier one: a different T or m in the
// division; a different status, logic, category or number of assertions for the benchmark; a different team, base or
// competitiveness for the solver; a name that differs from an earlier one only in blanks; or a second run of the same
// solver on the same benchmark.
func (b *Builder) Add(row *Row) error {
	t := b.track(row.Track)
	id, old := t.findBenchmark(row)
	solver, known := t.solverIDs[solverKey{row.Solver, row.SolverID}]
	var errs []error
	if old {
		errs = t.Benchmarks[id].agrees(row)
	}
	if known {
		errs = append(errs, t.Solvers[solver].agrees(row)...)
	}
	if !b.Duplicates { // accept the organisers' files as they are
		errs = append(errs, t.disagrees(row, id, old, known)...)
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	if !old {
		id = t.newBenchmark(row)
	}
	if !known {
		solver = t.newSolver(row)
	}
	if bench := &t.Benchmarks[id]; old {
		bench.Limit, bench.Cores = max(bench.Limit, row.Limit), max(bench.Cores, row.Cores)
	}
	if t.pairs.set(int(id), int(solver)) {
		switch {
		case b.KeepFirst:
			return nil
		case !b.Duplicates:
			return fmt.Errorf("solver %s has a second run on benchmark %s of division %s", row.Solver, row.Benchmark,
				row.Division)
		}
	}
	t.append(row, id, solver)
	return nil
}

// LastSolver returns the index of the last added run's solver in its track.
func (b *Builder) LastSolver() int32 { return b.last.solver[b.last.Len()-1] }

// AddLike appends a run on the last run's benchmark, with its limits, by a solver that has an earlier run in the track
// with the same data. It ignores the row's benchmark and solver. It returns false if Add must look at the row.
func (b *Builder) AddLike(solver int32, row *Row) bool {
	t := b.last
	if t.pairs.set(int(t.lastID), int(solver)) {
		return false
	}
	t.append(row, t.lastID, solver)
	return true
}

// Has reports whether a solver has a run in a logic.
func (b *Builder) Has(track, division, logic, solver string) bool {
	t := b.runs.byName[track]
	if t == nil {
		return false
	}
	g, ok := t.groupIDs[group{division, logic}]
	if !ok {
		return false
	}
	if t.ran == nil {
		t.ran = map[entry]bool{}
		for i, bench := range t.benchmark {
			t.ran[entry{t.Benchmarks[bench].group, t.solver[i]}] = true
		}
	}
	for key, id := range t.solverIDs {
		if key.name == solver && t.ran[entry{g, id}] {
			return true
		}
	}
	return false
}

// Select adds a benchmark that counts although no solver ran on it. It uses only the row's benchmark data, which must
// agree with any earlier data.
func (b *Builder) Select(row *Row) error {
	t := b.track(row.Track)
	if id, old := t.findBenchmark(row); old {
		return errors.Join(t.Benchmarks[id].agrees(row)...)
	}
	t.newBenchmark(row)
	return nil
}

// Enter records that a solver entered a logic in which it has no run. It is a no-op for a logic without any runs.
func (b *Builder) Enter(track, division, logic string, s Solver) {
	t := b.track(track)
	g, ok := t.groupIDs[group{division, logic}]
	if !ok {
		return
	}
	id, ok := t.solverIDs[solverKey{s.Name, s.ID}]
	if !ok {
		id = int32(len(t.Solvers))
		t.Solvers = append(t.Solvers, s)
		t.solverIDs[solverKey{s.Name, s.ID}] = id
	}
	t.entered = append(t.entered, entry{g, id})
}

func (b *Builder) track(name string) *Track {
	if b.last != nil && b.last.Name == name { // as in nearly every row
		return b.last
	}
	b.last = b.runs.byName[name]
	if b.last != nil {
		return b.last
	}
	t := &Track{
		Name:         strings.Clone(name),
		benchmarkIDs: map[benchmarkKey]int32{},
		solverIDs:    map[solverKey]int32{},
		groupIDs:     map[group]int32{},
		words:        map[string]string{},
	}
	if b.runs.byName == nil {
		b.runs.byName = map[string]*Track{}
		t.benchmark, t.solver = make([]int32, 0, b.Expected), make([]int32, 0, b.Expected)
		t.wall, t.cpu = make([]Time, 0, b.Expected), make([]Time, 0, b.Expected)
		t.answer.Codes, t.rest = make([]int32, 0, b.Expected), make([]int32, 0, b.Expected)
	}
	b.runs.byName[t.Name] = t
	b.runs.Tracks = append(b.runs.Tracks, t)
	b.last = t
	return t
}

// word returns a shared copy of a string in a column with few distinct values.
func (t *Track) word(s string) string {
	if s == "" {
		return ""
	}
	if w, ok := t.words[s]; ok {
		return w
	}
	w := strings.Clone(s)
	t.words[w] = w
	return w
}

// findBenchmark returns a row's benchmark if it is already known.
func (t *Track) findBenchmark(row *Row) (id int32, found bool) {
	if len(t.Benchmarks) > 0 && row.Benchmark == t.lastName && row.Division == t.lastDiv {
		return t.lastID, true
	}
	if n := len(t.Benchmarks); !t.unordered && (n == 0 || row.Benchmark > t.Benchmarks[n-1].Name) {
		return 0, false
	}
	t.index()
	if id, found = t.benchmarkIDs[benchmarkKey{row.Division, row.Benchmark}]; found {
		t.lastID, t.lastName, t.lastDiv = id, t.Benchmarks[id].Name, t.Benchmarks[id].Division
	}
	return id, found
}

// index adds all benchmarks to benchmarkIDs, which is not needed while the benchmarks' names ascend.
func (t *Track) index() {
	for id := len(t.benchmarkIDs); id < len(t.Benchmarks); id++ {
		b := &t.Benchmarks[id]
		t.benchmarkIDs[benchmarkKey{b.Division, b.Name}] = int32(id)
	}
}

// agrees reports differences between a row and its benchmark's earlier data.
func (b *Benchmark) agrees(row *Row) (errs []error) {
	for _, f := range [...]struct{ what, old, new string }{
		{"status", b.Status, row.Status}, {"logic", b.Logic, row.Logic}, {"category", b.Category, row.Category},
		{"new family", b.Family, row.newFamily()},
	} {
		if f.old != f.new {
			errs = append(errs, fmt.Errorf("benchmark %s of division %s has the %s %q here and %q in an earlier row",
				b.Name, b.Division, f.what, f.new, f.old))
		}
	}
	return errs
}

// newFamily returns a benchmark's family if it is new this year.
func (r *Row) newFamily() string {
	if r.New {
		return r.Family
	}
	return ""
}

func (t *Track) newBenchmark(row *Row) int32 {
	id := int32(len(t.Benchmarks))
	b := Benchmark{Name: strings.Clone(row.Benchmark), Logic: t.word(row.Logic), Subject: row.Subject, Limit: row.Limit,
		Cores: row.Cores, assertions: row.Assertions, checks: row.Checks}
	b.Family = row.newFamily()
	t.own(reflect.ValueOf(&b.Subject).Elem())
	b.group = t.groupOf(group{b.Division, b.Logic})
	if t.limits == nil {
		t.limits = map[string]limits{}
	}
	t.limits[b.Division] = limits{b.Limit, b.Cores}
	t.unordered = t.unordered || id > 0 && b.Name <= t.Benchmarks[id-1].Name
	t.Benchmarks = append(table.Grow(t.Benchmarks, 1), b)
	t.lastID, t.lastName, t.lastDiv = id, b.Name, b.Division
	return id
}

// groupOf returns a group's index, which is usually that of the last benchmark's group.
func (t *Track) groupOf(g group) int32 {
	if n := len(t.Benchmarks); n > 0 && t.groups[t.Benchmarks[n-1].group] == g {
		return t.Benchmarks[n-1].group
	}
	id, ok := t.groupIDs[g]
	if !ok {
		id = int32(len(t.groups))
		t.groupIDs[g] = id
		t.groups = append(t.groups, g)
	}
	return id
}

// agrees reports differences between a row and its solver's earlier data.
func (s *Solver) agrees(row *Row) (errs []error) {
	if s.Entrant == row.Entrant {
		return nil
	}
	old, now := reflect.ValueOf(s.Entrant), reflect.ValueOf(row.Entrant)
	for i := range old.NumField() {
		if a, b := old.Field(i), now.Field(i); !a.Equal(b) {
			errs = append(errs, fmt.Errorf("solver %s has the %s %#v here and %#v in an earlier row", s.Name,
				columnOf(old.Type().Field(i)), b, a))
		}
	}
	return errs
}

// columnOf returns the column name of a field.
func columnOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
	return name
}

func (t *Track) newSolver(row *Row) int32 {
	id := int32(len(t.Solvers))
	s := Solver{Name: strings.Clone(row.Solver), ID: strings.Clone(row.SolverID), Entrant: row.Entrant}
	t.own(reflect.ValueOf(&s.Entrant).Elem())
	t.Solvers = append(t.Solvers, s)
	t.solverIDs[solverKey{s.Name, s.ID}] = id
	return id
}

// own replaces a struct's strings with the track's copies.
func (t *Track) own(fields reflect.Value) {
	for i := range fields.NumField() {
		switch f := fields.Field(i); f.Kind() {
		case reflect.Struct:
			t.own(f)
		case reflect.String:
			f.SetString(t.word(f.String()))
		}
	}
}

func (t *Track) append(row *Row, benchmark, solver int32) {
	answer := row.Answer
	row.Answer = ""
	rest := t.restOf(row)
	row.Answer = answer
	t.noCPU = t.noCPU || row.CPU < 0
	t.add(benchmark, solver, answer, row.Wall, max(row.CPU, 0), rest)
}

// restOf returns the index of a row's rest, shared with a recent row if possible.
func (t *Track) restOf(row *Row) int32 {
	const recent = 8
	n := len(t.rests)
	for i := n - 1; i >= max(0, n-recent); i-- {
		if t.rests[i] == row.Rest {
			return int32(i)
		}
	}
	t.rests = append(table.Grow(t.rests, 1), row.Rest)
	t.own(reflect.ValueOf(&t.rests[n]).Elem())
	return int32(n)
}

// restAt returns the rest of run i.
func (t *Track) restAt(i int) *Rest { return &t.rests[t.rest[i]] }

func (t *Track) add(benchmark, solver int32, answer string, wall, cpu Time, rest int32) {
	t.benchmark = append(table.Grow(t.benchmark, 1), benchmark)
	t.solver = append(table.Grow(t.solver, 1), solver)
	t.wall = append(table.Grow(t.wall, 1), wall)
	t.cpu = append(table.Grow(t.cpu, 1), cpu)
	t.answer.Append(answer)
	t.rest = append(table.Grow(t.rest, 1), rest)
}

// bitTable is a growing bit matrix with one row per benchmark and one column per solver.
type bitTable struct {
	width int // number of words per row
	words []uint64
}

// set sets a bit and reports whether it was already set.
func (b *bitTable) set(row, col int) bool {
	if col/64 >= b.width {
		b.widen(col/64 + 1)
	}
	if more := (row+1)*b.width - len(b.words); more > 0 {
		b.words = append(table.Grow(b.words, more), make([]uint64, more)...)
	}
	word, bit := &b.words[row*b.width+col/64], uint64(1)<<(col%64)
	was := *word&bit != 0
	*word |= bit
	return was
}

func (b *bitTable) widen(width int) {
	var words []uint64
	for ; len(b.words) > 0; b.words = b.words[b.width:] {
		words = append(append(words, b.words[:b.width]...), make([]uint64, width-b.width)...)
	}
	b.width, b.words = width, words
}
