package execute

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/run"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/worker"
)

// killedName is the set of items that keeps the first attempts at repeated runs, by the keys of the runs; the entry is
// empty once the run has its record.
const killedName = "killed"

// again reports whether a run must be repeated, because an unexplained SIGKILL ended its only attempt. That attempt is
// kept, also for the next driver, and goes into the record of the next attempt.
func (f *fanout) again(item int, r *run.Record) (bool, error) {
	killed, err := f.env.Store.Items(killedName)
	if err != nil {
		return false, err
	}
	key := f.items.Key(item)
	first, ok, err := killed.Get(key)
	if err != nil {
		return false, err
	}
	if ok && len(first) > 0 && f.speaks(first) {
		r.Killed = string(first)
		return twice(r)
	}
	if !f.retryKilled || !killedFromOutside(r) {
		return false, nil
	}
	p := f.pairs[item]
	f.env.Log.Warn("a SIGKILL that smtpipe did not send ended a run; it is executed once more, and both are kept",
		"solver", f.entrants[p.solver].name, "benchmark", f.scripts[p.script].Benchmark)
	return true, killed.Put(key, r.Encode())
}

// forget removes the first attempt from killedName once the record of the run has it.
func (f *fanout) forget(item int, r *run.Record) error {
	if r.Killed == "" {
		return nil
	}
	killed, err := f.env.Store.Items(killedName)
	if err != nil {
		return err
	}
	return killed.Put(f.items.Key(item), nil)
}

// keep stores the output of a run and returns its record.
func keep(env *stages.Env, result *worker.Result) (run.Record, error) {
	rec := result.Record
	r := run.Record{Measured: rec.Measured, Started: rec.Started.Unix(), Version: env.Version}
	r.AnswerWallTimeS, r.Trace, r.Flags = -1, string(result.Trace), rec.Flags.String()
	r.StdoutBytes, r.StderrBytes = rec.Stdout.Total, rec.Stderr.Total
	if answer, line := answerOf(rec.Lines); answer != comp.AnswerNone {
		r.AnswerWallTimeS, r.FirstAnswer = run.SecondsOf(line.At), string(answer)
	}
	var err error
	if out := rec.Stdout.Bytes(); len(out) <= run.InlineStdout {
		r.Stdout = string(out)
	} else if r.StdoutSHA256, err = put(env.Store, out); err != nil {
		return run.Record{}, err
	}
	if out := rec.Stderr.Bytes(); len(out) > 0 {
		if r.StderrSHA256, err = put(env.Store, out); err != nil {
			return run.Record{}, err
		}
	}
	return r, nil
}

func put(store *cache.Store, b []byte) (string, error) {
	d, err := store.PutBytes(b)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}

// announce reports one finished run to the progress.
func announce(p stages.Progress, script *results.ScriptRow, e *entrant, r *run.Record) {
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
		if killedFromOutside(r) {
			cause = fmt.Sprintf("%s: ended by a SIGKILL that smtpipe did not send", e.name)
		}
		p.Fail(script.Benchmark+"@"+e.name, cause, results.Escaped(lastLine(r.Stdout)))
	default:
		p.Add(1, strings.ReplaceAll(string(r.Ending), "_", " "))
	}
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// ExplainItem implements stages.ItemExplainer: it returns the parts of the key of the run BENCHMARK@SOLVER.
func (act *action) ExplainItem(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component,
	error) {
	art, _ := stages.ArtifactOf(outputs["runs"])
	rows, err := artifact.ReadTable[results.RunRow](store, art)
	if err != nil {
		return nil, err
	}
	benchmark, solver, ok := strings.Cut(item, "@")
	if !ok {
		return nil, fmt.Errorf("%q does not name a run; write BENCHMARK@SOLVER", item)
	}
	for i := range rows {
		r := &rows[i]
		if r.Solver != solver || (r.Benchmark != benchmark && !strings.HasSuffix(r.Benchmark, "/"+benchmark)) {
			continue
		}
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

// commandComponents returns the command of an entrant as the pipeline or the submission has it.
func commandComponents(e *entrant) []cache.Component {
	all := []cache.Component{{Name: "command.count", Value: fmt.Sprint(len(e.command))}}
	for i, word := range e.command {
		all = append(all, cache.Component{Name: fmt.Sprintf("command[%d]", i), Value: word})
	}
	return all
}

// runComponents returns the results of a run.
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

// trimmed returns a line without white space around it.
func trimmed(line string) string { return strings.TrimSpace(line) }
