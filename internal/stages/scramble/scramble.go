// Package scramble provides the "scramble" stage: it turns benchmarks into scripts for solvers, using one seed.
// internal/smt/scramble implements the transformation. This package streams the archives and stores the scripts.
package scramble

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	scrambler "github.com/smtpipe/smtpipe/internal/smt/scramble"
	v1 "github.com/smtpipe/smtpipe/internal/smt/scramble/v1"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "scramble",
	Version: 3,
	Summary: "Writes the scripts for solvers",
	Doc: `Renames and reorders each benchmark with the competition's seed, byte for byte like the official scrambler, and adds
the commands that the track requires. With seed 0 nothing is renamed or reordered. A benchmark that the scrambler rejects has
a row with the reason and no script.

A benchmark of SMT-LIB 1.2 stays in that format (single query only). Its metadata are removed, and with a seed
it is renamed and reordered by a method of smtpipe's own. In a logic whose name ends in -p it loses its patterns (2008 rules,
§4).

Benchmarks of a language of the competition's own stay as they are. A block command names a program that transforms
benchmarks instead of the scrambler.`,
	Example: `stage "scramble" "single_query" {
  benchmarks = stage.cap.single_query.benchmarks
  track      = "single_query"
  seed       = local.seed
}`,
	Attrs: []stages.Attr{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Required: true, Doc: "the benchmarks"},
		{Name: "track", Type: cty.String, Required: true, Doc: "the track that the scripts are for"},
		{Name: "seed", Type: cty.Number, Whole: stages.WholeFrom(0, scrambler.MaxSeed), Required: true, Secret: true,
			Doc: "the competition's seed"},
		stages.KindsAttr,
		stages.LanguageAttr(language.Files),
	},
	Blocks: []stages.Block{{
		Name: "command",
		Max:  1,
		Doc: "a program that transforms benchmarks, isolated like a solver. Its last arguments are the seed and the file " +
			"with the benchmark, and it prints the script. If its exit code is not 0, the benchmark is rejected",
		Attrs: fanout.ToolAttrs,
	}},
	Outputs: []stages.Output{
		{Name: "scripts", Type: stages.TableType("scripts/1"), Doc: "the scripts"},
		{Name: "rejected", Type: cty.Number, Doc: "number of benchmarks without a script"},
	},
	New: newAction,
	Extent: func(_ *stages.Args, of func(string) (stages.Extent, bool)) (stages.Extent, bool) {
		return of("benchmarks")
	},
}

type action struct {
	benchmarks stages.Artifact
	track      string
	kind       comp.Track
	seed       int64
	language   *language.Reader // nil means SMT-LIB
	tool       *fanout.Tool     // nil means the built-in scrambler
	executedBy fanout.ExecutedBy
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{}
	act.benchmarks, _ = a.Artifact("benchmarks")
	kinds, err := a.Kinds()
	errs := []error{err}
	if act.track, act.kind, err = kinds.Parse(a.String("track")); err != nil {
		errs = append(errs, a.Invalid("track", "Unknown track", err.Error()+"."))
	}
	act.seed = a.Int("seed")
	act.language, err = a.Language()
	errs = append(errs, err)
	if b := a.Block("command"); b != nil {
		act.tool, err = fanout.ReadTool(b, maxScript)
		by, err2 := fanout.ReadExecutedBy(a, act.tool)
		act.executedBy, errs = by, append(errs, err, err2)
	}
	if act.language != nil && act.seed != 0 && act.tool == nil {
		errs = append(errs, a.Invalid("seed", "Nothing to scramble with", fmt.Sprintf("The scrambler is for SMT-LIB, "+
			"and the benchmarks are %s; write a block command, or seed = 0.", act.language.Name)))
	}
	return act, errors.Join(errs...)
}

// ExtendKey implements stages.KeyExtender.
func (act *action) ExtendKey(k *cache.KeyWriter) { act.executedBy.WriteKey(k) }

// open reads the benchmarks and opens their scripts' records.
func (act *action) open(ctx context.Context, env *stages.Env) ([]results.BenchmarkRow, []cache.Digest, stages.Items,
	error) {
	rows, err := artifact.ReadTable[results.BenchmarkRow](env.Store, act.benchmarks)
	if err != nil {
		return nil, nil, nil, err
	}
	digests := make([]cache.Digest, len(rows))
	for i := range rows {
		if digests[i], err = cache.ParseDigest(rows[i].SHA256); err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", rows[i].Path, err)
		}
	}
	items, err := env.Items.Open(ctx, "scramble", "benchmarks", len(rows),
		func(i int) cache.Key { return act.itemKey(&rows[i], digests[i]) })
	return rows, digests, items, err
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	if err := act.executedBy.Check(); err != nil {
		return err
	}
	rows, digests, items, err := act.open(ctx, env)
	if err != nil {
		return err
	}
	scripts, err := act.scripts(ctx, env, rows, digests, items)
	if err := errors.Join(err, items.Close()); err != nil {
		return err
	}
	return finish(env, scripts)
}

