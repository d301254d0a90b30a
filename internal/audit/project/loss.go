// Package project opens a pipeline with its store and, if the measurements come from one, a frozen folder. It passes
// the pipeline to the engine, and reports what is planned, lost and written.
package project

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
)

// losses returns the parts of the pipeline's last evaluation that a run would no longer use, or nil if they may be
// lost.
func (p *Project) losses(ctx context.Context, e *engine.Engine, plan *engine.Plan) (loss *engine.Loss, err error) {
	if p.Evidence != nil || p.spare != "" {
		return nil, nil
	}
	remove := func() error { return nil }
	defer func() { err = errors.Join(err, remove()) }()
	return e.Losses(ctx, plan, func() (over *cache.Store, err error) {
		over, remove, err = p.Scratch()
		return over, err
	})
}

// RefuseLoss returns an error if a run would make finished runs useless, unless accepted allows it.
func (p *Project) RefuseLoss(ctx context.Context, e *engine.Engine, plan *engine.Plan, accepted []string) error {
	loss, err := p.losses(ctx, e, plan)
	if err != nil || loss == nil {
		return err
	}
	if slices.Contains(accepted, loss.Key) {
		return e.Discard(loss)
	}
	var b strings.Builder
	WriteLoss(&b, loss, plan)
	wrong := ""
	if len(accepted) > 0 {
		wrong = fmt.Sprintf("--discard %s accepts a different plan. ", strings.Join(accepted, " --discard "))
	}
	return exit.With(exit.Discards, errors.New(b.String()+wrong+"Nothing was executed."))
}

// WriteLoss describes a loss. plan is what a run would execute instead, or nil if unknown.
func WriteLoss(w io.Writer, loss *engine.Loss, plan *engine.Plan) {
	fmt.Fprintf(w, "%s that took %s of core time would no longer be used:\n", words.Many(int64(loss.Runs),
		"finished run"),
		words.Hours(loss.CoreSeconds))
	for i := range loss.Stages {
		s := &loss.Stages[i]
		fmt.Fprintf(w, "  %s: %s of %s, %s\n", s.Addr, words.Thousands(int64(s.Runs)),
			words.Many(int64(s.Finished), "finished run"), words.Hours(s.CoreSeconds))
		for _, reason := range s.Reasons {
			fmt.Fprintf(w, "    %s\n", reason)
		}
	}
	if plan != nil {
		fmt.Fprintf(w, "Continuing costs %s.\n", goingOn(plan.Totals()))
	}
	fmt.Fprintf(w, "Undo the change to use them, or accept exactly this plan with \"smtpipe run --discard %s\".\n",
		loss.Key)
}

// goingOn describes a plan's cost.
func goingOn(t engine.Totals) string {
	switch {
	case t.MeasuredOpen > 0:
		return "runs whose number is not known yet; \"smtpipe plan --deep\" tells it"
	case t.Runs == t.Reused:
		return "no new runs"
	}
	text := words.Many(t.Runs-t.Reused, "new run")
	if !t.Exact {
		text = "at most " + text
	}
	if t.CPUTimeS > 0 && t.NotEstimated == 0 {
		text += ", about " + words.Hours(t.CPUTimeS) + " of CPU time"
	}
	if t.CPULimitS > 0 {
		text += ", at most " + words.Hours(t.CPULimitS) + " according to the limits"
	}
	return text
}
