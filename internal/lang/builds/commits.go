package builds

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// Folder lists the builds in a folder from one file to another, in version order: 4.8.9 precedes 4.8.12.
func (s Finder) Folder(folder, good, bad string) ([]Candidate, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, usage(err)
	}
	var names []string
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(folder, e.Name())); err == nil && info.Mode().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, compareVersions)
	from, err := named(folder, names, good)
	to, err2 := named(folder, names, bad)
	if err := errors.Join(err, err2); err != nil {
		return nil, usage(err)
	}
	if from >= to {
		return nil, usage(fmt.Errorf("%s does not come after %s in %s", bad, good, folder))
	}
	var all []Candidate
	for _, name := range names[from : to+1] {
		all = append(all, Candidate{name, func(ctx context.Context) (*Build, error) {
			return s.usable(ctx, filepath.Join(folder, name))
		}})
	}
	return all, nil
}

// named returns the index of the named file, or of the only file whose name starts with the given one, because wheels
// have long file names.
func named(folder string, names []string, name string) (int, error) {
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	begins := func(s string) bool { return strings.HasPrefix(s, name) }
	i := slices.IndexFunc(names, begins)
	switch {
	case i < 0:
		return 0, fmt.Errorf("there is no file %s in %s", name, folder)
	case slices.ContainsFunc(names[i+1:], begins):
		return 0, fmt.Errorf("several files in %s begin with %s", folder, name)
	}
	return i, nil
}

// usable finds the build in a file. A file that contains none counts as a build that failed.
func (s Finder) usable(ctx context.Context, file string) (*Build, error) {
	b, err := s.Find(ctx, file)
	if err != nil && ctx.Err() == nil {
		return nil, NotBuiltError{err}
	}
	return b, err
}

// compareVersions compares names by the numbers in them.
func compareVersions(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			p, q := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if len(p) != len(q) {
				return len(p) - len(q)
			}
			if c := strings.Compare(p, q); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if (x > 0) != (y > 0) { // 4.8.12.whl precedes 4.8.12.1.whl
			return x - y
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

// digits returns the number of leading digits in a text.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// Repository builds a repository's commits.
type Repository struct {
	Path    string
	Command string        // shell command that builds the program in the source folder, inside the sandbox
	Program string        // program or archive that it builds, relative to the source folder
	Limit   time.Duration // time limit of a build
	Memory  int64         // memory limit of a build, in bytes
}

// Commits lists the commits from a good one to a bad one, following the bad commit's first parents.
func (s Finder) Commits(ctx context.Context, items *cache.Items, r Repository, good, bad string) ([]Candidate, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if _, err := r.git(ctx, "merge-base", "--is-ancestor", good, bad); err != nil {
		return nil, usage(fmt.Errorf("%s is not an ancestor of %s in %s: %w", good, bad, r.Path, err))
	}
	base, err := r.git(ctx, "rev-parse", "--verify", good+"^{commit}")
	if err != nil {
		return nil, usage(err)
	}
	list, err := r.git(ctx, "rev-list", "--first-parent", "--reverse", "--format=%H %h %s", "--no-commit-header",
		good+".."+bad)
	if err != nil {
		return nil, usage(err)
	}
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	if lines[0] == "" {
		return nil, usage(fmt.Errorf("there is no commit between %s and %s", good, bad))
	}
	hash := strings.TrimSpace(string(base))
	lines = slices.Insert(lines, 0, hash+" "+hash[:min(len(hash), 9)]+" "+good)
	var all []Candidate
	for _, line := range lines {
		hash, name, _ := strings.Cut(line, " ")
		all = append(all, Candidate{name, func(ctx context.Context) (*Build, error) {
			return s.commit(ctx, items, r, hash, name)
		}})
	}
	return all, nil
}

// Commit builds a commit, or returns its earlier build.
func (s Finder) Commit(ctx context.Context, items *cache.Items, r Repository, revision string) (*Build, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	line, err := r.git(ctx, "log", "-1", "--format=%H %h %s", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return nil, usage(fmt.Errorf("there is no commit %s in %s; a shallow clone has only the newest (git fetch "+
			"--unshallow): %w", revision, r.Path, err))
	}
	hash, name, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	b, err := s.commit(ctx, items, r, hash, name)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return b, err
}

func (s Finder) commit(ctx context.Context, items *cache.Items, r Repository, hash, name string) (*Build, error) {
	program, err := r.program(ctx, s.Store, items, hash)
	if err != nil {
		return nil, err
	}
	b, err := s.usable(ctx, program)
	if err == nil {
		b.Name = name
	}
	return b, err
}

// check rejects a program path that a build cannot produce.
func (r Repository) check() error {
	if !filepath.IsLocal(r.Program) {
		return usage(fmt.Errorf("--program %s is not a file below the sources", r.Program))
	}
	return nil
}

func (r Repository) git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.Path}, args...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return out, err
}

