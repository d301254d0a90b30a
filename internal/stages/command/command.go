// Package command provides the "command" stage, which executes any program as a stage. The program reads its inputs
// from files, writes its outputs to files, and is isolated like a solver.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "command",
	Version: 2,
	Summary: "Executes any program as a stage",
	Doc: `The program finds its inputs read-only in the folder named by SMTPIPE_IN. Tables have the given format (scores.csv
for the input scores). The program writes its outputs into its working folder. A file NAME.csv whose NAME is a table
(scores.csv, verdicts.csv, ...) is read as that table. Every file is part of the output files. The program has no network. It
sees only the machine's programs and libraries. The key contains the digests of the program, of its interpreter with the
libraries that this loads, and of the inputs. The program must produce the same output for the same input. Anything that
it starts or loads by itself, such as a Python module, is not part of the key.`,
	Example: `stage "command" "my_scores" {
  program = file("score.py")
  inputs  = { verdicts = stage.validate.single_query.verdicts }
}`,
	Attrs: []stages.Attr{
		{Name: "program", Type: stages.FileType, Required: true,
			Doc: "the program: a file of the pipeline, with #! or binary"},
		{Name: "interpreter", Type: cty.List(cty.String),
			Doc: "interpreter of the program, such as [\"/usr/bin/python3\"]; default: the program itself"},
		{Name: "args", Type: cty.List(cty.String), Secret: true, Doc: "arguments"},
		{Name: "env", Type: cty.Map(cty.String), Secret: true,
			Doc: "environment variables; there are no others except SMTPIPE_IN and those of every program"},
		{Name: "inputs", Type: cty.DynamicPseudoType, Doc: "tables, trees and files by name"},
		{Name: "format", Type: cty.String, Default: cty.StringVal("csv"),
			Doc: "format of input tables: csv, jsonl or parquet"},
		{Name: "wall_time", Type: cty.Number, Unit: stages.Duration, Default: cty.NumberIntVal(3600e9),
			Doc: "wall time limit"},
		{Name: "memory", Type: cty.Number, Unit: stages.Size, Default: cty.NumberIntVal(4e9), Doc: "memory limit"},
		{Name: "isolation", Type: cty.String, Default: cty.StringVal("best_effort"),
			Doc: "full, or best_effort if the machine does not support that", NotInKey: true},
	},
	Outputs: outputs(),
	New:     newAction,
}

// outputs declares the files, and one table per schema, which is null unless the program writes it.
func outputs() []stages.Output {
	all := []stages.Output{{Name: "files", Type: stages.TreeType, Doc: "all files that the program wrote"}}
	for _, schema := range results.SchemaNames() {
		all = append(all, stages.Output{
			Name: tableName(schema), Type: stages.TableType(schema),
			Doc: "the table with that name if the program wrote it, otherwise null",
		})
	}
	return all
}

// tableName returns a schema's name without its version.
func tableName(schema string) string {
	name, _, _ := strings.Cut(schema, "/")
	return name
}

