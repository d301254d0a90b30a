package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/preflight"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/lang/rehearse"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// rehearseFlags are the flags of rehearse in addition to the project's.
type rehearseFlags struct {
	projectFlags
	jobs     int
	logics   []string
	release  string
	sample   int
	answers  []string
	wallTime string
	memory   string
	cores    int
	format   string
	progress string
}

func newRehearseCommand() *cobra.Command {
	var flags rehearseFlags
	cmd := &cobra.Command{
		Use:   "rehearse [SOLVER...]",
		Short: "Try all entrants in all tracks and logics, in minutes, before the night",
		Long: `Executes the entrants of the pipeline on trivial benchmarks of every logic of every track that they enter, with the
pipeline's own executors, isolation and limits, and judges answers, cores, models and dialogues as the pipeline does. No
benchmark of the release is needed, and nothing is selected. SOLVER restricts it to some entrants. What was rehearsed before and
did not change is not executed again.

The table shows how many runs were correct; below it, each problem is listed with the solver's output. Trivial benchmarks leave no
room for doubt, so anything but the right answer counts: a missing library, a wrong option, an answer that is always unknown, a
malformed model. Output on standard error and a start that takes more than 5 seconds are listed, too.

With --release, a sample of real benchmarks is executed as well. They may be too hard, so only errors and crashes count there. With
--answers, the answers are compared with those of the same solver in an earlier year: a different answer is an error, and a
missing one is listed.

A run has the limits of the pipeline, but at most those of --wall-time, --memory and --cores. Of many logics three are tried
first; an entrant that reaches the wall time limit in all runs of these, or takes more than a second per run on average, is not
tried in the others. A slow entrant that is named is tried in all.

Exit codes: 0 all runs went as they should, 1 some did not, 2 usage error, 6 waiting for results from elsewhere, 130 interrupted.`,
		Example: `  smtpipe rehearse
  smtpipe rehearse cvc5 --logics QF_BV,QF_LIA
  smtpipe rehearse --cores 2 --memory 4GB --format github >comment.md`,
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args) },
	}
	flags.register(cmd.Flags())
	f := cmd.Flags()
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "cores to use; 0 uses all")
	f.StringSliceVar(&flags.logics, "logics", nil,
		"only these logics, such as QF_BV,QF_LIA; needed if the competition does not say which logics a track has")
	f.StringVar(&flags.release, "release", "", "folder of an SMT-LIB release, of which a sample is executed too")
	f.IntVar(&flags.sample, "sample", 3, "benchmarks of each logic of the release")
	f.StringArrayVar(&flags.answers, "answers", nil, "results of an earlier year, with which answers on the release are "+
		"compared; may be repeated")
	f.StringVar(&flags.wallTime, "wall-time", "20s", "wall time limit of a run, unless the pipeline has a lower one")
	f.StringVar(&flags.memory, "memory", "", "memory limit of a run, unless the pipeline has a lower one")
	f.IntVar(&flags.cores, "cores", 0, "cores of a run, unless the pipeline has fewer")
	f.StringVar(&flags.format, "format", "text", "text, json or github, which is a comment in Markdown")
	f.StringVar(&flags.progress, "progress", "auto", "how to show progress: auto, bars, lines, json or none")
	return cmd
}

// most returns the largest limits of any run, by attribute.
func (f *rehearseFlags) most() (map[string]int64, error) {
	wall, err := comp.ParseDuration(f.wallTime)
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("--wall-time: %w", err))
	}
	most := map[string]int64{"wall_time": int64(wall)}
	if f.memory != "" {
		if most["memory"], err = comp.ParseSize(f.memory); err != nil {
			return nil, exit.With(exit.Usage, fmt.Errorf("--memory: %w", err))
		}
	}
	if f.cores < 0 || f.jobs < 0 {
		return nil, exit.With(exit.Usage, errors.New("--cores and --jobs are numbers of cores"))
	}
	if f.cores > 0 {
		most["cores"] = int64(f.cores)
	}
	return most, nil
}

func (f *rehearseFlags) run(cmd *cobra.Command, solvers []string) (err error) {
	most, err := f.most()
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"text", "json", "github"}, f.format) {
		return exit.With(exit.Usage, fmt.Errorf("--format is text, json or github, not %q", f.format))
	}
	p, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	observer, err := ui.New(ui.Mode(f.progress), cmd.ErrOrStderr())
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	defer observer.Close()
	r := rehearse.New(p.Pipeline, p.Store)
	r.Most, r.Only = most, solvers
	sets, earlier, err := f.sets(cmd, p, r.Parts())
	if err != nil {
		return err
	}
	run := &rehearsal{cmd: cmd, p: p, jobs: f.jobs, observer: ui.QuietHits{Observer: observer}, r: r, earlier: earlier}
	entries, findings, err := run.perform(sets)
	observer.Close()
	switch {
	case exit.WasInterrupted(cmd.Context(), err):
		return exit.ErrInterrupted
	case err != nil && len(entries) == 0:
		return err
	}
	if missing := missingOf(solvers, entries, findings); missing != "" {
		return errors.Join(err, exit.With(exit.Usage, fmt.Errorf("the pipeline executes no solver %s.%s It executes %s",
			missing, nearest.Question(missing, r.Solvers()), strings.Join(r.Solvers(), ", "))))
	}
	if writeErr := f.write(cmd.OutOrStdout(), entries, findings); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	return errors.Join(err, rehearsed(entries, findings))
}

// missingOf returns a requested solver that does not exist; empty if there is none.
func missingOf(solvers []string, entries []rehearse.Entry, findings []rehearse.Finding) string {
	for _, s := range solvers {
		if !slices.ContainsFunc(entries, func(e rehearse.Entry) bool { return e.Solver == s }) &&
			!slices.ContainsFunc(findings, func(f rehearse.Finding) bool { return f.Solver == s }) {
			return s
		}
	}
	return ""
}

// rehearsed returns an error if the rehearsal found something.
func rehearsed(entries []rehearse.Entry, findings []rehearse.Finding) error {
	bad := map[string]bool{}
	for _, f := range findings {
		if f.Bad {
			bad[f.Solver] = true
		}
	}
	switch {
	case len(entries) == 0:
		return errors.New("nothing was rehearsed: the pipeline executes no solver on scripts whose logics are known")
	case len(bad) > 0:
		return fmt.Errorf("not everything went as it should for %s", words.Count(len(bad), "entrant"))
	}
	return nil
}

// real adds the requested real benchmarks to a trial.
func (f *rehearseFlags) real(trial *preflight.Trial) error {
	if f.sample < 1 {
		return exit.With(exit.Usage, errors.New("--sample is a number of benchmarks above zero"))
	}
	for _, file := range append([]string{f.release}, f.answers...) {
		if file == "" {
			continue
		}
		full, err := filepath.Abs(file)
		if err == nil {
			_, err = os.Stat(full)
		}
		switch {
		case err != nil:
			return exit.With(exit.Usage, exit.Plain(err, file))
		case file == f.release:
			trial.Release, trial.Sample = full, f.sample
		default:
			trial.Answers = append(trial.Answers, full)
		}
	}
	trial.AnswersYear = trial.Year - 1
	return nil
}
