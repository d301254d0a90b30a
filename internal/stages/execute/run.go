package execute

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// announce reports a finished run to the progress.
func (f *execution) announce(run pair, r *run.Record) {
	p, e := f.env.Progress, &f.entrants[run.solver]
	switch {
	case r.FirstAnswer != "":
		p.Add(1, r.FirstAnswer)
	case r.Ending == comp.Exited && r.ExitCode == 0:
		p.Add(1, "no answer")
	case r.Ending == comp.Exited || r.Ending == comp.Signalled:
		cause := fmt.Sprintf("%s: exit code %d without an answer", e.name, r.ExitCode)
		if r.Ending == comp.Signalled {
			cause = fmt.Sprintf("%s: ended by signal %d", e.name, r.Signal)
		}
		if fanout.Killed(r) {
			cause = fmt.Sprintf("%s: ended by a SIGKILL that smtpipe did not send", e.name)
		}
		p.Fail(f.name(run), cause, results.Escaped(lastLine(r.Stdout)))
	default:
		p.Add(1, strings.ReplaceAll(string(r.Ending), "_", " "))
	}
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// ExplainItem implements stages.ItemExplainer: it returns the key components of the run BENCHMARK@SOLVER.
func (act *action) ExplainItem(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component,
	error) {
	art, _ := stages.ArtifactOf(outputs["runs"])
	benchmark, solver, ok := strings.Cut(item, "@")
	if !ok {
		return nil, fmt.Errorf("%q does not name a run; write BENCHMARK@SOLVER", item)
	}
	rows, err := artifact.Select[results.RunRow](store, art, stages.IsRun(benchmark, solver))
	if err != nil {
		return nil, err
	}
	for i := range rows {
		r := &rows[i]
		entrants, err := act.allEntrants(context.Background(), store)
		if err != nil {
			return nil, err
		}
		for j := range entrants {
			if e := &entrants[j]; e.name == solver && e.participation == r.Participation {
				key := act.solverKey(e, r.Attempt).Components()
				return slices.Concat(key, commandComponents(e), runComponents(r)), nil
			}
		}
	}
	return nil, fmt.Errorf("the stage has no run of %s on %s", solver, benchmark)
}

// commandComponents returns an entrant's command as the pipeline or the submission declares it.
func commandComponents(e *entrant) []cache.Component {
	all := []cache.Component{{Name: "command.count", Value: fmt.Sprint(len(e.command))}}
	for i, word := range e.command {
		all = append(all, cache.Component{Name: fmt.Sprintf("command[%d]", i), Value: word})
	}
	return all
}

// runComponents returns a run's results as components of an explanation.
func runComponents(r *results.RunRow) []cache.Component {
	all := []cache.Component{
		{Name: "script", Value: "sha256:" + r.ScriptSHA256},
		{Name: "run_key", Value: r.RunKey},
		{Name: "ending", Value: string(r.Ending)},
		{Name: "wall_time_s", Value: fmt.Sprint(r.WallTimeS)},
		{Name: "cpu_time_s", Value: fmt.Sprint(r.CPUTimeS)},
		{Name: "stdout", Value: r.Stdout},
	}
	if r.Trace != "" {
		all = append(all, cache.Component{Name: "trace", Value: r.Trace})
	}
	return all
}
