// Package runtest supplies test pipelines with runs that were never executed: the stage "printed" turns texts in the
// pipeline into a table of runs and a table of benchmarks.
package runtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Printed is the stage "printed". scripts contains each benchmark's text, statuses its status (unsat by default), and
// runs a list of objects with the texts benchmark, solver and stdout, and optionally stderr, ending, trace and
// wall_time_s. All limits are 10 s. A benchmark's logic is the first folder of its path, after the collection if there
// is one.
var Printed = &stages.Kind{
	Name:    "printed",
	Version: 1,
	Summary: "Turns texts into runs",
	Doc:     "For tests.",
	Example: "-",
	Attrs: []stages.Attr{
		{Name: "track", Type: cty.String, Required: true, Doc: "the track"},
		{Name: "scripts", Type: cty.Map(cty.String), Required: true, Doc: "texts of the scripts by benchmark"},
		{Name: "statuses", Type: cty.Map(cty.String), Doc: "statuses by benchmark"},
		{Name: "runs", Type: cty.DynamicPseudoType, Required: true, Doc: "the runs"},
	},
	Outputs: []stages.Output{
		{Name: "runs", Type: stages.TableType("runs/2"), Doc: "the runs"},
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Doc: "the benchmarks"},
	},
	New: func(a *stages.Args) (stages.Action, error) { return &printed{args: a}, nil },
}

type printed struct{ args *stages.Args }

// Execute implements stages.Action.
func (p *printed) Execute(_ context.Context, env *stages.Env) error {
	var benchmarks []results.BenchmarkRow
	scripts := map[string]string{}
	for path, text := range p.args.Value("scripts").AsValueMap() {
		d, err := env.Store.PutBytes([]byte(text.AsString()))
		if err != nil {
			return err
		}
		scripts[path] = d.String()
		benchmarks = append(benchmarks, p.benchmark(path))
	}
	var runs []results.RunRow
	for _, v := range p.args.Value("runs").AsValueSlice() {
		r, err := p.run(env.Store, v)
		if err != nil {
			return err
		}
		if r.ScriptSHA256 = scripts[r.Benchmark]; r.ScriptSHA256 == "" {
			return fmt.Errorf("a run is on %q, which has no script", r.Benchmark)
		}
		runs = append(runs, r)
	}
	return errors.Join(stages.SetTable(env, "runs", runs), stages.SetTable(env, "benchmarks", benchmarks))
}

func (p *printed) benchmark(path string) results.BenchmarkRow {
	b := results.BenchmarkRow{Path: path, Logic: logicOf(path), Status: string(comp.StatusUnsat), CheckSats: 1,
		Asserts: 1}
	if loc, ok := comp.ParseLocation(path); ok {
		b.Incremental, b.Logic = loc.Incremental, string(loc.Logic)
	}
	if p.args.Has("statuses") {
		if s, ok := p.args.Value("statuses").AsValueMap()[path]; ok {
			b.Status = s.AsString()
		}
	}
	return b
}

func (p *printed) run(store *cache.Store, v cty.Value) (results.RunRow, error) {
	text := func(name, otherwise string) string {
		if v.Type().HasAttribute(name) {
			return v.GetAttr(name).AsString()
		}
		return otherwise
	}
	r := results.RunRow{
		Limits: run.Limits{WallLimitS: 10, Cores: 1},
		Identity: run.Identity{Benchmark: text("benchmark", ""), Solver: text("solver", ""),
			Track: p.args.String("track")},
		Measured: run.Measured{Ending: comp.Ending(text("ending", string(comp.Exited))), Trace: text("trace", ""),
			Stdout: text("stdout", ""), AnswerWallTimeS: -1, Usage: run.Usage{WallTimeS: 1, CPUTimeS: 1}},
	}
	r.Logic = logicOf(r.Benchmark)
	if v.Type().HasAttribute("wall_time_s") {
		wall, _ := v.GetAttr("wall_time_s").AsBigFloat().Float64()
		r.WallTimeS = run.Seconds(wall)
	}
	const inline = 256
	if len(r.Stdout) > inline {
		d, err := store.PutBytes([]byte(r.Stdout))
		if err != nil {
			return r, err
		}
		r.Stdout, r.StdoutSHA256 = "", d.String()
	}
	if stderr := text("stderr", ""); stderr != "" {
		d, err := store.PutBytes([]byte(stderr))
		if err != nil {
			return r, err
		}
		r.StderrSHA256 = d.String()
	}
	return r, nil
}

func logicOf(path string) string {
	if loc, ok := comp.ParseLocation(path); ok {
		return string(loc.Logic)
	}
	logic, _, _ := comp.LibraryPath(path)
	return string(logic)
}
