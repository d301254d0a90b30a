package stagetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Rows is the stage "rows" of test pipelines: it reads a CSV file as a table. It has one output per schema, named like
// the schema without its version. The output named by the attribute schema contains the rows; all other outputs are
// empty.
var Rows = &stages.Kind{
	Name:    "rows",
	Version: 1,
	Summary: "Reads a CSV file",
	Doc:     "For tests.",
	Example: "-",
	Attrs: []stages.Attr{
		{Name: "path", Type: stages.FileType, Required: true, Doc: "the file"},
		{Name: "schema", Type: cty.String, Required: true, Doc: "the schema, such as benchmarks/1"},
	},
	Outputs: rowsOutputs(),
	New: func(a *stages.Args) (stages.Action, error) {
		f, _ := a.File("path")
		return &rows{file: f, schema: a.String("schema")}, nil
	},
}

func rowsOutputs() []stages.Output {
	var all []stages.Output
	for _, s := range results.Schemas() {
		all = append(all, stages.Output{Name: filepath.Dir(s.Name), Type: stages.TableType(s.Name), Doc: "the rows"})
	}
	return all
}

type rows struct {
	file   stages.File
	schema string
}

func (r *rows) Execute(_ context.Context, env *stages.Env) error {
	for _, s := range results.Schemas() {
		if s.Name != r.schema {
			if err := env.Set(filepath.Dir(s.Name), cty.NullVal(stages.TableType(s.Name))); err != nil {
				return err
			}
			continue
		}
		f, err := os.Open(r.file.Path)
		if err != nil {
			return err
		}
		art, err := artifact.ImportCSV(env.Store, f, s)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", r.file.Name, err)
		}
		if err := env.Set(filepath.Dir(s.Name), stages.ArtifactVal(art)); err != nil {
			return err
		}
	}
	return nil
}

// Files provides the files of a pipeline in a folder.
func Files(folder string, store *cache.Store) config.Files {
	return &files{folder, store.FileIndex(false)}
}

// files provides a test pipeline's files. It digests programs without their libraries.
type files struct {
	folder string
	index  *cache.FileIndex
}

func (f *files) File(path string) (stages.File, error) {
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(f.folder, path)
	}
	info, err := os.Stat(full)
	if err != nil {
		return stages.File{}, fmt.Errorf("there is no %s", path)
	}
	file := stages.File{Path: full, Name: path, IsDir: info.IsDir()}
	if file.IsDir {
		file.Digest, _, err = f.index.DigestTree(full)
	} else {
		file.Digest, _, err = f.index.Digest(full)
	}
	return file, err
}

func (f *files) Program(name string) (stages.File, error) {
	if filepath.Base(name) == name {
		name = filepath.Join("/usr/bin", name)
	}
	return f.File(name)
}
