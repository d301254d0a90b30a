package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/interim"
	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
	reportstage "github.com/smtpipe/smtpipe/internal/stages/report"
)

// serveFlags are the flags of serve in addition to the project's.
type serveFlags struct {
	projectFlags
	addr    string
	hosts   []string
	refresh time.Duration
	jobs    int

	noRankings bool
}

func newServeCommand() *cobra.Command {
	var flags serveFlags
	cmd := &cobra.Command{
		Use:   "serve [ADDRESS]",
		Short: "Serve the site of a competition while it runs",
		Long: `Serves the site of a report stage over HTTP: progress, failures and the results of the runs that are done, read from the store
again and again while another process executes the pipeline. Nothing can be changed through it. It listens only on the loopback
address, unless --addr says otherwise, answers only under that address and the names of --host, and ends with Ctrl-C.

The first line on standard output is the address. Judging and scoring take time from the machine; on one that measures, keep
--jobs at 1 and --refresh long. The pause after a look is at least nine times as long as the look, which holds for counting runs
and for making the site.

` + exit.Help,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args) },
	}
	flags.register(cmd.Flags())
	cmd.Flags().StringVar(&flags.addr, "addr", "127.0.0.1:8080",
		"address and port to listen on; port 0 takes a free one")
	cmd.Flags().StringArrayVar(&flags.hosts, "host", nil,
		"another name under which the server answers; may be repeated")
	cmd.Flags().DurationVar(&flags.refresh, "refresh", 3*time.Second, "shortest time between two reads of the store")
	cmd.Flags().BoolVar(&flags.noRankings, "no-rankings", false, "show only the progress: no rankings, and no runs to compute them from")
	cmd.Flags().IntVarP(&flags.jobs, "jobs", "j", 1, "cores to use")
	return cmd
}

// collectAt is the heap growth, in percent, at which garbage is collected. The server runs for weeks next to solvers
// and is mostly idle.
const collectAt = 25

// Timeouts of the HTTP server. No request is large or slow.
const (
	headerTime   = 5 * time.Second
	requestTime  = time.Minute
	shutdownTime = 2 * time.Second
)

func (f *serveFlags) run(cmd *cobra.Command, args []string) error {
	defer endsItself()()
	if f.refresh <= 0 || f.jobs < 1 {
		return exit.With(exit.Usage, errors.New("--refresh must be above zero, such as 3s, and --jobs at least 1"))
	}
	runtime.GOMAXPROCS(f.jobs)
	debug.SetGCPercent(collectAt)
	host, _, err := net.SplitHostPort(f.addr)
	if err != nil {
		return exit.With(exit.Usage, fmt.Errorf("--addr %q is not an address and port such as 127.0.0.1:8080", f.addr))
	}
	live := &live{flags: f, cmd: cmd, args: args}
	if err := live.begin(); err != nil { // errors in the pipeline end the command before it listens
		return err
	}
	live.server.Progress, live.server.Hosts = live.progress, f.hosts
	if host != "" {
		live.server.Hosts = append(live.server.Hosts, host)
	}
	listener, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", f.addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", f.addr, err)
	}
	server := &http.Server{Handler: &live.server, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime,
		WriteTimeout: requestTime}
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "http://%s/\n", listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	return live.serve(cmd.Context(), server, listener)
}

// serve answers requests and checks the store until ctx ends, which ends the command normally.
func (l *live) serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		defer cancel()
		failed <- server.Serve(listener)
	}()
	l.follow(ctx)
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer stop()
	if err := server.Shutdown(end); err != nil {
		server.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// live is a site that follows the store.
type live struct {
	flags  *serveFlags
	cmd    *cobra.Command
	args   []string
	server site.Server
	memo   engine.Memo
	shown  string // state that the site shows

	alarms []string // alarms of the last site

	took time.Duration // duration of the last refresh that only counted runs
	due  time.Time     // earliest time of the next refresh that judges and scores

	mu      sync.Mutex
	now     site.Progress
	trouble string // error of the last refresh
}

// progress implements site.Server.Progress.
func (l *live) progress() site.Progress {
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

// follow refreshes the site until ctx ends. If a refresh fails, the site shows the error and otherwise stays unchanged.
func (l *live) follow(ctx context.Context) {
	for pause := time.Duration(0); ; pause = max(l.flags.refresh, idle*l.took) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := l.refresh(!time.Now().Before(l.due))
		l.mu.Lock()
		l.trouble = ""
		if err != nil {
			l.trouble = fmt.Sprintf("The last look into the store failed: %v.", err)
		}
		l.mu.Unlock()
	}
}

// begin counts the runs and provides a page until the first site is ready.
func (l *live) begin() error {
	if err := l.refresh(false); err != nil {
		return err
	}
	now := l.progress()
	now.Note = strings.TrimSpace(now.Note + " The report is being made.")
	return l.show(&site.Input{Progress: &now}, "begin")
}

// refresh reopens the pipeline and its store in their current state and counts the runs. If full is set, it also judges
// and scores the runs, and replaces the site if anything has changed.
func (l *live) refresh(full bool) (err error) {
	start := time.Now()
	defer func() {
		took := time.Since(start)
		if full {
			l.due = time.Now().Add(idle * took)
		} else {
			l.took = took
		}
	}()
	p, err := l.flags.open(l.cmd)
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
	snap, err := p.Snapshot(l.cmd.Context(), l.cmd.ErrOrStderr(), opt)
	if err != nil {
		return err
	}
	step, err := reportStep(snap, l.args)
	if err != nil {
		return err
	}
	progress, err := interim.Progress(scratch, snap, step)
	if err != nil {
		return err
	}
	if full {
		err = l.build(p, scratch, snap, step)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = site.Progress{}
	if progress != nil {
		l.now = *progress
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
func (l *live) build(p *project.Project, scratch *cache.Store, snap *engine.Snapshot,
	step *engine.SnapshotStep) (err error) {
	known, _, err := p.EvidenceOf(snap.Steps)
	if err != nil {
		return err
	}
	state := stateOf(snap) + fmt.Sprintln(*known)
	if state == l.shown {
		return nil
	}
	in := &site.Input{Progress: &site.Progress{More: true, Note: "The report cannot be made yet."}}
	if len(step.Waits) == 0 {
		if in, err = interim.Input(l.cmd.Context(), p, scratch, snap, step); err != nil {
			return err
		}
		if in.Keeper, err = reportstage.KeptIn(scratch); err != nil {
			return err
		}
	}
	if l.flags.noRankings {
		in.HideResults()
	} else if in.Verdicts != nil {
		if l.alarms, err = interim.Alarms(in.Verdicts); err != nil {
			return err
		}
	}
	if err := l.show(in, state); err != nil {
		return err
	}
	l.shown = state
	return nil
}

// show replaces the site. Each state has one version of the site.
func (l *live) show(in *site.Input, state string) error {
	pages, err := site.Prepare(l.cmd.Context(), in)
	if err != nil {
		return err
	}
	l.server.Replace(pages, fmt.Sprintf("%x", sha256.Sum256([]byte(state)))[:16])
	return nil
}

// stateOf returns a text that identifies a snapshot's content. Snapshots with the same state produce the same site.
func stateOf(snap *engine.Snapshot) string {
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
	return b.String()
}
