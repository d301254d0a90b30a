package record

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// eachFile calls fn for each file inside a file that may be compressed or an archive. It ignores files that macOS adds
// to archives.
func eachFile(name string, fn func(member string, in *bufio.Reader) error) error {
	unpacked, err := compressed.Open(name)
	if err != nil {
		return err
	}
	defer unpacked.Close()
	in := bufio.NewReaderSize(unpacked, 64<<10)
	const magic, at = "ustar", 257
	if head, _ := in.Peek(at + len(magic)); len(head) < at+len(magic) || string(head[at:]) != magic {
		if err := fn(name, in); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	for archive := tar.NewReader(in); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if h.Typeflag != tar.TypeReg || strings.HasPrefix(path.Base(h.Name), "._") {
			continue
		}
		if err := fn(h.Name, bufio.NewReaderSize(archive, 64<<10)); err != nil {
			return fmt.Errorf("%s: %s: %w", name, h.Name, err)
		}
	}
}

// Table is a file with a track's results.
type Table struct {
	File   string
	Member string // member of an archive with several tracks; empty means the whole file
}

// each calls fn for each file of the table.
func (t Table) each(fn func(member string, in *bufio.Reader) error) error {
	return eachFile(t.File, func(member string, in *bufio.Reader) error {
		if t.Member != "" && t.Member != member {
			return nil
		}
		return fn(member, in)
	})
}

// errEnough stops reading a file.
var errEnough = errors.New("enough")

// isResults reports whether the first file inside a file is a StarExec or BenchExec table.
func isResults(name string) (is bool, err error) {
	err = eachFile(name, func(_ string, in *bufio.Reader) error {
		if is, err = isTable(in); err != nil {
			return err
		}
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return is, err
}

// isTable reports whether in starts with a StarExec or BenchExec table.
func isTable(in *bufio.Reader) (bool, error) {
	head, err := in.Peek(64 << 10)
	if err != nil && err != io.EOF {
		return false, err
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return intake.IsStarExec(line) || isBenchExec(head), nil
}

// isBenchExec reports whether a file's first bytes are those of BenchExec's XML.
func isBenchExec(head []byte) bool {
	return bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head, []byte("<result ")) &&
		bytes.Contains(head, []byte("benchmarkname="))
}

// Runs describes how to convert a track's runs to those of official results.
type Runs struct {
	Track  string
	Names  map[string]string         // solver names that differ in the tables
	Divide func(logic string) string // returns a logic's division
	// Benchmarks is the organisers' list, which numbers BenchExec's tasks and states their statuses; it may be empty.
	Benchmarks string
}

// runColumns are the columns of runs.csv in official results.
var runColumns = []string{"benchmark", "logic", "division", "solver", "competitive", "status", "answer", "n_correct",
	"n_total", "wrong", "error", "wall_s", "cpu_s", "run_status", "solver_id", "model_validator_status",
	"model_validator_error", "model_validator_exception"}

// converter converts runs in StarExec or BenchExec tables to runs of official results.
type converter struct {
	*Material
	*Runs
	emit      func(cells map[string]string) error // receives a run, keyed by the names in runColumns
	competing map[string]bool                     // solvers named on the track's pages, and whether they compete
	checks    map[string]string
	originals map[string]string
	statuses  map[string]string
	library   map[string]string // statuses of benchmarks that StarExec or BenchExec numbers
	mapping   *intake.Mapping   // resolves benchmark numbers; nil if not needed
	decided   map[string]string
	excluded  map[string]bool
	seen      map[string]bool
	left      map[string]int // numbers of runs of all other solvers
}

// WriteRuns writes a track's runs as a runs.csv of official results. The pages state who competes. Runs of solvers that
// no page of the track names are omitted, with a note. seen contains the divisions and logics that have runs.
func (m *Material) WriteRuns(w io.Writer, r *Runs) (seen map[string]bool, notes []string, err error) {
	out := csv.NewWriter(w)
	if err := out.Write(runColumns); err != nil {
		return nil, nil, err
	}
	line := make([]string, len(runColumns))
	seen, notes, err = m.convert(r, func(cells map[string]string) error {
		for i, name := range runColumns {
			line[i] = cells[name]
		}
		return out.Write(line)
	})
	out.Flush()
	return seen, notes, errors.Join(err, out.Error())
}

// convert calls emit for each of a track's runs.
func (m *Material) convert(r *Runs, emit func(map[string]string) error) (seen map[string]bool, notes []string,
	err error) {
	c := converter{Material: m, Runs: r, emit: emit, competing: map[string]bool{}, seen: map[string]bool{},
		left: map[string]int{}}
	for _, p := range m.Pages[r.Track] {
		for name, r := range p.solvers() {
			c.competing[name] = c.competing[name] || r.Competing
		}
	}
	var errs [6]error
	c.checks, errs[0] = readPairs(m.Checks, 0, 1)
	c.originals, errs[1] = readPairs(m.Originals[r.Track], 1, 0)
	if pairs := m.Pairs[r.Track]; pairs != "" {
		c.originals, errs[1] = readPairs(pairs, 1, 2)
	}
	c.statuses, errs[2] = readPairs(m.Statuses[r.Track], 0, 1)
	c.decided, errs[3] = readPairs(m.Decided, 0, 1)
	c.excluded, errs[4] = m.readExcluded()
	errs[5] = c.readLibrary()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, nil, err
	}
	for _, table := range m.Results[r.Track] {
		if err := c.read(table); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.left)) {
		notes = append(notes, fmt.Sprintf("%s: results of %s, which no page of the track names, are left out (%d)",
			r.Track, name, c.left[name]))
	}
	return c.seen, notes, nil
}

