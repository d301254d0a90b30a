package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// runFlags are the flags of run in addition to the project's.
type runFlags struct {
	projectFlags
	jobs      int
	fresh     []string
	repeat    string
	keepGoing bool
	noWait    bool
	overwrite bool
	progress  string
	remote    string
	plan      string
	discard   []string
	mayLose   float64
	versions  bool
}

func newRunCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run [TARGET... | PLAN]",
		Short: "Execute what the store does not have",
		Long: `Executes the stages whose inputs changed and writes the pipeline's outputs. Results in the store are reused, and a recorded run is
never executed again. The command can be interrupted at any moment; the next one continues where it stopped.

Targets are addresses as in "smtpipe plan": only they and what they need are executed.

If it would make more than one core hour of finished runs useless, it ends with exit code 8 before it executes anything. It prints
the argument that changed, what would be lost, what continuing costs, and the key with which --discard accepts exactly this plan.

PLAN is a file written by "smtpipe plan --out". It is only executed if inputs and arguments are still those of the plan.

` + exit.Help,
		RunE: func(cmd *cobra.Command, targets []string) error { return flags.run(cmd, targets) },
	}
	flags.register(cmd.Flags())
	addressCompletion{most: manyTargets}.register(cmd, &flags.projectFlags)
	cmd.Flags().IntVarP(&flags.jobs, "jobs", "j", 0, "cores to use; 0 uses all")
	cmd.Flags().StringArrayVar(&flags.fresh, "fresh", nil,
		"make a new attempt of a measured stage, such as stage.execute.main; earlier attempts are kept")
	cmd.Flags().StringVar(&flags.repeat, "repeat-node", "", repeatHelp)
	cmd.Flags().BoolVar(&flags.keepGoing, "keep-going", false,
		"after a failure, continue with what does not depend on it")
	cmd.Flags().BoolVar(&flags.noWait, "no-wait", false,
		"fail if another process executes a stage of this store that is needed")
	cmd.Flags().BoolVar(&flags.overwrite, "overwrite", false,
		"replace output files that smtpipe did not write, or that were changed since")
	cmd.Flags().StringArrayVar(&flags.discard, "discard", nil,
		"accept that finished runs become useless, by the key that smtpipe printed; may be repeated")
	mayLoseFlag(cmd.Flags(), &flags.mayLose)
	cmd.Flags().BoolVar(&flags.versions, "ask-versions", false,
		"ask all programs of solvers again which version they are")
	cmd.Flags().StringVar(&flags.plan, "plan", "", "execute this plan, as written by \"smtpipe plan --out\"")
	remoteFlag(cmd, &flags.remote)
	cmd.Flags().StringVar(&flags.progress, "progress", "auto", "how to show progress: auto, bars, lines, json or none")
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command, targets []string) (err error) {
	start := time.Now()
	if f.jobs < 0 {
		return exit.With(exit.Usage, fmt.Errorf("--jobs %d is not a number of cores", f.jobs))
	}
	file, targets, err := planNamed(f.plan, targets)
	if err != nil {
		return err
	}
	var planned *project.Plan
	if file != "" && len(f.fresh) > 0 {
		return exit.With(exit.Usage, errors.New("a plan has no new attempts; leave --fresh or the plan out"))
	}
	if file != "" {
		if planned, err = f.UsePlan(file); err != nil {
			return err
		}
		targets = planned.Targets
	}
	if f.Evidence != "" && (f.remote != "" || len(f.fresh) > 0 || f.repeat != "") {
		return exit.With(exit.Usage, errors.New("with --evidence nothing is measured, and all content comes from the "+
			"frozen folder; leave --remote, --fresh and --repeat-node out"))
	}
	observer, err := ui.New(ui.Mode(f.progress), cmd.ErrOrStderr())
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	p, err := f.open(cmd)
	if err != nil {
		observer.Close()
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	p.NoteEvidence(cmd.ErrOrStderr())
	if f.remote != "" {
		disconnect, err := connectRemote(cmd, p.Store, f.remote, false)
		if err != nil {
			observer.Close()
			return err
		}
		defer disconnect()
	}
	if planned != nil {
		if err := p.CheckPlan(cmd.ErrOrStderr(), planned, f.jobs); err != nil {
			observer.Close()
			return err
		}
	}
	if err := f.refuse(cmd, p, targets, observer); err != nil {
		observer.Close()
		return err
	}
	executing := &measuring{Observer: f.observed(observer), stages: map[string]func(){}}
	e, err := p.Engine(engine.Options{
		Jobs:       f.jobs,
		Observer:   executing,
		Targets:    targets,
		Fresh:      f.fresh,
		Repeat:     f.repeat,
		KeepGoing:  f.keepGoing,
		NoWait:     f.noWait,
		Guard:      p.Evidence == nil,
		MayLose:    f.mayLose * 3600,
		Discard:    f.discard,
		Missing:    p.LostOutputs,
		ChecksFail: func(known stages.Known) bool { return p.Pipeline.Checks(known).HasErrors() },
	})
	if err != nil {
		observer.Close()
		return err
	}
	result, diags, err := e.Run(cmd.Context())
	observer.Close()
	if f.progress != string(ui.JSON) {
		err = errors.Join(err, evidence.WriteNodes(cmd.ErrOrStderr(), p.Store, executing.all))
	}
	if exit.WasInterrupted(cmd.Context(), err) {
		return exit.With(exit.Interrupted, errors.New("interrupted; finished work is kept, and the next run continues "+
			"from there"))
	}
	if lost, ok := errors.AsType[*engine.LossError](err); ok {
		var b strings.Builder
		project.WriteLoss(&b, lost.Loss, nil)
		return exit.With(exit.Discards, errors.New(b.String()+"No run of the stage was executed."))
	}
	diags = append(diags, p.Pipeline.Checks(result.Known)...)
	err = p.ReportFailures(cmd.ErrOrStderr(), err)
	if reported := p.Report(cmd.ErrOrStderr(), diags); reported != nil && err == nil {
		err = reported
	}
	if err != nil && (!f.keepGoing || result == nil) {
		return err
	}
	return f.publish(cmd, p, e, result, targets, err, start)
}

// refuse ends a run before anything is executed, if this machine cannot execute the runs or if the run would make
// finished runs useless.
func (f *runFlags) refuse(cmd *cobra.Command, p *project.Project, targets []string, observer ui.Observer) error {
	if p.Evidence != nil {
		return nil
	}
	e, err := p.Engine(engine.Options{Jobs: f.jobs, Targets: targets, Fresh: f.fresh,
		MayLose: f.mayLose * 3600, Observer: observer})
	if err != nil {
		return err
	}
	plan, planned := e.Plan()
	if planned.HasErrors() {
		return nil // the run reports the errors
	}
	if diags := project.RefusedSteps(plan); f.remote == "" { // a remote store may supply the results
		for _, d := range diags {
			d.Severity = hcl.DiagError
		}
		if err := p.Report(cmd.ErrOrStderr(), diags); err != nil {
			return err
		}
	}
	return p.RefuseLoss(cmd.Context(), e, plan, f.discard)
}

// observed hides cache hits from people. Programs receive every decision.
func (f *runFlags) observed(o ui.Observer) ui.Observer {
	if f.progress == string(ui.JSON) {
		return o
	}
	return ui.QuietHits{Observer: o}
}

// planNamed returns either the plan file, given by a flag or as the only argument of run, or the other arguments. An
// argument that names an existing file is a plan file.
func planNamed(flag string, args []string) (string, []string, error) {
	i := slices.IndexFunc(args, func(a string) bool {
		info, err := os.Stat(a)
		return err == nil && info.Mode().IsRegular()
	})
	switch {
	case flag == "" && i < 0:
		return "", args, nil
	case len(args) > 1 || flag != "" && len(args) > 0:
		return "", nil, exit.With(exit.Usage, errors.New("a plan has its own targets; name the plan alone"))
	case flag == "":
		flag = args[0]
	}
	return flag, nil, nil
}
