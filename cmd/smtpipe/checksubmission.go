package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/preflight"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/rules"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/submissions"
	"github.com/smtpipe/smtpipe/internal/submission"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// checkFlags are the flags of check-submission.
type checkFlags struct {
	rules     string
	bases     []string
	archives  []string
	download  bool
	noRun     bool
	release   string
	sample    int
	wallTime  string
	memory    string
	cores     int
	isolation string
	store     string
	progress  string
}

func newCheckSubmissionCommand() *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check-submission FILE.json",
		Short: "Try a submission as the organisers will execute it",
		Long: `Checks a submission file against all rules of its form, and says which tracks, divisions and logics it enters.

A derived solver needs its base solver in the same tracks and logics (SMT-COMP 2026 rules, §4). It is looked for in the
other submission files of the folder, and in those that --base names: in FILE-base.json, or by its name, which is that of
the derived solver, or a part of it up to a "-", with "-base" or without.

With the archive at hand (--archive, --download, or an address file:///PATH) it is unpacked and the solver is executed, isolated
and limited as in the competition, on trivial benchmarks of every logic of every track that it enters, and with --release on a
sample of real ones. What would count against the solver is listed: wrong answers, benchmarks of a line or two without an answer,
output that cannot be read.

Exit codes: 0 nothing is wrong, 1 something is, 2 usage error, 130 interrupted.`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	addRulesFlag(f, &flags.rules)
	f.StringArrayVar(&flags.bases, "base", nil, "submission file of the base solver, if in another folder; may be "+
		"repeated")
	f.StringArrayVar(&flags.archives, "archive", nil, "the archive, as a file on this machine; may be repeated")
	f.BoolVar(&flags.download, "download", false, "download the archive from its address")
	f.BoolVar(&flags.noRun, "no-run", false, "check the file only")
	f.StringVar(&flags.release, "release", "", "folder of an SMT-LIB release, of which a sample is executed too")
	f.IntVar(&flags.sample, "sample", 2, "benchmarks of each logic of the release")
	f.StringVar(&flags.wallTime, "wall-time", "30s", "wall time limit of a run")
	f.StringVar(&flags.memory, "memory", "4GB", "memory limit of a run")
	f.IntVar(&flags.cores, "cores", 1, "cores of a run")
	f.StringVar(&flags.isolation, "isolation", "full",
		"isolation of runs: full, cgroup, namespaces, none or best_effort")
	f.StringVar(&flags.store, "store", os.Getenv("SMTPIPE_STORE"),
		"store that keeps the unpacked archive and the runs (default: a temporary one)")
	f.StringVar(&flags.progress, "progress", "auto", "how to show progress: auto, bars, lines, json or none")
	return cmd
}

func (f *checkFlags) run(cmd *cobra.Command, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return withExit(exitUsage, plain(err, file))
	}
	year, err := loadYear(cmd.ErrOrStderr(), f.rules)
	if err != nil {
		return err
	}
	catalog, err := submissions.Catalog(year.Divisions)
	if err != nil {
		return withExit(exitUsage, err)
	}
	s, err := submission.Parse(filepath.Base(file), data)
	if err != nil {
		return err
	}
	entries, err := s.Expand(catalog)
	if err != nil {
		return err
	}
	err = errors.Join(year.Entrants.Check(s, entries), f.checkBase(cmd, file, s, entries, catalog, year))
	if err != nil {
		return err
	}
	for _, w := range append(s.Warnings, s.Doubts(entries)...) {
		fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %v\n", w)
	}
	if err := writeEntries(cmd.OutOrStdout(), s, entries); err != nil {
		return err
	}
	if f.noRun || !f.reachable(entries) {
		if !f.noRun {
			fmt.Fprintln(cmd.ErrOrStderr(), "Note: the solver was not executed; give its archive with --archive "+
				"FILE, or let it be fetched with --download.")
		}
		return nil
	}
	return f.try(cmd, data, entries, year)
}

