package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// publish writes the outputs, of all stages or of those that did not fail, and says how long the run took.
func (f *runFlags) publish(cmd *cobra.Command, p *project.Project, e *engine.Engine, result *engine.Result,
	targets []string, failure error, start time.Time) error {
	opt := project.OutputOptions{Partial: len(targets) > 0 || failure != nil, Overwrite: f.overwrite}
	if failed := f.addEvidence(cmd, p, result, targets, &opt); failure != nil || failed != nil {
		return errors.Join(failure, failed, p.WriteOutputs(cmd.OutOrStdout(), result.Known, opt))
	}
	result, err := p.Publish(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), e, result, opt)
	if err != nil {
		return err
	}
	if f.progress != string(ui.JSON) { // an event has already reported it
		if err := summary(cmd, result, time.Since(start)); err != nil {
			return err
		}
	}
	if absent := project.Absentees(e.Absent()); absent != "" {
		return exit.With(exit.Absent, errors.New("some entrants could not take part; all others did, and have their results:\n"+
			absent))
	}
	return nil
}

// addEvidence asks programs for their versions and collects evidence for the outputs.
func (f *runFlags) addEvidence(cmd *cobra.Command, p *project.Project, result *engine.Result, targets []string,
	opt *project.OutputOptions) error {
	steps := result.Steps
	if result.Executed > 0 { // archives were unpacked, so their programs now have digests
		e, err := p.Engine(engine.Options{Targets: targets})
		if err != nil {
			return err
		}
		snap, _ := e.Snapshot(cmd.Context(), engine.SnapshotOptions{}) // the run has already reported the diagnostics
		steps = snap.Steps
	}
	err := p.AskVersions(cmd.Context(), cmd.ErrOrStderr(), steps, f.versions)
	if err == nil {
		opt.Evidence, opt.Versions, err = p.EvidenceOf(steps)
	}
	return err
}

// summary summarises a run.
func summary(cmd *cobra.Command, r *engine.Result, took time.Duration) error {
	text := fmt.Sprintf("Executed %s, found %d in the store, in %s.\n", words.Count(r.Executed, "stage"), r.Cached,
		took.Round(time.Millisecond))
	if r.Executed == 0 {
		text = fmt.Sprintf("Nothing to execute: all %s in the store (%s).\n", words.Are(r.Cached, "stage"),
			took.Round(time.Millisecond))
	}
	_, err := fmt.Fprint(cmd.ErrOrStderr(), text)
	return err
}