// read reads a results table.
func (c *converter) read(t Table) error {
	source := intake.Source{Year: c.Year, Mapping: c.mapping}
	return t.each(func(member string, in *bufio.Reader) error {
		head, _ := in.Peek(64 << 10) // the next read repeats any error
		if isBenchExec(head) {
			return c.readBenchExec(t.File)
		}
		source.Solver = strings.TrimPrefix(intake.SolverOf(cmp.Or(member, t.File)), c.Track+"-")
		return intake.StarExecColumns(in, source, c.take)
	})
}

// readBenchExec reads a BenchExec table. The table lacks the solvers' outputs, which decide the results of some tracks.
func (c *converter) readBenchExec(name string) error {
	track, err := comp.ParseTrack(strings.ReplaceAll(c.Track, "-", "_"))
	if err != nil {
		return err
	}
	if !slices.Contains([]comp.Track{comp.SingleQuery, comp.Cloud, comp.Parallel}, track) {
		return fmt.Errorf("%s: a table of BenchExec has no judged results of the track %s; import it with its logs", name,
			c.Track)
	}
	source := intake.Source{Year: c.Year, Track: track, Mapping: c.mapping}
	return intake.EachRun(name, source, func(row *results.HistoryRow) error {
		return c.take(row, func(column string) string {
			switch column {
			case "wallclock time":
				return decimal(float64(row.WallTimeS))
			case "cpu time":
				return decimal(float64(row.CPUTimeS))
			case "status":
				return row.Result
			}
			return ""
		})
	})
}