// made records the build of a commit.
type made struct {
	Failed string // reason why the build failed; empty if it succeeded
}

// program returns the file that building a commit produces. Equal sources are built only once.
func (r Repository) program(ctx context.Context, store *cache.Store, items *cache.Items, hash string) (string, error) {
	tree, err := r.git(ctx, "rev-parse", "--verify", hash+"^{tree}")
	if err != nil {
		return "", err
	}
	k := cache.NewKeyWriter("build/1")
	k.String("tree", strings.TrimSpace(string(tree)))
	k.String("command", r.Command)
	k.String("program", r.Program)
	key := k.Key()
	place, err := filepath.Abs(filepath.Join(store.Dir(), "builds", key.String(), filepath.Base(r.Program)))
	if err != nil {
		return "", err
	}
	var known made
	record, ok, err := items.Get(key)
	if err == nil && ok {
		err = json.Unmarshal(record, &known)
	}
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(place); ok && (known.Failed != "" || err == nil) {
		return place, notBuilt(known.Failed)
	}
	failed, err := r.build(ctx, hash, place)
	if err != nil {
		return "", err
	}
	if record, err = json.Marshal(made{failed}); err == nil {
		err = items.Put(key, record)
	}
	return place, errors.Join(err, notBuilt(failed))
}

func notBuilt(why string) error {
	if why == "" {
		return nil
	}
	return NotBuiltError{errors.New(why)}
}

// sources is the source folder's path inside the sandbox.
const sources = "/sources"

// build builds a commit and stores the program. failed is the reason why the build failed, or "".
func (r Repository) build(ctx context.Context, hash, place string) (failed string, err error) {
	folder, err := os.MkdirTemp("", "smtpipe-build-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	packed, err := r.git(ctx, "archive", "--format=tar", hash)
	if err != nil {
		return "", err
	}
	if err := unpackSources(folder, packed); err != nil {
		return "", err
	}
	host, err := runner.Open(runner.Config{Isolation: runner.BestEffort, Jobs: 1, NoLock: true,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	const output = 1 << 20
	c := runner.Command{Argv: []string{"sh", "-c", r.Command}, Dir: sources, HostSystem: true, OneStream: true,
		Mounts: []runner.Mount{{Source: folder, Target: sources, Writable: true}},
		Limits: comp.Limits{WallTime: r.Limit, MemoryBytes: r.Memory, OutputBytes: output}}
	if !host.Isolation().Private() {
		c.Dir, c.Mounts = folder, nil
	}
	rec, err := host.Run(ctx, c)
	if err != nil {
		return "", err
	}
	switch last := lastLine(rec.Stdout.Bytes()); {
	case rec.Ending != comp.Exited:
		return fmt.Sprintf("its build was terminated (%s)%s", rec.Ending, last), nil
	case rec.ExitCode != 0:
		return fmt.Sprintf("its build ended with exit code %d%s", rec.ExitCode, last), nil
	}
	made, err := os.Open(filepath.Join(folder, r.Program))
	if err != nil {
		return fmt.Sprintf("its build produced no %s", r.Program), nil
	}
	defer made.Close()
	if err := writeWhole(place, made); err != nil {
		return "", err
	}
	return "", os.Chmod(place, 0o755)
}

// lastLine returns a colon and an output's last line, or "" if there is none.
func lastLine(out []byte) string {
	const most = 200
	out = bytes.TrimSpace(out)
	last := out[bytes.LastIndexByte(out, '\n')+1:]
	if len(last) == 0 {
		return ""
	}
	return ": " + strings.ToValidUTF8(string(last[:min(len(last), most)]), "")
}

// unpackSources unpacks a git archive and lets the build write to its files.
func unpackSources(folder string, packed []byte) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := os.Chmod(folder, 0o777); err != nil { // the sandbox uses a different user
		return err
	}
	for r := tar.NewReader(bytes.NewReader(packed)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.Clean(h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			if err = root.MkdirAll(name, 0o777); err == nil {
				err = root.Chmod(name, 0o777)
			}
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, name)
		case tar.TypeReg:
			err = writeSource(root, name, r, os.FileMode(h.Mode)|0o666)
		}
		if err != nil {
			return err
		}
	}
}

func writeSource(root *os.Root, name string, content io.Reader, mode os.FileMode) error {
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Chmod(mode.Perm()), f.Close())
}
