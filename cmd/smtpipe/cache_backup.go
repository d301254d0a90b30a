package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/ui"
)

func newCacheBackupCommand() *cobra.Command {
	var flags storeFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "backup FOLDER",
		Short: "Copy what is new in a store to its backup",
		Long: `Copies everything in the store to FOLDER, which is created if necessary. Content that FOLDER already has is not copied
again, and nothing is removed from it. Runs can continue meanwhile. Everything copied is checked against its digest or
checksum. FOLDER is a store: every command reads it with --store, and "cache verify --store FOLDER" checks all of it. It should
be on another disk.

` + exit.Help,
		Example: "  smtpipe cache backup /mnt/backup/competition",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			store, err := flags.open()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, store.Close()) }()
			to, err := cache.Open(args[0], cache.Options{})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, to.Close()) }()
			return copyStore(cmd, asJSON, func(visit func()) (*cache.Copied, error) {
				return store.Backup(cmd.Context(), to, visit)
			})
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func newCacheRestoreCommand() *cobra.Command {
	var flags storeFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "restore FOLDER",
		Short: "Copy what a store lacks from its backup",
		Long: `Copies everything in the backup FOLDER to the store, which is created if necessary. Nothing is removed from the store. If the
store is damaged, run "cache verify --repair" first: it moves damaged content aside.

A new store takes over the identity of the lost one, so that its cluster jobs and shared runs still belong to it.

` + exit.Help,
		Example: "  smtpipe cache restore /mnt/backup/competition -p competition.hcl",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			from, err := (&storeFlags{dir: args[0]}).open()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, from.Close()) }()
			dir, err := flags.path()
			if err != nil {
				return err
			}
			store, err := cache.Open(dir, cache.Options{})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, store.Close()) }()
			return copyStore(cmd, asJSON, func(visit func()) (*cache.Copied, error) {
				c, took, err := store.Restore(cmd.Context(), from, visit)
				if took {
					fmt.Fprintln(cmd.ErrOrStderr(), "The store has taken over the name of the one that was lost.")
				}
				return c, err
			})
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// copyStore copies a store or its backup and reports what it copied.
func copyStore(cmd *cobra.Command, asJSON bool, copy func(visit func()) (*cache.Copied, error)) error {
	observer, err := ui.New(ui.Auto, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	name := cmd.Name()
	observer.Observe(engine.ItemsStarted{Addr: name, Total: -1, Unit: "blobs and records"})
	c, err := copy(func() { observer.Observe(engine.ItemsDone{Addr: name, N: 1}) })
	observer.Close()
	switch {
	case err != nil && exit.WasInterrupted(cmd.Context(), err):
		return exit.With(exit.Interrupted, errors.New("interrupted; the same command continues"))
	case err != nil:
		return err
	case asJSON:
		err = printJSON(cmd.OutOrStdout(), c)
	default:
		for _, p := range c.Problems {
			fmt.Fprintln(cmd.ErrOrStderr(), p)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "Copied %d blobs (%s), %d records of items, %d of stages and %s.\n", c.Blobs,
			comp.FormatSize(c.Bytes), c.Records, c.Actions, words.Count(c.Files, "other file"))
	}
	if err == nil && len(c.Problems) > 0 {
		err = fmt.Errorf("%s, not copied", words.Count(len(c.Problems), "damaged part"))
	}
	return err
}
