package importer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// limits are those under which runs were made elsewhere.
type limits struct {
	wallTime time.Duration // 0: the runs are history only
	cores    int64
	teams    map[string]string // by solver
	bases    map[string]string // by derived solver

	openSource, newEntrants []string // names of solvers
}

func decodeLimits(a *stages.Args) (limits, error) {
	l := limits{wallTime: a.Duration("wall_time"), cores: 1, teams: map[string]string{}, bases: map[string]string{},
		openSource: a.Strings("open_source"), newEntrants: a.Strings("new_entrants")}
	var errs []error
	if a.Has("cores") {
		l.cores, _ = a.Int("cores")
	}
	if l.cores < 1 {
		errs = append(errs, a.Invalid("cores", "Invalid number of cores", "A run had at least one core."))
	}
	for _, name := range []string{"cores", "teams", "bases", "open_source", "new_entrants"} {
		if a.Has(name) && !a.Has("wall_time") {
			errs = append(errs, a.Invalid(name, "There is no wall_time", "What ran elsewhere is judged and scored "+
				"only with the limit under which it ran; give wall_time."))
		}
	}
	if a.Has("wall_time") && l.wallTime <= 0 {
		errs = append(errs, a.Invalid("wall_time", "Invalid time limit", "The limit is above zero, as \"20m\"."))
	}
	if err := comp.Scorable(l.wallTime, l.cores); err != nil {
		errs = append(errs, a.Invalid("wall_time", "Limits beyond what can be scored", err.Error()+"."))
	}
	if a.Has("teams") {
		for solver, team := range a.Value("teams").AsValueMap() {
			l.teams[solver] = team.AsString()
		}
	}
	if a.Has("bases") {
		for solver, base := range a.Value("bases").AsValueMap() {
			if l.bases[solver] = base.AsString(); solver == base.AsString() || solver == "" || base.AsString() == "" {
				errs = append(errs, a.Invalid("bases", "Invalid base solver",
					fmt.Sprintf("%q cannot be the base solver of %q; give the name of another solver.", base.AsString(),
						solver)))
			}
		}
	}
	return l, errors.Join(errs...)
}

// check reports names in bases, open_source and new_entrants that no run has.
func (l limits) check(history []results.HistoryRow) error {
	there := map[string]bool{}
	for i := range history {
		there[history[i].Solver] = true
	}
	var errs []error
	look := func(attr string, names ...string) {
		for _, name := range names {
			if !there[name] {
				errs = append(errs, fmt.Errorf("%s: no run is of a solver %q; the solvers are %v", attr, name,
					slices.Sorted(maps.Keys(there))))
			}
		}
	}
	for _, solver := range slices.Sorted(maps.Keys(l.bases)) {
		look("bases", solver, l.bases[solver])
	}
	look("open_source", l.openSource...)
	look("new_entrants", l.newEntrants...)
	return errors.Join(errs...)
}

// executed gives runs that were made elsewhere as a table of runs: the published answer is what the solver printed. The
// tracks are those in which an answer is all that there is to judge.
func (l limits) executed(history []results.HistoryRow) ([]results.RunRow, error) {
	if l.wallTime == 0 {
		return nil, nil
	}
	if err := l.check(history); err != nil {
		return nil, err
	}
	answerTracks := []comp.Track{comp.SingleQuery, comp.Parallel, comp.Cloud, comp.IndustryChallenge}
	rows := make([]results.RunRow, len(history))
	for i := range history {
		h := &history[i]
		track, err := comp.ParseTrack(h.Track)
		if err != nil || !slices.Contains(answerTracks, track) {
			return nil, fmt.Errorf("%s on %s: a run of the track %s cannot be judged by its published result; leave "+
				"out wall_time", h.Solver, h.Benchmark, h.Track)
		}
		ending, code := endingOf(h)
		rows[i] = results.RunRow{
			Benchmark: h.Benchmark, Solver: h.Solver, Track: track.String(), Logic: h.Logic,
			Team: h.Solver, Competitive: true, BaseSolver: l.bases[h.Solver],
			OpenSource: slices.Contains(l.openSource, h.Solver), NewEntrant: slices.Contains(l.newEntrants, h.Solver),
			Ending: string(ending), ExitCode: code,
			WallTimeS: h.WallTimeS, CPUTimeS: max(h.CPUTimeS, 0), MemoryBytes: h.MemoryBytes, AnswerWallTimeS: -1,
			WallLimitS: l.wallTime.Seconds(), Cores: l.cores,
			Isolation: "elsewhere",
		}
		if team, ok := l.teams[h.Solver]; ok {
			rows[i].Team = team
		}
		if h.Answer != "" {
			rows[i].Stdout = h.Answer + "\n"
			rows[i].StdoutBytes = int64(len(rows[i].Stdout))
		}
	}
	return rows, nil
}

// endingOf tells from the published result how the process stopped. What is no answer and no limit counts as a process
// that failed with exit code 1.
func endingOf(h *results.HistoryRow) (ending comp.Ending, code int64) {
	result := strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "", "(", "", ")", "").Replace(h.Result))
	switch {
	case h.Answer != "":
		return comp.Exited, 0
	case strings.Contains(result, "cputime"):
		return comp.CPUTimeout, -1
	case strings.Contains(result, "timeout") || strings.Contains(result, "wallclock"):
		return comp.WallTimeout, -1
	case strings.Contains(result, "memory") || strings.Contains(result, "memout"):
		return comp.OutOfMemory, -1
	}
	return comp.Exited, 1
}
