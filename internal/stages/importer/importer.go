// Package importer provides the "import" stage: results of earlier competitions and lists of benchmarks, in the formats
// that others publish. The formats are the packages below internal/results. (The word import is taken in Go.)
package importer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/results/intake"
	"github.com/smtpipe/smtpipe/internal/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
	"github.com/smtpipe/smtpipe/internal/table"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "import",
	Version: 6,
	Summary: "Reads results and benchmark lists of earlier competitions",
	Doc: `Reads results: the organisers' results-TRACK-YYYY.json.gz, job tables of StarExec, BenchExec's result XML, and tables
history/1 as CSV, JSON lines or Parquet; and lists of benchmarks: the organisers' benchmarks-YYYY.json.gz, tables
benchmarks/1, or one path a line. Files may be compressed. The year is the four digits in the name of each file of results.
Unknown fields are errors, and so are rows that contradict each other, blank names, names that differ only in blanks, and bytes
that are not UTF-8.

With wall_time the results are also given as runs, to be judged and scored like those that were executed here: that is how the cloud
track comes in, whose solvers run on many machines. The published answer is taken for what the solver printed.`,
	Example: `stage "import" "history" {
  results = fileset("history/results-sq-*.json.gz")
}`,
	Attrs: []stages.Attr{
		{Name: "results", Type: cty.List(stages.FileType), Doc: "files of results"},
		{Name: "track", Type: cty.String, Doc: "track of the results, where the files do not tell it (StarExec, " +
			"BenchExec)"},
		{Name: "wall_time", Type: cty.Number, Unit: stages.Duration,
			Doc: "wall time limit T under which the runs were made elsewhere"},
		{Name: "cores", Type: cty.Number, Doc: "cores that each of these runs had; default: 1"},
		{Name: "teams", Type: cty.Map(cty.String), Doc: "teams of these solvers, by name; default: each is its own"},
		{Name: "bases", Type: cty.Map(cty.String), Doc: "base solvers of these derived solvers, by name; default: " +
			"none is derived"},
		{Name: "open_source", Type: cty.List(cty.String), Doc: "names of the solvers whose source code is open"},
		{Name: "new_entrants", Type: cty.List(cty.String), Doc: "names of the solvers that compete for the first time"},
		{Name: "benchmarks", Type: stages.FileType, Doc: "a list of benchmarks"},
		{Name: "new", Type: cty.Bool, Doc: "whether a benchmark's family is new this year; default: none is",
			Row: &stages.Row{
				Scope: rowexpr.Scope{Vars: []rowexpr.Var{
					{Name: "b", Record: stages.RecordOf(results.SchemaOf[results.BenchmarkRow]()),
						Doc: "the benchmark"},
				}},
			}},
	},
	Outputs: []stages.Output{
		{Name: "runs", Type: stages.TableType("history/1"), Doc: "the runs of all files"},
		{Name: "executed", Type: stages.TableType("runs/1"),
			Doc: "the runs of all files as they are judged; no rows without wall_time"},
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"),
			Doc: "the benchmarks of the list; no rows without one"},
	},
	New: newAction,
}

type action struct {
	results    []stages.File
	years      []int
	track      comp.Track // zero: as the files say
	limits     limits
	benchmarks *stages.File
	new        *rowexpr.Expr
}

var yearInName = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)[0-9]{2})(?:[^0-9]|$)`)

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{results: a.Files("results"), new: a.Row("new")}
	if f, ok := a.File("benchmarks"); ok {
		act.benchmarks = &f
	}
	var errs []error
	var err error
	if act.limits, err = decodeLimits(a); err != nil {
		errs = append(errs, err)
	}
	if name := a.String("track"); name != "" {
		if act.track, err = comp.ParseTrack(name); err != nil {
			errs = append(errs, a.Invalid("track", "Unknown track", err.Error()+"."))
		}
	}
	if !a.Has("results") && !a.Has("benchmarks") {
		errs = append(errs, a.Invalid("results", "Nothing to import",
			"Give files of results, or a list of benchmarks."))
	}
	for _, f := range act.results {
		m := yearInName.FindStringSubmatch(path.Base(f.Name))
		if m == nil {
			errs = append(errs, a.Invalid("results", "No year", fmt.Sprintf("The name of %s does not tell the year "+
				"of the competition.", f.Name)))
			continue
		}
		year, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, err
		}
		act.years = append(act.years, year)
	}
	return act, errors.Join(errs...)
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	runs := make([][]results.HistoryRow, len(act.results))
	env.Progress.Start(int64(len(act.results)), "files", false)
	err := env.Each(ctx, len(act.results), func(_ context.Context, i int) error {
		var err error
		runs[i], err = act.readResults(i)
		env.Progress.Add(1, "")
		return err
	})
	if err != nil {
		return err
	}
	var all []results.HistoryRow
	for _, part := range runs {
		all = append(all, part...)
	}
	benchmarks, err := act.readBenchmarks()
	if err != nil {
		return err
	}
	executed, err := act.limits.executed(all)
	if err != nil {
		return err
	}
	return errors.Join(
		stages.SetTable(env, "runs", all),
		stages.SetTable(env, "executed", executed),
		choices.SetBenchmarks(env, "benchmarks", benchmarks),
	)
}

func (act *action) readResults(i int) ([]results.HistoryRow, error) {
	rows, err := intake.History(act.results[i].Path, intake.Source{Year: act.years[i], Track: act.track})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", act.results[i].Name, err)
	}
	return rows, nil
}

func (act *action) readBenchmarks() (*results.Table[results.BenchmarkRow], error) {
	rows := results.NewBuilder[results.BenchmarkRow]()
	if act.benchmarks == nil {
		return rows.Table()
	}
	_, err := intake.Benchmarks(act.benchmarks.Path, func(b *intake.Benchmark) error {
		if b.Retired != "" {
			return fmt.Errorf("%s is retired here; give the retired benchmarks to a stage \"unfit\", as a list of "+
				"their own",
				b.Named)
		}
		if b.Statuses == "" && !b.Incremental {
			b.Statuses = b.Status // of its only check-sat
		}
		rows.Append(&b.BenchmarkRow)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", act.benchmarks.Name, err)
	}
	t, err := rows.Table()
	if err != nil || act.new == nil {
		return t, err
	}
	isNew, err := rowexpr.EvaluateTable("b", t, act.new, act.new.Bools)
	if err != nil {
		return nil, fmt.Errorf("new: %w", err)
	}
	return t.With("new", table.BoolsOf(isNew))
}
