package sides

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// What the sides without tables are. Their figures can only be compared with those of the same kind.
const (
	aResult = "a result of \"tool score\""
	aYear   = "the rules of a year"
)

// open finds out what a name stands for, and lists its tables.
func (c *Comparison) open(ctx context.Context, name string) (*side, error) {
	info, err := os.Stat(name)
	switch {
	case isYear(name):
		return c.year(name)
	case err != nil:
		return c.address(ctx, name)
	case filepath.Ext(name) == ".hcl" && !info.IsDir():
		return c.pipeline(ctx, name)
	case info.IsDir() && has(name, frozen.LockName):
		return openFrozen(name)
	case info.IsDir() && cache.IsStore(name):
		return c.store(ctx, name)
	case info.IsDir() && holdsPipeline(name):
		return c.pipeline(ctx, name)
	case info.IsDir():
		return nil, exit.With(exit.Usage, fmt.Errorf("%s is not a frozen folder, a store, a folder of rules, or the folder "+
			"of a pipeline: name one, or a file in it", name))
	}
	return openFile(name)
}

func has(folder, file string) bool {
	_, err := os.Stat(filepath.Join(folder, file))
	return err == nil
}

// isYear reports whether a name is a built-in year or a folder with a year's rules.
func isYear(name string) bool {
	_, err := os.Stat(name)
	return err != nil && rules.IsBuiltin(name) || err == nil && rules.IsFolder(name)
}

// holdsPipeline reports whether a folder has files of a pipeline.
func holdsPipeline(folder string) bool {
	found, err := fs.Glob(os.DirFS(folder), "*.hcl")
	return err == nil && slices.ContainsFunc(found, func(f string) bool { return !strings.HasSuffix(f, rules.Suffix) })
}

// year returns a year's rules as figures.
func (c *Comparison) year(name string) (*side, error) {
	path := name
	if _, err := os.Stat(name); err == nil { // not the built-in year of this name
		if path, err = filepath.Abs(name); err != nil {
			return nil, err
		}
	}
	r, err := project.LoadRules(c.Stderr, path)
	if err != nil {
		return nil, err
	}
	load := func() (content, error) { return content{figures: r.Figures()}, nil }
	return &side{name: name, kind: aYear, parts: []part{{name, aYear, load}}}, nil
}

func openFrozen(name string) (*side, error) {
	folder, err := frozen.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &side{name: name, kind: "a frozen folder", close: folder.Close}
	for _, address := range slices.Sorted(maps.Keys(folder.Lock.Outputs)) {
		if art, ok := folder.Lock.Outputs[address].Artifact(); ok && art.IsTable() && folder.Has(art.Digest) {
			s.parts = append(s.parts, tablePart(address, art.Schema, func(w io.Writer) error {
				return folder.Copy(art.Digest, w)
			}))
		}
	}
	return s, nil
}

// tablePart returns a table that write writes as Parquet.
func tablePart(name, schema string, write func(io.Writer) error) part {
	return part{name, schema, func() (content, error) {
		var b bytes.Buffer
		err := write(&b)
		return content{table: b.Bytes()}, err
	}}
}

// store returns the tables that a store has of the pipeline in the flags or, without one, beside it.
func (c *Comparison) store(ctx context.Context, name string) (*side, error) {
	opt := c.Project
	opt.Store = name
	if abs, err := filepath.Abs(name); opt.Pipeline == "" && err == nil && holdsPipeline(filepath.Dir(abs)) {
		opt.Pipeline = filepath.Dir(abs)
	}
	if _, _, err := opt.Locate(); err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("%s is a store: name the pipeline whose tables to compare with -p",
			name))
	}
	return c.tables(ctx, opt, name, "a store")
}

// pipeline returns the tables of a pipeline in its own store.
func (c *Comparison) pipeline(ctx context.Context, name string) (*side, error) {
	opt := c.Project
	opt.Pipeline = name
	return c.tables(ctx, opt, name, "a pipeline")
}

