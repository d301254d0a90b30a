package lsp

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/lang/config"
)

// maxWalk limits the number of files to visit in a workspace.
const maxWalk = 5000

// workspace returns the pipeline and rules files in the folder that the editor has open, and the other open files.
func (s *server) workspace() []string {
	files := slices.Collect(maps.Keys(s.buffers()))
	seen := 0
	if s.root != "" {
		// Treat a folder that cannot be read as empty.
		_ = filepath.WalkDir(s.root, func(path string, e fs.DirEntry, err error) error {
			seen++
			switch {
			case seen > maxWalk:
				return filepath.SkipAll
			case err != nil:
				return nil
			case e.IsDir() && path != s.root && strings.HasPrefix(e.Name(), "."):
				return filepath.SkipDir
			case !e.IsDir() && strings.HasSuffix(e.Name(), ".hcl") && !slices.Contains(files, path):
				files = append(files, path)
			}
			return nil
		})
	}
	slices.Sort(files)
	return files
}

// names returns the names in a rule set, or in a pipeline and in the workspace's other pipelines that share modules
// with it.
func (s *server) names(file string, texts map[string][]byte) config.Declared {
	if s.isRules(file) {
		src, open := texts[file]
		if !open {
			src = s.read(file)
		}
		if !isRuleSet(src) {
			return config.Declared{Complete: true}
		}
		return namesInRules(file, src)
	}
	roots := map[string]bool{s.pipelineOf(file): true}
	for _, f := range s.workspace() {
		if config.IsSource(filepath.Base(f)) && isCompetition(s.read(f)) {
			roots[s.rootOf(f)] = true
		}
	}
	var rest []config.Declared
	for _, root := range slices.Sorted(maps.Keys(roots)) {
		rest = append(rest, config.Names(config.Options{Path: root, Kinds: s.opt.Kinds, Overlay: texts}))
	}
	all := config.Declared{Files: []string{file}, Complete: true}
	for found := true; found; {
		found = false
		rest = slices.DeleteFunc(rest, func(d config.Declared) bool {
			// Built-in files do not connect pipelines.
			d.Files = slices.DeleteFunc(d.Files, func(f string) bool { return !filepath.IsAbs(f) })
			if !slices.ContainsFunc(d.Files, func(f string) bool { return slices.Contains(all.Files, f) }) {
				return false
			}
			found = true
			all.Names, all.Diags = append(all.Names, d.Names...), append(all.Diags, d.Diags...)
			all.Files, all.Complete = append(all.Files, d.Files...), all.Complete && d.Complete
			return true
		})
	}
	all.Names = config.MergeNames(all.Names)
	return all
}

// named returns the name at a position, or nil. If whole is set, it also accepts a position inside a reference to the
// name.
func named(pl *place, names []config.Name, whole bool) *config.Name {
	var found *config.Name
	for i, n := range names {
		for _, p := range n.Places {
			switch {
			case p.File != pl.file:
			case p.Start <= pl.offset && pl.offset <= p.End:
				return &names[i]
			case whole && p.From < p.To && p.From <= pl.offset && pl.offset <= p.To:
				found = &names[i]
			}
		}
	}
	return found
}

// locations returns a name's matching places on disk.
func (s *server) locations(n *config.Name, match func(config.Place) bool) []location {
	found := []location{}
	if n == nil {
		return found
	}
	for _, p := range n.Places {
		if p.OnDisk() && match(p) {
			found = append(found, location{uriOf(p.File), rangeOf(s.read(p.File), span{p.Start, p.End})})
		}
	}
	return found
}

// definition returns the declarations of the name at a position, or the first file of the module if the position is in
// its source.
func (s *server) definition(pl *place) []location {
	if i := pl.token(); i >= 0 && pl.chunk.head == "module" && pl.chunk.tokens[i].Type == hclsyntax.TokenQuotedLit {
		cur := pl.chunk.walk(pl.chunk.tokens[i].Range.Start.Byte, nil)
		if _, name := cur.blocks(); name == "source" {
			found := []location{}
			if files := s.filesOf(s.modulePath(pl, pl.chunk.label(0))); len(files) > 0 {
				found = append(found, location{URI: uriOf(files[0])})
			}
			return found
		}
	}
	n := named(pl, s.names(pl.file, s.buffers()).Names, true)
	return s.locations(n, func(p config.Place) bool { return p.Declares })
}

// references returns the places where the name at a position is used.
func (s *server) references(pl *place, declarations bool) []location {
	n := named(pl, s.names(pl.file, s.buffers()).Names, true)
	return s.locations(n, func(p config.Place) bool { return declarations || !p.Declares })
}

