package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/interim"
	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
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
		Long: `Serves the site of a report stage over HTTP: progress, failures and the results so far, read repeatedly from the store
while another process executes the pipeline. It is read-only. By default it listens only on the loopback address (see --addr).
It answers only requests for that address and the names given by --host, and ends with Ctrl-C.

The first line on standard output is the address. Judging and scoring use CPU time; on a machine that measures runs, keep
--jobs at 1 and --refresh long. After each refresh, the server pauses for at least nine times the refresh's duration.

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
	live := &interim.Live{
		Open:    func() (*project.Project, error) { return f.open(cmd) },
		Step:    func(snap *engine.Snapshot) (*engine.SnapshotStep, error) { return reportStep(snap, args) },
		Refresh: f.refresh, NoRankings: f.noRankings, Stderr: cmd.ErrOrStderr(),
	}
	if err := live.Begin(cmd.Context()); err != nil { // errors in the pipeline end the command before it listens
		return err
	}
	live.Server.Hosts = f.hosts
	if host != "" {
		live.Server.Hosts = append(live.Server.Hosts, host)
	}
	listener, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", f.addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", f.addr, err)
	}
	server := &http.Server{Handler: &live.Server, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime,
		WriteTimeout: requestTime}
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "http://%s/\n", listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	return serve(cmd.Context(), server, listener, live.Follow)
}

// serve answers requests and calls follow until ctx ends, which ends the command normally.
func serve(ctx context.Context, server *http.Server, listener net.Listener, follow func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		defer cancel()
		failed <- server.Serve(listener)
	}()
	follow(ctx)
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