type action struct {
	*fanout.Tool
	executedBy fanout.ExecutedBy
	env        []string // NAME=VALUE, sorted
	inputs     map[string]cty.Value
	format     results.Format
	limits     comp.Limits
	isolation  runner.Isolation
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{
		Tool:   fanout.ProgramTool(a),
		format: results.Format(a.String("format")),
		limits: comp.Limits{
			WallTime: a.Duration("wall_time"), MemoryBytes: a.Bytes("memory"), Cores: 1, OutputBytes: 1 << 20,
			Processes: 1024,
		},
	}
	var errs []error
	if !slices.Contains([]results.Format{results.CSV, results.JSONLines, results.Parquet}, act.format) {
		errs = append(errs, a.Invalid("format", "Unknown format",
			"The format of input tables must be csv, jsonl or parquet."))
	}
	var err error
	if act.isolation, err = runner.ParseIsolation(a.String("isolation")); err != nil {
		errs = append(errs, a.Invalid("isolation", "Invalid isolation", err.Error()+"."))
	}
	if env := a.Value("env"); !env.IsNull() {
		all := env.AsValueMap()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if name == "" || name == inputVariable || strings.ContainsAny(name, "=\x00") {
				errs = append(errs, a.Invalid("env", "Invalid environment", fmt.Sprintf("%q cannot be the name of an "+
					"environment variable here.", name)))
			}
			act.env = append(act.env, name+"="+all[name].AsString())
		}
		slices.Sort(act.env)
	}
	act.executedBy, err = fanout.ReadExecutedBy(a, act.Tool)
	errs = append(errs, err)
	if v := a.Value("inputs"); !v.IsNull() {
		if !v.Type().IsObjectType() && !v.Type().IsMapType() {
			return nil, a.Invalid("inputs", "Invalid inputs",
				"Inputs are given by name, such as { verdicts = stage.validate.main.verdicts }.")
		}
		act.inputs = v.AsValueMap()
		for _, name := range slices.Sorted(maps.Keys(act.inputs)) {
			if problem := inputProblem(name, act.inputs[name]); problem != "" {
				errs = append(errs, a.Invalid("inputs", "Invalid input", problem))
			}
			file := name + "." + string(act.format)
			art, ok := stages.ArtifactOf(act.inputs[name])
			if _, twice := act.inputs[file]; twice && ok && art.IsTable() {
				errs = append(errs, a.Invalid("inputs", "Two inputs with one name", fmt.Sprintf("Table %q is written "+
					"as %q, which is also the name of an input.", name, file)))
			}
		}
	}
	return act, errors.Join(errs...)
}

// inputProblem returns a sentence that explains why a value cannot be an input, or "" if it can.
func inputProblem(name string, v cty.Value) string {
	_, isArtifact := stages.ArtifactOf(v)
	_, isFile := stages.FileOf(v)
	switch {
	case !v.IsKnown():
		return ""
	case !isArtifact && !isFile:
		return fmt.Sprintf(
			"Input %q is a %s; it must be an output of a stage that is a table, tree or blob, or a file.", name,
			v.Type().FriendlyName())
	case name == "" || strings.ContainsAny(name, "/\x00") || strings.HasPrefix(name, "."):
		return fmt.Sprintf("Input name %q cannot name a file.", name)
	}
	return ""
}

const (
	inputDir      = runner.InputDir
	inputVariable = "SMTPIPE_IN"
)

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	if err := act.executedBy.Check(); err != nil {
		return err
	}
	in, out := filepath.Join(env.Temp, "in"), filepath.Join(env.Temp, "out")
	for _, dir := range []string{in, out} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(act.inputs)) {
		if err := act.writeInput(env.Store, in, name, act.inputs[name]); err != nil {
			return fmt.Errorf("input %s: %w", name, err)
		}
	}
	if err := makeReadable(in); err != nil {
		return err
	}
	if err := act.runOnCore(ctx, env, in, out); err != nil {
		return err
	}
	return act.collect(env, out)
}

// makeReadable lets the user of runs read a folder with all its files, regardless of the umask.
func makeReadable(dir string) error {
	return filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		may := info.Mode().Perm() & 0o500
		return os.Chmod(path, info.Mode().Perm()|may>>3|may>>6)
	})
}

func (act *action) writeInput(store *cache.Store, dir, name string, v cty.Value) error {
	if f, ok := stages.FileOf(v); ok {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), data, 0o444)
	}
	art, _ := stages.ArtifactOf(v)
	switch art.Schema {
	case "tree":
		m, err := artifact.ReadTree(store, art)
		if err != nil {
			return err
		}
		return store.PublishTree(m, filepath.Join(dir, name))
	case "blob":
		w, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		return errors.Join(store.CopyBlob(w, art.Digest), w.Close())
	}
	w, err := os.Create(filepath.Join(dir, name+"."+string(act.format)))
	if err != nil {
		return err
	}
	return errors.Join(artifact.ExportTable(w, store, art, act.format), w.Close())
}

// runOnCore executes the program as soon as a core is free.
func (act *action) runOnCore(ctx context.Context, env *stages.Env, in, out string) error {
	return env.EachRun(ctx, 1, 1, act.limits.Cores, func(ctx context.Context, _ int) error {
		return act.run(ctx, env,
			in, out)
	})
}

