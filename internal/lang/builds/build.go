// Package builds finds builds of a solver, runs them on benchmarks in pairs, and stores every run.
package builds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
	"github.com/smtpipe/smtpipe/internal/smt/release"
)

// Build is a build of a solver: a program on this machine, or an entry point in an unpacked archive.
type Build struct {
	Name   string
	Told   bool   // whether the user chose the name; otherwise it is a file name
	folder string // folder made visible to runs; empty: the system's programs suffice
	entry  *solver.EntryPoint
	env    solver.Environment
	Digest cache.Digest
	place  string // path of a program, because scripts find files beside them; empty for archives
}

// Command returns the build's command for a benchmark. Its paths are those of this machine, so it also works without a
// sandbox.
func (b *Build) Command(benchmark string, limits comp.Limits) runner.Command {
	c := b.entry.Command(b.folder, benchmark, limits, b.env)
	c.Mounts = nil
	if b.folder != "" {
		c.Mounts = []runner.Mount{{Source: b.folder, Target: b.folder, Warm: b.place == ""}}
	}
	return c
}

// Rename sets the build's name.
func (b *Build) Rename(name string) { b.Name, b.Told = name, true }

// Seeded returns the build with an argument that passes a seed.
func (b *Build) Seeded(option string, seed int64) *Build {
	if option == "" || seed == 0 {
		return b
	}
	own, entry := *b, *b.entry
	entry.Argv = slices.Concat(entry.Argv, strings.Fields(strings.ReplaceAll(option, "{seed}", fmt.Sprint(seed))))
	own.entry = &entry
	return &own
}

// Finder finds builds.
type Finder struct {
	Store    *cache.Store
	Command  string   // program and arguments inside archives; empty: the archive's only program
	Archives []string // local archives of submissions
}

// Find returns the build named by an argument: a submission if it ends in .json, an archive if the file starts like
// one, and otherwise a program with optional arguments.
func (s Finder) Find(ctx context.Context, name string) (*Build, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.IsDir() && filepath.Ext(name) == ".json":
		return s.submission(ctx, name)
	case err == nil && !info.IsDir() && IsPacked(name):
		return s.archive(ctx, filepath.Base(name), name, strings.Fields(s.Command), solver.Plain)
	}
	return findProgram(name)
}

// IsPacked reports whether a file starts like an archive that solver.Unpack can read.
func IsPacked(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 512)
	n, _ := f.Read(begin)
	begin = begin[:n]
	for _, magic := range []string{"PK\x03\x04", "\x1f\x8b", "BZh", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(begin, []byte(magic)) {
			return true
		}
	}
	return n > 262 && string(begin[257:262]) == "ustar"
}

func findProgram(name string) (*Build, error) {
	argv := []string{name}
	path, err := exec.LookPath(name)
	if words := strings.Fields(name); err != nil && len(words) > 1 {
		argv = words
		path, err = exec.LookPath(words[0])
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, usage(fmt.Errorf("%s is not executable; make it so with chmod +x", name))
	}
	if err != nil {
		return nil, usage(fmt.Errorf("%s is not an executable program: %w", name, err))
	}
	_, digest, err := solver.ProgramClosure(path)
	if err != nil {
		return nil, err
	}
	b := &Build{Name: name, entry: &solver.EntryPoint{Argv: slices.Concat([]string{path}, argv[1:])},
		Digest: cache.Digest(digest), place: path, env: solver.Plain}
	if !strings.HasPrefix(path, "/usr/") && !strings.HasPrefix(path, "/bin/") {
		b.folder = filepath.Dir(path)
	}
	return b, nil
}

