// Package solvers provides the "solvers" stage: it fetches and unpacks the archives in a table of solvers, so that they
// can be executed.
package solvers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Kind declares the stage.
var Kind = &stages.Kind{
	Name:    "solvers",
	Version: 6,
	Summary: "Fetches and unpacks the archives of solvers",
	Doc: `Fetches the archive of every solver of a table, checks it against the digest that was submitted, unpacks it so that
nothing outside its folder can be written, and checks that every command names a program of its archive. A solver whose archive
has another digest, cannot be unpacked, or lacks the program, or that has no archive at all, is left out, and smtpipe run ends with
exit code 7. A failed download is an error of the stage, and the next run tries again. An archive that is in the store is not fetched again.

With archives, the files of a folder are used before anything is downloaded: a file named like the last part of the address,
or one whose name is the submitted SHA-256, with any suffix. Addresses file:///PATH are files of this machine.`,
	Example: `stage "solvers" "entrants" {
  solvers  = stage.submissions.entrants.solvers
  archives = "archives"
}

stage "execute" "single_query" {
  scripts = stage.scramble.single_query.scripts
  solvers = stage.solvers.entrants.solvers
  track   = "single_query"
  limits {
    wall_time = "20m"
    memory    = "30GB"
    cores     = 4
  }
}`,
	Attrs: []stages.Attr{
		{Name: "solvers", Type: stages.TableType("solvers/1"), Required: true,
			Doc: "the solvers, as a stage \"submissions\" outputs them"},
		{Name: "tracks", Type: cty.List(cty.String), Doc: "use only participations in these tracks; default: all"},
		stages.KindsAttr,
		{Name: "archives", Type: stages.FileType, Bulk: true,
			Doc: "a folder with archives, used instead of downloading them"},
	},
	Outputs: []stages.Output{
		{Name: "solvers", Type: stages.TableType("solvers/1"),
			Doc: "the solvers with the digests of their archives and trees"},
		{Name: "programs", Type: stages.TableType("programs/1"),
			Doc: "the same without information about entrants: a stage \"execute\" that takes this table, and what depends on it, is not " +
				"executed again when a team is corrected or a reason against an entrant is added; a stage \"verdicts\" joins " +
				"the verdicts with the table entrants"},
	},
	New: newAction,
	Extent: func(_ *stages.Args, of func(string) (stages.Extent, bool)) (stages.Extent, bool) {
		return of("solvers")
	},
}

type action struct {
	solvers stages.Artifact
	tracks  []string
	kinds   comp.Kinds
	folder  string // empty if not given
}

func newAction(a *stages.Args) (stages.Action, error) {
	act := &action{}
	act.solvers, _ = a.Artifact("solvers")
	var err error
	act.kinds, err = a.Kinds()
	errs := []error{err}
	for _, name := range a.Strings("tracks") {
		track, _, err := act.kinds.Parse(name)
		if err != nil {
			errs = append(errs, a.Invalid("tracks", "Unknown track", err.Error()+"."))
		}
		act.tracks = append(act.tracks, track)
	}
	if f, ok := a.File("archives"); ok {
		act.folder = f.Path
		if !f.IsDir {
			errs = append(errs, a.Invalid("archives", "Not a folder", f.Name+" must be a folder with archives."))
		}
	}
	return act, errors.Join(errs...)
}

// source identifies an archive as it was submitted.
type source struct{ url, sha256 string }

// read returns the participations and, in row order, the archives with the participations that use them.
func (act *action) read(store *cache.Store) (rows []results.SolverRow, sources []source, users map[source][]int,
	err error) {
	rows, err = artifact.ReadTable[results.SolverRow](store, act.solvers)
	rows = slices.DeleteFunc(rows, func(r results.SolverRow) bool {
		return len(act.tracks) > 0 && !slices.Contains(act.tracks, r.Track)
	})
	users = map[source][]int{}
	for i, r := range rows {
		if r.Program != "" {
			continue
		}
		s := sourceOf(&r)
		if users[s] == nil {
			sources = append(sources, s)
		}
		users[s] = append(users[s], i)
	}
	return rows, sources, users, err
}

func sourceOf(r *results.SolverRow) source {
	return source{r.ArchiveURL, strings.TrimPrefix(strings.ToLower(r.ArchiveSHA256), "sha256:")}
}

// Foresee implements stages.Foreseer: it returns the participations whose archives are unpacked. An archive submitted
// without a digest is assumed to be unchanged since it was last fetched from the same address.
func (act *action) Foresee(_ context.Context, env *stages.Env) error {
	rows, sources, users, err := act.read(env.Store)
	if err != nil {
		return err
	}
	before := map[string]string{} // digest by address
	if art, ok := stages.ArtifactOf(env.Latest["solvers"]); ok {
		fetched, err := artifact.ReadTable[results.SolverRow](env.Store, art)
		if err != nil {
			return err
		}
		for _, r := range fetched {
			before[r.ArchiveURL] = r.ArchiveSHA256
		}
	}
	unknown := map[int]bool{}
	for _, s := range sources {
		d, err := cache.ParseDigest(cmp.Or(s.sha256, before[s.url]))
		folder, ok := solvertree.Find(env.Store, solvertree.Archive{SHA256: d})
		for _, i := range users[s] {
			if err != nil || !ok {
				unknown[i] = true
				continue
			}
			rows[i].ArchiveSHA256, rows[i].ProgramSHA256 = d.String(), folder.Digest.String()
			unknown[i] = act.checkCommand(folder.Path, &rows[i]) != nil
		}
	}
	var known []results.SolverRow
	for i, r := range rows {
		if !unknown[i] {
			known = append(known, r)
		}
	}
	return finish(env, known)
}

