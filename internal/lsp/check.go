package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"go.lsp.dev/protocol"

	"github.com/smtpipe/smtpipe/internal/config"
	"github.com/smtpipe/smtpipe/internal/hclsource"
	"github.com/smtpipe/smtpipe/internal/rules"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Project is a pipeline that was loaded for the server.
type Project struct {
	Pipeline *config.Pipeline
	Diags    hcl.Diagnostics
	Known    stages.Known // outputs that the store has
}

// project is a Project with the names of its files.
type project struct {
	Project
	files map[string]*hcl.File
}

func (p *project) has(file string) bool { return p.files[file] != nil }

// pause is how long nothing may be typed before the text is checked.
const pause = 150 * time.Millisecond

// check marks a pipeline, or a file of rules, as changed.
func (s *server) check(path string) {
	s.mu.Lock()
	s.dirty[path] = true
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // somebody has said so already
	}
}

// checkAll checks what has changed, one after the other, until ctx ends.
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
			s.publish(ctx, path, s.load(path))
		}
	}
}

// load reads what is at path and returns what is wrong with it, by file.
func (s *server) load(path string) map[string][]protocol.Diagnostic {
	texts := s.buffers()
	if strings.HasSuffix(path, rules.Suffix) {
		src := s.read(path)
		file, diags := hclsource.Parse(src, path)
		return diagnostics(path, diags, map[string]*hcl.File{path: file})
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
	return diagnostics(s.firstFile(path), p.Diags, files)
}

// firstFile is where an error without a place is shown.
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

// diagnostics gives each diagnostic to its file; first takes those without a place. Files without any have none, so
// that what was shown of them goes away.
func diagnostics(first string, diags hcl.Diagnostics, files map[string]*hcl.File) map[string][]protocol.Diagnostic {
	all := map[string][]protocol.Diagnostic{}
	for _, d := range diags {
		out := protocol.Diagnostic{Severity: protocol.DiagnosticSeverityError, Source: "smtpipe",
			Message: d.Summary + ": " + d.Detail}
		if d.Severity == hcl.DiagWarning {
			out.Severity = protocol.DiagnosticSeverityWarning
		}
		name := first
		if d.Subject != nil && strings.HasPrefix(d.Subject.Filename, "/") {
			name = d.Subject.Filename
			if f := files[name]; f != nil {
				at := spanOf(*d.Subject)
				at.end = max(at.end, at.start)
				out.Range = rangeOf(f.Bytes, at)
			}
		}
		all[name] = append(all[name], out)
	}
	return all
}

// publish shows what is wrong, and takes away what was shown before and is right now.
func (s *server) publish(ctx context.Context, path string, all map[string][]protocol.Diagnostic) {
	s.mu.Lock()
	before := s.shown[path]
	s.shown[path] = slices.Sorted(maps.Keys(all))
	s.mu.Unlock()
	for _, file := range before {
		if _, still := all[file]; !still {
			all[file] = []protocol.Diagnostic{}
		}
	}
	if _, ok := all[s.firstFile(path)]; !ok {
		all[s.firstFile(path)] = []protocol.Diagnostic{} // says that the check has ended
	}
	for _, file := range slices.Sorted(maps.Keys(all)) {
		// An error is that of a connection that has ended, which Serve sees.
		_ = s.conn.Notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, &protocol.PublishDiagnosticsParams{
			URI: uriOf(file), Diagnostics: all[file]})
	}
}
