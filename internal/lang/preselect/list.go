package preselect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// List is a list of benchmarks with their data from other files.
type List struct {
	Tables
	Paths   []string // locations in the release, in list order
	Logics  []string // logic of each benchmark in the list
	Columns []string // the list's columns with data about benchmarks

	track   comp.Track
	names   map[string]string // names in the list that differ from the location, by location
	rows    *results.Builder[results.BenchmarkRow]
	library map[string]int
	says    []results.HistoryRow // answers from the list or the status table
}

// Marks holds data from other files about a list's benchmarks, by comp.LibraryPath.
type Marks struct {
	New       map[string]bool // whether each benchmark is new this year
	NewPrefix string          // prefix of families whose benchmarks also count as new; empty: none
	Status    map[string]selection.StatusLine
}

// ReadList reads a track's list of benchmarks, in any format that package intake supports. Finish completes it.
func ReadList(file string, track comp.Track, marks Marks) (*List, error) {
	l := &List{track: track, names: map[string]string{}, rows: results.NewBuilder[results.BenchmarkRow](),
		library: map[string]int{}}
	var err error
	l.Columns, err = intake.Benchmarks(file, func(b *intake.Benchmark) error { return l.add(b, &marks) })
	if err != nil {
		return nil, err
	}
	if marks.Status != nil {
		l.Columns = append(l.Columns, "status", "asserts")
	}
	l.Benchmarks, err = l.rows.Table()
	return l, err
}

// add adds a benchmark.
func (l *List) add(b *intake.Benchmark, marks *Marks) error {
	if l.track == comp.Incremental && !strings.Contains(b.Named, "incremental/") {
		b.Incremental = true // in a list without collection folders, benchmarks belong to the track's collection
	}
	library := comp.FromLogic(b.Path)
	if _, _, known := comp.LibraryPath(b.Path); known {
		b.Path = comp.Collection(b.Incremental) + "/" + library
	}
	if b.Path != b.Named {
		l.names[b.Path] = b.Named
	}
	b.Logic = b.Division
	b.New = b.New || marks.New[library] || marks.NewPrefix != "" && strings.HasPrefix(b.Family, marks.NewPrefix)
	if line, ok := marks.Status[library]; ok {
		b.Status, b.Asserts = string(line.Status), int64(line.Asserts)
		b.SaysSat, b.SaysUnsat = b.SaysSat || line.Sat > 0, b.SaysUnsat || line.Unsat > 0
	}
	if !b.Incremental && !comp.Status(b.Status).Known() {
		b.Status = string(comp.StatusUnknown)
	}
	if b.Statuses == "" && b.KnownPrefix >= 0 {
		b.Statuses = statusesOf(b.KnownPrefix)
	}
	l.Paths, l.Logics = append(l.Paths, b.Path), append(l.Logics, b.Logic)
	if l.track == comp.IndustryChallenge || b.Incremental == (l.track == comp.Incremental) {
		l.library[b.Logic]++
	}
	if b.Retired != "" {
		l.Retired = append(l.Retired, results.UnfitRow{Benchmark: b.Path, Logic: b.Logic, Reason: b.Retired})
	}
	l.addAnswers(b)
	l.rows.Append(&b.BenchmarkRow)
	return l.measure(b)
}

// statusesOf returns the given number of check-sats of known status, followed by one of unknown status.
func statusesOf(known int) string {
	if known == 0 {
		return "unknown"
	}
	return fmt.Sprintf("sat*%d,unknown", known)
}

// addAnswers adds answers without runs. Their status is set to unknown, because a solver must not be judged by its own
// answers.
func (l *List) addAnswers(b *intake.Benchmark) {
	if comp.Status(b.Status).Known() {
		return
	}
	for _, said := range []struct {
		holds  bool
		answer comp.Answer
	}{{b.SaysSat, comp.AnswerSat}, {b.SaysUnsat, comp.AnswerUnsat}} {
		if said.holds {
			l.says = append(l.says, runOf(b.Path, b.Logic, "who says "+string(said.answer), said.answer))
		}
	}
}

