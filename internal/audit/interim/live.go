package interim

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
	reportstage "github.com/smtpipe/smtpipe/internal/stages/report"
)

// Live is a site that follows a store while another process executes the pipeline.
type Live struct {
	Open       func() (*project.Project, error)                     // opens the pipeline and its store
	Step       func(*engine.Snapshot) (*engine.SnapshotStep, error) // finds the report
	Refresh    time.Duration                                        // shortest time between two refreshes
	NoRankings bool                                                 // show only the progress
	Stderr     io.Writer                                            // for diagnostics
	Server     site.Server                                          // serves the site

	memo  engine.Memo
	shown string // state that the site shows

	alarms []string // alarms of the last site

	took time.Duration // duration of the last refresh that only counted runs
	due  time.Time     // earliest time of the next refresh that judges and scores

	mu      sync.Mutex
	now     site.Progress
	trouble string // error of the last refresh
}

// progress implements site.Server.Progress.
func (l *Live) progress() site.Progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now
	if l.trouble != "" {
		now.Note = l.trouble
	}
	return now
}

// idle is the minimum pause between two refreshes, as a multiple of a refresh's duration. It leaves the machine time
// for other work.
const idle = 9

// Follow refreshes the site until ctx ends. If a refresh fails, the site shows the error and otherwise stays unchanged.
func (l *Live) Follow(ctx context.Context) {
	for pause := time.Duration(0); ; pause = max(l.Refresh, idle*l.took) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := l.refresh(ctx, !time.Now().Before(l.due))
		l.mu.Lock()
		l.trouble = ""
		if err != nil {
			l.trouble = fmt.Sprintf("The last look into the store failed: %v.", err)
		}
		l.mu.Unlock()
	}
}

// Begin counts the runs and provides a page until the first site is ready.
func (l *Live) Begin(ctx context.Context) error {
	l.Server.Progress = l.progress
	if err := l.refresh(ctx, false); err != nil {
		return err
	}
	now := l.progress()
	now.Note = strings.TrimSpace(now.Note + " The report is being made.")
	return l.show(ctx, &site.Input{Progress: &now}, "begin")
}

// refresh reopens the pipeline and its store in their current state and counts the runs. If full is set, it also judges
// and scores the runs, and replaces the site if anything has changed.
func (l *Live) refresh(ctx context.Context, full bool) (err error) {
	start := time.Now()
	defer func() {
		took := time.Since(start)
		if full {
			l.due = time.Now().Add(idle * took)
		} else {
			l.took = took
		}
	}()
	p, err := l.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	scratch, remove, err := p.Scratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	opt := project.PartialOptions(scratch, &l.memo)
	if !full {
		opt.Through, opt.For = nil, nil
	}
	snap, err := p.Snapshot(ctx, l.Stderr, opt)
	if err != nil {
		return err
	}
	step, err := l.Step(snap)
	if err != nil {
		return err
	}
	now, err := Progress(scratch, snap, step)
	if err != nil {
		return err
	}
	if full {
		err = l.build(ctx, p, scratch, snap, step)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = site.Progress{}
	if now != nil {
		l.now = *now
		l.now.Note = strings.TrimSpace(l.now.Note + elsewhere(p.Store, snap))
		l.now.Failures = append(slices.Clone(l.alarms), l.now.Failures...)
	}
	return err
}

// elsewhere returns the status that executors report for unfinished stages, such as a cluster's jobs.
func elsewhere(store *cache.Store, snap *engine.Snapshot) string {
	var b strings.Builder
	for i := range snap.Steps {
		s := &snap.Steps[i]
		if status := fanout.Status(store, s.Addr, time.Now()); status != "" && s.Kind.Measured && !s.Complete {
			fmt.Fprintf(&b, " %s: %s.", s.Addr, status)
		}
	}
	return b.String()
}

// build replaces the site if anything has changed.
func (l *Live) build(ctx context.Context, p *project.Project, scratch *cache.Store, snap *engine.Snapshot,
	step *engine.SnapshotStep) (err error) {
	known, _, err := p.EvidenceOf(snap.Steps)
	if err != nil {
		return err
	}
	state, err := stateOf(snap, known)
	if err != nil || state == l.shown {
		return err
	}
	in := &site.Input{Progress: &site.Progress{More: true, Note: "The report cannot be made yet."}}
	if len(step.Waits) == 0 {
		if in, err = Input(ctx, p, scratch, snap, step); err != nil {
			return err
		}
		if in.Keeper, err = stages.KeptIn(scratch, reportstage.Kind); err != nil {
			return err
		}
	}
	if l.NoRankings {
		in.HideResults()
	} else if in.Verdicts != nil {
		if l.alarms, err = Alarms(in.Verdicts); err != nil {
			return err
		}
	}
	if err := l.show(ctx, in, state); err != nil {
		return err
	}
	l.shown = state
	return nil
}

// show replaces the site. Each state has one version of the site.
func (l *Live) show(ctx context.Context, in *site.Input, state string) error {
	pages, err := site.Prepare(ctx, in)
	if err != nil {
		return err
	}
	l.Server.Replace(pages, fmt.Sprintf("%x", sha256.Sum256([]byte(state)))[:16])
	return nil
}

// stateOf returns a text that identifies a snapshot's content and its evidence. The same state produces the same site.
func stateOf(snap *engine.Snapshot, known *evidence.Document) (string, error) {
	var b strings.Builder
	for i := range snap.Steps {
		s := &snap.Steps[i]
		fmt.Fprintf(&b, "%s %s %d/%d", s.Addr, s.Key, s.Done, s.Total)
		for _, out := range s.Kind.Outputs {
			if art, ok := stages.ArtifactOf(s.Outputs[out.Name]); ok {
				fmt.Fprintf(&b, " %s", art.Digest)
			}
		}
		b.WriteByte('\n')
	}
	for _, problem := range snap.Problems {
		fmt.Fprintln(&b, problem)
	}
	text, err := known.Encode()
	b.Write(text)
	return b.String(), err
}
