package main

import (
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/engine"
)

// planFlags are the flags of plan beside those of the project.
type planFlags struct {
	projectFlags
	jobs     int
	json     bool
	out      string
	detailed bool
}

func newPlanCommand() *cobra.Command {
	var flags planFlags
	cmd := &cobra.Command{
		Use:   "plan [TARGET...]",
		Short: "Show what a run would execute, why, and what it would take",
		Long: `Computes what "smtpipe run" would do now: which stages it would execute, what changed since they were executed last, how
many runs that is and how many of them are known already, and how much CPU time, wall time and disk it takes: at most, by the
limits, and probably, by earlier runs. Nothing is executed. Targets are addresses of stages or of their instances, as
stage.cap.tracks["unsat_core"]; only they and what they need is planned. module.m.stage.cap.tracks are all instances in all of
the module's.

With --out the plan is kept in a file, and "smtpipe run FILE" executes it, unless something is not as it was planned.

` + exitCodesHelp,
		RunE: func(cmd *cobra.Command, targets []string) error { return flags.run(cmd, targets) },
	}
	flags.register(cmd.Flags())
	addressCompletion{most: manyTargets}.register(cmd, &flags.projectFlags)
	cmd.Flags().IntVarP(&flags.jobs, "jobs", "j", 0, "cores that the run will use, for the wall time (default: all)")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print the plan as JSON; docs/plan.md describes it")
	cmd.Flags().StringVarP(&flags.out, "out", "o", "", "file to keep the plan in, for \"smtpipe run FILE\"")
	cmd.Flags().BoolVar(&flags.detailed, "detailed-exitcode", false, "exit with 2 if a run would execute anything")
	return cmd
}

func (f *planFlags) run(cmd *cobra.Command, targets []string) (err error) {
	p, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	plan, diags, err := p.plan(engine.Options{Targets: targets, Jobs: f.jobs})
	if err != nil {
		return err
	}
	if err := p.report(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	doc, err := p.planDocument(plan, diags, targets, f.jobs)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := doc.write(f.out); err != nil {
			return err
		}
	}
	if f.json {
		err = printJSON(cmd, doc)
	} else {
		err = writePlan(cmd.OutOrStdout(), doc, p.store.Dir())
	}
	if err == nil && f.detailed && plan.Changed() {
		err = withExit(exitUsage, nil)
	}
	return err
}

// plan makes the plan, with the diagnostics of checks and what is probably a mistake.
func (p *project) plan(opt engine.Options) (*engine.Plan, hcl.Diagnostics, error) {
	e, err := p.engine(opt)
	if err != nil {
		return nil, nil, err
	}
	plan, diags := e.Plan()
	diags = append(diags, p.pipeline.Checks(plan.Known)...)
	return plan, append(diags, p.pipeline.Warnings(plan.Known)...), nil
}
