package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
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
	flags := planFlags{projectFlags: projectFlags{project.Options{Reads: true}}}
	cmd := &cobra.Command{
		Use:   "plan [TARGET...]",
		Short: "Show what a run would execute, why, and how long it would take",
		Long: `Computes what "smtpipe run" would do now: which stages it would execute, what changed since they were last executed, how
many runs that takes and how many of them are already known, and how much CPU time, wall time and disk space it needs: the maximum
according to the limits, and an estimate based on earlier runs. Nothing is executed. Targets are addresses of stages or of their instances, such as
stage.cap.tracks["unsat_core"]; only they and what they need are planned. module.m.stage.cap.tracks means all instances in all
instances of the module.

The number of runs depends on the selection, which is unknown before the first run of a competition. With --deep, the stages
that select benchmarks are executed first, as "smtpipe run" would: reading a release from this machine's disk, filters, caps,
submissions. They start no programs and contact no other machine, and the run reuses their results.

If the changes would make finished runs useless, the first lines say so; "smtpipe run" then ends with exit code 8.

With --out, the plan is written to a file, and "smtpipe run FILE" executes it, unless something has changed since.

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
	if f.jobs < 0 {
		return exit.With(exit.Usage, fmt.Errorf("--jobs %d is not a number of cores", f.jobs))
	}
	if f.out != "" && f.repeat != "" {
		return exit.With(exit.Usage, errors.New("\"smtpipe run PLAN\" repeats no runs; leave --out or --repeat-node out"))
	}
	p, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if f.deep {
		if err := p.Deepen(cmd.Context(), cmd.ErrOrStderr(), engine.Options{Targets: targets,
			Jobs: f.jobs}); err != nil {
			return err
		}
	}
	plan, loss, diags, err := p.PlanWithLoss(cmd.Context(), engine.Options{Targets: targets, Jobs: f.jobs,
		MayLose: f.mayLose * 3600, Repeat: f.repeat})
	if err != nil {
		return err
	}
	if err := p.Report(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	if f.out != "" || f.json {
		plan.Document()
	}
	doc, err := p.Document(plan, diags, targets, f.jobs)
	if err != nil {
		return err
	}
	doc.Loss = loss
	if f.out != "" {
		if err := doc.Write(f.out); err != nil {
			return err
		}
	}
	if f.json {
		err = printJSON(cmd.OutOrStdout(), doc)
	} else {
		if loss != nil {
			project.WriteLoss(cmd.OutOrStdout(), loss, plan)
		}
		err = project.WritePlan(cmd.OutOrStdout(), doc, p.Store.Dir())
	}
	if err == nil && f.detailed && plan.Changed() {
		err = exit.With(exit.Usage, nil)
	}
	return err
}

// mayLoseFlag declares the flag that sets how much may be lost without confirmation.
func mayLoseFlag(flags *pflag.FlagSet, hours *float64) {
	flags.Float64Var(hours, "may-lose", 1, "core hours of finished runs that a run may make useless without --discard")
}
