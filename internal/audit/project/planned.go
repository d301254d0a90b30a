package project

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
	reportstage "github.com/smtpipe/smtpipe/internal/stages/report"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// Deepen executes the quick stages that a plan needs for its estimates until none are left.
func (p *Project) Deepen(ctx context.Context, stderr io.Writer, opt engine.Options) error {
	var before []string
	for {
		e, err := p.Engine(opt)
		if err != nil {
			return err
		}
		plan, diags := e.Plan()
		if diags.HasErrors() {
			return nil // the plan reports the errors
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
		observer, err := ui.New(ui.Auto, stderr)
		if err != nil {
			return err
		}
		_, _, err = p.Execute(ctx, stderr, engine.Options{Targets: quick, Jobs: opt.Jobs,
			Observer: ui.QuietHits{Observer: observer}})
		observer.Close()
		if err != nil {
			return err
		}
	}
}

// PlanWithLoss returns the plan, and what a run would no longer use.
func (p *Project) PlanWithLoss(ctx context.Context, opt engine.Options) (*engine.Plan, *engine.Loss, hcl.Diagnostics,
	error) {
	plan, diags, err := p.plan(opt)
	if err != nil || diags.HasErrors() {
		return plan, nil, diags, err
	}
	e, err := p.Engine(opt)
	if err != nil {
		return nil, nil, nil, err
	}
	loss, err := p.losses(ctx, e, plan)
	return plan, loss, diags, err
}

// plan returns the plan, with diagnostics about failed checks and probable mistakes.
func (p *Project) plan(opt engine.Options) (*engine.Plan, hcl.Diagnostics, error) {
	e, err := p.Engine(opt)
	if err != nil {
		return nil, nil, err
	}
	plan, diags := e.Plan()
	diags = append(diags, p.Pipeline.Checks(plan.Known)...)
	return plan, append(diags, p.Pipeline.Warnings(plan.Blocks, plan.Known)...), nil
}

// WarnOfMachine warns about runs that this machine cannot execute, from stages that are not in the store. They are not
// errors, because another machine may be able to execute them.
func (p *Project) WarnOfMachine(stderr io.Writer) error {
	if p.Evidence != nil {
		return nil
	}
	e, err := p.Engine(engine.Options{})
	if err != nil {
		return err
	}
	plan, _ := e.Plan()
	return p.Report(stderr, RefusedSteps(plan))
}

// RefusedSteps returns warnings about a plan's runs that this machine cannot execute.
func RefusedSteps(plan *engine.Plan) (diags hcl.Diagnostics) {
	for i := range plan.Steps {
		if d := plan.Steps[i].Refused(); d != nil {
			diags = append(diags, d)
		}
	}
	return diags
}

// Scratch opens a temporary store as an overlay of the project's store. remove discards it.
func (p *Project) Scratch() (over *cache.Store, remove func() error, err error) {
	dir, err := p.Store.TempDir()
	if err != nil {
		return nil, nil, err
	}
	over, err = p.Store.Overlay(dir)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return over, RemoveAll(over.Close, dir), nil
}

// Snapshot takes a snapshot of the targets, or of the whole pipeline. It prints the pipeline's errors.
func (p *Project) Snapshot(
	ctx context.Context, stderr io.Writer, opt engine.SnapshotOptions, targets ...string,
) (*engine.Snapshot, error) {
	e, err := p.Engine(engine.Options{Targets: targets})
	if err != nil {
		return nil, err
	}
	snap, diags := e.Snapshot(ctx, opt)
	if err := p.Report(stderr, diags); err != nil {
		return nil, err
	}
	return snap, exit.Stopped(ctx, ctx.Err())
}

// RemoveAll returns a function that closes a store and then removes its folder.
func RemoveAll(close func() error, dir string) func() error {
	return func() error { return errors.Join(close(), os.RemoveAll(dir)) }
}

// PartialOptions returns the options for a snapshot of the runs so far. Runs are judged and scored, but nothing else is
// computed from them, because that would change which runs are executed next.
func PartialOptions(scratch *cache.Store, memo *engine.Memo) engine.SnapshotOptions {
	return engine.SnapshotOptions{
		Scratch: scratch,
		Through: []string{"validate", "score", "command"},
		For:     []string{reportstage.Kind.Name},
		Memo:    memo,
	}
}

// Library executes the pipeline in another folder with this pipeline's store.
func (p *Project) Library(ctx context.Context, stderr io.Writer, folder string) (stages.Known, error) {
	inner := &Project{version: p.version, Store: p.Store, Path: folder, Files: &Files{Folder: folder,
		Index: p.Files.Index}}
	var diags hcl.Diagnostics
	inner.Pipeline, diags = config.Load(config.Options{Path: folder, Kinds: all.Kinds(), Files: inner.Files,
		Version: p.version, Context: ctx})
	if err := inner.Report(stderr, diags); err != nil {
		return nil, err
	}
	known, _, err := inner.Execute(ctx, stderr, engine.Options{})
	return known, err
}

// EndOf returns the end of a stored output. It returns "" if the output has no digest or is missing.
func (p *Project) EndOf(digest string) string {
	const most = 4096
	d, err := cache.ParseDigest(digest)
	if digest == "" || err != nil {
		return ""
	}
	end, _ := p.Store.EndOf(d, most)
	return string(end)
}

// Outputs evaluates the pipeline's outputs and checks.
func (p *Project) Outputs(stderr io.Writer, known stages.Known) (map[string]cty.Value, error) {
	all, diags := p.Pipeline.Outputs(known)
	if err := p.Report(stderr, append(diags, p.Pipeline.Checks(known)...)); err != nil {
		return nil, err
	}
	values := map[string]cty.Value{}
	for _, o := range all {
		values[o.Name] = o.Value
	}
	return values, nil
}
