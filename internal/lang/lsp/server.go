// Package lsp implements a language server: it answers an editor's requests about a pipeline that is being written. It
// knows the language from the declarations of the loader and the stages, and handles incomplete text.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Options holds a server's environment.
type Options struct {
	Pipeline string // absolute path of the only pipeline; empty: each file's own pipeline
	Kinds    []*stages.Kind
	Version  string
	// Load reads the pipeline at path. The texts in overlay replace files on disk.
	Load func(path string, overlay map[string][]byte) (Project, error)
	// ValueText formats a value for display.
	ValueText func(cty.Value) string
}

// server serves one client.
type server struct {
	opt  Options
	conn *stream

	changed chan struct{} // contains one element if a check is pending

	mu     sync.Mutex
	root   string              // folder open in the editor
	texts  map[string][]byte   // open files' texts
	dirty  map[string]bool     // pipelines to check, by path
	loaded map[string]*project // pipelines by path
	shown  map[string]byFile   // published diagnostics by source

	stopped atomic.Bool // whether the client has requested a shutdown
}

// Serve serves the client at the other end of a connection until the client sends exit, the connection ends, or ctx
// ends.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(opt)
	s.conn = newStream(rwc)
	ended := make(chan error, 1)
	go func() { ended <- s.listen() }()
	var checks sync.WaitGroup
	checks.Go(func() { s.checkAll(ctx) })
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	cancel()
	checks.Wait()
	err = errors.Join(err, rwc.Close())
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || s.stopped.Load() {
		return nil
	}
	return err
}

// listen handles messages in order until the stream ends.
func (s *server) listen() error {
	handlers := s.handlers()
	for {
		m, err := s.conn.read()
		if err != nil || m.Method == "exit" {
			return err
		}
		handle, known := handlers[m.Method]
		var result any
		switch {
		case known:
			result, err = handle(m.Params)
		case m.Method != "" && !strings.HasPrefix(m.Method, "$/"): // notifications that start with $/ can be ignored
			err = &failure{methodNotFound, fmt.Sprintf("there is no method %q", m.Method)}
		}
		if err := s.conn.reply(m, result, err); err != nil {
			return err
		}
	}
}

func newServer(opt Options) *server {
	return &server{opt: opt, changed: make(chan struct{}, 1), texts: map[string][]byte{}, dirty: map[string]bool{},
		loaded: map[string]*project{}, shown: map[string]byFile{}}
}

type handler func(json.RawMessage) (any, error)

// handlers returns the message handlers by method.
func (s *server) handlers() map[string]handler {
	ignore := func(json.RawMessage) (any, error) { return nil, nil }
	return map[string]handler{
		"initialize":                       with(s.initialize),
		"initialized":                      ignore,
		"workspace/didChangeConfiguration": ignore,
		"shutdown": func(json.RawMessage) (any, error) {
			s.stopped.Store(true)
			return nil, nil
		},
		"textDocument/didOpen": with(func(p *documentParams) (any, error) {
			s.edit(pathOf(p.TextDocument.URI), []byte(p.TextDocument.Text))
			return nil, nil
		}),
		"textDocument/didChange": with(func(p *documentParams) (any, error) {
			if n := len(p.ContentChanges); n > 0 { // each change contains the whole text
				s.edit(pathOf(p.TextDocument.URI), []byte(p.ContentChanges[n-1].Text))
			}
			return nil, nil
		}),
		"textDocument/didSave": with(func(p *documentParams) (any, error) {
			s.saved(pathOf(p.TextDocument.URI))
			return nil, nil
		}),
		"textDocument/didClose": with(func(p *documentParams) (any, error) {
			s.close(pathOf(p.TextDocument.URI))
			return nil, nil
		}),
		"workspace/didChangeWatchedFiles": with(func(p *watchedParams) (any, error) {
			for _, c := range p.Changes {
				s.saved(pathOf(c.URI))
			}
			return nil, nil
		}),
		"textDocument/completion": with(func(p *placeParams) (any, error) { return s.completion(s.at(p)), nil }),
		"textDocument/hover":      with(func(p *placeParams) (any, error) { return s.hover(s.at(p)), nil }),
		"textDocument/definition": with(func(p *placeParams) (any, error) { return s.definition(s.at(p)), nil }),
		"textDocument/references": with(func(p *placeParams) (any, error) {
			return s.references(s.at(p), p.Context.IncludeDeclaration), nil
		}),
		"textDocument/prepareRename": with(func(p *placeParams) (any, error) { return s.prepareRename(s.at(p)) }),
		"textDocument/rename":        with(func(p *placeParams) (any, error) { return s.rename(s.at(p), p.NewName) }),
		"textDocument/documentSymbol": with(func(p *documentParams) (any, error) {
			return s.documentSymbols(pathOf(p.TextDocument.URI)), nil
		}),
		"workspace/symbol":        with(func(p *symbolParams) (any, error) { return s.workspaceSymbols(p.Query), nil }),
		"textDocument/formatting": with(s.format),
	}
}

