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

	"github.com/smtpipe/smtpipe/internal/config/functions"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Files finds the files of the machine that a pipeline names, with the digests of what they hold.
type Files interface {
	// File returns a file or folder, absolute or relative to the pipeline's folder.
	File(path string) (stages.File, error)
	// Program returns an installed program: absolute, relative to the pipeline's folder if there is a slash, or a bare
	// name that is searched in the system's folders for programs.
	Program(name string) (stages.File, error)
}

// Options say what to load.
type Options struct {
	Path     string            // a .hcl file, or a folder with .hcl files
	Vars     map[string]string // values of variables, as given by -var
	VarFiles []string          // files with values of variables; later ones win
	Env      []string          // NAME=VALUE; SMTPIPE_VAR_x sets the variable x
	Kinds    []*stages.Kind    // the kinds of stages that there are
	Files    Files             // nil: a pipeline that names files cannot be loaded
	Version  string            // of smtpipe, for required_version
	Evidence stages.Evidence   // nil: this machine measures
	Locked   map[string]string // values of variables where nothing else gives one, as Vars has them
	Context  context.Context   // ends evaluation with an error; nil: nothing does
	Overlay  map[string][]byte // texts in place of those of files, by path, as an editor has them before they are saved
}

// Pipeline is a pipeline that was read. Its methods may be called from many goroutines at one time.
type Pipeline struct {
	folder         string
	kinds          []*stages.Kind
	files          Files
	evidence       stages.Evidence
	ctx            context.Context // of all evaluation
	sources        map[string]*hcl.File
	competition    Competition
	competitionVal cty.Value // see competitionValue
	root           *module
	decls          []*decl
	read           madeOf
	dynamic        []bool // by declaration: depends on the output of a stage
	nodes          []stages.Node
	byAddr         map[string]*stage
	badExprs       map[hclsyntax.Expression]bool
	exprs          map[hclsyntax.Expression]exprInfo
	sensitive      bool     // some variable is
	secrets        []string // texts of sensitive variables, the longest first

	builtin      map[string]function.Function
	builtinNames []string

	mu      sync.Mutex
	static  memory                  // what cannot depend on the output of a stage
	checked map[string]checkedStage // stage blocks as they are while nothing is known, by address
}

// Load reads a pipeline and checks all that can be checked before anything executes: syntax, blocks, names, types,
// references, cycles, variables, and the arguments of stages as far as they are known. All errors of all files are
// reported at once, in the order of files and lines.
//
// The Pipeline is never nil, so that Sources can show where the errors are; with errors it serves nothing else.
func Load(opt Options) (*Pipeline, hcl.Diagnostics) {
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
	for name := range p.builtin {
		p.builtinNames = append(p.builtinNames, name)
	}
	slices.Sort(p.builtinNames) // suggestions are in this order
	l := &loader{p: p, src: src, root: folder, version: opt.Version}
	l.loading = []string{filepath.Clean(opt.Path)}
	l.module(opt.Path, p.root, nil)
	l.variables(p.root, &opt)
	for _, d := range p.decls {
		l.resolve(d)
	}
	if l.sort() {
		l.diags = append(l.diags, p.checkAll()...)
	}
	return p, tidy(p.redactAll(l.diags))
}

// Folder returns the folder of the pipeline, which paths in it are relative to.
func (p *Pipeline) Folder() string { return p.folder }

// Competition returns which competition the pipeline is.
func (p *Pipeline) Competition() Competition { return p.competition }

// Ordered reports whether the declarations could be put in order, so that they can be evaluated, though there may be
// errors in some of them.
func (p *Pipeline) Ordered() bool { return p.dynamic != nil }

// Sources returns the files that were read, by the names in source ranges.
func (p *Pipeline) Sources() map[string]*hcl.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.sources)
}

// Nodes returns the stage blocks so that each comes after those that it needs, and otherwise in the order of the files.
func (p *Pipeline) Nodes() []stages.Node { return slices.Clone(p.nodes) }

// tidy sorts diagnostics by their place and drops repetitions.
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