// submission returns the build for a submission's first participation in the single-query track.
func (s Finder) submission(ctx context.Context, name string) (*Build, error) {
	data, err := limits.Submission.ReadFile(name)
	if err != nil {
		return nil, usage(err)
	}
	sub, err := submission.ParseEarlier(name, data)
	if err != nil {
		return nil, usage(err)
	}
	archive, command := sub.Archive, sub.Command
	for _, p := range sub.Participations {
		if slices.Contains(p.Tracks, "SingleQuery") {
			if p.Archive != nil {
				archive = p.Archive
			}
			if p.Command != nil {
				command = p.Command
			}
			break
		}
	}
	if archive == nil || command == nil {
		return nil, usage(fmt.Errorf("%s has no archive and command for the single query track", name))
	}
	env := solver.Plain
	if command.StarExec {
		env = solver.StarExec
	}
	path, err := s.archiveOf(ctx, archive)
	if err != nil {
		return nil, fmt.Errorf("the archive of %s: %w", name, err)
	}
	return s.archive(ctx, sub.Name, path, slices.Concat([]string{command.Binary}, command.Arguments), env)
}

// archiveOf returns the path of a submission's archive: the file of that name among those of --archive, or a download
// in the store.
func (s Finder) archiveOf(ctx context.Context, a *submission.Archive) (string, error) {
	base := release.FileName(a.URL)
	want := release.Wanted{URL: a.URL, SHA256: a.SHA256}
	for _, file := range s.Archives {
		if filepath.Base(file) != base {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			return "", usage(err)
		}
		defer f.Close()
		return file, release.CheckFile(f, want)
	}
	path, err := s.Store.DownloadPath("compare\n" + a.URL + "\n" + a.SHA256)
	if err != nil {
		return "", err
	}
	lock := flock.New(path + ".lock") // another process that wants the archive would write the same file
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return "", fmt.Errorf("lock the download of %s: %w", a.URL, err)
	}
	defer lock.Close()
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		if a.SHA256 != "" && release.CheckFile(f, want) == nil {
			return path, nil
		}
	}
	client := release.NewClient(3, slog.New(slog.DiscardHandler))
	return path, client.Download(ctx, want, path, func(int64) {})
}

// archive unpacks an archive into the store and returns the build for a command in it or, without a command, for its
// only program.
func (s Finder) archive(ctx context.Context, name, path string, command []string, env solver.Environment) (*Build,
	error,
) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	digest, _, err := s.Store.FileIndex(false).EndWith(ctx).Digest(full)
	if err != nil {
		return nil, err
	}
	tree, err := solvertree.Open(ctx, s.Store, solvertree.Archive{SHA256: digest, Path: full})
	if err != nil {
		return nil, usage(err)
	}
	folder, err := filepath.Abs(tree.Path)
	if err != nil {
		return nil, err
	}
	if len(command) == 0 {
		if command, err = onlyProgram(folder); err != nil {
			return nil, usage(fmt.Errorf("%s: %w", name, err))
		}
	}
	entry, err := solver.FindEntry(folder, command, comp.SingleQuery, env)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", name, err))
	}
	inside := func(p string) string {
		if rest, ok := strings.CutPrefix(p, runner.SolverDir); ok {
			return folder + rest
		}
		return p
	}
	entry.Argv[0], entry.Dir = inside(entry.Argv[0]), inside(entry.Dir)
	return &Build{Name: name, folder: folder, entry: entry, env: env, Digest: tree.Digest}, nil
}

// startsHere reports whether a file starts like a Linux program. Wheels also contain libraries for other systems.
func startsHere(path string) bool { return beginsWith(path, "\x7fELF") || beginsWith(path, "#!") }

func beginsWith(path, magic string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(magic))
	_, err = io.ReadFull(f, begin)
	return err == nil && string(begin) == magic
}

// onlyProgram returns the program in a folder that contains exactly one.
func onlyProgram(folder string) (command []string, err error) {
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode()&0o111 != 0 && !strings.Contains(e.Name(), ".so") && startsHere(path) {
			var rel string
			rel, err = filepath.Rel(folder, path)
			command = append(command, rel)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	switch len(command) {
	case 0:
		return nil, errors.New("the archive has no program")
	case 1:
		return command, nil
	}
	return nil, fmt.Errorf("the archive has %d programs, such as %s; name one with --command", len(command),
		words.Some(command, 8))
}
