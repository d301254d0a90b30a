package lsp

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Project is a pipeline loaded for the server.
type Project struct {
	Pipeline *config.Pipeline
	Diags    hcl.Diagnostics
	Known    stages.Known // outputs that are in the store
}

// project is a Project with its file names.
type project struct {
	Project
	files map[string]*hcl.File
}

func (p *project) has(file string) bool { return p.files[file] != nil }

// byFile holds diagnostics by file.
type byFile map[string][]diagnostic

// pause is how long typing must pause before a check starts.
const pause = 150 * time.Millisecond

// check marks a pipeline or a rules file as changed.
func (s *server) check(path string) {
	s.mu.Lock()
	s.dirty[path] = true
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // a check is already pending
	}
}

// checkAll checks changed pipelines sequentially until ctx ends.
func (s *server) checkAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		}
		for quiet := false; !quiet; {
			select {
			case <-ctx.Done():
				return
			case <-s.changed:
			case <-time.After(pause):
				quiet = true
			}
		}
		s.mu.Lock()
		dirty := slices.Sorted(maps.Keys(s.dirty))
		clear(s.dirty)
		s.mu.Unlock()
		for _, path := range dirty {
			if ctx.Err() != nil {
				return
			}
			s.publish(path, s.load(path))
		}
	}
}

// load reads the pipeline at path and returns its diagnostics by file.
func (s *server) load(path string) byFile {
	texts := s.buffers()
	if s.isRules(path) {
		return s.checkRules(path)
	}
	p, err := s.opt.Load(path, texts)
	if err != nil {
		diags := hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Cannot check the pipeline", Detail: err.Error()}}
		return diagnostics(s.firstFile(path), diags, nil)
	}
	files := p.Pipeline.Sources()
	s.mu.Lock()
	s.loaded[path] = &project{p, files}
	s.mu.Unlock()
	found := diagnostics(s.firstFile(path), p.Diags, files)
	// The pipeline was checked with the rule sets on disk. Unsaved texts are checked separately.
	maps.DeleteFunc(found, func(file string, _ []diagnostic) bool { return s.unsavedRules(file) })
	return found
}

// firstFile returns the file that shows errors without a location.
func (s *server) firstFile(path string) string {
	files := s.filesOf(path)
	if len(files) == 0 {
		return path
	}
	for _, f := range files {
		if isCompetition(s.read(f)) {
			return f
		}
	}
	return files[0]
}

// diagnostics groups diagnostics by file; those without a location go to first. Files without diagnostics map to an
// empty list, which clears old ones.
func diagnostics(first string, diags hcl.Diagnostics, files map[string]*hcl.File) byFile {
	all := byFile{}
	for _, d := range diags {
		out := diagnostic{Severity: severityError, Source: "smtpipe",
			Message: d.Summary + ": " + d.Detail}
		if d.Severity == hcl.DiagWarning {
			out.Severity = severityWarning
		}
		name := first
		if file := fileOf(first, d); file != "" {
			name = file
			if f := hclsource.FileOf(d, files); f != nil {
				at := spanOf(*d.Subject)
				at.end = max(at.end, at.start)
				out.Range = rangeOf(f.Bytes, at)
			}
		}
		all[name] = append(all[name], out)
	}
	return all
}

// fileOf returns a diagnostic's file on disk, or "" if it has none. Rule sets are named relative to the pipeline's
// folder, which contains first.
func fileOf(first string, d *hcl.Diagnostic) string {
	switch {
	case d.Subject == nil:
		return ""
	case filepath.IsAbs(d.Subject.Filename):
		return d.Subject.Filename
	}
	name := filepath.Join(filepath.Dir(first), d.Subject.Filename)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return "" // a built-in file
	}
	return name
}

// publish shows diagnostics and clears those that no longer apply. A file can have diagnostics of its own and from
// pipelines that use it.
func (s *server) publish(path string, all byFile) {
	first := s.firstFile(path)
	s.mu.Lock()
	files := map[string]bool{first: true} // even an empty list signals the end of the check
	for file := range s.shown[path] {
		files[file] = true
	}
	for file := range all {
		files[file] = true
	}
	s.shown[path] = all
	texts := byFile{}
	for file := range files {
		texts[file] = []diagnostic{}
		for _, from := range slices.Sorted(maps.Keys(s.shown)) {
			for _, d := range s.shown[from][file] {
				again := func(o diagnostic) bool { return o.Range == d.Range && o.Message == d.Message }
				if !slices.ContainsFunc(texts[file], again) {
					texts[file] = append(texts[file], d)
				}
			}
		}
	}
	s.mu.Unlock()
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		// An error means that the connection has ended, which Serve also notices.
		_ = s.conn.notify("textDocument/publishDiagnostics", &publishedDiagnostics{uriOf(file), texts[file]})
	}
}
