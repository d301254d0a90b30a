package config

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// testKinds returns kinds that resemble the real ones but are small enough to show every attribute.
func testKinds() []*stages.Kind {
	table := stages.TableType("benchmarks/1")
	bench := &rowexpr.Record{Name: "benchmarks/1", Fields: []rowexpr.Field{
		{Name: "logic", Type: cty.String}, {Name: "family", Type: cty.String}, {Name: "asserts", Type: cty.Number},
		{Name: "new", Type: cty.Bool},
	}}
	row := &stages.Row{Scope: rowexpr.Scope{Vars: []rowexpr.Var{{Name: "b", Record: bench},
		{Name: "n", Type: cty.Number}}}}
	return []*stages.Kind{
		{
			Name: "fetch", Version: 1, New: newNothing,
			Attrs: []stages.Attr{
				{Name: "zenodo", Type: cty.String, Secret: true},
				{Name: "path", Type: stages.FileType},
				{Name: "paths", Type: cty.List(stages.FileType)},
				{Name: "only", Type: cty.List(cty.String), Secret: true},
				{Name: "env", Type: cty.Map(cty.String), Secret: true},
				{Name: "days", Type: cty.Set(cty.Number), Secret: true},
			},
			Outputs: []stages.Output{{Name: "files", Type: stages.TreeType}},
		},
		{
			Name: "index", Version: 1, New: newNothing,
			Attrs: []stages.Attr{{Name: "source", Type: stages.TreeType, Required: true}},
			Outputs: []stages.Output{{Name: "benchmarks", Type: table}, {Name: "count", Type: cty.Number},
				{Name: "logics", Type: cty.Set(cty.String)}},
		},
		{
			Name: "filter", Version: 1, New: newNothing,
			Attrs: []stages.Attr{{Name: "benchmarks", Type: table, Required: true}},
			Blocks: []stages.Block{{Name: "drop", Label: "name", Attrs: []stages.Attr{
				{Name: "when", Type: cty.Bool, Row: row, Required: true},
				{Name: "reason", Type: cty.String},
			}}},
			Outputs: []stages.Output{{Name: "benchmarks", Type: table}},
		},
		{
			Name: "cap", Version: 1, New: newNothing,
			Attrs: []stages.Attr{
				{Name: "benchmarks", Type: table, Required: true},
				{Name: "take", Type: cty.Number, Row: row, Required: true},
				{Name: "group_by", Type: cty.String, Row: row},
				{Name: "seed", Type: cty.Number, Default: cty.NumberIntVal(0)},
				{Name: "label", Type: cty.String},
			},
			Outputs: []stages.Output{{Name: "benchmarks", Type: table}},
		},
		{
			Name: "execute", Version: 1, New: newExecute, Measured: true,
			Attrs: []stages.Attr{
				{Name: "benchmarks", Type: table, Required: true},
				{Name: "solvers", Type: cty.DynamicPseudoType, Required: true},
				{Name: "track", Type: cty.String, Default: cty.StringVal("single_query")},
				{Name: "executor", Type: stages.ExecutorType, NotInKey: true},
			},
			Blocks: []stages.Block{{Name: "limits", Max: 1, Min: 1, Attrs: []stages.Attr{
				{Name: "wall_time", Type: cty.Number, Unit: stages.Duration, Required: true},
				{Name: "memory", Type: cty.Number, Unit: stages.Size},
				{Name: "cores", Type: cty.Number, Default: cty.NumberIntVal(1)},
			}}},
			Outputs: []stages.Output{{Name: "runs", Type: stages.TableType("runs/2")}},
		},
		{
			Name: "report", Version: 1, New: newNothing,
			Attrs: []stages.Attr{
				{Name: "runs", Type: cty.List(stages.TableType("runs/2")), Required: true},
				{Name: "title", Type: cty.String},
				{Name: "depth", Type: cty.Number},
				{Name: "data", Type: cty.DynamicPseudoType},
				{Name: "names", Type: cty.List(cty.String)},
			},
			Outputs: []stages.Output{{Name: "files", Type: stages.TreeType}},
		},
	}
}

type nothing struct{}

func (nothing) Execute(context.Context, *stages.Env) error { return nil }

func newNothing(*stages.Args) (stages.Action, error) { return nothing{}, nil }

func newExecute(a *stages.Args) (stages.Action, error) {
	if a.String("track") == "parallel" {
		return nil, a.Invalid("track", "Unsupported track", "This test has no parallel track.")
	}
	return nothing{}, nil
}

// testFiles digests files without a cache. Programs come from a fixed list.
type testFiles struct{ folder string }

func (f testFiles) File(path string) (stages.File, error) {
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(f.folder, path)
	}
	info, err := os.Stat(full)
	if err != nil {
		return stages.File{}, fmt.Errorf("there is no file %s", full)
	}
	out := stages.File{Path: full, Name: filepath.ToSlash(path), IsDir: info.IsDir()}
	if !info.IsDir() {
		b, err := os.ReadFile(full)
		if err != nil {
			return stages.File{}, err
		}
		out.Digest = sha256.Sum256(b)
	}
	return out, nil
}

func (f testFiles) Program(name string) (stages.File, error) {
	switch name {
	case "z3", "cvc5", "sh":
		return stages.File{Path: "/usr/bin/" + name, Name: name, Digest: sha256.Sum256([]byte(name))}, nil
	}
	return stages.File{}, fmt.Errorf("there is no program %q in /usr/local/bin, /usr/bin or /bin", name)
}

// write creates a folder with the given files.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func options(dir string) Options {
	return Options{Path: dir, Kinds: testKinds(), Files: testFiles{dir}, Version: "0.2.0"}
}

// load loads a pipeline that must not have errors.
func load(t testing.TB, files map[string]string) *Pipeline {
	t.Helper()
	p, diags := Load(options(write(t, files)))
	noErrors(t, p, diags)
	return p
}

func noErrors(t testing.TB, p *Pipeline, diags hcl.Diagnostics) {
	t.Helper()
	if diags.HasErrors() {
		var w testWriter
		_ = WriteDiagnostics(&w, diags, p.Sources(), 100, false)
		t.Fatalf("unexpected errors:\n%s", w)
	}
}

type testWriter []byte

func (w *testWriter) Write(b []byte) (int, error) { *w = append(*w, b...); return len(b), nil }

func sha(s string) [32]byte { return sha256.Sum256([]byte(s)) }

// artifact returns a known output.
func artifact(schema, content string) cty.Value {
	return stages.ArtifactVal(stages.Artifact{Schema: schema, Digest: sha256.Sum256([]byte(content)), Rows: 3})
}