func runOf(path, logic, solver string, answer comp.Answer) results.HistoryRow {
	return results.HistoryRow{
		Identity: run.Identity{Benchmark: path, Track: comp.SingleQuery.String(), Solver: solver, Logic: logic},
		Year:     ThisYear, Answer: string(answer), Result: string(answer), Answers: -1,
	}
}

// measure converts a difficulty, or the numbers behind it, to runs, some of which solved the benchmark.
//
// Source: SMT-COMP 2008 rules, §4: for a difficulty d from 0 to 5, 5 - d of 5 solvers solved it.
func (l *List) measure(b *intake.Benchmark) error {
	const grades = 5
	switch {
	case b.Total == 0 && b.Difficulty < 0:
		return nil
	case b.Total == 0:
		b.Solved, b.Total = grades-b.Difficulty, grades
	}
	if b.Solved < 0 || b.Solved > b.Total {
		return fmt.Errorf("%s: %d of %d solvers solved it; a difficulty must be from 0 "+
			"to %d", b.Named, b.Solved, b.Total, grades)
	}
	for i := range b.Total {
		answer := comp.AnswerUnknown
		if i < b.Solved {
			answer = comp.AnswerSat
		}
		l.Measured = append(l.Measured, runOf(b.Path, b.Logic, fmt.Sprint("solver ", i+1), answer))
	}
	return nil
}

// Retire applies a list of retired benchmarks. An entry that names no benchmark or several benchmarks is an error.
func (l *List) Retire(list []selection.Unfit) error {
	of, err := selection.FindUnfit(list, l.Paths)
	if err != nil {
		return err
	}
	for i, k := range of {
		if k >= 0 {
			l.Retired = slices.DeleteFunc(l.Retired, func(u results.UnfitRow) bool { return u.Benchmark == l.Paths[i] })
			l.Retired = append(l.Retired, results.UnfitRow{Benchmark: l.Paths[i], Logic: l.Logics[i],
				Reason: list[k].Reason})
		}
	}
	return nil
}

// AddHistory adds earlier years' runs.
func (l *List) AddHistory(rows []results.HistoryRow) {
	for i := range rows {
		if _, path, ok := comp.LibraryPath(rows[i].Benchmark); ok {
			rows[i].Benchmark = comp.Collection(false) + "/" + path
		}
	}
	l.History = append(l.History, rows...)
}

// SetAnswers sets the runs of this year's single-query track, including those from the list. It skips benchmarks that
// are not in the list.
func (l *List) SetAnswers(rows []results.HistoryRow) {
	l.Answers = nil
	all := slices.Clone(l.says)
	if len(rows) > 0 {
		listed := make(map[string]string, len(l.Paths))
		for _, path := range l.Paths {
			listed[comp.FromLogic(path)] = path
		}
		for i := range rows {
			if path, ok := listed[comp.FromLogic(rows[i].Benchmark)]; ok {
				rows[i].Benchmark, rows[i].Year = path, ThisYear
				all, l.Recent = append(all, rows[i]), append(l.Recent, rows[i])
			}
		}
	}
	for i := range all {
		if answer := comp.Answer(all[i].Answer); answer.Decides() {
			l.Answers = append(l.Answers, executed(&all[i]))
		}
	}
}

// executed converts an answer to a run that can be judged. Only its answer is known.
func executed(h *results.HistoryRow) results.RunRow {
	const noLimit = 24 * 60 * 60
	return results.RunRow{
		Limits: run.Limits{WallLimitS: noLimit, Cores: 1},
		Identity: run.Identity{Benchmark: h.Benchmark, Solver: h.Solver, Track: comp.SingleQuery.String(),
			Logic: h.Logic},
		Measured: run.Measured{Ending: comp.Exited, AnswerWallTimeS: -1, Isolation: "elsewhere",
			Stdout: h.Answer + "\n", StdoutBytes: int64(len(h.Answer) + 1)},
	}
}

// Name returns the list's name for the benchmark at a location in the release.
func (l *List) Name(path string) string {
	if name, ok := l.names[path]; ok {
		return name
	}
	return path
}

// Library returns the number of benchmarks of a logic that the list contains in the track's collection.
func (l *List) Library(logic string) int { return l.library[logic] }
