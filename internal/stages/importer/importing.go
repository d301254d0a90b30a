package importer

import (
	"errors"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/base/ahead"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// importing is one execution of the stage. It is safe for concurrent use once open has returned.
type importing struct {
	*action
	env      *stages.Env
	mapping  *intake.Mapping
	scripts  map[string]string // script digest by benchmark
	entrants entrants          // nil if nothing is known about the solvers
	tables   *tables
}

// open reads the inputs that the results refer to.
func (im *importing) open() error {
	if im.action.scripts != nil {
		rows, err := artifact.ReadTable[results.ScriptRow](im.env.Store, *im.action.scripts)
		if err != nil {
			return err
		}
		im.scripts = make(map[string]string, len(rows))
		for i := range rows {
			im.scripts[rows[i].Benchmark] = rows[i].ScriptSHA256
			im.mapping.AddBenchmark(-1, rows[i].Benchmark)
		}
	}
	for _, f := range im.action.mapping {
		if err := im.mapping.Read(f.Path); err != nil {
			return stages.InFile("mapping", f, err, mendFile)
		}
	}
	var err error
	im.entrants, err = im.settings.entrants(im.env.Store)
	return err
}

// read reads a results file and returns its number of runs. BenchExec's runs are added to p, all other runs to the
// tables.
func (im *importing) read(i int, p *part) (n int, err error) {
	s := &im.results[i]
	kind, err := intake.KindOf(s.Path)
	if err != nil {
		return 0, err
	}
	if s.kind != "" && s.kind != kind {
		return 0, fmt.Errorf("its content has kind %s, but the stage sets %s", kind, s.kind)
	}
	from := intake.Source{Year: s.year, Track: im.track, Mapping: im.mapping}
	if kind == intake.BenchExec {
		err := im.readBenchExec(s, from, p)
		return len(p.runs), err
	}
	if kind == intake.StarExec {
		from.Solver = intake.SolverOf(s.Name)
	}
	read := func(yield func(results.HistoryRow, error) bool) {
		more := true
		err := intake.EachRun(s.Path, from, func(h *results.HistoryRow) error {
			if more = yield(*h, nil); !more {
				return errors.New("no more runs are needed")
			}
			return nil
		})
		if err != nil && more {
			yield(results.HistoryRow{}, err)
		}
	}
	for h, err := range ahead.Rows(read) {
		if err == nil {
			err = im.addPublished(i, &h)
		}
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// addPublished adds a file's run with only a result.
func (im *importing) addPublished(file int, h *results.HistoryRow) error {
	if im.settings.wallTime == 0 {
		im.tables.add(file, h, nil)
		return nil
	}
	row, err := im.published(h)
	im.tables.add(file, h, &row)
	return err
}

func (im *importing) readBenchExec(s *source, from intake.Source, p *part) error {
	var logs *benchexec.Logs
	if s.logs != nil {
		var err error
		if logs, err = benchexec.OpenLogs(s.logs.Path); err != nil {
			return err
		}
		defer logs.Close()
	}
	p.known = map[runID]bool{}
	absent, err := intake.Executions(s.Path, from, logs, func(x *intake.Execution) error { return im.add(p, s, x) })
	if err != nil {
		return err
	}
	if absent > 0 {
		im.env.Log.Warn("runs without values were not executed and are left out", "file", s.Name, "runs", absent)
	}
	return nil
}

// add adds a BenchExec run to p.
func (im *importing) add(p *part, s *source, x *intake.Execution) error {
	h := x.Row(s.year)
	row, err := im.executed(&h, x)
	if err != nil {
		return err
	}
	id := runID{h.Benchmark, h.Track, h.Solver}
	if row != nil {
		id.benchmark = row.Benchmark // an unsat core's script has a different name
	}
	if p.known[id] {
		return fmt.Errorf("run %q: the file has two runs of %s on %s", x.Run.Name, id.solver, id.benchmark)
	}
	p.known[id] = true
	one := executedRun{id: id, source: x.Source(), run: row}
	if x.Core == nil {
		one.row = &h
	}
	p.runs = append(p.runs, one)
	return nil
}

// executed returns the row to judge for a BenchExec run; nil without a wall time limit.
func (im *importing) executed(h *results.HistoryRow, x *intake.Execution) (*results.RunRow, error) {
	if im.settings.wallTime == 0 {
		return nil, nil
	}
	if x.Log != nil {
		r, err := im.logged(x)
		if err != nil {
			err = fmt.Errorf("run %q: %w", x.Run.Name, err)
		}
		return &r, err
	}
	r, err := im.published(h)
	if err != nil {
		return nil, err
	}
	if err := im.measured(&r, x); err != nil {
		return nil, fmt.Errorf("run %q: %w", x.Run.Name, err)
	}
	return &r, nil
}

// logged returns the row for a run with a log.
func (im *importing) logged(x *intake.Execution) (results.RunRow, error) {
	r := results.RunRow{
		Limits:   run.Limits{WallLimitS: run.SecondsOf(im.settings.wallTime)},
		Identity: run.Identity{Benchmark: x.Path, Solver: x.Solver, Track: x.Track.String(), Logic: string(x.Logic)},
		Measured: run.Measured{AnswerWallTimeS: -1, Isolation: elsewhere}, ScriptSHA256: im.scripts[x.Path],
	}
	if r.ScriptSHA256 == "" && needsScript(x) {
		return r, fmt.Errorf("there is no script of %s, by which the response is judged; give the table of the scramble "+
			"stage as scripts", x.Path)
	}
	if err := im.measured(&r, x); err != nil {
		return r, err
	}
	if x.Core != nil {
		if err := im.reduce(&r, x.Core); err != nil {
			return r, err
		}
	}
	if err := im.keep(&r, x.Log); err != nil {
		return r, err
	}
	return r, im.known(&r)
}

// needsScript reports whether judging the output requires the script.
func needsScript(x *intake.Execution) bool {
	return x.Track == comp.UnsatCore || x.Track == comp.ModelValidation || x.Core != nil
}

// measured sets BenchExec's measurements and limits.
func (im *importing) measured(r *results.RunRow, x *intake.Execution) error {
	o := x.Outcome.Within(im.settings.wallTime.Seconds(), x.Header.CPULimitS, &x.Run, x.Log)
	r.Participation = int64(x.Participation)
	r.Ending, r.ExitCode, r.Signal, r.Problem = o.Ending, int64(o.ExitCode), int64(o.Signal), o.Problem
	r.Usage = x.Run.Known()
	r.CPULimitS, r.MemoryLimit, r.Hardware = run.Seconds(x.Header.CPULimitS), x.Header.MemoryBytes, x.Header.Machine
	if r.Cores = im.settings.cores; r.Cores == 0 {
		r.Cores = max(x.Header.Cores, 1)
	}
	switch {
	case o.CodeLost:
		r.Flags = "exit_code_lost"
	case o.Late:
		r.Flags = runner.FlagLateExit.String()
	}
	return comp.Scorable(im.settings.wallTime, r.Cores)
}

// reduce converts the row of a validation solver's run to a row for a run on an unsat core's script. The scrambler
// names the assertions smtcomp1, smtcomp2 and so on.
func (im *importing) reduce(r *results.RunRow, members []int) error {
	digest, err := cache.ParseDigest(r.ScriptSHA256)
	if err != nil {
		return err
	}
	script, err := im.env.Store.ReadBytes(digest)
	if err != nil {
		return err
	}
	reduced, err := validate.ReduceTo(script, members)
	if err != nil {
		return fmt.Errorf("the core of %s in the mapping: %w", r.Benchmark, err)
	}
	if digest, err = im.env.Store.PutBytes(reduced); err != nil {
		return err
	}
	r.ScriptSHA256 = digest.String()
	r.Benchmark = results.CoreName(r.Benchmark, r.ScriptSHA256)
	return nil
}

// keep stores a run's output.
func (im *importing) keep(r *results.RunRow, log *benchexec.Log) error {
	if log.Truncated {
		r.Flags = joinFlags("truncated", r.Flags)
	}
	r.StdoutBytes = int64(len(log.Output))
	if len(log.Output) <= run.InlineStdout {
		r.Stdout = string(log.Output)
		return nil
	}
	digest, err := im.env.Store.PutBytes(log.Output)
	r.StdoutSHA256 = digest.String()
	return err
}

func joinFlags(a, b string) string {
	if b == "" {
		return a
	}
	return a + "," + b
}
