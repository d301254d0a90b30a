package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/cache/remote"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// uploadTimeout is how long a run waits for uploads when it ends. interruptedTimeout applies to an interrupted run.
const (
	uploadTimeout      = 30 * time.Second
	interruptedTimeout = 3 * time.Second
)

const remoteHelp = `A remote store is a server with the HTTP cache protocol of Bazel (https://HOST/PATH), a folder, or file:///FOLDER. A server
receives the token in SMTPIPE_REMOTE_TOKEN, or the login in the netrc file.`

func remoteFlag(cmd *cobra.Command, where *string) {
	cmd.Flags().StringVar(where, "remote", os.Getenv("SMTPIPE_REMOTE"),
		"remote store to read from and write to (default: $SMTPIPE_REMOTE)")
}

// connectRemote makes store read from and write to a remote store. disconnect waits a limited time for uploads. A
// patient connection tolerates a slower server than a run does.
func connectRemote(cmd *cobra.Command, store *cache.Store, where string, patient bool) (disconnect func(), err error) {
	backend, err := remote.OpenBackend(where)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	client := newClient(backend, store)
	if patient {
		client.WaitLonger()
	}
	store.SetRemote(client)
	return func() {
		patience := uploadTimeout
		if cmd.Context().Err() != nil {
			patience = interruptedTimeout
		}
		for _, note := range client.Close(patience) {
			fmt.Fprintf(cmd.ErrOrStderr(), "Note: %s: %s.\n", remote.Redact(where), note)
		}
	}, nil
}

// newClient returns a client that shares item records, and stage records with the content that they need.
func newClient(backend remote.Backend, store *cache.Store) *remote.Client {
	client := remote.NewClient(backend, store, referencesOf(store))
	client.NeedContent(func(kind string) bool {
		return slices.ContainsFunc(all.Kinds(), func(k *stages.Kind) bool { return k.Name == kind && k.Measured })
	})
	client.ShareItems(func(namespace string) bool { return !slices.Contains(notShared, namespace) }, itemReferences)
	return client
}

// notShared lists the namespaces of items that are recomputed faster than they are downloaded with their content, and
// of the runs' expected times.
var notShared = []string{"scramble", "index", "times", "groups", "killed"}

func newCachePushCommand() *cobra.Command {
	var flags storeFlags
	var where string
	cmd := &cobra.Command{
		Use:   "push",
		Short: "Upload a store's stage records and content",
		Long: "Uploads all stage records with the content that they need, and all finished runs, even those of " +
			"incomplete stages.\nWhat the remote store has is not uploaded again.\n\n" + remoteHelp +
			"\n\n" + exit.Help,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			backend, err := needRemote(where)
			if err != nil {
				return err
			}
			store, err := flags.open()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, store.Close()) }()
			client := newClient(backend, store)
			client.WaitLonger()
			defer client.Close(0)
			records, uploaded, err := client.PushAll(cmd.Context())
			items := 0
			if err == nil {
				items, err = client.PushAllItems(cmd.Context())
			}
			if err != nil {
				return fmt.Errorf("push to %s: %w", remote.Redact(where), err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Pushed %d stage records: %d blobs and records were uploaded, and %d "+
				"records of runs and other items.\n",
				records, uploaded, items)
			return err
		},
	}
	flags.register(cmd.Flags())
	remoteFlag(cmd, &where)
	return cmd
}

func needRemote(where string) (remote.Backend, error) {
	if where == "" {
		return nil, exit.With(exit.Usage, errors.New("name a remote store with --remote, or in SMTPIPE_REMOTE"))
	}
	backend, err := remote.OpenBackend(where)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	return backend, nil
}

func newCachePullCommand() *cobra.Command {
	var flags projectFlags
	var where string
	cmd := &cobra.Command{
		Use:   "pull",
		Short: "Download what a pipeline needs",
		Long: `Downloads the stage records of the pipeline's current state and the content that they need, so that a run does not repeat work
that was done elsewhere with the same inputs. For stages that were incomplete elsewhere, or whose inputs partly differed, it
downloads the finished runs.

` + remoteHelp + "\n\n" + exit.Help,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if _, err := needRemote(where); err != nil {
				return err
			}
			p, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.Close()) }()
			disconnect, err := connectRemote(cmd, p.Store, where, true)
			if err != nil {
				return err
			}
			defer disconnect()
			return pull(cmd, p)
		},
	}
	flags.register(cmd.Flags())
	remoteFlag(cmd, &where)
	return cmd
}

func pull(cmd *cobra.Command, p *project.Project) error {
	e, err := p.Engine(engine.Options{})
	if err != nil {
		return err
	}
	plan, diags := e.Plan()
	if err := p.Report(cmd.ErrOrStderr(), diags); err != nil {
		return err
	}
	stagesThere, blobs, missing, runs := 0, 0, 0, int64(0)
	for i := range plan.Steps {
		if cost := plan.Steps[i].Cost; cost != nil {
			runs += max(cost.Reused, 0)
		}
		if plan.Steps[i].Decision != engine.Cached {
			continue
		}
		stagesThere++
		for _, v := range plan.Steps[i].Outputs {
			if art, ok := stages.ArtifactOf(v); ok {
				references := func() ([]cache.Digest, error) {
					return referencesOf(p.Store)(art.Schema, art.Digest)
				}
				got, gone, err := remote.FetchArtifact(cmd.Context(), p.Store, art.Digest, references)
				if err != nil {
					return err
				}
				blobs, missing = blobs+got, missing+gone
			}
		}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d of %d stages are in the store; %d blobs were downloaded, %d could "+
		"not be had.\n", stagesThere, len(plan.Steps), blobs, missing)
	if err == nil && runs > 0 {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "Of the runs of the other stages, %d are in the store.\n", runs)
	}
	return err
}
