package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// projectFlags are the flags of every command that works on a pipeline.
type projectFlags struct {
	pipeline string
	store    string
	vars     []string
	varFiles []string
	rehash   bool
	evidence string
	kinds    []*stages.Kind    // in addition to the variables of every pipeline
	overlay  map[string][]byte // see config.Options
	reads    bool              // the command needs no store of its own, so a read-only folder is enough
}

func (f *projectFlags) register(flags *pflag.FlagSet) {
	flags.StringVarP(&f.pipeline, "pipeline", "p", "",
		"pipeline: a .hcl file or a folder with .hcl files (default: this folder)")
	flags.StringVar(&f.store, "store", os.Getenv("SMTPIPE_STORE"),
		"store (default: $SMTPIPE_STORE, or .smtpipe beside the pipeline)")
	flags.StringArrayVar(&f.vars, "var", nil, "value of a variable, as NAME=VALUE; may be repeated")
	flags.StringArrayVar(&f.varFiles, "var-file", nil, "file with values of variables; may be repeated")
	flags.StringVar(&f.evidence, "evidence", "",
		"frozen folder whose measurements are used; then nothing is measured here")
	flags.BoolVar(&f.rehash, "rehash", false, "read all input files again, even those that look unchanged")
}

// project is an open pipeline with its store.
type project struct {
	pipeline *config.Pipeline
	store    *cache.Store
	files    *pipelineFiles
	named    *frozen.Recorder // files that the pipeline names
	path     string           // of the pipeline, absolute
	reported map[string]bool  // diagnostics

	evidence     *frozen.Folder // nil: this machine measures
	evidenceName string         // the folder's path as it was given

	spare string // folder of a temporary store, or empty
}

// open reads the pipeline and opens its store. It prints the pipeline's errors on stderr.
func (f *projectFlags) open(cmd *cobra.Command) (*project, error) {
	p, diags, err := f.load(cmd)
	if err != nil {
		return nil, err
	}
	if err := p.report(cmd.ErrOrStderr(), diags); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// load reads the pipeline and opens its store.
func (f *projectFlags) load(cmd *cobra.Command) (*project, hcl.Diagnostics, error) {
	delayGC(planMemory)
	path, folder, err := f.locate()
	if err != nil {
		return nil, nil, err
	}
	vars, err := parseVars(f.vars)
	if err != nil {
		return nil, nil, err
	}
	dir := f.store
	if dir == "" {
		dir = filepath.Join(folder, ".smtpipe")
	}
	store, spare, err := f.openStore(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, lost := range store.DamageReports() {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: %s.\n", lost)
	}
	index := store.FileIndex(f.rehash).EndWith(cmd.Context())
	p := &project{store: store, spare: spare, path: path, files: &pipelineFiles{folder: folder, index: index}}
	p.named = &frozen.Recorder{Finder: p.files}
	opt := config.Options{
		Path:     f.pathOrFolder(),
		Vars:     vars,
		VarFiles: f.varFiles,
		Env:      os.Environ(),
		Kinds:    slices.Concat(all.Kinds(), f.kinds),
		Files:    p.named,
		Version:  version,
		Context:  cmd.Context(),
		Overlay:  f.overlay,
	}
	if f.evidence != "" {
		if err := p.useEvidence(f.evidence, &opt); err != nil {
			return nil, nil, errors.Join(err, p.Close())
		}
	}
	var diags hcl.Diagnostics
	p.pipeline, diags = config.Load(opt)
	if cmd.Context().Err() != nil {
		return nil, nil, errors.Join(exit.ErrInterrupted, p.Close())
	}
	return p, diags, nil
}

// openStore opens a pipeline's store. If the command only reads and the pipeline's folder has no store and is not
// writable, it opens a temporary store in the folder spare.
func (f *projectFlags) openStore(dir string) (store *cache.Store, spare string, err error) {
	store, err = cache.Open(dir, cache.Options{})
	if !f.reads || f.store != "" || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return store, "", err
	}
	if _, found := os.Stat(dir); found == nil {
		return nil, "", err
	}
	if spare, err = os.MkdirTemp("", "smtpipe-"); err != nil {
		return nil, "", err
	}
	store, err = cache.Open(spare, cache.Options{})
	return store, spare, err
}

func (f *projectFlags) pathOrFolder() string {
	if f.pipeline == "" {
		return "."
	}
	return f.pipeline
}

// locate returns the pipeline's absolute path and its folder.
func (f *projectFlags) locate() (path, folder string, err error) {
	path, err = filepath.Abs(f.pathOrFolder())
	if err != nil {
		return "", "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no pipeline %s: -p names a .hcl file, or a folder with .hcl files",
				f.pathOrFolder())
		}
		return "", "", exit.With(exit.Usage, exit.Plain(err, f.pathOrFolder()))
	}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return "", "", exit.With(exit.Usage, exit.Plain(err, f.pathOrFolder()))
		}
		if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) == ".hcl" }) {
			err = exit.With(exit.Usage, fmt.Errorf("there is no .hcl file in %s; name a pipeline with -p, or make one "+
				"with \"smtpipe init\"", f.pathOrFolder()))
		}
		return path, path, err
	}
	return path, filepath.Dir(path), nil
}