// checkBase holds that the base solver of a derived one is submitted for the same tracks and logics.
func (f *checkFlags) checkBase(cmd *cobra.Command, file string, s *submission.Submission, entries []submission.Entry,
	catalog *submission.Catalog, year *rules.Rules,
) error {
	if s.Type != submission.Derived || !year.Entrants.BaseMustEnter {
		return nil
	}
	neighbours, err := neighboursOf(file)
	if err != nil {
		return err
	}
	all, every := []*submission.Submission{s}, slices.Clone(entries)
	var broken []string
	for i, path := range append(slices.Clone(f.bases), neighbours...) {
		other, err := submission.ReadFile(path)
		var more []submission.Entry
		if err == nil {
			more, err = other.Expand(catalog)
		}
		switch {
		case err == nil:
			all, every = append(all, other), append(every, more...)
		case i < len(f.bases):
			return plain(err, path)
		default:
			broken = append(broken, filepath.Base(path))
		}
	}
	if err = s.CheckBase(entries, all, every); err != nil && len(broken) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: files of the folder that are no submissions, or have errors, were not "+
			"looked at: %s.\n",
			strings.Join(broken, ", "))
	}
	return err
}

// neighboursOf lists the other JSON files of a file's folder.
func neighboursOf(file string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && e.Name() != filepath.Base(file) && filepath.Ext(e.Name()) == ".json" {
			paths = append(paths, filepath.Join(filepath.Dir(file), e.Name()))
		}
	}
	return paths, nil
}

// writeEntries says what the submission enters.
func writeEntries(w io.Writer, s *submission.Submission, entries []submission.Entry) error {
	state := "not final"
	if s.Final {
		state = "final"
	}
	fmt.Fprintf(w, "%s: the file keeps all rules of its form (%s)\n\n", s.Name, state)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "participation\ttrack\tdivisions\tlogics\tcommand\n")
	for _, e := range entries {
		divisions, logics := map[comp.Division]bool{}, map[comp.Logic]bool{}
		for _, p := range e.Places {
			divisions[p.Division], logics[p.Logic] = true, true
		}
		command := "none"
		if e.Command != nil {
			command = strings.Join(append([]string{e.Command.Binary}, e.Command.Arguments...), " ")
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%s\n", e.Participation+1, e.Track, len(divisions), len(logics), command)
	}
	return t.Flush()
}

// reachable reports whether the archives can be had.
func (f *checkFlags) reachable(entries []submission.Entry) bool {
	if f.download || len(f.archives) > 0 {
		return true
	}
	return len(entries) > 0 && !slices.ContainsFunc(entries, func(e submission.Entry) bool {
		return e.Archive == nil || !strings.HasPrefix(e.Archive.URL, "file://")
	})
}

// try executes the submission on trivial benchmarks, by a pipeline of the stages that a competition has.
func (f *checkFlags) try(cmd *cobra.Command, data []byte, entries []submission.Entry,
	year *rules.Rules,
) (err error) {
	folder, err := os.MkdirTemp("", "smtpipe-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	named := f.rules
	if !rules.IsBuiltin(named) {
		if named, err = filepath.Abs(named); err != nil {
			return err
		}
	}
	trial := &preflight.Trial{
		Year: year.Year, Rules: named, Logics: map[comp.Track][]comp.Logic{},
		WallTime: f.wallTime, Memory: f.memory, Cores: f.cores,
		Isolation: f.isolation, Sample: f.sample,
	}
	for _, e := range entries {
		if e.Track == comp.Cloud {
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
			return err
		}
	}
	if err := trial.Write(folder); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, preflight.SubmissionName), data, 0o644); err != nil {
		return err
	}
	if err := f.placeArchives(filepath.Join(folder, preflight.ArchivesName), entries); err != nil {
		return err
	}
	rows, err := f.execute(cmd, folder)
	if err != nil {
		return err
	}
	return writeTrial(cmd.OutOrStdout(), rows)
}

