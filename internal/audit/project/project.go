package project

import (
	"context"
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
	"golang.org/x/term"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// Options describe which pipeline to open, and how.
type Options struct {
	Pipeline string
	Store    string
	Vars     []string
	VarFiles []string
	Rehash   bool
	Evidence string
	Kinds    []*stages.Kind    // stage kinds in addition to those available to every pipeline
	Overlay  map[string][]byte // see config.Options
	Version  string            // version of this program
	Reads    bool              // whether the command only reads; a temporary store may then replace a missing one
}

// Project is an open pipeline with its store.
type Project struct {
	Pipeline *config.Pipeline
	Store    *cache.Store
	Files    *Files
	Named    *frozen.Recorder // files that the pipeline names
	Path     string           // absolute path of the pipeline
	reported map[string]bool  // diagnostics already reported

	Evidence     *frozen.Folder // frozen folder with the measurements; nil if this machine measures
	evidenceName string         // path of the evidence folder as given by the user

	version string // version of this program
	spare   string // folder of a temporary store; empty if there is none
}

// Open loads the pipeline and opens its store. It prints the pipeline's errors to stderr.
func (f *Options) Open(ctx context.Context, stderr io.Writer) (*Project, error) {
	p, diags, err := f.Load(ctx, stderr)
	if err != nil {
		return nil, err
	}
	if err := p.Report(stderr, diags); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Load loads the pipeline and opens its store.
func (f *Options) Load(ctx context.Context, stderr io.Writer) (*Project, hcl.Diagnostics, error) {
	path, folder, err := f.Locate()
	if err != nil {
		return nil, nil, err
	}
	vars, err := ParseVars(f.Vars)
	if err != nil {
		return nil, nil, err
	}
	dir := f.Store
	if dir == "" {
		dir = filepath.Join(folder, ".smtpipe")
	}
	store, spare, err := f.openStore(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, lost := range store.DamageReports() {
		fmt.Fprintf(stderr, "Note: %s.\n", lost)
	}
	index := store.FileIndex(f.Rehash).EndWith(ctx)
	p := &Project{version: f.Version, Store: store, spare: spare, Path: path, Files: &Files{Folder: folder,
		Index: index}}
	p.Named = &frozen.Recorder{Finder: p.Files}
	opt := config.Options{
		Path:     f.PathOrFolder(),
		Vars:     vars,
		VarFiles: f.VarFiles,
		Env:      os.Environ(),
		Kinds:    slices.Concat(all.Kinds(), f.Kinds),
		Files:    p.Named,
		Version:  f.Version,
		Context:  ctx,
		Overlay:  f.Overlay,
	}
	if f.Evidence != "" {
		if err := p.useEvidence(f.Evidence, &opt); err != nil {
			return nil, nil, errors.Join(err, p.Close())
		}
	}
	var diags hcl.Diagnostics
	p.Pipeline, diags = config.Load(opt)
	if ctx.Err() != nil {
		return nil, nil, errors.Join(exit.ErrInterrupted, p.Close())
	}
	return p, diags, nil
}

// openStore opens a pipeline's store. If the command only reads, and the pipeline's folder has no store and is
// read-only, it opens a temporary store in the folder spare.
func (f *Options) openStore(dir string) (store *cache.Store, spare string, err error) {
	store, err = cache.Open(dir, cache.Options{})
	if !f.Reads || f.Store != "" || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return store, "", err
	}
	if _, found := os.Stat(dir); found == nil {
		return nil, "", err
	}
	if spare, err = os.MkdirTemp("", "smtpipe-"); err != nil {
		return nil, "", err
	}
	if store, err = cache.Open(spare, cache.Options{}); err != nil {
		return nil, "", errors.Join(err, os.RemoveAll(spare))
	}
	return store, spare, nil
}

func (f *Options) PathOrFolder() string {
	if f.Pipeline == "" {
		return "."
	}
	return f.Pipeline
}

// Locate returns the pipeline's absolute path and folder.
func (f *Options) Locate() (path, folder string, err error) {
	path, err = filepath.Abs(f.PathOrFolder())
	if err != nil {
		return "", "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no pipeline %s: -p names a .hcl file, or a folder with .hcl files",
				f.PathOrFolder())
		}
		return "", "", exit.With(exit.Usage, exit.Plain(err, f.PathOrFolder()))
	}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			return "", "", exit.With(exit.Usage, exit.Plain(err, f.PathOrFolder()))
		}
		if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) == ".hcl" }) {
			err = exit.With(exit.Usage, fmt.Errorf("there is no .hcl file in %s; name a pipeline with -p, or make one "+
				"with \"smtpipe init\"", f.PathOrFolder()))
		}
		return path, path, err
	}
	return path, filepath.Dir(path), nil
}