// Foresee implements stages.Foreseer: it returns the scripts with a record.
func (act *action) Foresee(ctx context.Context, env *stages.Env) error {
	rows, _, items, err := act.open(ctx, env)
	if err != nil {
		return err
	}
	missing, next := items.Missing(), 0
	var scripts []results.ScriptRow
	for i := range rows {
		if next < len(missing) && missing[next] == i {
			next++
			continue
		}
		s := newRow(&rows[i], act.track)
		record, err := items.Record(i)
		if err == nil {
			err = decode(record, &s)
		}
		if err == nil && present(env.Store, s.ScriptSHA256) {
			scripts = append(scripts, s)
		}
	}
	return errors.Join(finish(env, scripts), items.Close())
}

// finish sets the outputs.
func finish(env *stages.Env, scripts []results.ScriptRow) error {
	rejected := 0
	for i := range scripts {
		if scripts[i].ScriptSHA256 == "" {
			rejected++
		}
	}
	return errors.Join(
		env.Set("rejected", cty.NumberIntVal(int64(rejected))),
		stages.SetTable(env, "scripts", scripts),
	)
}

// itemKey identifies the scrambling of one benchmark.
func (act *action) itemKey(b *results.BenchmarkRow, benchmark cache.Digest) cache.Key {
	k := cache.NewKeyWriter("scramble/1")
	if act.language != nil {
		k.Bool("as_is", true)
	}
	if act.tool != nil {
		act.tool.WriteKey(k)
	}
	if strings.HasSuffix(b.Path, ".smt") {
		k.String("format", "1.2")
		k.Bool("patterns", !withoutPatterns(b))
	}
	k.Digest("benchmark", benchmark)
	k.String("track", act.kind.String())
	k.Int("seed", act.seed)
	return k.Key()
}

// scripts writes the scripts that have no record or whose blob is lost, and returns the rows for all scripts.
func (act *action) scripts(ctx context.Context, env *stages.Env, rows []results.BenchmarkRow, digests []cache.Digest,
	items stages.Items) ([]results.ScriptRow, error) {
	scripts := make([]results.ScriptRow, len(rows))
	todo := items.Missing()
	have := make([]bool, len(rows))
	for i := range have {
		have[i] = true
	}
	for _, i := range todo {
		have[i] = false
	}
	for i := range rows {
		scripts[i] = newRow(&rows[i], act.track)
		if !have[i] {
			continue
		}
		record, err := items.Record(i)
		if err == nil {
			err = decode(record, &scripts[i])
		}
		if err != nil || !present(env.Store, scripts[i].ScriptSHA256) {
			todo = append(todo, i)
		}
	}
	slices.Sort(todo)
	if act.tool != nil {
		return scripts, act.transform(ctx, env, rows, digests, todo, items, scripts)
	}
	return scripts, act.make(ctx, env, rows, digests, todo, func(i int, s results.ScriptRow) error {
		scripts[i] = s
		return items.Put(i, encode(&s))
	})
}

func newRow(b *results.BenchmarkRow, track string) results.ScriptRow {
	return results.ScriptRow{
		Benchmark: b.Path, Logic: b.Logic, Family: b.Family, Track: track,
		Status: b.Status, Statuses: b.Statuses, Asserts: b.Asserts, CheckSats: b.CheckSats,
	}
}

func present(store *cache.Store, digest string) bool {
	if digest == "" {
		return true
	}
	d, err := cache.ParseDigest(digest)
	return err == nil && store.Has(d)
}

// make streams each archive that contains missing benchmarks once, and scrambles these benchmarks on all cores. done is
// called from many goroutines.
func (act *action) make(ctx context.Context, env *stages.Env, rows []results.BenchmarkRow, digests []cache.Digest,
	todo []int, done func(int, results.ScriptRow) error) error {
	byArchive, alone := map[string]map[string]int{}, map[string]bool{}
	var archives []string
	for _, i := range todo {
		a := cmp.Or(rows[i].ArchiveSHA256, rows[i].SHA256)
		if byArchive[a] == nil {
			byArchive[a] = map[string]int{}
			archives = append(archives, a)
		}
		byArchive[a][rows[i].Path] = i
		alone[a] = rows[i].ArchiveSHA256 == ""
	}
	slices.Sort(archives)
	return env.Each(ctx, len(archives), func(ctx context.Context, k int) error {
		wanted := byArchive[archives[k]]
		workers, ctx := errgroup.WithContext(ctx)
		workers.SetLimit(env.Jobs) // also limits memory use: reading pauses while all cores are busy
		read := act.readArchive
		if alone[archives[k]] {
			read = act.readFile
		}
		err := read(ctx, env, archives[k], wanted, func(i int, content []byte) error {
			workers.Go(func() error {
				if cache.DigestOf(content) != digests[i] {
					return &cache.CorruptError{What: "archive " + archives[k], Why: rows[i].Path +
						" does not have its digest"}
				}
				s, err := act.scramble(env, &rows[i], content)
				if err != nil {
					return err
				}
				return done(i, s)
			})
			return nil
		})
		if failed := workers.Wait(); failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
		if len(wanted) > 0 {
			return fmt.Errorf("%s is no longer in its archive", slices.Min(slices.Collect(maps.Keys(wanted))))
		}
		return nil
	})
}

