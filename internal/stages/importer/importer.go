// Package importer provides the "import" stage: it imports earlier competitions' results and lists of benchmarks in
// other publishers' formats, which the packages below internal/data/results implement. It is not called import because
// that word is reserved in Go.
package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "import",
	Version: 12,
	Summary: "Reads results and benchmark lists of other executions and earlier competitions",
	Doc: `Reads results: the organisers' results-TRACK-YYYY.json.gz or their parsed.feather as CSV (kind organisers), job
tables of StarExec (starexec), BenchExec's result XML (benchexec), and tables history/1 as CSV, JSON lines or Parquet (table).
It also reads lists of benchmarks: the organisers' benchmarks-YYYY.json.gz, tables benchmarks/1, or one path per line. Files
may be compressed, also as the only file of a .tar.xz. Unknown fields, rows that contradict each other, blank names, names that differ only in blanks,
and bytes that are not UTF-8 are errors.

Runs that are named by numbers are resolved by the organisers' files: original_id.csv for scrambled scripts, mapping.json for
those of unsat cores, both in mapping, in this order. StarExec's numbers of benchmarks, in tables of one solver such as
solver_659685_sq.csv, are resolved by its spaces (non-incremental.xml), and their statuses are in benchmarks.csv, both in
mapping, too; such a table's file names the solver. The number of a benchmark is its place in the organisers' list
(benchmarks), non-incremental ones first. A task such as 1041_QF_LIA_fam__x.yml also names the benchmark itself, which then
must be in the list or among the scripts.

With wall_time the results are also available as runs, to be judged and scored like those that were executed here. With the
logs of BenchExec, this works for every track: the output of the solver is judged, never the result of the tool module. The
ending comes from the reason of termination, signal and exit code, even under the organisers' wall time killer. The killer
hides exit codes, and such runs have the flag exit_code_lost. Responses from which BenchExec removed the middle have the flag
truncated. Without logs, the published answer is used as the output of the solver, in the tracks that judge only the answer.
The cloud track is imported in this way. Times, memory and limits are those of the files. The environment in BenchExec's files
is never read.

Runs of the validation solvers on unsat cores are imported with mapping.json and the scripts of the unsat-core track, for the
attribute core_runs of a stage "validate". They are not in the output runs.

Who takes part is in the table entrants only; a stage "verdicts" joins it with the judged runs.`,
	Example: `stage "import" "history" {
  results = fileset("history/results-sq-*.json.gz")
}

stage "import" "unsat_core" {
  kind      = "benchexec"
  track     = "unsat_core"
  results   = fileset("results_unsatcore/**/*.xml.bz2")
  logs      = fileset("results_unsatcore/**/*.logfiles.zip")
  scripts   = stage.scramble.unsat_core.scripts
  year      = 2026
  wall_time = "20m"
}`,
	Attrs: []stages.Attr{
		{Name: "results", Type: cty.List(stages.FileType), Doc: "files of results"},
		{Name: "kind", Type: cty.String, Doc: "their required format: benchexec, starexec, organisers or table; " +
			"default: detected from the bytes of each file"},
		{Name: "track", Type: cty.String, Doc: "track of the results, if the files do not name it (StarExec, " +
			"BenchExec); otherwise only runs of this track are imported"},
		{Name: "year", Type: cty.Number, Whole: stages.WholeFrom(0, maxYear), Doc: "year of the competition; default: the four digits in the name of each " +
			"file of results"},
		{Name: "mapping", Type: cty.List(stages.FileType),
			Doc: "the organisers' original_id.csv, mapping.json, spaces and benchmarks.csv, for runs that are named by numbers"},
		{Name: "logs", Type: cty.List(stages.FileType), Doc: "BenchExec: its archives or folders of logs, such as " +
			"NAME.logfiles.zip next to NAME.results.DEFINITION.xml.bz2"},
		{Name: "scripts", Type: stages.TableType("scripts/1"),
			Doc: "the scripts that were given to the solvers; cores and models are judged by them"},
		{Name: "solvers", Type: stages.TableType("solvers/1"),
			Doc: "the teams of the solvers, and which solvers compete; default: all compete, each for a team of its " +
				"own"},
		{Name: "wall_time", Type: cty.Number, Unit: stages.Duration,
			Doc: "wall time limit T that the runs were executed with"},
		{Name: "cores", Type: cty.Number, Whole: stages.WholeFrom(1), Doc: "cores per run; default: as in " +
			"BenchExec's file, " +
			"otherwise 1"},
		{Name: "teams", Type: cty.Map(cty.String), Doc: "teams of these solvers, by name; default: each is its own"},
		{Name: "bases", Type: cty.Map(cty.String), Doc: "base solvers of these derived solvers, by name; default: " +
			"none is derived"},
		{Name: "open_source", Type: cty.List(cty.String), Doc: "names of the solvers whose source code is open"},
		{Name: "new_entrants", Type: cty.List(cty.String), Doc: "names of the solvers that compete for the first time"},
		{Name: "benchmarks", Type: stages.FileType, Doc: "a list of benchmarks"},
		{Name: "new", Type: cty.Bool, Doc: "whether a benchmark's family is new this year; default: false",
			Row: &stages.Row{
				Scope: rowexpr.Scope{Vars: []rowexpr.Var{
					{Name: "b", Record: stages.RecordOf(results.SchemaOf[results.BenchmarkRow]()),
						Doc: "the benchmark"},
				}},
			}},
	},
	Outputs: []stages.Output{
		{Name: "runs", Type: stages.TableType("history/1"), Doc: "the runs of all files"},
		{Name: "executed", Type: stages.TableType("runs/2"),
			Doc: "the runs of all files, to be judged; no rows without wall_time"},
		{Name: "entrants", Type: stages.TableType("entrants/1"),
			Doc: "the solvers of these runs, for a stage \"verdicts\"; unknown values are empty"},
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"),
			Doc: "the benchmarks of the list; no rows without one"},
	},
	New:   newAction,
	Quick: stages.Always,
}