// run executes the program.
func (act *action) run(ctx context.Context, env *stages.Env, in, out string) error {
	isolation := act.isolation
	if env.Distrusted {
		isolation = runner.Full
	}
	host, err := runner.Open(runner.Config{Isolation: isolation, Jobs: 1, Logger: env.Log})
	if err != nil {
		return err
	}
	defer host.Close()
	const program = "/program"
	argv := append(slices.Clone(act.Interpreter), program+"/"+filepath.Base(act.Program.Path))
	rec, err := host.Run(ctx, runner.Command{
		Argv:   append(argv, act.Args...),
		Mounts: []runner.Mount{{Source: in, Target: inputDir, Warm: true}},
		Inputs: []runner.Input{{Source: act.Program.Path, Target: program + "/" + filepath.Base(act.Program.Path),
			Mode: 0o555}},
		HostSystem: true,
		Env:        append([]string{inputVariable + "=" + inputDir}, act.env...),
		Limits:     act.limits,
		Collect:    &runner.Collect{Into: out, Patterns: []string{"**"}},
	})
	if err != nil {
		return err
	}
	if rec.Ending != comp.Exited || rec.ExitCode != 0 {
		return fmt.Errorf("program %s %s. Its standard error:\n%s", act.Program.Name, endingText(&rec),
			lastLines(rec.Stderr.Bytes()))
	}
	if rec.Flags.Has(runner.FlagCollectPartly) {
		return fmt.Errorf("program %s wrote files that cannot be stored: links, or too many or too large files",
			act.Program.Name)
	}
	return nil
}

// endingText describes how a program ended.
func endingText(rec *runner.Record) string {
	switch rec.Ending {
	case comp.Exited:
		return fmt.Sprintf("failed with exit code %d", rec.ExitCode)
	case comp.Signalled:
		return fmt.Sprintf("was killed by signal %d", rec.Signal)
	}
	return fmt.Sprintf("was ended: %s", rec.Ending)
}

// lastLines returns the end of a program's output, starting at a line break.
func lastLines(b []byte) string {
	s := strings.TrimRight(string(b), "\n ")
	const most = 4000
	if len(s) > most {
		s = s[len(s)-most:]
		if _, whole, ok := strings.Cut(s, "\n"); ok {
			s = whole
		}
		s = "…\n" + s
	}
	return cmp.Or(s, "nothing")
}

// collect stores the files that the program wrote.
func (act *action) collect(env *stages.Env, out string) error {
	m := &cache.Manifest{}
	err := filepath.WalkDir(out, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(out, path)
		if err != nil {
			return err
		}
		d, size, err := env.Store.PutFile(path)
		if err != nil {
			return err
		}
		m.Files = append(m.Files, cache.ManifestFile{Path: filepath.ToSlash(rel), Size: size, Digest: d})
		return nil
	})
	if err != nil {
		return err
	}
	if len(m.Files) == 0 {
		return fmt.Errorf("program %s wrote no file into its working folder", act.Program.Name)
	}
	m.Sort()
	art, err := artifact.WriteTree(env.Store, m)
	if err != nil {
		return err
	}
	if err := env.Set("files", stages.ArtifactVal(art)); err != nil {
		return err
	}
	for _, s := range results.Schemas() {
		if err := act.table(env, out, s); err != nil {
			return err
		}
	}
	return nil
}

// table reads the table for a schema, if the program wrote it.
func (act *action) table(env *stages.Env, out string, s *results.Schema) error {
	name := tableName(s.Name)
	f, err := os.Open(filepath.Join(out, name+".csv"))
	if os.IsNotExist(err) {
		return env.Set(name, cty.NullVal(stages.TableType(s.Name)))
	}
	if err != nil {
		return err
	}
	defer f.Close()
	art, err := artifact.ImportCSV(env.Store, f, s)
	if err != nil {
		return fmt.Errorf("%s.csv of program %s: %w", name, act.Program.Name, err)
	}
	return env.Set(name, stages.ArtifactVal(art))
}
