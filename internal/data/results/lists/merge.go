package lists

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// Prefer says which list is right where lists contradict each other. The zero value makes contradictions errors.
type Prefer string

// The lists that can be preferred.
const (
	First Prefer = "first"
	Last  Prefer = "last"
)

// merged is a row that several files may contain, with the file in which it first occurs.
type merged[Row any] struct {
	row  Row
	file string
}

// MergeBenchmarks writes the benchmarks of all files as a table benchmarks/1, sorted by path. A value that one file
// leaves open is taken from another. It returns the number of rows.
func MergeBenchmarks(out io.Writer, files []string, prefer Prefer) (int, error) {
	all := map[string]*merged[results.BenchmarkRow]{}
	var conflicts []error
	for _, file := range files {
		_, err := eachBenchmark(file, func(id string, b *intake.Benchmark) {
			old := all[id]
			if old == nil {
				all[id] = &merged[results.BenchmarkRow]{b.BenchmarkRow, file}
				return
			}
			for _, field := range prefer.fill(&old.row, &b.BenchmarkRow) {
				conflicts = append(conflicts, fmt.Errorf("%s: %s is %s in %s and %s in %s", id, field[0], field[1],
					old.file, field[2], file))
			}
		})
		if err != nil {
			return 0, err
		}
	}
	if err := someConflicts(conflicts); err != nil {
		return 0, err
	}
	return writeMerged(out, all)
}

// writeMerged writes the rows as a table, which Write sorts.
func writeMerged[K comparable, Row any](out io.Writer, all map[K]*merged[Row]) (int, error) {
	rows := make([]Row, 0, len(all))
	for _, m := range all {
		rows = append(rows, m.row)
	}
	return len(rows), results.Write(out, rows)
}

// fill completes a row with another row for the same benchmark. If no list is preferred, it returns contradictions: the
// field and its two values.
func (p Prefer) fill(old, row *results.BenchmarkRow) (conflicts [][3]string) {
	note := func(name string, a, b any) {
		conflicts = append(conflicts, [3]string{name, fmt.Sprint(a), fmt.Sprint(b)})
	}
	for _, x := range []struct {
		name     string
		old, row *string
	}{
		{"status", &old.Status, &row.Status}, {"statuses", &old.Statuses, &row.Statuses},
		{"category", &old.Category, &row.Category}, {"sha256", &old.SHA256, &row.SHA256},
		{"archive_sha256", &old.ArchiveSHA256, &row.ArchiveSHA256}, {"problem", &old.Problem, &row.Problem},
	} {
		known := func(s string) bool { return s != "" && s != string(comp.StatusUnknown) }
		if *x.row != "" && p.fillOne(x.name, known(*x.old), known(*x.row), *x.old == *x.row, note, *x.old, *x.row) {
			*x.old = *x.row
		}
	}
	for _, x := range []struct {
		name     string
		old, row *int64
	}{
		{"asserts", &old.Asserts, &row.Asserts}, {"check_sats", &old.CheckSats, &row.CheckSats},
		{"max_depth", &old.MaxDepth, &row.MaxDepth}, {"size_bytes", &old.SizeBytes, &row.SizeBytes},
	} {
		if p.fillOne(x.name, *x.old != 0, *x.row != 0, *x.old == *x.row, note, *x.old, *x.row) {
			*x.old = *x.row
		}
	}
	old.New = old.New || row.New
	return conflicts
}

// fillOne reports whether the other row's value replaces the old one. It notes a contradiction.
func (p Prefer) fillOne(name string, oldKnown, rowKnown, equal bool, note func(string, any, any), a, b any) bool {
	switch {
	case equal:
	case !oldKnown:
		return true
	case rowKnown && p == "":
		note(name, a, b)
	case rowKnown:
		return p == Last
	}
	return false
}

// MergeResults writes the results of all files, given as [YEAR=]FILE, as a table history/1. track is as in
// CompareResults. It returns the number of rows.
func MergeResults(out io.Writer, args []string, track string, prefer Prefer) (int, error) {
	type key struct {
		year                     int64
		benchmark, track, solver string
	}
	all := map[key]*merged[results.HistoryRow]{}
	var conflicts []error
	for _, arg := range args {
		rows, file, err := readResults(arg, track)
		if err != nil {
			return 0, err
		}
		for i := range rows {
			r := &rows[i]
			k := key{r.Year, r.Benchmark, r.Track, r.Solver}
			switch old := all[k]; {
			case old == nil:
				all[k] = &merged[results.HistoryRow]{*r, file}
			case old.row == *r || prefer == First:
			case prefer == Last:
				old.row, old.file = *r, file
			default:
				conflicts = append(conflicts, fmt.Errorf("%s on %s in the track %s of %d has different results in %s and %s",
					r.Solver, r.Benchmark, r.Track, r.Year, file, old.file))
			}
		}
	}
	if err := someConflicts(conflicts); err != nil {
		return 0, err
	}
	return writeMerged(out, all)
}

// someConflicts returns the error that reports contradictory lists.
func someConflicts(conflicts []error) error {
	const many = 20
	if len(conflicts) == 0 {
		return nil
	}
	shown := slices.Clone(conflicts[:min(len(conflicts), many)])
	if n := len(conflicts) - many; n > 0 {
		shown = append(shown, fmt.Errorf("and %d more", n))
	}
	return errors.Join(append(shown, errors.New(
		"the files contradict each other; --prefer first or --prefer last says which is right"))...)
}
