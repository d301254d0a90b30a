package main

import (
	"errors"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// planFlags are the flags of plan in addition to the project's.
type planFlags struct {
	projectFlags
	jobs     int
	json     bool
	out      string
	detailed bool
	deep     bool
	mayLose  float64
	repeat   string
}

const repeatHelp = "execute again all runs that this node of a cluster has executed; their records are replaced"

func newPlanCommand() *cobra.Command {
	flags := planFlags{projectFlags: projectFlags{reads: true}}
	cmd := &cobra.Command{
		Use:   "plan [TARGET...]",
		Short: "Show what a run would execute, why, and how long it would take",
		Long: `Computes what "smtpipe run" would do now: which stages it would execute, what changed since they were last executed, how
many runs that takes and how many of them are known already, and how much CPU time, wall time and disk it needs: at most, by the
limits, and probably, by earlier runs. Nothing is executed. Targets are addresses of stages or of their instances, such as
stage.cap.tracks["unsat_core"]; only they and what they need are planned. module.m.stage.cap.tracks means all instances in all
instances of the module.

The number of runs depends on the selection, which is not known before a competition was run for the first time. With --deep the
stages that select are executed first, as "smtpipe run" would: reading a release from this machine's disk, filters, caps,
submissions. They make no runs, start no program and contact no other machine; what they compute is kept for the run.

If a run would make finished runs of the last evaluation useless, the first lines say so, as "smtpipe run" does before it ends with
exit code 8.

With --out the plan is written to a file, and "smtpipe run FILE" executes it, unless something has changed since.

` + exit.Help,
		RunE: func(cmd *cobra.Command, targets []string) error { return flags.run(cmd, targets) },
	}
	flags.register(cmd.Flags())
	addressCompletion{most: manyTargets}.register(cmd, &flags.projectFlags)
	cmd.Flags().IntVarP(&flags.jobs, "jobs", "j", 0, "cores that the run will use, for the wall time; 0: all")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print the plan as JSON; docs/tools/json.md describes it")
	cmd.Flags().BoolVar(&flags.deep, "deep", false, "first execute quick stages that decide how much there is to do")
	cmd.Flags().StringVarP(&flags.out, "out", "o", "", "file to write the plan to, for \"smtpipe run FILE\"")
	cmd.Flags().StringVar(&flags.repeat, "repeat-node", "", repeatHelp)
	mayLoseFlag(cmd.Flags(), &flags.mayLose)
	cmd.Flags().BoolVar(&flags.detailed, "detailed-exitcode", false, "exit with code 2 if a run would execute anything")
	return cmd
}

func (f *planFlags) run(cmd *cobra.Command, targets []string) (err error) {
	if f.out != "" && f.repeat != "" {
		return exit.With(exit.Usage, errors.New("\"smtpipe run PLAN\" repeats no runs; leave --out or --repeat-node out"))
	}
	p, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if f.deep {
		if err := p.deepen(cmd, engine.Options{Targets: targets, Jobs: f.jobs}); err != nil {
			return err
		}
	}
	plan, loss, diags, err := p.planWithLoss(cmd, engine.Options{Targets: targets, Jobs: f.jobs,
		MayLose: f.mayLose * 3600, Repeat: f.repeat})
	if err != nil {
		return err
	}
	if err := p.report(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	if f.out != "" || f.json {
		plan.Document()
	}
	doc, err := p.planDocument(plan, diags, targets, f.jobs)
	if err != nil {
		return err
	}
	doc.Loss = loss
	if f.out != "" {
		if err := doc.write(f.out); err != nil {
			return err
		}
	}
	if f.json {
		err = printJSON(cmd, doc)
	} else {
		if loss != nil {
			writeLoss(cmd.OutOrStdout(), loss, plan)
		}
		err = writePlan(cmd.OutOrStdout(), doc, p.store.Dir())
	}
	if err == nil && f.detailed && plan.Changed() {
		err = exit.With(exit.Usage, nil)
	}
	return err
}

// deepen executes quick stages that a plan needs to estimate the work, until none are left.
func (p *project) deepen(cmd *cobra.Command, opt engine.Options) error {
	var before []string
	for {
		e, err := p.engine(opt)
		if err != nil {
			return err
		}
		plan, diags := e.Plan()
		if diags.HasErrors() {
			return nil // the plan reports them
		}
		var quick []string
		for i := range plan.Steps {
			if s := &plan.Steps[i]; s.Quick {
				quick = append(quick, s.Addr)
			}
		}
		if len(quick) == 0 || slices.Equal(quick, before) {
			return nil
		}
		before = quick
		observer, err := ui.New(ui.Auto, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		_, _, err = p.execute(cmd, engine.Options{Targets: quick, Jobs: opt.Jobs, Observer: quietHits{observer}})
		observer.Close()
		if err != nil {
			return err
		}
	}
}

// planWithLoss computes the plan, and what a run would no longer use.
func (p *project) planWithLoss(cmd *cobra.Command, opt engine.Options) (*engine.Plan, *engine.Loss, hcl.Diagnostics,
	error) {
	plan, diags, err := p.plan(opt)
	if err != nil || diags.HasErrors() {
		return plan, nil, diags, err
	}
	e, err := p.engine(opt)
	if err != nil {
		return nil, nil, nil, err
	}
	loss, err := p.losses(cmd, e, plan)
	return plan, loss, diags, err
}

// plan computes the plan, with diagnostics about failed checks and probable mistakes.
func (p *project) plan(opt engine.Options) (*engine.Plan, hcl.Diagnostics, error) {
	e, err := p.engine(opt)
	if err != nil {
		return nil, nil, err
	}
	plan, diags := e.Plan()
	diags = append(diags, p.pipeline.Checks(plan.Known)...)
	return plan, append(diags, p.pipeline.Warnings(plan.Blocks, plan.Known)...), nil
}
