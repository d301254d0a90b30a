// Package verify checks frozen folders: the digests of all files, and whether the computed results follow from the
// measurements. It requires no solver, no network and no particular machine, and never writes to the folder.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/signature"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Options configures what to verify and how.
type Options struct {
	Path     string // path of a folder, or of its .zip or .tar.zst archive
	Vars     map[string]string
	Kinds    []*stages.Kind
	Version  string            // smtpipe version of this process
	Observer engine.Observer   // receives progress; may be nil
	Sample   *Sample           // which runs to repeat; nil means none
	Temp     string            // an empty folder, which the caller removes
	Hardware string            // this machine's profile, for repeated runs
	Signers  signature.Signers // required signers of the lock; nil means any
	Confined *Confined         // how this process is confined; nil if unconfined
	// Files returns a Finder for files on this machine that a pipeline in a folder names.
	Files func(folder string, store *cache.Store) frozen.Finder
}

// CannotError reports that a folder cannot be verified at all.
type CannotError struct{ Cause error }

func (e *CannotError) Error() string { return e.Cause.Error() }

func (e *CannotError) Unwrap() error { return e.Cause }

// Run verifies a frozen folder and returns its findings in a report. An error means that there is no report.
func Run(ctx context.Context, opt Options) (_ *Report, err error) {
	dir, err := Unpacked(opt.Path, filepath.Join(opt.Temp, "folder"))
	if err != nil {
		return nil, &CannotError{err}
	}
	folder, err := frozen.Open(dir)
	if err != nil {
		return nil, &CannotError{err}
	}
	defer folder.Close()
	v := &verification{Options: opt, folder: folder, report: newReport(opt.Path, folder),
		absent: map[string]bool{}, changed: map[string]cache.Digest{}}
	v.report.Confined = opt.Confined
	for _, step := range []func(context.Context) error{v.files, v.signature, v.members, v.records, v.derivation} {
		err := step(ctx)
		if cannot, ok := errors.AsType[*CannotError](err); ok && v.report.Differs() {
			v.report.Unsure = true
			v.report.differs("derivation", cannot.Error()) // probably a consequence of earlier findings
			return v.report, nil
		}
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return v.report, nil
}

// verification is the state of one call of Run.
type verification struct {
	Options
	folder *frozen.Folder
	store  *cache.Store
	report *Report

	absent  map[string]bool         // solvers whose programs are missing on this machine
	changed map[string]cache.Digest // files that differ from the lock, with their actual digests
	tabled  func()                  // waits for plainTables
}

// derivation recomputes everything that follows from the measurements.
func (v *verification) derivation(ctx context.Context) (err error) {
	defer v.tabled()
	if v.store, err = cache.Open(filepath.Join(v.Temp, "store"), cache.Options{Durability: cache.Relaxed}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.store.Close()) }()
	remote := v.folder.NewRemote(v.store, v.Kinds)
	v.store.SetRemote(remote)
	pipeline, err := v.load()
	if err != nil {
		return err
	}
	e, err := engine.New(pipeline, engine.Options{
		Store: v.store, Name: "verify", Folder: pipeline.Folder(), Version: v.folder.Lock.Version, Observer: v.Observer,
		Redact: pipeline.Redact, Evidence: v.folder, Latest: v.folder.Latest(),
		Distrusted: true,
	})
	if err != nil {
		return err
	}
	again, diags := e.Recheck(ctx)
	v.tabled() // nothing else may use the machine when runs are repeated
	if diags.HasErrors() {
		return &CannotError{fmt.Errorf("the pipeline cannot be expanded with what the folder has: %w", diags)}
	}
	v.judge(again)
	v.shares(again)
	v.trees()
	if err := v.rules(pipeline, again); err != nil {
		return err
	}
	if v.Sample != nil {
		if err := v.remeasure(ctx, e, again); err != nil {
			return err
		}
	}
	for _, bad := range remote.Bad() {
		v.report.differs("content", bad)
	}
	return nil
}

// load loads the folder's pipeline from a separate place that contains only listed files.
func (v *verification) load() (*config.Pipeline, error) {
	root := filepath.Join(v.Temp, "pipeline")
	for _, name := range slices.Sorted(maps.Keys(v.folder.Sums)) {
		if !strings.HasPrefix(name, "pipeline/") {
			continue
		}
		if err := link(v.folder.Path(name), filepath.Join(v.Temp, filepath.FromSlash(name))); err != nil {
			return nil, &CannotError{fmt.Errorf("%s of the pipeline cannot be read: %w", name, err)}
		}
	}
	path := filepath.Join(v.Temp, filepath.FromSlash(v.folder.Lock.Pipeline))
	if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) {
		return nil, &CannotError{fmt.Errorf("the lock names the pipeline %q, which is not in the folder pipeline",
			v.folder.Lock.Pipeline)}
	}
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		dir = filepath.Dir(path)
	}
	pipeline, diags := config.Load(config.Options{
		Path: path, Vars: v.Vars, Kinds: v.Kinds, Files: v.folder.Files(v.Files(dir, v.store)), Version: v.Version,
		Evidence: v.folder, Locked: v.folder.Values(),
	})
	if diags.HasErrors() {
		return nil, &CannotError{fmt.Errorf("the pipeline of the folder has errors: %w", diags)}
	}
	return pipeline, nil
}

// link makes a file available at another path, without copying it if the file system supports that.
func link(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if info, err := os.Lstat(from); err != nil || !info.Mode().IsRegular() {
		return errors.Join(fmt.Errorf("%s is not a regular file", from), err)
	}
	if os.Link(from, to) == nil {
		return nil
	}
	return copyFile(from, to)
}

// copyFile copies a file, including its executable permission.
func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		return err
	}
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666|info.Mode()&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}
