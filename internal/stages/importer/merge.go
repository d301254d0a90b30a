package importer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// tables holds the rows from all files. Rows may be added concurrently.
type tables struct {
	mu       sync.Mutex
	history  *results.Builder[results.HistoryRow]
	executed *results.Builder[results.RunRow]
	files    []int32 // file number of each history row
}

func newTables() *tables {
	return &tables{history: results.NewBuilder[results.HistoryRow](), executed: results.NewBuilder[results.RunRow]()}
}

// add adds a file's run; h or r may be nil.
func (t *tables) add(file int, h *results.HistoryRow, r *results.RunRow) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h != nil {
		t.history.Append(h)
		t.files = append(t.files, int32(file))
	}
	if r != nil {
		t.executed.Append(r)
	}
}

// part holds the runs of one BenchExec file.
type part struct {
	runs  []executedRun
	known map[runID]bool
}

// executedRun is a BenchExec run, both as history and as a run to judge; either may be nil. source names its origin.
type executedRun struct {
	id     runID
	source string
	row    *results.HistoryRow
	run    *results.RunRow
}

// runID identifies a run among all imported runs.
type runID struct{ benchmark, track, solver string }

// merge adds the parts to the tables. BenchExec writes a run into two files if its run definition has several task
// sets; it counts once.
func (im *importing) merge(parts []part) error {
	var errs []error
	type origin struct{ source, file string }
	seen := map[runID]origin{}
	for i := range parts {
		file := im.results[i].Name
		for _, x := range parts[i].runs {
			first, twice := seen[x.id]
			switch {
			case !twice:
				seen[x.id] = origin{x.source, file}
				im.tables.add(i, x.row, x.run)
			case first.source != x.source && len(errs) < maxErrors:
				errs = append(errs, fmt.Errorf("%s has a run of %s on %s, and so has %s, from another execution; give "+
					"only one of them", file, x.id.solver, x.id.benchmark, first.file))
			}
		}
		parts[i] = part{}
	}
	return errors.Join(append(errs, im.settings.check(im.tables))...)
}

// columns returns a table's columns by name.
func columns[Row any](b *results.Builder[Row], names ...string) ([]table.Column, error) {
	all := make([]table.Column, len(names))
	for i, name := range names {
		var err error
		if all[i], err = b.Column(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// inTwoFiles returns an error for each pair of files with common runs; nil if there is none. Duplicate runs within one
// file are distinguished.
func (im *importing) inTwoFiles() error {
	c, err := columns(im.tables.history, "benchmark", "track", "solver", "year")
	if err != nil {
		return err
	}
	files := im.tables.files
	rows := make([]int, len(files))
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(files[i], files[j]) })
	type key struct {
		run  runID
		year int64
	}
	type pair struct{ file, first int32 }
	in := map[key]int32{}    // first file that contains each run
	common := map[pair]int{} // number of common runs
	example := map[pair]runID{}
	for _, i := range rows {
		k := key{runID{c[0].StringAt(i), c[1].StringAt(i), c[2].StringAt(i)}, c[3].IntAt(i)}
		first, twice := in[k]
		if !twice {
			in[k] = files[i]
		} else if p := (pair{files[i], first}); first != files[i] {
			if common[p]++; common[p] == 1 {
				example[p] = k.run
			}
		}
	}
	var errs []error
	for _, p := range slices.SortedFunc(maps.Keys(common), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.first, b.first))
	}) {
		run := example[p]
		errs = append(errs, &stages.DataError{Attr: "results", File: im.results[p.file].Name,
			Err: fmt.Errorf("%[2]d runs also occur in %[1]s; the first is of %[3]s on %[4]s in track %[5]s",
				im.results[p.first].Name, common[p], run.solver, run.benchmark, run.track),
			Remedy: "Remove one of the two files from results, or remove the shared runs from one of them. If they are of " +
				"two years, import each in a stage of its own, with its year."})
	}
	return errors.Join(errs...)
}

// maxErrors is the maximum number of errors of one kind reported together.
const maxErrors = 20
