package importer

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// part holds the runs of one file of results.
type part struct {
	history  []results.HistoryRow
	executed []results.RunRow
	// sources holds the origin of each BenchExec run, by the run.
	sources map[runID]string
}

// runID identifies a run among all that are imported.
type runID struct{ benchmark, track, solver string }

// merge joins the parts. BenchExec writes runs into two files if a run definition has several sets of tasks; they count
// once.
func (im *importing) merge(parts []part) ([]results.HistoryRow, []results.RunRow, error) {
	var history []results.HistoryRow
	var executed []results.RunRow
	var errs []error
	type origin struct{ source, file string }
	seen := map[runID]origin{}
	for i := range parts {
		p, file := &parts[i], im.results[i].Name
		again := map[runID]bool{}
		for id, source := range p.sources {
			first, twice := seen[id]
			if again[id] = twice; !twice {
				seen[id] = origin{source, file}
			} else if first.source != source && len(errs) < maxErrors {
				errs = append(errs, fmt.Errorf("%s has a run of %s on %s, and so has %s, from another execution; give "+
					"only one of them", file, id.solver, id.benchmark, first.file))
			}
		}
		for _, h := range p.history {
			if !again[runID{h.Benchmark, h.Track, h.Solver}] {
				history = append(history, h)
			}
		}
		for j := range p.executed {
			r := &p.executed[j]
			if !again[runID{r.Benchmark, r.Track, r.Solver}] {
				executed = append(executed, *r)
			}
		}
	}
	errs = append(errs, im.settings.check(history, executed))
	return history, executed, errors.Join(errs...)
}

// inTwoFiles returns an error for every two files that have runs in common; nil if there are none. Within one file,
// duplicate runs are distinguished.
func (im *importing) inTwoFiles(parts []part) error {
	type key struct {
		run  runID
		year int64
	}
	in := map[key]int{} // the first file that has it
	var errs []error
	for i := range parts {
		common := map[int]int{} // runs in common with an earlier file
		example := map[int]runID{}
		for _, h := range parts[i].history {
			k := key{runID{h.Benchmark, h.Track, h.Solver}, h.Year}
			first, twice := in[k]
			if !twice {
				in[k] = i
				continue
			}
			if first != i {
				if common[first]++; common[first] == 1 {
					example[first] = k.run
				}
			}
		}
		for _, first := range slices.Sorted(maps.Keys(common)) {
			run, other := example[first], im.results[first].Name
			errs = append(errs, &stages.DataError{Attr: "results", File: im.results[i].Name,
				Err: fmt.Errorf("runs that %s has as well: %d; the first is of %s on %s in the track %s", other,
					common[first], run.solver, run.benchmark, run.track),
				Remedy: "Remove one of the two files from results, or remove the shared runs from one of them. If they are of " +
					"two years, import each in a stage of its own, with its year."})
		}
	}
	return errors.Join(errs...)
}

// maxErrors bounds the number of errors of one sort that are reported at once.
const maxErrors = 20
