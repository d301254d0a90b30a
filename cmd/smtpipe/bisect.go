package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/bisect"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/lang/builds"
)

// bisectFlags are the flags of "bisect". They include the flags of "compare" that select what is executed and where
// builds come from.
type bisectFlags struct {
	compareFlags
	builds string
	asJSON bool
}

func newBisectCommand() *cobra.Command {
	f := bisectFlags{compareFlags: compareFlags{alpha: 0.05}}
	cmd := &cobra.Command{
		Use:   "bisect GOOD BAD --benchmarks PATH (--builds FOLDER | --repository FOLDER --build COMMAND --program FILE)",
		Short: "Find the first bad build of a solver between a good and a bad one",
		Long: `Executes builds of a solver between a good and a bad one, and finds the first bad one: a build that gives wrong answers, loses
benchmarks, is slower, or has become unstable. GOOD and BAD define what is bad: they run first, and the other builds are judged
on the benchmarks on which these two differ, by their answers for a quarter of the seeds. If they do not differ, the others are
judged by CPU time, measured back to back with GOOD: on benchmarks for which BAD needs at least half as much again, or on those
of a family in which it is slower according to the test of "smtpipe compare".

With --seeds, each benchmark is scrambled with that many seeds, as with "smtpipe compare". Each build in between is judged by
a sequential test (Wald's, with errors of 1 %) over these runs. It ends as soon as the result is clear, so unstable benchmarks do
not mislead it, and clear ones take only two or three runs.

The builds are
  - with --builds, the files of a folder, programs or archives as for "smtpipe compare", in the order of the versions in their names
  - with --repository, commits, along the first parents of BAD. A shell executes --build in the sandbox, in a copy of the
    sources and without network access, to make the file --program. Equal sources are built once.
A build that cannot be made or started is skipped, as with "git bisect skip".

Every run is stored, so another bisection executes only what is new.

Exit codes: 0 the first bad build was found, or a few that include it, 1 error, or GOOD and BAD do not differ, 2 usage error, 130 interrupted.`,
		Example: `  smtpipe bisect z3_solver-4.12.0.whl z3_solver-4.13.0.whl --builds wheels --benchmarks QF_BV --seeds 10 --wall 10s
  smtpipe bisect v1.2 HEAD --repository . --build "make -j2" --program solver --benchmarks lost.smt2`,
		Args: usageArgs(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.execute(cmd, args) },
	}
	fl := cmd.Flags()
	f.defineRuns(fl)
	fl.StringVar(&f.builds, "builds", "", "folder of programs or archives, of which GOOD and BAD are two")
	fl.BoolVar(&f.asJSON, "json", false, "print the result as JSON")
	return cmd
}

func (f *bisectFlags) check() error {
	errs := []error{f.compareFlags.check()}
	switch {
	case f.builds == "" && f.from.Path == "":
		errs = append(errs, errors.New("say where the builds are: --builds FOLDER, or --repository FOLDER"))
	case f.builds != "" && f.from.Path != "":
		errs = append(errs, errors.New("--builds and --repository exclude each other"))
	}
	return errors.Join(errs...)
}

func (f *bisectFlags) execute(cmd *cobra.Command, args []string) (err error) {
	if err := f.check(); err != nil {
		return exit.With(exit.Usage, err)
	}
	lab, lib, done, err := f.lab(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	finder := builds.Finder{Store: lab.Store, Command: f.command, Archives: f.archives}
	x := &builds.Bisection{Lab: lab, Sample: compare.Sample(lib.All, f.sample, f.seed), AtOnce: 4,
		Say: func(s builds.Step) { fmt.Fprintln(cmd.ErrOrStderr(), stepText(s)) }}
	if lab.Budget > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "Half of the budget of %g core hours is for the ends. It is enough for %d of %d "+
			"benchmarks, and for more if runs end before the limit.\n", f.coreHours,
			lab.Affords(len(x.Sample), 4*max(1, f.seeds)), len(x.Sample))
	}
	if f.executorName != "" {
		x.AtOnce = 64 // a round takes as long as the slowest run, plus the start of a job
	}
	if x.Lab.Places, err = lib.Place(lab.Store, x.Sample); err != nil {
		return err
	}
	if f.builds != "" {
		x.Candidates, err = finder.Folder(f.builds, args[0], args[1])
	} else {
		x.Candidates, err = finder.Commits(cmd.Context(), lab.Items, f.from, args[0], args[1])
	}
	if err != nil {
		return asked(cmd, err)
	}
	found, err := x.Find(cmd.Context())
	if err != nil {
		return asked(cmd, err)
	}
	for i := range found.Differ[:min(mostDiffer, len(found.Differ))] {
		d := &found.Differ[i]
		d.Command = f.repeats(found.Build, lab, d.Benchmark)
	}
	if f.asJSON {
		return printJSON(cmd.OutOrStdout(), found)
	}
	return f.writeBisected(cmd.OutOrStdout(), found)
}

// mostDiffer is the maximum number of runs whose commands are printed.
const mostDiffer = 10

// stepText describes what was learned about a build.
func stepText(s builds.Step) string {
	if s.Verdict == bisect.Skipped {
		return fmt.Sprintf("%s: skipped: %s", s.Build, s.Why)
	}
	return fmt.Sprintf("%s: %s, as %d of %d runs say (%.1f %%)", s.Build, s.Verdict, judging(s), s.Runs,
		100*s.Confidence)
}

// judging counts the runs that support the verdict.
func judging(s builds.Step) int {
	if s.Verdict == bisect.Bad {
		return s.LikeBad
	}
	return s.Runs - s.LikeBad
}

func (f *bisectFlags) writeBisected(w io.Writer, found *builds.Bisected) error {
	var b strings.Builder
	if len(found.First) == 1 {
		fmt.Fprintf(&b, "The first bad build is %s.\n", found.First[0])
	} else {
		fmt.Fprintf(&b, "The first bad build is one of %s.\n", strings.Join(found.First, ", "))
	}
	fmt.Fprintf(&b, "The last good one is %s. Confidence: %.1f %%. Of %d builds %d were tried between the ends, with %d new "+
		"runs.\n\n", found.LastGood, 100*found.Confidence, found.Builds, len(found.Steps), found.Runs)
	if found.LeftOut > 0 || found.Spent {
		fmt.Fprintf(&b, "The budget of %g core hours left out %d benchmarks%s.\n\n", f.coreHours, found.LeftOut,
			map[bool]string{true: ", and ended the search"}[found.Spent])
	}
	for _, s := range found.Steps {
		fmt.Fprintf(&b, "- %s\n", stepText(s))
	}
	fmt.Fprintf(&b, "\nWhere the builds at the ends differ, and how %s is executed there:\n", found.Build.Name)
	for _, x := range found.Differ[:min(mostDiffer, len(found.Differ))] {
		fmt.Fprintf(&b, "- %s\n    %s\n", x.Text(), x.Command)
	}
	if n := len(found.Differ) - mostDiffer; n > 0 {
		fmt.Fprintf(&b, "- and %d more\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
