package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// entrant is a solver's participation in the track.
type entrant struct {
	name          string
	participation int64
	tracks        []string // empty means every track
	logics        []string // names or patterns; empty means every logic
	command       []string // includes the stage's additional arguments
	starexec      bool
	askVersion    []string // command that prints the version; empty means the usual commands

	program string              // path on this machine; empty if the program is in the archive
	archive *solvertree.Archive // nil for an installed program or a folder
	tree    bool                // the archive is a folder, of which only the digest may be known
	folder  string              // the unpacked archive's folder; empty for an installed program
	digest  cache.Digest        // digest of the program and the files it loads, or of the tree
	image   *fanout.Image       // the runs' root file system; nil means the machine's own programs

	ready bool               // the fields below are set
	entry *solver.EntryPoint // entry point in the folder; nil for an installed program
}

// inArchive reports whether the program is in an archive or a folder instead of being installed.
func (e *entrant) inArchive() bool { return e.tree || e.archive != nil }

// inImage reports whether the program is in the image.
func (e *entrant) inImage() bool { return !e.inArchive() && e.program == "" && e.image != nil }

// enters reports whether the solver enters the given logic.
func (e *entrant) enters(logic string) bool {
	if len(e.logics) == 0 {
		return true
	}
	return slices.ContainsFunc(e.logics, func(p string) bool {
		ok, err := path.Match(p, logic)
		return err == nil && ok
	})
}

// readSolvers reads the attribute "solvers": solver objects and tables of solvers in a list, tuple, set, map or object,
// nested to any depth.
func (act *action) readSolvers(v cty.Value) error {
	if !v.IsWhollyKnown() {
		return nil // the solvers are read when all of them are known
	}
	var errs []error
	err := stages.EachSolver(v, func(s cty.Value) {
		if art, ok := stages.ArtifactOf(s); ok {
			act.tables = append(act.tables, art)
			return
		}
		e, err := act.readEntrant(s)
		if err != nil {
			errs = append(errs, err)
			return
		}
		if len(e.tracks) == 0 || slices.Contains(e.tracks, act.track) {
			act.entrants = append(act.entrants, e)
		}
	})
	if err != nil {
		return err
	}
	if len(act.tables) == 0 && len(errs) == 0 {
		errs = append(errs, checkNames(act.entrants))
		if len(act.entrants) == 0 {
			errs = append(errs, errors.New(act.nobody()))
		}
	}
	return errors.Join(errs...)
}

// nobody returns the message for a track without solvers.
func (act *action) nobody() string { return "none of the solvers takes part in the track " + act.track }

// checkNames sorts the entrants and rejects two with the same name and participation.
func checkNames(all []entrant) error {
	slices.SortFunc(all, func(a, b entrant) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.participation, b.participation))
	})
	var errs []error
	for i := 1; i < len(all); i++ {
		if all[i].name == all[i-1].name && all[i].participation == all[i-1].participation {
			errs = append(errs, fmt.Errorf("two solvers are named %q", all[i].name))
		}
	}
	return errors.Join(errs...)
}

// readEntrant reads a solver block.
func (act *action) readEntrant(v cty.Value) (entrant, error) {
	e := entrant{
		name:       stages.Text(v, "name"),
		starexec:   stages.Holds(v, "starexec"),
		tracks:     stages.Texts(v.GetAttr("tracks")),
		logics:     stages.Texts(v.GetAttr("logics")),
		command:    stages.Texts(v.GetAttr("command")),
		askVersion: stages.Texts(v.GetAttr("version_command")),
	}
	for i, t := range e.tracks {
		track, _, err := act.kinds.Parse(t)
		if err != nil {
			return e, fmt.Errorf("solver %q: %w", e.name, err)
		}
		e.tracks[i] = track
	}
	if len(e.command) == 0 {
		return e, fmt.Errorf("solver %q has no command", e.name)
	}
	var err error
	if e.image, err = fanout.ReadImage(v.GetAttr("image")); err != nil {
		return e, fmt.Errorf("solver %q: %w", e.name, err)
	}
	if e.image != nil { // an image that several solvers share is unpacked once
		if act.images == nil {
			act.images = map[cache.Digest]*fanout.Image{}
		}
		act.images[e.image.ID] = cmp.Or(act.images[e.image.ID], e.image)
		e.image = act.images[e.image.ID]
	}
	if e.image != nil && !act.place.SeparateRoot() {
		return e,
			fmt.Errorf("solver %q has an image, which isolation %q does not support; use full or namespaces",
				e.name, act.place.Isolation)
	}
	return e, e.locate(v)
}

