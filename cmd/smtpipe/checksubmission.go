package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/preflight"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	"github.com/smtpipe/smtpipe/internal/stages/submissions"
)

// checkFlags are the flags of check-submission.
type checkFlags struct {
	rules     string
	format    string
	schema    bool
	workflows string
	contacts  bool
	received  string
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
	executor  string
	image     string
	pipeline  projectFlags
	store     string
	progress  string
}

func newCheckSubmissionCommand() *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check-submission FILE.json|FOLDER",
		Short: "Try a submission as the organisers will execute it",
		Long: `Checks a submission file against its format and the year's rules, and shows which tracks, divisions and logics it enters.
All mistakes are listed at once, with their positions. For a folder, it prints a table with one line per submission and
executes nothing.

A derived solver needs its base solver in the same tracks and logics (SMT-COMP 2026 rules, §4). The base solver is looked up in the
folder's other submission files and in those named by --base: as FILE-base.json, or by its name, which is the derived solver's
name or the part of it before a "-", with or without "-base".

If the archive is available (--archive, or --download), it is unpacked and the solver is executed, isolated
and limited as in the competition, on trivial benchmarks of every logic of every track that it enters, and with --release on a
sample of real ones. Before that, the headers of its programs are read; if the machine, or the image named by --image, lacks
an interpreter, a library or its version, the check ends. Everything that would count against the solver is listed: wrong
answers, trivial benchmarks without an answer, unreadable output.

With --format github, mistakes go to standard error as annotations for GitHub's workflows, and the output is a Markdown comment
with a table of the runs on trivial benchmarks. --workflows writes the workflow files with which GitHub does this for
every pull request. Contacts are only shown with --contacts.

Exit codes: 0 nothing is wrong, 1 something is wrong, 2 usage error, 130 interrupted.`,
		Args: usageArgs(func(cmd *cobra.Command, args []string) error {
			if flags.schema || flags.workflows != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.schema {
				return flags.writeSchema(cmd)
			}
			if flags.workflows != "" {
				return preflight.WriteWorkflows(cmd.ErrOrStderr(), flags.workflows)
			}
			return flags.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	addRulesFlag(f, &flags.rules)
	f.StringVar(&flags.format, "format", "text", "text or github")
	f.BoolVar(&flags.schema, "schema", false, "print the JSON schema of submissions of the year")
	f.StringVar(&flags.workflows, "workflows", "", "write files for GitHub Actions, which check pull requests, into "+
		"this folder, as .github/workflows")
	f.BoolVar(&flags.contacts, "contacts", false, "print the contacts of a folder's entrants that compete, "+
		"each once, instead of the table")
	f.StringVar(&flags.received, "received", "", "date on which the file came in, such as 2026-05-27, to check the "+
		"deadlines")
	f.StringArrayVar(&flags.bases, "base", nil, "submission file of the base solver, if in another folder; may be "+
		"repeated")
	f.StringArrayVar(&flags.archives, "archive", nil, "the archive, as a file on this machine; may be repeated")
	f.BoolVar(&flags.download, "download", false, "download the archive from its address, and ask "+
		"about a system description whose address is dead")
	f.BoolVar(&flags.noRun, "no-run", false, "check the file only")
	f.StringVar(&flags.release, "release", "", "folder of an SMT-LIB release, of which a sample is executed too")
	f.IntVar(&flags.sample, "sample", 2, "benchmarks of each logic of the release")
	f.StringVar(&flags.wallTime, "wall-time", "30s", "wall time limit of a run")
	f.StringVar(&flags.memory, "memory", "4GB", "memory limit of a run")
	f.IntVar(&flags.cores, "cores", 1, "cores of a run")
	f.StringVar(&flags.isolation, "isolation", "full",
		"isolation of runs: full, cgroup, namespaces, none or best_effort")
	f.StringVar(&flags.image, "image", "",
		"image that is the root file system of runs: an OCI layout or archive, or what "+
			"docker save writes (default: the executor's, or the machine's programs)")
	f.StringVar(&flags.executor, "executor", "", "where runs are executed: KIND.NAME of an executor block of the "+
		"pipeline; its isolation applies (default: on this machine)")
	f.StringVarP(&flags.pipeline.Pipeline, "pipeline", "p", "", "pipeline with the executor: a .hcl file or a folder "+
		"(default: this folder)")
	f.StringArrayVar(&flags.pipeline.Vars, "var", nil, "value of a variable of the pipeline, as NAME=VALUE; may be "+
		"repeated")
	f.StringVar(&flags.store, "store", os.Getenv("SMTPIPE_STORE"),
		"store that keeps the unpacked archive and the runs (default: a temporary one)")
	f.StringVar(&flags.progress, "progress", "auto", "how to show progress: auto, bars, lines, json or none")
	return cmd
}

func (f *checkFlags) run(cmd *cobra.Command, file string) error {
	cmd.SetOut(inert{cmd.OutOrStdout()})
	if f.format != "text" && f.format != "github" {
		return exit.With(exit.Usage, fmt.Errorf("--format is text or github, not %q", f.format))
	}
	if f.received != "" && !submission.IsDate(f.received) {
		return exit.With(exit.Usage, fmt.Errorf("--received is a date such as 2026-05-27, not %q", f.received))
	}
	if err := f.checkTrial(); err != nil {
		return exit.With(exit.Usage, err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return exit.With(exit.Usage, exit.Plain(err, file))
	}
	year, err := project.LoadRules(cmd.ErrOrStderr(), f.rules)
	if err != nil {
		return err
	}
	catalog, err := submissions.Catalog(year.Divisions, year.Kinds)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	switch unused := firstSet(cmd.Flags(), "archive", "download", "release", "executor"); {
	case info.IsDir() && unused != "":
		return exit.With(exit.Usage, fmt.Errorf("--%s has no effect for a folder, of which nothing is executed; name a file",
			unused))
	case !info.IsDir() && f.contacts:
		return exit.With(exit.Usage, errors.New("--contacts has no effect for a file; name a folder of submissions"))
	case info.IsDir():
		return f.checkFolder(cmd, file, catalog, year)
	}
	data, err := limits.Submission.ReadFile(file)
	if err != nil {
		return exit.With(exit.Usage, exit.Plain(err, file))
	}
	known, broken, err := submission.ReadKnown(file, f.bases, catalog)
	if err != nil {
		return err
	}
	review := year.Entrants.Review(filepath.Base(file), data, catalog, known, f.received)
	if s := review.Submission; f.download && s != nil && s.SystemDescription != "" {
		client := release.NewClient(2, slog.New(slog.DiscardHandler))
		if err := client.Dead(cmd.Context(), s.SystemDescription); err != nil {
			review.Ask("/system_description", err.Error()+"; is the address right?")
		}
	}
	if f.format == "github" {
		preflight.Annotate(cmd.ErrOrStderr(), file, review)
	}
	if len(review.Problems) > 0 {
		return f.refuse(cmd, review, broken)
	}
	archives, err := f.findArchives(review.Entries)
	if err != nil {
		return err
	}
	tried := !f.noRun && f.reachable()
	if f.format == "github" {
		var rows []results.VerdictRow
		if tried {
			rows, err = f.try(cmd, data, review.Entries, archives, year)
		}
		return preflight.WriteComment(cmd.OutOrStdout(), review, rows, err)
	}
	for _, w := range review.Warnings {
		fmt.Fprintf(inert{cmd.ErrOrStderr()}, "Warning: %v\n", w)
	}
	if err := preflight.WriteEntries(cmd.OutOrStdout(), review.Submission, review.Entries); err != nil {
		return err
	}
	if len(review.Checklist) > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "\nFor people to check:\n\n  %s\n", strings.Join(review.Checklist, "\n  "))
	}
	if !tried {
		if !f.noRun {
			fmt.Fprintln(cmd.ErrOrStderr(), "Note: the solver was not executed; give its archive with --archive "+
				"FILE, or download it with --download.")
		}
		return nil
	}
	rows, err := f.try(cmd, data, review.Entries, archives, year)
	if err != nil {
		return err
	}
	return preflight.WriteTrial(cmd.OutOrStdout(), rows)
}