// readArchive calls visit for an archive's wanted members, by path, and removes them from wanted. The archive's size
// limits were checked by the index stage.
func (act *action) readArchive(ctx context.Context, env *stages.Env, archive string, wanted map[string]int,
	visit func(i int, content []byte) error) error {
	d, err := cache.ParseDigest(archive)
	if err != nil {
		return err
	}
	blob, err := env.Store.OpenBlob(d)
	if err != nil {
		return err
	}
	defer blob.Close()
	err = release.Walk(archive[:12], blob.Reader(), packed.Limits{}, func(m release.Member, content io.Reader) error {
		i, ok := wanted[m.Path]
		if !ok || m.Problem != "" {
			return context.Cause(ctx)
		}
		delete(wanted, m.Path)
		b := make([]byte, m.Size)
		if _, err := io.ReadFull(content, b); err != nil {
			return err
		}
		if err := visit(i, b); err != nil {
			return err
		}
		if len(wanted) == 0 {
			return errAllFound
		}
		return context.Cause(ctx)
	})
	if errors.Is(err, errAllFound) {
		return nil
	}
	return err
}

// readFile is like readArchive, for benchmarks outside archives.
func (act *action) readFile(_ context.Context, env *stages.Env, file string, wanted map[string]int,
	visit func(i int, content []byte) error) error {
	content, err := artifact.ReadBlob(env.Store, file)
	if err != nil {
		return err
	}
	for path, i := range wanted {
		delete(wanted, path)
		if err := visit(i, content); err != nil {
			return err
		}
	}
	return nil
}

var errAllFound = errors.New("all found")

// scramble writes and stores one script.
func (act *action) scramble(env *stages.Env, b *results.BenchmarkRow, content []byte) (results.ScriptRow, error) {
	row := newRow(b, act.track)
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	script, err := act.script((*buffer)[:0], b, content)
	if cap(script) <= largeScript {
		*buffer = script
	}
	if rejection, ok := errors.AsType[*scrambler.Rejection](err); ok {
		row.Problem = rejection.Error()
		env.Progress.Fail(b.Path, "rejected by the scrambler", rejection.Error())
		return row, nil
	}
	if err != nil {
		return row, fmt.Errorf("scramble %s: %w", b.Path, err)
	}
	d, err := env.Store.PutBytes(script)
	if err != nil {
		return row, err
	}
	row.ScriptSHA256, row.SizeBytes = d.String(), int64(len(script))
	env.Progress.Add(1, "")
	return row, nil
}

// buffers holds buffers for scripts that are not stored yet. largeScript is the maximum size of a buffer that is kept
// for reuse.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const largeScript = 16 << 20

// script appends a script's text to dst.
func (act *action) script(dst []byte, b *results.BenchmarkRow, content []byte) ([]byte, error) {
	if act.language != nil || act.tool != nil {
		return append(dst, content...), nil
	}
	if act.kind == comp.SingleQuery && v1.Is(content) {
		return v1.Append(dst, content, v1.Options{Seed: uint32(act.seed), NoPatterns: withoutPatterns(b)})
	}
	return scrambler.Append(dst, content, scrambler.ForTrack(act.kind, act.seed))
}

// withoutPatterns reports whether a benchmark's division, such as AUFLIA-p, requires formulas without patterns.
func withoutPatterns(b *results.BenchmarkRow) bool { return strings.HasSuffix(b.Logic, "-p") }

// encode returns an item's record: the size followed by the digest in hex, or an exclamation mark followed by the
// problem.
func encode(s *results.ScriptRow) []byte {
	if s.ScriptSHA256 == "" {
		return []byte("!" + s.Problem)
	}
	return fmt.Appendf(nil, "%d %s", s.SizeBytes, s.ScriptSHA256)
}

// decode is the inverse of encode.
func decode(record []byte, s *results.ScriptRow) error {
	if len(record) > 0 && record[0] == '!' {
		s.Problem = string(record[1:])
		return nil
	}
	if _, err := fmt.Sscanf(string(record), "%d %s", &s.SizeBytes, &s.ScriptSHA256); err != nil {
		return fmt.Errorf("record of a script: %w", err)
	}
	if b, err := hex.DecodeString(s.ScriptSHA256); err != nil || len(b) != 32 {
		return fmt.Errorf("record of a script has the digest %q", s.ScriptSHA256)
	}
	return nil
}