// readLibrary reads the files that resolve benchmark numbers in tables of a single solver and in BenchExec tables.
func (c *converter) readLibrary() error {
	c.library = map[string]string{}
	numbered, ofBenchExec := false, false
	for _, table := range c.Results[c.Track] {
		err := table.each(func(_ string, in *bufio.Reader) error {
			head, _ := in.Peek(64 << 10) // the next read repeats any error
			line, _, _ := bytes.Cut(head, []byte("\n"))
			numbered, ofBenchExec = numbered || intake.IsOfSolver(line), ofBenchExec || isBenchExec(head)
			return errEnough
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	if !numbered && !ofBenchExec {
		return nil
	}
	c.mapping = &intake.Mapping{}
	if ofBenchExec && c.Benchmarks != "" {
		return c.readList()
	}
	for _, name := range []string{c.Spaces, c.Expected} {
		if name == "" {
			continue
		}
		err := eachFile(name, func(_ string, in *bufio.Reader) error { return c.mapping.ReadUnpacked(in) })
		if err != nil {
			return err
		}
	}
	if c.Library == "" {
		return nil
	}
	return eachFile(c.Library, func(member string, in *bufio.Reader) error {
		if !strings.HasSuffix(member, "_all_assertions.csv") {
			return nil
		}
		return addPairs(c.library, in, 0, 2)
	})
}

// readList reads the organisers' list of benchmarks.
func (c *converter) readList() error {
	var incremental, others []string
	_, err := intake.Benchmarks(c.Benchmarks, func(b *intake.Benchmark) error {
		_, path, _ := comp.LibraryPath(b.Path)
		if b.Incremental {
			incremental = append(incremental, b.Path)
		} else {
			others = append(others, b.Path)
			c.library[path] = b.Status
		}
		return nil
	})
	for i, path := range append(others, incremental...) {
		c.mapping.AddBenchmark(i, path)
	}
	return err
}

// take writes a run.
func (c *converter) take(row *results.HistoryRow, column func(string) string) error {
	solver := c.nameOf(row.Solver, column)
	competing, listed := c.competing[solver]
	if !listed {
		c.left[solver]++
		return nil
	}
	_, benchmark, _ := comp.LibraryPath(row.Benchmark)
	original, ok := c.originals[benchmark]
	if len(c.originals) > 0 && !ok {
		return nil // second name of a benchmark that was selected twice
	}
	benchmark = cmp.Or(original, benchmark)
	if c.excluded[comp.Collection(strings.Contains(c.Track, "incremental"))+"/"+benchmark] {
		return nil
	}
	answer, wall := answerOf(row), column("wallclock time")
	if strings.ContainsAny(wall, "ETR") { // TIMEOUT, CRASHED or PARSE_ERROR, which the year's rules convert to times
		answer, wall = wall, "0"
	}
	cells := map[string]string{
		"benchmark": benchmark, "logic": row.Logic, "division": c.Divide(row.Logic), "solver": solver,
		"competitive": strconv.FormatBool(competing), "answer": answer,
		"status":  cmp.Or(c.decided[benchmark], row.Status, c.statuses[benchmark], c.library[benchmark]),
		"n_total": c.checks[benchmark], "wall_s": wall, "cpu_s": column("cpu time"),
		"run_status": column("status"), "solver_id": column("solver id"),
	}
	for _, name := range runColumns[len(runColumns)-3:] {
		cells[name] = column(name)
	}
	stamps(cells, column)
	c.seen[row.Logic], c.seen[cells["division"]] = true, true
	return c.emit(cells)
}

// nameOf returns a solver's name on pages, found by configuration, by ID, or from the year's rules.
func (c *converter) nameOf(solver string, column func(string) string) string {
	for _, id := range []string{column("configuration id"), column("solver id"), solver} {
		if name, ok := c.Material.Names[id]; ok {
			return name
		}
	}
	return cmp.Or(c.Runs.Names[solver], solver)
}

// answerOf returns a run's answer or, if there is none, how the run ended.
func answerOf(row *results.HistoryRow) string {
	switch {
	case comp.Status(row.Answer).Known():
		return row.Answer
	case strings.HasPrefix(row.Result, "timeout"):
		return "timeout"
	case row.Result == "memout":
		return "memout"
	}
	return "unknown"
}

// stamps fills in the cells that the track's post-processor recorded.
func stamps(cells map[string]string, column func(string) string) {
	number := func(name string) string {
		if s := column(name); s != "-" {
			return s
		}
		return ""
	}
	switch {
	case column("correct-answers") != "":
		cells["status"], cells["answer"] = "incremental", "incremental"
		cells["wrong"], cells["error"], cells["n_correct"] = number("wrong-answers"), "0", number("correct-answers")
		if n := cells["wrong"]; n != "" && n != "0" {
			cells["n_correct"], cells["error"] = "0", "1"
		}
	case column("reduction") != "":
		cells["n_correct"], cells["error"] = number("reduction"), number("result-is-erroneous")
		cells["n_total"] = number("number-of-assert-commands")
	}
}

// readExcluded returns the removed benchmarks, including the folder of their collection.
func (m *Material) readExcluded() (map[string]bool, error) {
	all := map[string]bool{}
	for _, name := range m.Excluded {
		err := eachFile(name, func(member string, in *bufio.Reader) error {
			collection := comp.Collection(!strings.Contains(member, "nonincremental"))
			lines := bufio.NewScanner(limits.Table.Reader(in))
			for lines.Scan() {
				if _, path, ok := comp.LibraryPath(lines.Text()); ok {
					if strings.HasPrefix(lines.Text(), "non-incremental/") {
						collection = comp.Collection(false)
					} else if strings.HasPrefix(lines.Text(), "incremental/") {
						collection = comp.Collection(true)
					}
					all[collection+"/"+path] = true
				}
			}
			return lines.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readPairs reads two columns of a table: a key and its value. Benchmark names become library paths. If the value's
// column precedes the key's, only the first key of each value counts.
func readPairs(name string, key, value int) (map[string]string, error) {
	pairs := map[string]string{}
	if name == "" {
		return pairs, nil
	}
	return pairs, eachFile(name, func(_ string, in *bufio.Reader) error { return addPairs(pairs, in, key, value) })
}

func addPairs(pairs map[string]string, in io.Reader, key, value int) error {
	seen := map[string]bool{}
	for rows := limits.Table.CSV(in); ; {
		row, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(row) <= max(key, value) {
			line, _ := rows.FieldPos(0)
			return &comp.LineError{Line: line, Err: fmt.Errorf("it has %d columns; at least %d are needed", len(row),
				max(key, value)+1)}
		}
		for i := range row {
			row[i] = comp.FromLogic(row[i])
		}
		if key <= value || !seen[row[value]] {
			pairs[row[key]] = row[value]
		}
		if key > value {
			seen[row[value]] = true
		}
	}
}