// folder returns the pipeline's folder, even if there is no pipeline in it.
func (f *projectFlags) folder() (string, error) {
	name := f.pathOrFolder()
	info, err := os.Stat(name)
	if err != nil {
		return "", exit.With(exit.Usage, exit.Plain(err, name))
	}
	if info.IsDir() {
		return name, nil
	}
	return filepath.Dir(name), nil
}

func parseVars(settings []string) (map[string]string, error) {
	vars := map[string]string{}
	for _, s := range settings {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, exit.With(exit.Usage, fmt.Errorf("--var %q is not NAME=VALUE", s))
		}
		vars[name] = value
	}
	return vars, nil
}

// Close saves the file index and closes the store.
func (p *project) Close() error {
	p.files.index.Save()
	err := errors.Join(p.store.Close(), p.closeEvidence())
	if p.spare != "" {
		err = errors.Join(err, os.RemoveAll(p.spare))
	}
	return err
}

// report prints diagnostics. It returns exit.ErrReported if there are errors among them.
func (p *project) report(w io.Writer, diags hcl.Diagnostics) error {
	if p.reported == nil {
		p.reported = map[string]bool{}
	}
	before := len(p.reported)
	diags = slices.DeleteFunc(slices.Clone(diags), func(d *hcl.Diagnostic) bool {
		said := d.Error() // loading and planning may give the same warning
		again := d.Severity == hcl.DiagWarning && p.reported[said]
		p.reported[said] = true
		return again
	})
	if len(diags) == 0 {
		return nil
	}
	width, color := 80, false
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		color = os.Getenv("NO_COLOR") == ""
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			width = columns
		}
	}
	if before > 0 {
		fmt.Fprintln(w) // between diagnostics
	}
	if err := config.WriteDiagnostics(w, diags, p.sources(), width, color); err != nil {
		return err
	}
	if diags.HasErrors() {
		return exit.ErrReported
	}
	return nil
}

// sources returns the files that diagnostics may refer to.
func (p *project) sources() map[string]*hcl.File {
	if p.pipeline == nil {
		return nil
	}
	return maps.Clone(p.pipeline.Sources())
}

// engine prepares the execution of the pipeline.
func (p *project) engine(opt engine.Options) (*engine.Engine, error) {
	opt.Store, opt.Name, opt.Folder, opt.Version, opt.Redact = p.store, p.path, p.pipeline.Folder(), version,
		p.pipeline.Redact
	opt.Kinds = all.Kinds()
	if p.evidence != nil {
		opt.Evidence, opt.Latest = p.evidence, p.evidence.Latest()
	}
	e, err := engine.New(p.pipeline, opt)
	if err != nil {
		var known []string
		for _, n := range p.pipeline.Nodes() {
			known = append(known, n.Addr)
		}
		return nil, exit.With(exit.Usage, meantStages(known, err))
	}
	return e, nil
}

// execute executes a whole pipeline that a command created internally, and returns the outputs of its stages and the
// entrants that could not take part.
func (p *project) execute(cmd *cobra.Command, opt engine.Options) (known stages.Known, absent string, err error) {
	e, err := p.engine(opt)
	if err != nil {
		return nil, "", err
	}
	result, diags, err := e.Run(cmd.Context())
	if exit.WasInterrupted(cmd.Context(), err) {
		return nil, "", exit.ErrInterrupted
	}
	if reported := p.report(cmd.ErrOrStderr(), diags); reported != nil && err == nil {
		err = reported
	}
	if err = p.reportFailures(cmd.ErrOrStderr(), err); err != nil {
		return nil, "", err
	}
	return result.Known, absentees(e.Absent()), nil
}
