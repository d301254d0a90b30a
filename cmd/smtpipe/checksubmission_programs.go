package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/image"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// checkPrograms reads the headers of a submission's programs. It returns an error if a program lacks something that it
// needs where it is executed: in the image, or on this machine if there is no image.
func (f *checkFlags) checkPrograms(cmd *cobra.Command, store *cache.Store, entries []submission.Entry,
	archives map[string]string) error {
	place, env := image.Place{Root: "/", Name: "this machine", Target: runner.SolverDir}, []string(nil)
	switch {
	case f.image != "":
		img, err := fanout.OpenImage(f.image)
		if err != nil {
			return exit.With(exit.Usage, err)
		}
		if err := img.Unpack(cmd.Context(), store); err != nil {
			return err
		}
		place.Root, place.Name, env = img.Path(), "the image "+f.image, img.Variables()
	case f.executor != "":
		return nil // the programs are executed on other machines
	}
	var done []string
	var lacks []image.Lack
	for _, e := range entries {
		if e.Archive == nil || e.Command == nil {
			continue
		}
		path, ok := archives[release.FileName(e.Archive.URL)]
		id := path + "\x00" + e.Command.Binary
		if !ok || slices.Contains(done, id) {
			continue // the trial downloads the archive
		}
		done = append(done, id)
		found, err := programLacks(cmd, store, place, path, e.Command, env)
		if err != nil {
			return err
		}
		for _, l := range found {
			if !slices.Contains(lacks, l) {
				lacks = append(lacks, l)
			}
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	errs := make([]error, len(lacks))
	for i, l := range lacks {
		errs[i] = errors.New(l.String())
	}
	where := "in " + place.Name
	if f.image == "" {
		where = "on " + place.Name
	}
	return fmt.Errorf("the solver cannot be executed %s, so it was not tried:\n%w", where, errors.Join(errs...))
}

// programLacks returns what a submission's program lacks. If the program is a script, it checks the archive's programs
// instead, and reports only if all of them lack something, because the script may choose between them.
func programLacks(cmd *cobra.Command, store *cache.Store, place image.Place, archive string,
	command *submission.Command,
	env []string) ([]image.Lack, error) {
	digest, _, err := store.FileIndex(false).EndWith(cmd.Context()).Digest(archive)
	if err != nil {
		return nil, err
	}
	tree, err := solvertree.Open(cmd.Context(), store, solvertree.Archive{SHA256: digest, Path: archive})
	if err != nil {
		return nil, nil // the trial reports the archive's problem
	}
	place.Folder = tree.Path
	kind := solver.Plain
	if command.StarExec {
		kind = solver.StarExec
	}
	entry, err := solver.FindEntry(tree.Path, append([]string{command.Binary}, command.Arguments...), comp.SingleQuery,
		kind)
	if err != nil {
		return nil, nil
	}
	lacks, err := place.Lacks(entry.Argv[0], slices.Concat(env, entry.Env))
	if err != nil || len(lacks) > 0 {
		return lacks, err
	}
	programs, err := place.Programs()
	if err != nil || len(programs) == 0 || slices.Contains(programs, entry.Argv[0]) {
		return nil, err
	}
	var all []image.Lack
	for _, p := range programs {
		found, err := place.Lacks(p, append(slices.Clone(env), "LD_LIBRARY_PATH="+place.LibraryFolders()))
		if err != nil || len(found) == 0 {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
