package intake

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Benchmark is a benchmark from a list, with all data that selections can use.
type Benchmark struct {
	results.BenchmarkRow        // Path is as in a release; Incremental is set only if the list says so
	Named                string // path as the list writes it
	Division             string // division in 2008, such as AUFLIA+p; the logic if the list contains none
	Difficulty           int    // difficulty in 2008, 0 to 5; -1 if not given
	// Solved and Total are the numbers of solvers that solved the benchmark and that tried, which determine the
	// difficulty. Total is 0 if not given.
	Solved, Total int
	// KnownPrefix is an incremental benchmark's number of check-sats before the first one of unknown status; -1 if not
	// given.
	KnownPrefix        int
	Retired            string // reason why the organisers removed it; empty if they did not
	SaysSat, SaysUnsat bool   // a sound solver gave this answer in this year's single-query track
}

// Benchmarks opens a list of benchmarks and calls fn with each, in file order. fn must not keep the pointer. The file
// is the organisers' benchmarks-YYYY.json, a table benchmarks/1 (Parquet, CSV, JSON lines; path or benchmark is the
// only required column), or a list with one path per line. A CSV table may also contain the columns division,
// difficulty, solved, total, known_prefix, retired, says_sat, says_unsat, and the names that the organisers' tables
// use.
//
// columns lists the columns of the list, always including path and logic. It is known at the first call of fn only for
// a CSV table.
func Benchmarks(path string, fn func(*Benchmark) error) (columns []string, err error) {
	o, err := open(path)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	columns, err = o.benchmarks(path, func(b *Benchmark) error {
		if err := b.complete(); err != nil {
			return err
		}
		return fn(b)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, c := range columns {
		if ours, ok := aliases[c]; ok {
			columns[i] = ours
		}
	}
	return append(columns, "path", "logic"), nil
}

// fresh returns a benchmark without known data.
var fresh = Benchmark{Difficulty: -1, KnownPrefix: -1}

func (o *opened) benchmarks(path string, fn func(*Benchmark) error) ([]string, error) {
	switch o.form {
	case emptyFile:
		return nil, nil
	case plainList:
		return nil, readPlain(o, fn)
	case csvTable:
		return readCSV(o, fresh, benchmarkColumns(), fn)
	case jsonLines:
		return readJSONLines(o, fresh, benchmarkColumns(), fn)
	case parquetTable:
		return parquetBenchmarks(path, fn)
	case jsonObject:
		columns := []string{"family", "name", "incremental", "status", "asserts", "check_sats"}
		b := fresh
		return columns, ReadBenchmarks(o, func(row *results.BenchmarkRow) error {
			b = fresh
			b.BenchmarkRow = *row
			return fn(&b)
		})
	}
	return nil, errors.New("not a list of benchmarks: neither the organisers' JSON nor a table nor a list of paths")
}

func parquetBenchmarks(path string, fn func(*Benchmark) error) (columns []string, err error) {
	for _, c := range results.SchemaOf[results.BenchmarkRow]().Columns {
		columns = append(columns, c.Name)
	}
	return columns, eachParquet(path, func(row *results.BenchmarkRow) error {
		b := fresh
		b.BenchmarkRow = *row
		return fn(&b)
	})
}

func readPlain(r io.Reader, fn func(*Benchmark) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for n := 1; lines.Scan(); n++ {
		b := fresh
		if b.Path = strings.TrimSpace(lines.Text()); b.Path == "" {
			continue
		}
		if err := fn(&b); err != nil {
			return &comp.LineError{Line: n, Err: err}
		}
	}
	return lines.Err()
}

// aliases maps column names in the organisers' tables to smtpipe's names.
var aliases = map[string]string{
	"benchmark":         "path",
	"file":              "path",
	"number of asserts": "asserts",
	"n_asserts":         "asserts",
	"n_assertions":      "asserts",
	"n_checks":          "check_sats",
	"sqSatRes":          "says_sat",
	"sqUnsatRes":        "says_unsat",
}

// benchmarkColumns returns setters for the columns in a table of benchmarks.
func benchmarkColumns() map[string]setter[Benchmark] {
	set := rowColumns(results.SchemaOf[results.BenchmarkRow](), func(b *Benchmark) reflect.Value {
		return reflect.ValueOf(&b.BenchmarkRow).Elem()
	})
	whole := func(field func(*Benchmark) *int) setter[Benchmark] {
		return func(b *Benchmark, text string) error {
			if text == "" {
				return nil
			}
			n, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("%q is not a whole number", text)
			}
			*field(b) = n
			return nil
		}
	}
	said := func(field func(*Benchmark) *bool) setter[Benchmark] {
		return func(b *Benchmark, text string) error {
			if n, err := strconv.Atoi(text); err == nil { // the organisers' tables contain the number of solvers
				*field(b) = n > 0
				return nil
			}
			value, err := results.ParseBool(text)
			*field(b) = value
			return err
		}
	}
	set["division"] = func(b *Benchmark, text string) error { b.Division = text; return nil }
	set["retired"] = func(b *Benchmark, text string) error { b.Retired = text; return nil }
	set["difficulty"] = whole(func(b *Benchmark) *int { return &b.Difficulty })
	set["solved"] = whole(func(b *Benchmark) *int { return &b.Solved })
	set["total"] = whole(func(b *Benchmark) *int { return &b.Total })
	set["known_prefix"] = whole(func(b *Benchmark) *int { return &b.KnownPrefix })
	set["says_sat"] = said(func(b *Benchmark) *bool { return &b.SaysSat })
	set["says_unsat"] = said(func(b *Benchmark) *bool { return &b.SaysUnsat })
	for alias, ours := range aliases {
		set[alias] = set[ours]
	}
	return set
}

// complete sets the fields that can be derived from the path and the statuses.
func (b *Benchmark) complete() error {
	if b.Path == "" {
		return errors.New("there is no path; a table needs the column path or benchmark")
	}
	for _, f := range [...]struct{ column, text string }{{"path", b.Path}, {"logic", b.Logic}, {"family", b.Family},
		{"name", b.Name}} {
		if err := checkText(f.text, false); err != nil {
			return fmt.Errorf("column %s %w", f.column, err)
		}
	}
	b.Named = b.Path
	if b.Logic == "" || b.Name == "" {
		logic, path, ok := comp.LibraryPath(b.Path)
		if !ok && b.Logic == "" {
			return fmt.Errorf("%q is not below a folder named like a logic, and there is no column logic", b.Path)
		}
		if ok && (b.Logic == "" || b.Logic == string(logic)) {
			b.placeIn(string(logic), path)
		}
		if b.Name == "" {
			b.Name = b.Path[strings.LastIndexByte(b.Path, '/')+1:]
		}
	}
	if b.Division == "" {
		b.Division = b.Logic
	}
	if b.KnownPrefix < 0 && b.Statuses != "" {
		n, err := knownPrefix(b.Statuses)
		if err != nil {
			return err
		}
		b.KnownPrefix = n
	}
	return nil
}

// placeIn derives the missing logic, family and name from a library path.
func (b *Benchmark) placeIn(logic, path string) {
	before := strings.TrimSuffix(b.Path, path)
	if strings.HasSuffix(before, "incremental/") && !strings.HasSuffix(before, "non-incremental/") {
		b.Incremental = true
	}
	if b.Logic == "" {
		b.Logic = logic
	}
	below := path[len(logic)+1:]
	at := strings.LastIndexByte(below, '/')
	if b.Family == "" {
		b.Family = below[:max(at, 0)]
	}
	if b.Name == "" {
		b.Name = below[at+1:]
	}
}

// knownPrefix counts the statuses before the first unknown one in a run-length list such as "sat*3,unsat,unknown".
func knownPrefix(statuses string) (int, error) {
	n := 0
	for part := range strings.SplitSeq(statuses, ",") {
		status, times, repeated := strings.Cut(part, "*")
		count := 1
		if repeated {
			var ok bool
			if count, ok = number(times); !ok || count < 1 {
				return 0, fmt.Errorf("statuses %q: %q is not a number of times", statuses, times)
			}
		}
		if !comp.Status(status).Known() {
			return n, nil
		}
		n += count
	}
	return n, nil
}