// locate determines where a solver block's program is.
func (e *entrant) locate(v cty.Value) error {
	if f, ok := stages.FileOf(v.GetAttr("archive")); ok {
		if f.IsDir {
			e.tree, e.folder, e.digest = true, f.Path, f.Digest
			return nil
		}
		e.archive, e.digest = &solvertree.Archive{SHA256: f.Digest, Path: f.Path}, f.Tree
		return nil
	}
	if f, ok := stages.FileOf(v.GetAttr("program")); ok {
		e.program, e.digest = f.Path, f.Digest
		return nil
	}
	if e.image != nil {
		e.digest = e.image.ID // the command selects one of the image's programs
		return nil
	}
	return fmt.Errorf("solver %q names neither a program installed here nor an archive", e.name)
}

// allEntrants returns the entrants with their programs' digests. It unpacks archives whose digests are unknown.
func (act *action) allEntrants(ctx context.Context, store *cache.Store) ([]entrant, error) {
	all, err := act.listEntrants(store)
	if err != nil {
		return nil, err
	}
	for i := range all {
		e := &all[i]
		if e.archive == nil || e.digest != (cache.Digest{}) {
			continue
		}
		f, err := solvertree.Open(ctx, store, *e.archive)
		if err != nil {
			return nil, fmt.Errorf("solver %q: %w", e.name, err)
		}
		e.folder, e.digest = f.Path, f.Digest
	}
	return all, nil
}

// listEntrants returns the entrants from the solver blocks and the tables, which may contain no solver in the track. It
// does not open archives.
func (act *action) listEntrants(store *cache.Store) ([]entrant, error) {
	all := slices.Clone(act.entrants)
	for _, art := range act.tables {
		of, err := act.entrantsOf(store, art)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	if err := checkNames(all); err != nil {
		return nil, err
	}
	for i := range all {
		all[i].command = append(slices.Clone(all[i].command), act.arguments[all[i].name]...)
		all[i].image = cmp.Or(all[i].image, act.image)
	}
	return all, nil
}

// entrantsOf reads the rows for the track from a table of solvers.
func (act *action) entrantsOf(store *cache.Store, art stages.Artifact) ([]entrant, error) {
	if art.Schema == results.SchemaOf[results.ProgramRow]().Name {
		return rowsIn(act.track, store, art, func(r *results.ProgramRow) string { return r.Track }, started)
	}
	return rowsIn(act.track, store, art, func(r *results.SolverRow) string { return r.Track },
		func(r *results.SolverRow) (entrant, error) {
			start := r.Start()
			return started(&start)
		})
}

func rowsIn[Row any](track string, store *cache.Store, art stages.Artifact, of func(*Row) string,
	read func(*Row) (entrant, error)) (all []entrant, err error) {
	rows, err := artifact.ReadTable[Row](store, art)
	for i := range rows {
		if of(&rows[i]) != track {
			continue
		}
		e, err := read(&rows[i])
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, err
}

// started returns the entrant in a row, with everything that is needed to start its program.
func started(r *results.ProgramRow) (entrant, error) {
	e := entrant{
		name: r.Solver, participation: r.Participation,
		logics: r.Logics, command: r.Command, starexec: r.StarExec, program: r.Program,
	}
	var err error
	switch {
	case len(r.Command) == 0:
		return e, fmt.Errorf("solver %q has no command in the track %s", r.Solver, r.Track)
	case r.Program != "":
		if e.digest, err = cache.ParseDigest(r.ProgramSHA256); err != nil {
			return e, fmt.Errorf("program of solver %q: %w", r.Solver, err)
		}
	case r.ProgramSHA256 == "":
		return e, fmt.Errorf("the archive of solver %q has not been fetched; give the table through a stage "+
			"\"solvers\", which fetches archives", r.Solver)
	default:
		e.archive = &solvertree.Archive{}
		if e.archive.SHA256, err = cache.ParseDigest(r.ArchiveSHA256); err == nil {
			e.digest, err = cache.ParseDigest(r.ProgramSHA256)
		}
		if err != nil {
			return e, fmt.Errorf("archive of solver %q: %w", r.Solver, err)
		}
	}
	return e, nil
}