// renameable returns the name at a position, with all names, or an error that explains why it cannot be renamed.
func (s *server) renameable(pl *place) (n *config.Name, all config.Declared, err error) {
	all = s.names(pl.file, s.buffers())
	n = named(pl, all.Names, false)
	switch {
	case !all.Complete:
		return nil, all, errors.New("a file has a syntax error, so some uses of the name may be " +
			"missing. Correct the error first")
	case n == nil:
		return nil, all, errors.New("there is no name here that is declared in these files")
	}
	for _, p := range n.Places {
		if !p.OnDisk() {
			return nil, all, fmt.Errorf("%q is a name in %s, which is part of smtpipe", n.Name, p.File)
		}
	}
	return n, all, nil
}

// prepareRename returns the range of the name at a position.
func (s *server) prepareRename(pl *place) (any, error) {
	n, _, err := s.renameable(pl)
	if err != nil {
		return nil, err
	}
	for _, p := range n.Places {
		if p.File == pl.file && p.Start <= pl.offset && pl.offset <= p.End {
			return rangeOf(pl.src, span{p.Start, p.End}), nil
		}
	}
	return nil, nil
}

// rename returns the edits that rename the name at a position. It first applies them and checks the result, and rejects
// a new name that is already taken or that would change the meaning of another place.
func (s *server) rename(pl *place, name string) (*workspaceEdit, error) {
	n, before, err := s.renameable(pl)
	if err != nil {
		return nil, err
	}
	if !hclsyntax.ValidIdentifier(name) {
		return nil, fmt.Errorf("%q is not a name: a name begins with a letter and has letters, digits, underscores and "+
			"dashes", name)
	}
	places := slices.SortedFunc(slices.Values(n.Places), func(a, b config.Place) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Start-b.Start)
	})
	edits, texts := map[docURI][]textEdit{}, s.buffers()
	for _, p := range slices.Backward(places) {
		src := s.read(p.File)
		uri := uriOf(p.File)
		edits[uri] = append([]textEdit{{rangeOf(src, span{p.Start, p.End}), name}}, edits[uri]...)
		text, changed := texts[p.File]
		if !changed {
			text = src
		}
		texts[p.File] = slices.Concat(text[:p.Start], []byte(name), text[p.End:])
	}
	after := s.names(pl.file, texts)
	if errs := newErrors(before.Diags, after.Diags); len(errs) > 0 || !after.Complete {
		return nil, fmt.Errorf("%q cannot be renamed to %q. %s", n.Name, name, strings.Join(errs, " "))
	}
	if !slices.Equal(meanings(before.Names, places, len(name)-len(n.Name)), meanings(after.Names, nil, 0)) {
		return nil, fmt.Errorf("%q cannot be renamed to %q, which would then mean something else", n.Name, name)
	}
	return &workspaceEdit{edits}, nil
}

// newErrors returns the texts of the errors that an edit introduces.
func newErrors(before, after hcl.Diagnostics) (errs []string) {
	known := map[string]int{}
	for _, d := range before.Errs() {
		known[d.(*hcl.Diagnostic).Summary]++
	}
	for _, d := range after.Errs() {
		d := d.(*hcl.Diagnostic)
		if known[d.Summary]--; known[d.Summary] < 0 {
			errs = append(errs, d.Detail)
		}
	}
	return errs
}

// meanings describes which places share a meaning, after each of the edited places, in order, has grown by the given
// number of bytes.
func meanings(names []config.Name, edited []config.Place, growth int) []string {
	var all []string
	for _, n := range names {
		var places []string
		for _, p := range n.Places {
			start := p.Start
			for _, e := range edited {
				if e.File == p.File && e.Start < p.Start {
					start += growth
				}
			}
			places = append(places, fmt.Sprintf("%s:%d", p.File, start))
		}
		slices.Sort(places)
		all = append(all, strings.Join(places, " "))
	}
	slices.Sort(all)
	return all
}

// documentSymbols returns the blocks in a file, which may be half typed.
func (s *server) documentSymbols(file string) []documentSymbol {
	src, all := s.read(file), []documentSymbol{}
	for _, sym := range symbolsIn(file, src) {
		all = append(all, documentSymbol{Name: sym.addr(), Detail: sym.doc, Kind: sym.kind(),
			Range: rangeOf(src, sym.whole), SelectionRange: rangeOf(src, sym.at)})
	}
	return all
}

// workspaceSymbols returns the blocks in the workspace whose addresses contain a query.
func (s *server) workspaceSymbols(query string) []symbolInformation {
	all := []symbolInformation{}
	for _, f := range s.workspace() {
		src := s.read(f)
		for _, sym := range symbolsIn(f, src) {
			if strings.Contains(strings.ToLower(sym.addr()), strings.ToLower(query)) {
				all = append(all, symbolInformation{sym.addr(), sym.kind(), location{uriOf(f), rangeOf(src, sym.at)}})
			}
		}
	}
	return all
}