// with decodes a message's parameters for its handler.
func with[P any](handle func(*P) (any, error)) handler {
	return func(params json.RawMessage) (any, error) {
		var p P
		if len(params) > 0 {
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, &failure{invalidParams, err.Error()}
			}
		}
		return handle(&p)
	}
}

func (s *server) initialize(p *initializeParams) (any, error) {
	root := p.RootURI
	if len(p.WorkspaceFolders) > 0 {
		root = p.WorkspaceFolders[0].URI
	}
	s.root = pathOf(root)
	s.open(s.root)
	r := &initializeResult{}
	c := &r.Capabilities
	c.TextDocumentSync.OpenClose, c.TextDocumentSync.Change = true, fullText
	c.CompletionProvider.TriggerCharacters = []string{".", `"`}
	c.HoverProvider, c.DefinitionProvider, c.ReferencesProvider = true, true, true
	c.DocumentSymbolProvider, c.WorkspaceSymbolProvider, c.RenameProvider.PrepareProvider = true, true, true
	c.DocumentFormattingProvider = true
	r.ServerInfo.Name, r.ServerInfo.Version = "smtpipe", s.opt.Version
	return r, nil
}

// open checks the pipeline in a folder, if any.
func (s *server) open(folder string) {
	switch {
	case s.opt.Pipeline != "":
		s.check(s.opt.Pipeline)
	case folder == "":
	default:
		for _, f := range s.filesOf(folder) {
			if isCompetition(s.read(f)) && s.rootOf(f) == folder {
				s.check(folder)
				return
			}
		}
	}
}

// buffers returns the texts of open files.
func (s *server) buffers() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.texts)
}

func (s *server) edit(file string, src []byte) {
	if file == "" {
		return
	}
	s.mu.Lock()
	s.texts[file] = src
	s.mu.Unlock()
	s.touch(file)
}

func (s *server) close(file string) {
	s.mu.Lock()
	delete(s.texts, file)
	s.mu.Unlock()
	s.touch(file)
}

// touch schedules a check of the pipelines that contain a file.
func (s *server) touch(file string) {
	if file == "" {
		return
	}
	if s.isRules(file) {
		s.check(file)
		return
	}
	if !config.IsSource(filepath.Base(file)) {
		return
	}
	users := s.users(file)
	if len(users) == 0 {
		users = []string{s.pipelineOf(file)}
	}
	for _, root := range users {
		s.check(root)
	}
}

// saved schedules a check of the pipelines that use a file on disk, because pipelines read rules from disk.
func (s *server) saved(file string) {
	s.touch(file)
	if !s.isRules(file) {
		return
	}
	s.mu.Lock()
	roots := slices.Collect(maps.Keys(s.loaded))
	s.mu.Unlock()
	for _, root := range roots {
		s.check(root)
	}
}

// isRules reports whether a file contains rules rather than a part of a pipeline: by its name, or because it is a rule
// set in a folder that contains only rule sets.
func (s *server) isRules(file string) bool {
	if strings.HasSuffix(file, rules.Suffix) {
		return true
	}
	if !config.IsSource(filepath.Base(file)) || !isRuleSet(s.read(file)) {
		return false
	}
	for _, f := range s.filesOf(filepath.Dir(file)) {
		if !isRuleSet(s.read(f)) {
			return false
		}
	}
	return true
}

// users returns the pipelines that use a file: its own pipeline, or those that use its module.
func (s *server) users(file string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var roots []string
	for root, p := range s.loaded {
		if p.has(file) {
			roots = append(roots, root)
		}
	}
	slices.Sort(roots)
	return roots
}

// pipelineOf returns the pipeline that a file is checked with.
func (s *server) pipelineOf(file string) string {
	if users := s.users(file); len(users) > 0 {
		return users[0]
	}
	if p := s.opt.Pipeline; p != "" && (p == file || p == filepath.Dir(file)) {
		return p
	}
	return s.rootOf(file)
}

func (s *server) format(p *documentParams) (any, error) {
	file := pathOf(p.TextDocument.URI)
	src := s.read(file)
	out, diags := config.FormatFile(file, src)
	if diags.HasErrors() || string(out) == string(src) {
		return []textEdit{}, nil // the errors are already shown
	}
	return []textEdit{{Range: rangeOf(src, span{0, len(src)}), NewText: string(out)}}, nil
}