type action struct {
	results    []source
	track      comp.Track // zero means that the files determine it
	mapping    []stages.File
	scripts    *stages.Artifact
	settings   settings
	benchmarks *stages.File
	new        *rowexpr.Expr
}

// source is a results file with its settings.
type source struct {
	stages.File
	year int
	kind intake.Kind  // empty means that the file's content determines it
	logs *stages.File // logs of BenchExec; nil if none are given
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{mapping: a.Files("mapping"), new: a.Row("new")}
	if f, ok := a.File("benchmarks"); ok {
		act.benchmarks = &f
	}
	act.scripts = a.OptionalArtifact("scripts")
	var errs []error
	var err error
	if act.settings, err = decodeSettings(a); err != nil {
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
	if act.results, err = sources(a); err != nil {
		errs = append(errs, err)
	}
	return act, errors.Join(errs...)
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	benchmarks, mapping, err := act.readBenchmarks(ctx)
	if err != nil {
		return err
	}
	im := &importing{action: act, env: env, mapping: mapping, tables: newTables()}
	if err := im.open(); err != nil {
		return err
	}
	parts := make([]part, len(act.results))
	env.Progress.Start(int64(len(act.results)), "files", false)
	err = env.Each(ctx, len(act.results), func(_ context.Context, i int) error {
		n, err := im.read(i, &parts[i])
		if err != nil {
			return stages.InFile("results", act.results[i].File, err, mendFile)
		}
		if n == 0 {
			env.Log.Warn(fmt.Sprintf("%s has no runs to import; is it the right file?",
				act.results[i].Name))
		}
		env.Progress.Add(1, "")
		return nil
	})
	if err != nil {
		return err
	}
	if err := im.merge(parts); err != nil {
		return err
	}
	entrants, err := im.entrantRows()
	if err != nil {
		return err
	}
	return env.SetAll(ctx,
		func() error {
			err := setRows(env, "runs", im.tables.history)
			if err != nil {
				err = cmp.Or(im.inTwoFiles(), err)
			}
			return err
		},
		func() error { return setRows(env, "executed", im.tables.executed) },
		func() error { return stages.SetTable(env, "entrants", entrants) },
		func() error { return choices.SetBenchmarks(env, benchmarks) })
}

// setRows writes the builder's rows as the output name.
func setRows[Row any](env *stages.Env, name string, rows *results.Builder[Row]) error {
	t, err := rows.Table()
	if err == nil {
		err = stages.SetColumns(env, name, t)
	}
	return err
}

// mendFile tells the user what to do about an unreadable file.
const mendFile = "Fetch or export the file again, or fix the place."

// readBenchmarks reads the list of benchmarks and adds the benchmarks to the mapping.
func (act *action) readBenchmarks(ctx context.Context) (*results.Table[results.BenchmarkRow], *intake.Mapping, error) {
	rows := results.NewBuilder[results.BenchmarkRow]()
	mapping := &intake.Mapping{}
	if act.benchmarks == nil {
		t, err := rows.Table()
		return t, mapping, err
	}
	var incremental, others []string
	_, err := intake.Benchmarks(act.benchmarks.Path, func(b *intake.Benchmark) error {
		if b.Retired != "" {
			return fmt.Errorf("%s is retired here; give the retired benchmarks to a stage \"unfit\", as a list of "+
				"their own",
				b.Named)
		}
		if b.Status == "" { // a list of paths contains no statuses
			b.Status = string(comp.StatusUnknown)
		}
		if b.Statuses == "" && !b.Incremental {
			b.Statuses = b.Status // the status of the benchmark's only check-sat
		}
		if b.Incremental {
			incremental = append(incremental, b.Path)
		} else {
			others = append(others, b.Path)
		}
		rows.Append(&b.BenchmarkRow)
		return nil
	})
	if err != nil {
		return nil, nil, stages.InFile("benchmarks", *act.benchmarks, err, mendFile)
	}
	for i, path := range append(others, incremental...) {
		mapping.AddBenchmark(i, path)
	}
	t, err := rows.Table()
	if err != nil || act.new == nil {
		return t, mapping, err
	}
	isNew, err := rowexpr.EvaluateTable("b", t, act.new, func(frame *table.Frame) ([]bool, error) {
		return act.new.Bools(ctx, frame)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("new: %w", err)
	}
	t, err = t.With("new", table.BoolsOf(isNew))
	return t, mapping, err
}
