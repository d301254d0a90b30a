package importer

import (
	"errors"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/results"
)

// part is what one file of results gives.
type part struct {
	history  []results.HistoryRow
	executed []results.RunRow
	// sources says of each run of BenchExec's what it was part of, by the run.
	sources map[runID]string
}

// runID identifies a run among all that are imported.
type runID struct{ benchmark, track, solver string }

// merge puts the parts together. BenchExec writes runs into two files if a run definition has several sets of tasks;
// they count once.
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

// maxErrors bounds how many errors of one sort are reported at once.
const maxErrors = 20