// tables returns all tables of a pipeline that are up to date.
func (c *Comparison) tables(ctx context.Context, opt project.Options, name, kind string) (*side, error) {
	p, err := opt.Open(ctx, c.Stderr)
	if err != nil {
		return nil, err
	}
	s := &side{name: name, kind: kind, close: p.Close}
	e, err := p.Engine(engine.Options{})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	plan, _ := e.Plan()
	for _, address := range slices.Sorted(maps.Keys(plan.Known)) {
		for _, output := range project.OutputNames(plan.Known[address]) {
			if t, ok := tableOf(p, address+"."+output, plan.Known[address][output]); ok {
				s.parts = append(s.parts, t)
			}
		}
	}
	if len(s.parts) == 0 {
		return nil, errors.Join(fmt.Errorf("%s is %s without tables that are up to date; execute the pipeline with "+
			"\"smtpipe run\"", name, kind), p.Close())
	}
	return s, nil
}

func tableOf(p *project.Project, address string, v cty.Value) (part, bool) {
	art, ok := stages.ArtifactOf(v)
	if !ok || !art.IsTable() {
		return part{}, false
	}
	return tablePart(address, art.Schema, func(w io.Writer) error {
		return artifact.ExportTable(w, p.Store, art, results.Parquet)
	}), true
}

// address returns the pipeline's table at an address.
func (c *Comparison) address(ctx context.Context, address string) (*side, error) {
	unknown := func(err error) error {
		return exit.With(exit.Usage, fmt.Errorf("%s is not a file, a folder, a year (%s) or a table of the pipeline: %w",
			address, strings.Join(rules.Names(), ", "), err))
	}
	if _, _, err := c.Project.Locate(); err != nil {
		return nil, unknown(err)
	}
	p, err := c.Project.Open(ctx, c.Stderr)
	if err != nil {
		return nil, err
	}
	outputs, only, err := p.Find(address)
	if err != nil {
		return nil, errors.Join(unknown(err), p.Close())
	}
	name := address
	if only == "" {
		only = p.MainOutput(address, outputs)
		name += "." + only
	}
	t, ok := tableOf(p, name, outputs[only])
	if !ok {
		return nil, errors.Join(exit.With(exit.Usage, fmt.Errorf("%s is not a table", name)), p.Close())
	}
	return &side{name: address, kind: "a table", parts: []part{t}, close: p.Close}, nil
}

// openFile reads a file, compressed or not: a table as Parquet or CSV, or a result of the scoring as JSON.
func openFile(path string) (*side, error) {
	file, err := limits.Open(path)
	if err != nil {
		return nil, exit.With(exit.Usage, exit.Plain(err, path))
	}
	defer file.Close()
	in, err := compressed.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := limits.Stream.Read(in, path)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		figures, err := scoreio.ReadFigures(bytes.NewReader(data), path)
		load := func() (content, error) { return content{figures: figures}, nil }
		return &side{name: path, kind: aResult, parts: []part{{path, aResult, load}}}, err
	}
	table, schema, err := readTable(data)
	if err != nil {
		return nil, fmt.Errorf("%s is not a table: %w", path, err)
	}
	load := func() (content, error) { return content{table: table}, nil }
	return &side{name: path, kind: "a table", parts: []part{{path, schema, load}}}, nil
}

// readTable returns a table as Parquet, with its schema. It converts CSV whose columns fit a schema.
func readTable(data []byte) (table []byte, schema string, err error) {
	if !bytes.HasPrefix(data, []byte("PAR1")) {
		of, err := results.SchemaOfCSV(data)
		if err != nil {
			return nil, "", fmt.Errorf("it is not a Parquet file, and as CSV, %w", err)
		}
		var out bytes.Buffer
		if _, err := results.FromCSV(&out, bytes.NewReader(data), of); err != nil {
			return nil, "", fmt.Errorf("as CSV of %s, %w", of.Name, err)
		}
		return out.Bytes(), of.Name, nil
	}
	found, _, err := results.SchemaIn(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, "", err
	}
	return data, found.Name, nil
}