// Folder returns the pipeline's folder, even if it contains no pipeline.
func (f *Options) Folder() (string, error) {
	name := f.PathOrFolder()
	info, err := os.Stat(name)
	if err != nil {
		return "", exit.With(exit.Usage, exit.Plain(err, name))
	}
	if info.IsDir() {
		return name, nil
	}
	return filepath.Dir(name), nil
}

func ParseVars(settings []string) (map[string]string, error) {
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
func (p *Project) Close() error {
	p.Files.Index.Save()
	err := errors.Join(p.Store.Close(), p.closeEvidence())
	if p.spare != "" {
		err = errors.Join(err, os.RemoveAll(p.spare))
	}
	return err
}

// Report prints diagnostics. If any of them is an error, it returns exit.ErrReported.
func (p *Project) Report(w io.Writer, diags hcl.Diagnostics) error {
	if p.reported == nil {
		p.reported = map[string]bool{}
	}
	before := len(p.reported)
	diags = slices.DeleteFunc(slices.Clone(diags), func(d *hcl.Diagnostic) bool {
		said := d.Error() // loading and planning may produce the same warning
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
		fmt.Fprintln(w) // separates diagnostics
	}
	if err := config.WriteDiagnostics(w, diags, p.Sources(), width, color); err != nil {
		return err
	}
	if diags.HasErrors() {
		return exit.ErrReported
	}
	return nil
}

// Sources returns the files that diagnostics may refer to.
func (p *Project) Sources() map[string]*hcl.File {
	if p.Pipeline == nil {
		return nil
	}
	return maps.Clone(p.Pipeline.Sources())
}

// Engine returns an engine for the pipeline.
func (p *Project) Engine(opt engine.Options) (*engine.Engine, error) {
	opt.Store, opt.Name, opt.Folder, opt.Version, opt.Redact = p.Store, p.Path, p.Pipeline.Folder(), p.version,
		p.Pipeline.Redact
	opt.Kinds = all.Kinds()
	if p.Evidence != nil {
		opt.Evidence, opt.Latest = p.Evidence, p.Evidence.Latest()
	}
	e, err := engine.New(p.Pipeline, opt)
	if err != nil {
		var known []string
		for _, n := range p.Pipeline.Nodes() {
			known = append(known, n.Addr)
		}
		return nil, exit.With(exit.Usage, meantStages(known, err))
	}
	return e, nil
}

// Execute executes a whole pipeline that a command created internally. It returns the stages' outputs, and the entrants
// that could not take part.
func (p *Project) Execute(ctx context.Context, stderr io.Writer, opt engine.Options) (known stages.Known, absent string,
	err error) {
	e, err := p.Engine(opt)
	if err != nil {
		return nil, "", err
	}
	result, diags, err := e.Run(ctx)
	if exit.WasInterrupted(ctx, err) {
		return nil, "", exit.ErrInterrupted
	}
	if reported := p.Report(stderr, diags); reported != nil && err == nil {
		err = reported
	}
	if err = p.ReportFailures(stderr, err); err != nil {
		return nil, "", err
	}
	return result.Known, Absentees(e.Absent()), nil
}

// Absentees returns a line with the reason for each entrant that could not take part in a stage.
func Absentees(absent map[string][]cache.Absent) string {
	var lines []string
	for _, addr := range slices.Sorted(maps.Keys(absent)) {
		for _, a := range absent[addr] {
			lines = append(lines, fmt.Sprintf("%s in %s: %s", a.Entrant, addr, a.Reason))
		}
	}
	return strings.Join(lines, "\n")
}

func StepAddresses(plan *engine.Plan) []string {
	var all []string
	for i := range plan.Steps {
		all = append(all, plan.Steps[i].Addr)
	}
	return all
}

// MeantStage adds the stage that was probably meant to an unknown-stage error.
func MeantStage(e *engine.Engine, err error) error {
	if _, ok := errors.AsType[*engine.UnknownStageError](err); !ok {
		return err
	}
	plan, _ := e.Plan()
	return meantStages(StepAddresses(plan), err)
}

// meantStages is MeantStage for joined errors.
func meantStages(known []string, err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, e := range several.Unwrap() {
			errs = append(errs, meantStages(known, e))
		}
		return errors.Join(errs...)
	}
	if unknown, ok := errors.AsType[*engine.UnknownStageError](err); ok {
		return noStage(unknown.Addr, known)
	}
	return err
}

// noStage returns the error for an address without a stage, including the stage that was probably meant.
func noStage(address string, known []string) error {
	hint := `"smtpipe plan" lists the stages`
	if near := nearest.Name(address, known); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	} else if near := nearest.Name("stage."+address, known); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return exit.With(exit.Usage, fmt.Errorf("there is no stage %s; %s", address, hint))
}
