package execute

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// failures holds the solvers that are given up, and the failures that may lead to giving up further solvers.
type failures struct {
	mu     sync.Mutex
	errs   map[int32]error  // reason for giving up each solver
	ran    map[int32]bool   // solvers with at least one started run
	broken map[int32]bool   // solvers that were started and only failed
	alike  map[int32]series // the first runs of each solver
}

// series counts a solver's first runs while all of them end with the same error.
type series struct {
	same sameError
	n    int
	over bool // a run ended differently
}

// sameError holds the properties shared by runs that failed in the same way.
type sameError struct {
	ending         comp.Ending
	code, signal   int64
	stdout, stderr string
}

// mostAlike is the number of first runs with the same error after which their solver is given up.
const mostAlike = 50

// errorOf returns the error that a run ended with. ok is false if the run had an answer, exited with code 0, reached a
// limit, or was killed from outside.
func errorOf(r *run.Record) (e sameError, ok bool) {
	failed := r.Ending == comp.Exited && r.ExitCode != 0 || r.Ending == comp.Signalled
	if !failed || r.FirstAnswer != "" || r.Trace != "" ||
		strings.Contains(r.Flags, runner.FlagForeignKill.String()) {
		return e, false
	}
	return sameError{r.Ending, r.ExitCode, r.Signal, r.Stdout + r.StdoutSHA256, r.StderrSHA256}, true
}

// note records a run of a solver. It reports whether the solver must be given up: all of its runs so far, and enough of
// them, ended with the same error.
func (h *failures) note(solver int32, r *run.Record) (giveUp bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ran[solver] = true
	s := h.alike[solver]
	if s.over {
		return false
	}
	e, failed := errorOf(r)
	if s.over = !failed || s.n > 0 && e != s.same; !s.over {
		s.same = e
		s.n++
	}
	h.alike[solver] = s
	return s.n >= mostAlike && !s.over
}

func (h *failures) has(solver int32) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.errs[solver] != nil
}

// add records why a solver is no longer executed. broken means that it was started but only failed.
func (h *failures) add(solver int32, err error, broken bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.errs[solver], h.broken[solver] = err, broken
}

// started records a run, and gives up its solver if the solver's first runs all failed.
func (f *execution) started(h *failures, solver int32, r *run.Record) {
	if !f.keepFailing && h.note(solver, r) && !h.has(solver) {
		f.giveUp(h, solver, r)
	}
}

// giveUp stops executing a solver whose first runs all ended like r.
func (f *execution) giveUp(h *failures, solver int32, r *run.Record) {
	how := fmt.Sprintf("with exit code %d", r.ExitCode)
	if r.Ending == comp.Signalled {
		how = fmt.Sprintf("with signal %d", r.Signal)
	}
	if line := f.lastLine(r); line != "" {
		how += ": " + line
	}
	h.add(solver, fmt.Errorf("its first %d runs all ended in the same way, %s", mostAlike, how), true)
}

// lastLine returns the last line that a run wrote, preferably to standard error, without terminal control characters.
func (f *execution) lastLine(r *run.Record) string {
	const most = 500
	text := r.Stdout
	for _, digest := range []string{r.StdoutSHA256, r.StderrSHA256} {
		if d, err := cache.ParseDigest(digest); digest != "" && err == nil {
			if end, err := f.env.Store.EndOf(d, most); err == nil {
				text = string(end)
			}
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, lines[len(lines)-1])
}

// noteRecorded notes the runs that already have a record, because it must not matter when a failure happened. Records
// are not in execution order, so a solver is given up only if all of its runs failed.
func (f *execution) noteRecorded(h *failures) error {
	if f.keepFailing {
		return nil
	}
	missing := f.items.Missing()
	last := map[int32]*run.Record{} // the last run of each solver that failed often enough and never succeeded
	for i, p := range f.pairs {
		if h.alike[p.solver].over {
			continue
		}
		if _, absent := slices.BinarySearch(missing, i); absent {
			continue
		}
		b, err := f.items.Record(i)
		if err != nil {
			return err
		}
		r, err := run.Decode(b)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name(p), err)
		}
		if delete(last, p.solver); h.note(p.solver, &r) {
			last[p.solver] = &r
		}
	}
	for solver, r := range last {
		f.giveUp(h, solver, r)
	}
	return nil
}

// exclude excludes the solvers that were given up before all of their runs were executed. If no solver is left, or if a
// solver that cannot be started was started before, the machine is to blame and exclude returns an error.
func (f *execution) exclude(failed *failures) error {
	if len(failed.errs) == 0 {
		return nil
	}
	missing, others, left := f.items.Missing(), false, map[int32]bool{}
	for i, p := range f.pairs {
		_, waits := slices.BinarySearch(missing, i)
		left[p.solver] = left[p.solver] || waits
		failed.ran[p.solver] = failed.ran[p.solver] || !waits
		others = others || failed.errs[p.solver] == nil
	}
	var errs []error
	for j := range f.entrants {
		solver := int32(j)
		err, name := failed.errs[solver], f.entrants[j].name
		switch broken := failed.broken[solver]; {
		case err == nil, broken && !left[solver]:
			continue
		case broken && !others:
			errs = append(errs, fmt.Errorf("solver %s, and all others: %w", name, err))
			continue
		case !broken && (failed.ran[solver] || !others):
			errs = append(errs, fmt.Errorf("solver %s cannot be started: %w", name, err))
			continue
		case !broken:
			err = fmt.Errorf("it cannot be started: %w", err)
		}
		f.excluded[solver] = true
		f.env.Exclude(name, err)
	}
	return errors.Join(errs...)
}
