// Package stagetest holds the test that every kind of stage must pass. A kind supplies txtar archives:
//
//	pipeline.hcl             a pipeline with the stage under test
//	FILE                     any other file that the pipeline names
//	want/ADDRESS.OUTPUT.csv  the expected output; a value that is not a table is compared as JSON (.json)
//	bad/NAME.hcl             a pipeline with errors, each line at fault marked "# ERROR: text of the message"
//
// The suite executes the pipeline in two stores, with one and with two workers, and requires equal bytes. It also
// checks that the outputs match want, that a second run executes nothing, that every attribute is part of the key, that
// an interrupted execution leaves nothing behind, and that each bad pipeline has exactly the errors marked in it.
//
// Tables for a pipeline come from the stage "rows", which reads a CSV file as a table of a schema.
package stagetest

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"golang.org/x/tools/txtar"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Case supplies the parts of the suite that files cannot express.
type Case struct {
	// Prepare creates further files in the pipeline's folder, such as archives.
	Prepare func(t *testing.T, folder string)
	// Kinds are additional kinds that the pipelines use.
	Kinds []*stages.Kind
}

// Run checks a kind with every txtar archive in the folder testdata.
func Run(t *testing.T, kind *stages.Kind, c Case) {
	t.Helper()
	checkDeclaration(t, kind)
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no testdata/*.txtar: %v", err)
	}
	kinds := append([]*stages.Kind{kind, Rows}, c.Kinds...)
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &suite{kinds: kinds, kind: kind, archive: a, file: file, prepare: c.Prepare}
			s.checkGood(t)
			s.checkBad(t)
		})
	}
}

// Folder writes the files of an archive, including its pipeline, into a new folder.
func Folder(t *testing.T, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{archive: a}
	src, _ := s.section("pipeline.hcl")
	return s.folder(t, src)
}

type suite struct {
	kinds   []*stages.Kind
	kind    *stages.Kind
	archive *txtar.Archive
	file    string
	prepare func(*testing.T, string)
}

// folder writes the archive's files into a new folder, using the given file as the pipeline.
func (s *suite) folder(t *testing.T, pipeline []byte) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range s.archive.Files {
		if strings.HasPrefix(f.Name, "want/") || strings.HasPrefix(f.Name, "bad/") || f.Name == "pipeline.hcl" {
			continue
		}
		target := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o666)
		if bytes.HasPrefix(f.Data, []byte("#!")) {
			mode = 0o777
		}
		if err := os.WriteFile(target, f.Data, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "pipeline.hcl"), pipeline, 0o666); err != nil {
		t.Fatal(err)
	}
	if s.prepare != nil {
		s.prepare(t, dir)
	}
	return dir
}

func (s *suite) section(name string) ([]byte, bool) {
	for _, f := range s.archive.Files {
		if f.Name == name {
			return f.Data, true
		}
	}
	return nil, false
}

func openStore(t *testing.T) *cache.Store {
	t.Helper()
	store, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func (s *suite) load(dir string, store *cache.Store) (*config.Pipeline, hcl.Diagnostics) {
	return config.Load(config.Options{Path: dir, Kinds: s.kinds, Files: Files(dir, store), Version: "0.0.0"})
}

func (s *suite) open(t *testing.T, dir string) (*config.Pipeline, *cache.Store) {
	t.Helper()
	store := openStore(t)
	p, diags := s.load(dir, store)
	if diags.HasErrors() {
		var b bytes.Buffer
		config.WriteDiagnostics(&b, diags, p.Sources(), 100, false)
		t.Fatalf("the pipeline has errors:\n%s", b.String())
	}
	return p, store
}

func (s *suite) execute(t *testing.T, p *config.Pipeline, store *cache.Store, jobs int) *engine.Result {
	t.Helper()
	r, diags, err := run(context.Background(), p, store, jobs)
	if err != nil || diags.HasErrors() {
		t.Fatalf("execution failed: %v %v", err, diags)
	}
	return r
}

// checkGood executes the pipeline and compares its outputs.
func (s *suite) checkGood(t *testing.T) {
	src, ok := s.section("pipeline.hcl")
	if !ok {
		return
	}
	dir := s.folder(t, src)
	p, store := s.open(t, dir)
	one := s.execute(t, p, store, 1)
	if again := s.execute(t, p, store, 1); again.Executed != 0 {
		t.Errorf("a second run executed %d stages, want none", again.Executed)
	}
	if !s.kind.Measured {
		p2, store2 := s.open(t, s.folder(t, src))
		two := s.execute(t, p2, store2, 2)
		if diff := cmp.Diff(digests(one.Known), digests(two.Known)); diff != "" {
			t.Errorf("two workers in another folder produced different bytes (-one +two):\n%s", diff)
		}
	}
	s.checkWant(t, store, one.Known)
	s.checkCancel(t, p)
}

// digests returns all outputs as text.
func digests(known stages.Known) map[string]string {
	all := map[string]string{}
	for addr, outputs := range known {
		for name, v := range outputs {
			all[addr+"."+name] = valueText(v)
		}
	}
	return all
}

func valueText(v cty.Value) string {
	if art, ok := stages.ArtifactOf(v); ok {
		return art.Digest.String()
	}
	if v.IsNull() {
		return "null"
	}
	b, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// checkWant compares the outputs that the archive expects. With SMTPIPE_UPDATE=1 it rewrites them.
func (s *suite) checkWant(t *testing.T, store *cache.Store, known stages.Known) {
	update := os.Getenv("SMTPIPE_UPDATE") == "1"
	changed := false
	for i, f := range s.archive.Files {
		name, ok := strings.CutPrefix(f.Name, "want/")
		if !ok {
			continue
		}
		got := outputText(t, store, known, name)
		if update && got != string(f.Data) {
			s.archive.Files[i].Data, changed = []byte(got), true
			continue
		}
		if diff := cmp.Diff(string(f.Data), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if changed {
		if err := os.WriteFile(s.file, txtar.Format(s.archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// outputText returns the output with a name such as stage.cap.x.benchmarks.csv.
func outputText(t *testing.T, store *cache.Store, known stages.Known, name string) string {
	t.Helper()
	stem := strings.TrimSuffix(name, filepath.Ext(name))
	i := strings.LastIndexByte(stem, '.')
	outputs, ok := known[stem[:max(i, 0)]]
	if !ok {
		t.Fatalf("want/%s is not named after an instance; the instances are %v", name, slices.Sorted(maps.Keys(known)))
	}
	v, ok := outputs[stem[i+1:]]
	if !ok {
		t.Fatalf("want/%s names no output", name)
	}
	art, ok := stages.ArtifactOf(v)
	if !ok {
		return valueText(v) + "\n"
	}
	var b bytes.Buffer
	var err error
	switch art.Schema {
	case "tree":
		var m *cache.Manifest
		if m, err = artifact.ReadTree(store, art); err == nil {
			for _, f := range m.Files {
				b.WriteString(f.Path + "\n")
			}
		}
	default:
		err = artifact.ExportTable(&b, store, art, results.CSV)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkCancel executes the pipeline with a cancelled context, which must record nothing.
func (s *suite) checkCancel(t *testing.T, p *config.Pipeline) {
	store := openStore(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, _, err := run(ctx, p, store, 1)
	if r == nil {
		t.Fatal(err)
	}
	if len(r.Known) > 0 {
		t.Errorf("a cancelled run has outputs: %v", slices.Sorted(maps.Keys(r.Known)))
	}
}
