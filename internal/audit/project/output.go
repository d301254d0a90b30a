package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/stages"
	reportstage "github.com/smtpipe/smtpipe/internal/stages/report"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// OutputOptions configures how outputs are written.
type OutputOptions struct {
	Partial   bool // whether to skip unknown outputs
	Overwrite bool // whether to replace files that smtpipe did not write
	Evidence  *evidence.Document
	Versions  solverVersions
}

// WriteOutputs writes the outputs that have a path, and prints the values of the remaining outputs.
func (p *Project) WriteOutputs(w io.Writer, known stages.Known, opt OutputOptions) error {
	outputs, diags := p.Pipeline.Outputs(known)
	if diags.HasErrors() && !opt.Partial {
		return diags
	}
	written := p.Store.Written(p.Path, p.Files.Index)
	defer p.Files.Index.Save()
	publish := func(target string, source cache.Digest, write func(io.Writer) error) error {
		return written.Publish(target, source, opt.Overwrite, write)
	}
	var errs []error
	var pages []string
	for _, o := range outputs {
		if len(o.Waits) > 0 || !o.Value.IsWhollyKnown() {
			continue
		}
		switch {
		case o.Path != "":
			if err := p.writeOutput(o.Value, o.Path, opt.Evidence, publish); err != nil {
				errs = append(errs, fmt.Errorf("output %q: %w", o.Name, err))
			}
			page := filepath.Join(p.Pipeline.Folder(), filepath.FromSlash(o.Path), "index.html")
			if _, err := os.Stat(page); err == nil {
				pages = append(pages, page)
			}
		case isScores(o.Value):
			if err := p.writePodium(w, o.Value, opt.Versions); err != nil {
				errs = append(errs, fmt.Errorf("output %q: %w", o.Name, err))
			}
		case o.Sensitive:
			fmt.Fprintf(w, "%s = (sensitive)\n", o.Name)
		default:
			fmt.Fprintf(w, "%s = %s\n", o.Name, ValueText(o.Value))
		}
	}
	for _, page := range pages {
		fmt.Fprintf(w, "Report: %s\n", page)
	}
	return errors.Join(errs...)
}

// isScores reports whether a value is a table of rankings.
func isScores(v cty.Value) bool {
	art, ok := stages.ArtifactOf(v)
	return ok && art.Schema == "scores/1"
}

// writePodium prints the winners with their versions.
func (p *Project) writePodium(w io.Writer, v cty.Value, versions solverVersions) error {
	art, _ := stages.ArtifactOf(v)
	rows, err := artifact.ReadTable[results.ScoreRow](p.Store, art)
	if err != nil {
		return err
	}
	if err := ui.WritePodium(w, rows); err != nil {
		return err
	}
	var solvers []string
	for i := range rows {
		solvers = append(solvers, rows[i].Solver)
	}
	_, err = io.WriteString(w, versions.lines(solvers))
	return err
}

// ValueText returns a value in readable form: a description of an artifact, or JSON for anything else.
func ValueText(v cty.Value) string {
	if art, ok := stages.ArtifactOf(v); ok {
		return fmt.Sprintf("%s, %d rows, sha256:%s", art.Schema, art.Rows, art.Digest)
	}
	if b, err := ctyjson.Marshal(v, v.Type()); err == nil {
		return string(b)
	}
	return v.Type().FriendlyName()
}

// checkTarget returns an error if writing target would overwrite files that the pipeline consists of or uses.
func (p *Project) checkTarget(target, path string, isTree bool) error {
	info, err := os.Stat(target)
	switch {
	case p.inStore(target):
		return fmt.Errorf("%s is in the store; choose another path", path)
	case err != nil:
		return nil
	case p.isSource(info):
		return fmt.Errorf("%s is a file of the pipeline; choose another path", path)
	case info.IsDir() && !isTree:
		return fmt.Errorf("%s already exists and is a folder; move it, or choose another path", path)
	case !info.IsDir() && isTree:
		return fmt.Errorf("%s already exists and is not a folder; move it, or choose another path", path)
	}
	return nil
}

// isSource reports whether a file is one of the pipeline's source files.
func (p *Project) isSource(file os.FileInfo) bool {
	for source := range p.Pipeline.Sources() {
		if info, err := os.Stat(source); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

// inStore reports whether a path is inside the store.
func (p *Project) inStore(target string) bool {
	store, err1 := filepath.Abs(p.Store.Dir())
	target, err2 := filepath.Abs(target)
	rel, err3 := filepath.Rel(store, target)
	return errors.Join(err1, err2, err3) == nil && filepath.IsLocal(rel)
}

// writeOutput writes an artifact, or a value as JSON, to a path in the pipeline's folder. A site also receives the
// evidence.
func (p *Project) writeOutput(v cty.Value, path string, e *evidence.Document, publish func(target string,
	source cache.Digest, write func(io.Writer) error) error) error {
	target := filepath.Join(p.Pipeline.Folder(), filepath.FromSlash(path))
	art, ok := stages.ArtifactOf(v)
	if err := p.checkTarget(target, path, ok && art.Schema == "tree"); err != nil {
		return err
	}
	switch {
	case !ok:
		text, err := ctyjson.Marshal(v, v.Type())
		if err != nil {
			return fmt.Errorf("a %s cannot be written to a file", v.Type().FriendlyName())
		}
		text = append(text, '\n')
		return publish(target, cache.DigestOf(text), func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	case art.Schema == "tree":
		m, err := artifact.ReadTree(p.Store, art)
		if err == nil {
			m, err = reportstage.WithEvidence(p.Store, m, e)
		}
		if err != nil {
			return err
		}
		return p.Store.PublishTree(m, target)
	case art.Schema == "blob":
		return publish(target, p.sourceOf(art, path), func(w io.Writer) error {
			return p.Store.CopyBlob(w, art.Digest)
		})
	}
	format, err := results.FormatOf(path)
	if err != nil {
		return err
	}
	return publish(target, p.sourceOf(art, path), func(w io.Writer) error {
		return artifact.ExportTable(w, p.Store, art, format)
	})
}

// sourceOf identifies the source of an output's content: the artifact, the format that the path implies, and this
// program, because another version may write tables differently. It returns zero if the program is unreadable.
func (p *Project) sourceOf(art stages.Artifact, path string) cache.Digest {
	program, err := os.Executable()
	if err != nil {
		return cache.Digest{}
	}
	digest, _, err := p.Files.Index.Digest(program)
	if err != nil {
		return cache.Digest{}
	}
	k := cache.NewKeyWriter("output/1")
	k.String("schema", art.Schema)
	k.Digest("artifact", art.Digest)
	k.String("file", filepath.Base(path))
	k.Digest("program", digest)
	return cache.Digest(k.Key())
}

// Publish writes the outputs. If content turns out to be damaged, Publish recreates it, but only once.
func (p *Project) Publish(ctx context.Context, stdout, stderr io.Writer, e *engine.Engine, result *engine.Result,
	opt OutputOptions) (*engine.Result, error) {
	var text bytes.Buffer
	err := p.WriteOutputs(&text, result.Known, opt)
	if _, corrupt := errors.AsType[*cache.CorruptError](err); corrupt {
		fmt.Fprintf(stderr, "Note: %v; it is made again.\n", err)
		again, diags, failed := e.Run(ctx)
		if failed != nil || diags.HasErrors() {
			return result, errors.Join(err, failed)
		}
		again.Executed += result.Executed
		result = again
		text.Reset()
		err = p.WriteOutputs(&text, result.Known, opt)
	}
	_, written := text.WriteTo(stdout)
	return result, errors.Join(err, written)
}
