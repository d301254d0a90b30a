// Package scriptfolder provides the "script_folder" stage: it writes scripts to a folder for other programs to execute,
// with the numbers that the organisers' tool assigns to them. internal/contest/selection computes the numbers.
package scriptfolder

import (
	"context"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/random/polars"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/choices"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "script_folder",
	Version: 1,
	Summary: "Writes a folder of numbered scripts for other executors",
	Doc: `Puts scripts into a folder as LOGIC/scrambledN.smt2, where N is the number that the organisers' tool assigns
(docs/write/selection.md), with the map of numbers next to them: original_id.csv with the columns scramble_id and file, by
scramble_id. The file is the place of the benchmark in their list of the whole library. A benchmark without a script is left
out.`,
	Example: `stage "script_folder" "single_query" {
  scripts = stage.scramble.single_query.scripts
  listed  = stage.filter.single_query.benchmarks
  library = stage.index.library.benchmarks
  seed    = local.seed
  flavour = "rand-0.9"
}`,
	Attrs: []stages.Attr{
		{Name: "scripts", Type: stages.TableType("scripts/1"), Required: true, Doc: "the scripts of one track"},
		{Name: "listed", Type: stages.TableType("benchmarks/1"), Required: true,
			Doc: "the benchmarks to number: all eligible benchmarks of the track, selected or not"},
		{Name: "library", Type: stages.TableType("benchmarks/1"), Required: true,
			Doc: "all benchmarks of the library, including retired ones"},
		{Name: "numbering", Type: cty.String, Default: cty.StringVal("place"), Doc: "place: the place that a " +
			"benchmark was shuffled to; value (for the cloud): the number that was shuffled to its place"},
		choices.SeedAttr,
		{Name: "flavour", Type: cty.String, Required: true,
			Doc: "rand-0.8 (polars up to 1.31) or rand-0.9 (from 1.32)"},
	},
	Outputs: []stages.Output{
		{Name: "files", Type: stages.TreeType, Doc: "the folder"},
		{Name: "count", Type: cty.Number, Doc: "number of scripts"},
	},
	New: newAction,
}

type action struct {
	scripts, listed, library stages.Artifact
	flavour                  polars.Flavour
	numbering                selection.ScriptNumbering
	seed                     uint64
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{}
	act.scripts, _ = a.Artifact("scripts")
	act.listed, _ = a.Artifact("listed")
	act.library, _ = a.Artifact("library")
	var err1, err2 error
	if act.flavour, err1 = polars.ParseFlavour(a.String("flavour")); err1 != nil {
		err1 = a.Invalid("flavour", "Unknown flavour", err1.Error()+".")
	}
	if act.numbering, err2 = selection.ParseScriptNumbering(a.String("numbering")); err2 != nil {
		err2 = a.Invalid("numbering", "Unknown numbering", err2.Error()+".")
	}
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	var ok bool
	if act.seed, ok = choices.WholeSeed(a); !ok {
		return nil, a.Invalid("seed", "Invalid seed", choices.SeedRemedy)
	}
	return act, nil
}

// Execute implements stages.Action.
func (act *action) Execute(_ context.Context, env *stages.Env) error {
	rows, err := artifact.ReadTable[results.ScriptRow](env.Store, act.scripts)
	if err != nil {
		return err
	}
	numbers, err := act.numbers(env.Store)
	if err != nil {
		return err
	}
	var m cache.Manifest
	var mapped []selection.ScriptNumber
	for i := range rows {
		r := &rows[i]
		if r.ScriptSHA256 == "" {
			continue
		}
		number, ok := numbers[r.Benchmark]
		if !ok {
			return fmt.Errorf("%s has a script and is not among the listed benchmarks, so it has no number",
				r.Benchmark)
		}
		d, err := cache.ParseDigest(r.ScriptSHA256)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Benchmark, err)
		}
		mapped = append(mapped, number)
		m.Files = append(m.Files, cache.ManifestFile{Path: fmt.Sprintf("%s/scrambled%d.smt2", r.Logic, number.Script),
			Size: r.SizeBytes, Digest: d})
	}
	text := selection.IDMap(mapped)
	d, err := env.Store.PutBytes(text)
	if err != nil {
		return err
	}
	m.Files = append(m.Files, cache.ManifestFile{Path: "original_id.csv", Size: int64(len(text)), Digest: d})
	m.Sort()
	art, err := artifact.WriteTree(env.Store, &m)
	if err != nil {
		return err
	}
	return errors.Join(env.Set("files", stages.ArtifactVal(art)),
		env.Set("count", cty.NumberIntVal(int64(len(mapped)))))
}

// numbers returns the numbers of all listed benchmarks, keyed by path.
func (act *action) numbers(store *cache.Store) (map[string]selection.ScriptNumber, error) {
	library, err := paths(store, act.library)
	if err != nil {
		return nil, err
	}
	listed, err := paths(store, act.listed)
	if err != nil {
		return nil, err
	}
	return selection.NumberScripts(library, listed, act.flavour, act.seed, act.numbering)
}

// paths returns the paths in a table of benchmarks.
func paths(store *cache.Store, art stages.Artifact) ([]string, error) {
	b, err := choices.OpenStored(store, art)
	if err != nil {
		return nil, err
	}
	return b.Paths()
}
