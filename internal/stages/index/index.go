// Package index provides the "index" stage: it reads the properties of a release's benchmarks straight from the
// archives.
package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "index",
	Version: 4,
	Summary: "Reads the benchmarks of a release",
	Doc: `Streams the archives of a release and writes a row for every benchmark: logic, family, statuses, numbers of assert
and check-sat commands, category, size and digest. Nothing is unpacked to disk. A benchmark that cannot be read has a row with
its problem. An archive that did not change is not read again.

With a language of the competition's own, benchmarks need no archive. Their logic is the name of the language, and their
family the folder.

The stage fails if an archive unpacks to more than unpack_ratio times its size, not counting the first gigabyte, or takes
longer than unpack_time, since it may be a decompression bomb. No archive of a release comes near these limits: whole logics
unpack to 10 to 30 times their size, small archives of similar scripts to 70 times.`,
	Example: `stage "index" "library" {
  source = stage.fetch.library.files
  new    = startswith(b.family, "2025") # families of this year's submissions
}`,
	Attrs: []stages.Attr{
		{Name: "source", Type: stages.TreeType, Required: true, Doc: "the archives"},
		stages.LanguageAttr(language.Benchmarks),
		{Name: "new", Type: cty.Bool, Doc: "whether a benchmark's family is new this year; default: false",
			Row: &stages.Row{
				Scope: rowexpr.Scope{Vars: []rowexpr.Var{
					{Name: "b", Record: stages.RecordOf(results.SchemaOf[results.BenchmarkRow]()),
						Doc: "the benchmark"},
				}},
			}},
		{Name: "unpack_ratio", Type: cty.Number, Whole: stages.WholeFrom(0),
			Default: cty.NumberIntVal(packed.Default.Ratio), NotInKey: true,
			Doc: "largest ratio of an archive's content to its size; 0 means no limit"},
		{Name: "unpack_time", Type: cty.Number, Unit: stages.Duration, NotInKey: true,
			Default: cty.NumberIntVal(int64(packed.Default.Time)),
			Doc:     "longest time for reading one archive; 0s means no limit"},
	},
	Outputs: []stages.Output{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"),
			Doc: "all benchmarks, including those with a problem"},
		{Name: "count", Type: cty.Number, Doc: "number of benchmarks"},
		{Name: "logics", Type: cty.List(cty.String), Doc: "the logics, sorted"},
	},
	Quick: stages.Always,
	New: func(a *stages.Args) (stages.Action, error) {
		source, _ := a.Artifact("source")
		limits := packed.Limits{Ratio: a.Int("unpack_ratio"),
			Free: packed.Default.Free, Time: a.Duration("unpack_time")}
		lang, err := a.Language()
		return &action{source: source, new: a.Row("new"), limits: limits, language: lang}, err
	},
}

type action struct {
	source   stages.Artifact
	new      *rowexpr.Expr
	limits   packed.Limits
	language *language.Reader // nil means SMT-LIB
}

// itemFormat is incremented when the same archive may produce different rows.
const itemFormat = "index/2"

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	tree, err := artifact.ReadTree(env.Store, act.source)
	if err != nil {
		return err
	}
	archives := slices.DeleteFunc(slices.Clone(tree.Files),
		func(f cache.ManifestFile) bool {
			return !release.IsArchive(f.Path) && (act.language == nil || !act.language.IsBenchmark(f.Path))
		})
	if len(archives) == 0 {
		return errors.New("the source has no archives")
	}
	items, err := env.Items.Open(ctx, "index", "archives", len(archives), func(i int) cache.Key {
		k := cache.NewKeyWriter(itemFormat)
		k.Digest("archive", archives[i].Digest)
		if act.language != nil {
			k.String("path", archives[i].Path) // a benchmark's path determines its family
			k.String("language", fmt.Sprintf("%q", act.language.Language))
		}
		return k.Key()
	})
	if err != nil {
		return err
	}
	missing := items.Missing()
	err = env.Each(ctx, len(missing), func(ctx context.Context, k int) error {
		return act.indexArchive(ctx, env, archives[missing[k]], items, missing[k])
	})
	if err := errors.Join(err, items.Close()); err != nil {
		return err
	}
	rows, err := collect(archives, items)
	if err != nil {
		return err
	}
	if err := markNew(ctx, rows, act.new); err != nil {
		return err
	}
	return act.setOutputs(env, rows)
}