// finish sets the outputs.
func finish(env *stages.Env, rows []results.SolverRow) error {
	programs := make([]results.ProgramRow, len(rows))
	for i := range rows {
		programs[i] = rows[i].Start()
	}
	return errors.Join(stages.SetTable(env, "solvers", rows), stages.SetTable(env, "programs", programs))
}

// Execute implements stages.Action.
func (act *action) Execute(ctx context.Context, env *stages.Env) error {
	rows, sources, users, err := act.read(env.Store)
	if err != nil {
		return err
	}
	env.Progress.Start(int64(len(sources)), "archives", false)
	g := &getter{action: act, env: env, client: release.NewClient(tries, env.Log), unfit: make([]error, len(rows))}
	errs := make([]error, len(sources))
	err = env.Each(ctx, len(sources), func(ctx context.Context, k int) error {
		errs[k] = g.take(ctx, sources[k], rows, users[sources[k]])
		env.Progress.Add(1, "")
		return context.Cause(ctx)
	})
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	fit := g.fit(rows)
	if len(fit) == 0 && len(rows) > 0 {
		for i, r := range rows {
			g.unfit[i] = fmt.Errorf("solver %q in the track %s: %w", r.Solver, r.Track, g.unfit[i])
		}
		return errors.Join(g.unfit...)
	}
	return finish(env, fit)
}

// fit excludes the participations that cannot be executed, and returns the remaining ones.
func (g *getter) fit(rows []results.SolverRow) (fit []results.SolverRow) {
	for i, r := range rows {
		if g.unfit[i] == nil {
			fit = append(fit, r)
			continue
		}
		g.env.Exclude(r.Solver, fmt.Errorf("in track %s: %w", r.Track, g.unfit[i]))
	}
	return fit
}

// tries is the maximum number of download attempts.
const tries = 6

type getter struct {
	*action
	env    *stages.Env
	client *release.Client
	unfit  []error // per row, why the participation cannot be executed; nil if it can
}

// take fetches and unpacks an archive, and completes the rows that use it. It notes problems with the archive itself in
// unfit. A returned error may be due to the machine or the network, such as a failed download.
func (g *getter) take(ctx context.Context, s source, rows []results.SolverRow, users []int) error {
	name := rows[users[0]].Solver
	if s.url == "" {
		g.exclude(users, errors.New("it has neither a program nor an archive"))
		return nil
	}
	d, err := g.fetch(ctx, s)
	if other, ok := errors.AsType[*release.DigestError](err); ok {
		g.exclude(users, fmt.Errorf("%s has SHA-256 %s, but %s was submitted; correct the file or the submission",
			path.Base(other.Name), other.Got, other.Want))
		return nil
	}
	if err != nil {
		return fmt.Errorf("archive of solver %q: %w", name, err)
	}
	folder, err := solvertree.Open(ctx, g.env.Store, solvertree.Archive{SHA256: d})
	if bad, ok := errors.AsType[*solver.ArchiveError](err); ok {
		g.exclude(users, fmt.Errorf("its archive cannot be unpacked: %w", bad))
		return nil
	}
	if err != nil {
		return fmt.Errorf("archive of solver %q: %w", name, err)
	}
	for _, i := range users {
		rows[i].ArchiveSHA256, rows[i].ProgramSHA256 = d.String(), folder.Digest.String()
		g.unfit[i] = g.checkCommand(folder.Path, &rows[i])
	}
	return nil
}

// exclude notes why participations cannot be executed.
func (g *getter) exclude(users []int, why error) {
	for _, i := range users {
		g.unfit[i] = why
	}
}

func (act *action) checkCommand(folder string, r *results.SolverRow) error {
	_, track, err := act.kinds.Parse(r.Track)
	if err != nil {
		return err
	}
	env := solver.Plain
	if r.StarExec {
		env = solver.StarExec
	}
	_, err = solver.FindEntry(folder, r.Command, track, env)
	return err
}

// fetch puts an archive into the store from the nearest source, and returns its digest.
func (g *getter) fetch(ctx context.Context, s source) (cache.Digest, error) {
	var want cache.Digest
	if s.sha256 != "" {
		var err error
		if want, err = cache.ParseDigest(s.sha256); err != nil {
			return want, err
		}
		if g.env.Store.Has(want) {
			return want, nil
		}
	}
	local, err := g.local(s)
	if err != nil {
		return want, err
	}
	if local == "" {
		return g.download(ctx, s)
	}
	d, _, err := g.env.Store.PutFile(local)
	if err == nil && s.sha256 != "" && d != want {
		err = &release.DigestError{Name: local, Got: d.String(), Want: want.String()}
	}
	return d, err
}

// local returns the archive's path on this machine; empty if it is not there.
func (g *getter) local(s source) (string, error) {
	u, err := url.Parse(s.url)
	if err != nil {
		return "", fmt.Errorf("%q is not an address: %w", s.url, err)
	}
	if u.Scheme == "file" {
		return filepath.FromSlash(u.Path), nil
	}
	if g.folder == "" {
		return "", nil
	}
	entries, err := os.ReadDir(g.folder)
	if err != nil {
		return "", err
	}
	base := release.FileName(s.url)
	for _, e := range entries {
		if e.Name() == base || (s.sha256 != "" && strings.HasPrefix(e.Name(), s.sha256)) {
			return filepath.Join(g.folder, e.Name()), nil
		}
	}
	return "", nil
}

func (g *getter) download(ctx context.Context, s source) (cache.Digest, error) {
	d, _, err := stages.Download(ctx, g.env.Store, g.client, release.Wanted{URL: s.url, SHA256: s.sha256},
		func(int64) {})
	return d, err
}
