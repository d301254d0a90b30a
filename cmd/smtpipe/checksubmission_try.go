package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/spf13/cobra"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/contest/preflight"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// reachable reports whether the archives are available.
func (f *checkFlags) reachable() bool { return f.download || len(f.archives) > 0 }

// try executes the submission on trivial benchmarks, using a pipeline with a competition's stages.
func (f *checkFlags) try(cmd *cobra.Command, data []byte, entries []submission.Entry, archives map[string]string,
	year *rules.Rules,
) (rows []results.VerdictRow, err error) {
	executor, beside, err := f.executorOf(cmd)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(beside, "smtpipe-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	named := f.rules
	if !rules.IsBuiltin(named) {
		if named, err = filepath.Abs(named); err != nil {
			return nil, err
		}
	}
	trial := &preflight.Trial{
		Year: year.Year, Rules: named, Kinds: year.Kinds, Logics: map[string][]comp.Logic{},
		WallTime: f.wallTime, Memory: f.memory, Cores: f.cores,
		Isolation: f.isolation, Sample: f.sample, Executor: executor,
	}
	for _, e := range entries {
		if year.Kinds.Of(e.Track) == comp.Cloud {
			fmt.Fprintln(cmd.ErrOrStderr(), "Note: the cloud track is not executed here; its results are imported.")
			continue
		}
		for _, p := range e.Places {
			if !slices.Contains(trial.Logics[e.Track], p.Logic) {
				trial.Logics[e.Track] = append(trial.Logics[e.Track], p.Logic)
			}
		}
	}
	if f.release != "" {
		if trial.Release, err = filepath.Abs(f.release); err != nil {
			return nil, err
		}
	}
	if f.image != "" {
		if trial.Image, err = filepath.Abs(f.image); err != nil {
			return nil, err
		}
	}
	if err := trial.Write(folder); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, preflight.SubmissionName), data, 0o644); err != nil {
		return nil, err
	}
	for name, file := range archives {
		if err := outfile.LinkOrCopy(file, filepath.Join(folder, preflight.ArchivesName, name)); err != nil {
			return nil, err
		}
	}
	return f.execute(cmd, folder, entries, archives)
}

// executorOf returns the pipeline's executor as an expression, and the pipeline's folder. The trial must be in that
// folder, because the executor's machines can find it only there.
func (f *checkFlags) executorOf(cmd *cobra.Command) (expression, folder string, err error) {
	if f.executor == "" {
		return "", "", nil
	}
	if cmd.Flags().Changed("isolation") {
		return "", "", exit.With(exit.Usage, errExecutorIsolation)
	}
	f.pipeline.Reads = true
	p, err := f.pipeline.open(cmd)
	if err != nil {
		return "", "", err
	}
	v, diags := p.Pipeline.Executor(f.executor)
	if err := errors.Join(p.Report(cmd.ErrOrStderr(), diags), p.Close()); err != nil {
		return "", "", err
	}
	values := v.AsValueMap()
	if file, ok := stages.FileOf(values["image"]); ok && f.image == "" {
		f.image = file.Path
	}
	values["image"] = cty.NullVal(cty.String) // the trial's pipeline sets the image
	v = cty.ObjectVal(values)
	return string(hclwrite.TokensForValue(v).Bytes()), p.Files.Folder, nil
}

// errExecutorIsolation explains why --isolation cannot be combined with --executor.
var errExecutorIsolation = errors.New("the block of --executor says the isolation; leave --isolation out")

// findArchives finds archives on this machine by the last part of their addresses, and checks their digests. A single
// archive matches a submission with a single address, whatever the archive's name.
func (f *checkFlags) findArchives(entries []submission.Entry) (map[string]string, error) {
	wanted := map[string]release.Wanted{}
	for _, e := range entries {
		if e.Archive != nil {
			wanted[release.FileName(e.Archive.URL)] = release.Wanted{SHA256: e.Archive.SHA256}
		}
	}
	found := map[string]string{}
	var errs []error
	for _, archive := range f.archives {
		name := filepath.Base(archive)
		if len(wanted) == 1 && len(f.archives) == 1 {
			for only := range wanted {
				name = only
			}
		}
		full, err := filepath.Abs(archive)
		if err != nil {
			return nil, err
		}
		found[name] = full
		file, err := os.Open(full)
		if err != nil {
			errs = append(errs, exit.With(exit.Usage, exit.Plain(err, archive)))
			continue
		}
		want := wanted[name]
		want.URL = archive
		if err := release.CheckFile(file, want); err != nil {
			errs = append(errs, fmt.Errorf("%w\nGive the archive that is submitted, or correct its digest in the "+
				"submission", err))
		}
		file.Close()
	}
	return found, errors.Join(errs...)
}

// execute executes the trial's pipeline and returns the verdicts of all its parts.
func (f *checkFlags) execute(cmd *cobra.Command, folder string, entries []submission.Entry,
	archives map[string]string) (rows []results.VerdictRow, err error) {
	observer, err := ui.New(ui.Mode(f.progress), cmd.ErrOrStderr())
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	defer observer.Close()
	flags := project.Options{Pipeline: folder, Store: f.store, Version: version}
	p, err := flags.Open(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := f.checkPrograms(cmd, p.Store, entries, archives); err != nil {
		return nil, err
	}
	known, absent, err := p.Execute(cmd.Context(), cmd.ErrOrStderr(),
		engine.Options{Observer: ui.QuietHits{Observer: observer}})
	if err != nil {
		return nil, err
	}
	if absent != "" {
		return nil, fmt.Errorf("the submission cannot be executed:\n%s", absent)
	}
	for addr, outputs := range known {
		art, ok := stages.ArtifactOf(outputs["verdicts"])
		if !ok || !strings.HasPrefix(addr, "stage.validate.sample") {
			continue
		}
		more, err := artifact.ReadTable[results.VerdictRow](p.Store, art)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	slices.SortFunc(rows, func(a, b results.VerdictRow) int {
		return strings.Compare(a.Track+"\n"+a.Benchmark+"\n"+a.Solver, b.Track+"\n"+b.Benchmark+"\n"+b.Solver)
	})
	return rows, nil
}
