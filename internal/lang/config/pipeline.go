package config

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/smtpipe/smtpipe/internal/lang/config/functions"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Files finds local files that a pipeline names, and computes the digests of their contents.
type Files interface {
	// File returns a file or folder, by an absolute path or one relative to the pipeline's folder.
	File(path string) (stages.File, error)
	// Program returns an installed program by absolute path, by a path relative to the pipeline's folder if it contains
	// a slash, or by a bare name, which is looked up in the system's program folders.
	Program(name string) (stages.File, error)
}

// Options describes what to load.
type Options struct {
	Path     string            // a .hcl file, or a folder with .hcl files
	Vars     map[string]string // values of variables, as in -var
	VarFiles []string          // files with values of variables; later files take precedence
	Env      []string          // NAME=VALUE pairs; SMTPIPE_VAR_x sets the variable x
	Kinds    []*stages.Kind    // all stage kinds
	Files    Files             // nil: pipelines that name files cannot be loaded
	Version  string            // smtpipe's version, for required_version
	Evidence stages.Evidence   // nil: evidence from this machine
	Locked   map[string]string // values for variables that are not set otherwise, as in Vars
	Context  context.Context   // context that stops evaluation with an error when it ends; nil: none
	Overlay  map[string][]byte // texts that replace files, by path, such as unsaved texts in an editor
}

// Pipeline is a loaded pipeline. Its methods are safe for concurrent use.
type Pipeline struct {
	folder         string
	kinds          []*stages.Kind
	files          Files
	evidence       stages.Evidence
	ctx            context.Context // context for all evaluations
	sources        map[string]*hcl.File
	competition    Competition
	competitionVal cty.Value // value of competition; see competitionValue
	root           *module
	decls          []*decl
	read           madeOf
	inputs         []string // folders that the pipeline reads, relative to folder
	dynamic        []bool   // whether each declaration depends on a stage's output
	nodes          []stages.Node
	byAddr         map[string]*stage
	badExprs       map[hclsyntax.Expression]bool
	exprs          map[hclsyntax.Expression]exprInfo
	sensitive      bool     // whether any variable is sensitive
	secrets        []string // texts of sensitive variables, longest first

	builtin      map[string]function.Function
	builtinNames []string

	mu      sync.Mutex
	static  memory                  // values that cannot depend on a stage's output
	checked map[string]checkedStage // results of checking stage blocks without known outputs, by address
}

// Load reads a pipeline and checks everything that can be checked before execution: syntax, blocks, names, types,
// references, cycles, variables, and the known arguments of stages. It reports all errors in all files together, sorted
// by file and line.
//
// The Pipeline is never nil, so that Sources can show where errors are. If there are errors, it must not be used in any
// other way.
func Load(opt Options) (*Pipeline, hcl.Diagnostics) {
	l := opt.read()
	if l.sort() {
		l.diags = append(l.diags, l.p.checkAll()...)
	}
	return l.p, tidy(l.p.redactAll(l.diags))
}

// read reads a pipeline's files and resolves all references without evaluating them.
func (opt *Options) read() *loader {
	folder := opt.Path
	if info, err := os.Stat(opt.Path); err == nil && !info.IsDir() {
		folder = filepath.Dir(opt.Path)
	}
	src := &sources{files: map[string]*hcl.File{}, failed: map[string]bool{}, overlay: opt.Overlay}
	p := &Pipeline{
		folder:   folder,
		kinds:    opt.Kinds,
		files:    opt.Files,
		evidence: opt.Evidence,
		ctx:      opt.Context,
		sources:  src.files,
		byAddr:   map[string]*stage{},
		badExprs: map[hclsyntax.Expression]bool{},
		exprs:    map[hclsyntax.Expression]exprInfo{},
		static:   newMemory(),
		root:     &module{},
	}
	if p.ctx == nil {
		p.ctx = context.Background()
	}
	p.builtin = functions.All(functions.Env{Folder: folder, File: p.file, Note: p.noteFiles})
	p.builtinNames = slices.Sorted(maps.Keys(p.builtin)) // suggestions appear in this order
	l := &loader{p: p, src: src, root: folder, version: opt.Version}
	l.loading = []string{filepath.Clean(opt.Path)}
	l.module(opt.Path, p.root, nil)
	l.variables(p.root, opt)
	for _, d := range p.decls {
		l.resolve(d)
	}
	return l
}

// Folder returns the pipeline's folder. Paths in the pipeline are relative to it.
func (p *Pipeline) Folder() string { return p.folder }

// Competition returns the pipeline's competition.
func (p *Pipeline) Competition() Competition { return p.competition }

// Ordered reports whether the declarations could be ordered, which lets them be evaluated even if some have errors.
func (p *Pipeline) Ordered() bool { return p.dynamic != nil }

// Sources returns the files that were read, by their names in source ranges.
func (p *Pipeline) Sources() map[string]*hcl.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.sources)
}

// Nodes returns the stage blocks in file order, except that each follows the blocks that it needs.
func (p *Pipeline) Nodes() []stages.Node { return slices.Clone(p.nodes) }

// tidy sorts diagnostics by location and drops duplicates.
func tidy(diags hcl.Diagnostics) hcl.Diagnostics {
	var out hcl.Diagnostics
	seen := map[string]bool{}
	for _, d := range diags {
		at := ""
		if d.Subject != nil {
			at = d.Subject.String()
		}
		id := at + "\x00" + d.Summary + "\x00" + d.Detail
		if !seen[id] {
			seen[id] = true
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b *hcl.Diagnostic) int {
		switch {
		case a.Subject == nil && b.Subject == nil:
			return 0
		case a.Subject == nil:
			return -1
		case b.Subject == nil:
			return 1
		case a.Subject.Filename != b.Subject.Filename:
			return strings.Compare(a.Subject.Filename, b.Subject.Filename)
		}
		return a.Subject.Start.Byte - b.Subject.Start.Byte
	})
	return out
}
