package main

import (
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
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/stages"
	reportstage "github.com/smtpipe/smtpipe/internal/stages/report"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// outputOptions configures how outputs are written.
type outputOptions struct {
	partial   bool // skip unknown outputs
	overwrite bool // replace files that smtpipe did not write
	evidence  *evidence.Document
	versions  solverVersions
}

// writeOutputs writes the outputs that have a path and prints the plain values of other outputs.
func (p *project) writeOutputs(w io.Writer, known stages.Known, opt outputOptions) error {
	outputs, diags := p.pipeline.Outputs(known)
	if diags.HasErrors() && !opt.partial {
		return diags
	}
	written := p.store.Written(p.path, p.files.index)
	defer p.files.index.Save()
	publish := func(target string, source cache.Digest, write func(io.Writer) error) error {
		return written.Publish(target, source, opt.overwrite, write)
	}
	var errs []error
	var pages []string
	for _, o := range outputs {
		if len(o.Waits) > 0 || !o.Value.IsWhollyKnown() {
			continue
		}
		switch {
		case o.Path != "":
			if err := p.writeOutput(o.Value, o.Path, opt.evidence, publish); err != nil {
				errs = append(errs, fmt.Errorf("output %q: %w", o.Name, err))
			}
			page := filepath.Join(p.pipeline.Folder(), filepath.FromSlash(o.Path), "index.html")
			if _, err := os.Stat(page); err == nil {
				pages = append(pages, page)
			}
		case isScores(o.Value):
			if err := p.writePodium(w, o.Value, opt.versions); err != nil {
				errs = append(errs, fmt.Errorf("output %q: %w", o.Name, err))
			}
		case o.Sensitive:
			fmt.Fprintf(w, "%s = (sensitive)\n", o.Name)
		default:
			fmt.Fprintf(w, "%s = %s\n", o.Name, valueText(o.Value))
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

// writePodium shows who won, and with which versions.
func (p *project) writePodium(w io.Writer, v cty.Value, versions solverVersions) error {
	art, _ := stages.ArtifactOf(v)
	rows, err := artifact.ReadTable[results.ScoreRow](p.store, art)
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

// valueText returns a value in readable form: a description for artifacts, JSON for everything else.
func valueText(v cty.Value) string {
	if art, ok := stages.ArtifactOf(v); ok {
		return fmt.Sprintf("%s, %d rows, sha256:%s", art.Schema, art.Rows, art.Digest)
	}
	if b, err := ctyjson.Marshal(v, v.Type()); err == nil {
		return string(b)
	}
	return v.Type().FriendlyName()
}

// checkTarget refuses to overwrite files that the pipeline consists of or uses.
func (p *project) checkTarget(target, path string, isTree bool) error {
	info, err := os.Stat(target)
	switch {
	case p.inStore(target):
		return fmt.Errorf("%s is in the store; choose another path", path)
	case err != nil:
		return nil
	case p.isSource(info):
		return fmt.Errorf("%s is a file of the pipeline; choose another path", path)
	case info.IsDir() && !isTree:
		return fmt.Errorf("%s already exists and is a folder; move it away, or choose another path", path)
	case !info.IsDir() && isTree:
		return fmt.Errorf("%s already exists and is not a folder; move it away, or choose another path", path)
	}
	return nil
}

// isSource reports whether the pipeline was read from a file.
func (p *project) isSource(file os.FileInfo) bool {
	for source := range p.pipeline.Sources() {
		if info, err := os.Stat(source); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

// inStore reports whether a path is inside the store.
func (p *project) inStore(target string) bool {
	store, err1 := filepath.Abs(p.store.Dir())
	target, err2 := filepath.Abs(target)
	rel, err3 := filepath.Rel(store, target)
	return errors.Join(err1, err2, err3) == nil && filepath.IsLocal(rel)
}

// writeOutput writes an artifact, or a value as JSON, to a path in the pipeline's folder. A site also gets the
// evidence.
func (p *project) writeOutput(v cty.Value, path string, e *evidence.Document, publish func(target string,
	source cache.Digest, write func(io.Writer) error) error) error {
	target := filepath.Join(p.pipeline.Folder(), filepath.FromSlash(path))
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
		m, err := artifact.ReadTree(p.store, art)
		if err == nil {
			m, err = reportstage.WithEvidence(p.store, m, e)
		}
		if err != nil {
			return err
		}
		return p.store.PublishTree(m, target)
	case art.Schema == "blob":
		return publish(target, p.sourceOf(art, path), func(w io.Writer) error {
			return p.store.CopyBlob(w, art.Digest)
		})
	}
	format, err := results.FormatOf(path)
	if err != nil {
		return err
	}
	return publish(target, p.sourceOf(art, path), func(w io.Writer) error {
		return artifact.ExportTable(w, p.store, art, format)
	})
}

// sourceOf returns the source of an output's content: the artifact, the format for its path, and this program, because
// another version may write a table differently. It is zero if the program cannot be read.
func (p *project) sourceOf(art stages.Artifact, path string) cache.Digest {
	program, err := os.Executable()
	if err != nil {
		return cache.Digest{}
	}
	digest, _, err := p.files.index.Digest(program)
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