// checkTrial checks the flags about runs.
func (f *checkFlags) checkTrial() error {
	wall, err := comp.ParseDuration(f.wallTime)
	if err == nil && wall == 0 {
		err = errors.New("the limit must be above zero, such as 30s")
	}
	if err != nil {
		return fmt.Errorf("--wall-time: %w", err)
	}
	if _, err := comp.ParseSize(f.memory); err != nil {
		return fmt.Errorf("--memory: %w", err)
	}
	if f.cores < 1 || f.sample < 1 {
		return errors.New("--cores and --sample must be at least 1")
	}
	if f.release != "" {
		if _, err := os.Stat(f.release); err != nil {
			return exit.Plain(err, f.release)
		}
	}
	_, err = runner.ParseIsolation(f.isolation)
	return err
}

// refuse ends the check of a file that has problems.
func (f *checkFlags) refuse(cmd *cobra.Command, review *submission.Review, broken []string) error {
	if f.format == "github" {
		if err := preflight.WriteComment(cmd.OutOrStdout(), review, nil, nil); err != nil {
			return err
		}
		return exit.With(exit.Error, fmt.Errorf("%s in the file", words.Count(len(review.Problems), "problem")))
	}
	s := review.Submission
	if s != nil && s.Type == submission.Derived && len(broken) > 0 {
		fmt.Fprintf(inert{cmd.ErrOrStderr()}, "Note: files of the folder that are not submissions, or have errors, were not "+
			"looked at: %s.\n", strings.Join(broken, ", "))
	}
	return review.Problems
}

// writeSchema prints the year's JSON schema of submissions.
func (f *checkFlags) writeSchema(cmd *cobra.Command) error {
	year, err := project.LoadRules(cmd.ErrOrStderr(), f.rules)
	if err != nil {
		return err
	}
	schema, err := submission.Schema(year.Kinds)
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(schema)
	return err
}