// placeArchives puts the archives of this machine into a folder under the names that their addresses end in. A single
// archive serves a submission with a single address, whatever its name.
func (f *checkFlags) placeArchives(folder string, entries []submission.Entry) error {
	names := map[string]bool{}
	for _, e := range entries {
		if e.Archive != nil {
			name, _, _ := strings.Cut(e.Archive.URL, "?")
			names[filepath.Base(strings.TrimSuffix(name, "/content"))] = true
		}
	}
	for _, archive := range f.archives {
		full, err := filepath.Abs(archive)
		if err != nil {
			return err
		}
		if _, err := os.Stat(full); err != nil {
			return withExit(exitUsage, plain(err, archive))
		}
		name := filepath.Base(full)
		if len(names) == 1 && len(f.archives) == 1 {
			for only := range names {
				name = only
			}
		}
		if err := linkOrCopy(full, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// linkOrCopy makes a hard link to a file, or copies it if it lies on another disk. A symbolic link would lead out of
// the pipeline's folder.
func linkOrCopy(file, target string) error {
	if real, err := filepath.EvalSymlinks(file); err == nil && os.Link(real, target) == nil {
		return nil
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(target)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// execute executes the pipeline of the trial and returns the verdicts of all its parts.
func (f *checkFlags) execute(cmd *cobra.Command, folder string) (rows []results.VerdictRow, err error) {
	observer, err := ui.New(ui.Mode(f.progress), cmd.ErrOrStderr())
	if err != nil {
		return nil, withExit(exitUsage, err)
	}
	defer observer.Close()
	flags := projectFlags{pipeline: folder, store: f.store}
	p, err := flags.open(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	e, err := p.engine(engine.Options{Observer: quietHits{observer}})
	if err != nil {
		return nil, err
	}
	result, diags, err := e.Run(cmd.Context())
	if interrupted(cmd.Context(), err) {
		return nil, withExit(exitInterrupted, errors.New("interrupted"))
	}
	if reported := p.report(cmd.ErrOrStderr(), diags); reported != nil && err == nil {
		err = reported
	}
	if err != nil {
		return nil, err
	}
	for addr, outputs := range result.Known {
		art, ok := stages.ArtifactOf(outputs["verdicts"])
		if !ok || !strings.HasPrefix(addr, "stage.validate.sample") {
			continue
		}
		more, err := artifact.ReadTable[results.VerdictRow](p.store, art)
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

// writeTrial prints a line for each run, and what counts against the solver.
func writeTrial(w io.Writer, rows []results.VerdictRow) error {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "track\tbenchmark\tanswer\tending\twall time\tverdict\tremark\n")
	var against []string
	for i := range rows {
		v := &rows[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.2f s\t%s\t%s\n", v.Track, v.Benchmark, v.Answer, v.Ending, v.WallTimeS,
			v.Verdict, v.Reason)
		if text := objection(v); text != "" {
			against = append(against, text)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(against) == 0 {
		_, err := fmt.Fprintf(w, "\nAll %d runs are as they should be.\n", len(rows))
		return err
	}
	fmt.Fprintf(w, "\nWhat would count against the solver:\n")
	for _, text := range against {
		fmt.Fprintf(w, "  %s\n", text)
	}
	return withExit(exitError, fmt.Errorf("%d of %d runs are not as they should be", len(against), len(rows)))
}

// objection says what is wrong with a run; empty: nothing. A real benchmark may be too hard, a generated one is not.
func objection(v *results.VerdictRow) string {
	generated := strings.Contains(v.Benchmark, "/preflight/")
	// Cores are not put before other solvers here, so that only their form is judged.
	switch comp.Verdict(v.Verdict) {
	case comp.Correct:
		return ""
	case comp.Wrong:
		return fmt.Sprintf("%s on %s: an error (%s); a single error ranks a solver behind all without", v.Track,
			v.Benchmark, v.Reason)
	}
	if generated || v.Answer == "" || v.Answer == "abort" {
		return fmt.Sprintf("%s on %s: no result (%s)", v.Track, v.Benchmark, v.Reason)
	}
	return ""
}