// indexArchive stores an archive's rows as an item.
func (act *action) indexArchive(ctx context.Context, env *stages.Env, f cache.ManifestFile, items stages.Items,
	i int) error {
	blob, err := env.Store.OpenBlob(f.Digest)
	if err != nil {
		return err
	}
	defer blob.Close()
	var rows []results.BenchmarkRow
	if release.IsArchive(f.Path) {
		rows, err = release.Index(ctx, f.Path, f.Digest.String(), act.language, blob.Reader(), act.limits, env.Jobs)
	} else {
		rows, err = act.indexFile(env, f)
	}
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	if err := results.Write(&buf, rows); err != nil {
		return fmt.Errorf("archive %s: %w", f.Path, err)
	}
	if err := items.Put(i, buf.Bytes()); err != nil {
		return err
	}
	env.Progress.Add(1, "")
	return nil
}

// indexFile returns the row for a benchmark that is not in an archive.
func (act *action) indexFile(env *stages.Env, f cache.ManifestFile) (rows []results.BenchmarkRow, err error) {
	content, err := env.Store.ReadBytes(f.Digest)
	if err != nil {
		return nil, err
	}
	if row, ok := release.IndexFile(f.Path, act.language, content); ok {
		rows = append(rows, row)
	}
	return rows, nil
}

// collect gathers the rows of all archives. It returns an error if two archives contain the same path.
func collect(archives []cache.ManifestFile, items stages.Items) ([]results.BenchmarkRow, error) {
	var rows []results.BenchmarkRow
	from := map[string]string{}
	for i, f := range archives {
		record, err := items.Record(i)
		if err != nil {
			return nil, err
		}
		part, err := results.Read[results.BenchmarkRow](bytes.NewReader(record), int64(len(record)))
		if err != nil {
			return nil, fmt.Errorf("archive %s: %w", f.Path, err)
		}
		for _, r := range part {
			if other, twice := from[r.Path]; twice {
				return nil, fmt.Errorf("%s is in two archives, %s and %s; remove one of them", r.Path, other,
					f.Path)
			}
			from[r.Path] = f.Path
		}
		rows = append(rows, part...)
	}
	return rows, nil
}

func (act *action) setOutputs(env *stages.Env, rows []results.BenchmarkRow) error {
	if len(rows) == 0 {
		if act.language != nil {
			return fmt.Errorf("there is no benchmark in the archives; a benchmark is named %s",
				strings.Join(act.language.Files, ", "))
		}
		return errors.New("there is no benchmark in the archives; a benchmark lies in non-incremental/LOGIC/ or " +
			"incremental/LOGIC/ and is named *.smt2")
	}
	var logics []string
	for i := range rows {
		logics = append(logics, rows[i].Logic)
	}
	slices.Sort(logics)
	logics = slices.Compact(logics)
	values := make([]cty.Value, len(logics))
	for i, l := range logics {
		values[i] = cty.StringVal(l)
	}
	return errors.Join(
		env.Set("count", cty.NumberIntVal(int64(len(rows)))),
		env.Set("logics", cty.ListVal(values)),
		stages.SetTable(env, "benchmarks", rows),
	)
}

// markNew sets the benchmarks' column new to the values of a row expression over b. A nil expression leaves it
// unchanged.
func markNew(ctx context.Context, rows []results.BenchmarkRow, expr *rowexpr.Expr) error {
	if expr == nil {
		return nil
	}
	frame := table.NewFrame(len(rows))
	if err := rowexpr.SetColumns(frame, "b", results.TableOf(rows), expr); err != nil {
		return err
	}
	isNew, err := expr.Bools(ctx, frame)
	if err != nil {
		return fmt.Errorf("new: %w", err)
	}
	for i := range rows {
		rows[i].New = isNew[i]
	}
	return nil
}
