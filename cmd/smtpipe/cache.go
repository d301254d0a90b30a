package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

func newCacheCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "cache", Short: "Look at a store and clean it"}
	cmd.AddCommand(newCacheStatCommand(), newCacheGCCommand(), newCacheVerifyCommand(), newCachePushCommand(),
		newCachePullCommand(), newCacheBackupCommand(), newCacheRestoreCommand())
	return cmd
}

func newCacheStatCommand() *cobra.Command {
	var flags storeFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stat",
		Short: "Count what a store holds",
		Long:  "Counts blobs, records of stages and records of items such as runs.\n\n" + exit.Help,
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			store, err := flags.open()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, store.Close()) }()
			st := struct {
				*cache.Stat
				Reclaimable int64 `json:"reclaimable_bytes"` // size that gc would free
			}{}
			if st.Stat, err = store.Stat(); err != nil {
				return err
			}
			garbage, err := store.GC(cache.GCOptions{DryRun: true, Refers: referencesOf(store),
				ItemRefers: itemReferences})
			if err != nil {
				return err
			}
			st.Reclaimable = garbage.Bytes
			if asJSON {
				return printJSON(cmd.OutOrStdout(), st)
			}
			w := cmd.OutOrStdout()
			fmt.Fprintf(w, "store      %s\n", st.Dir)
			fmt.Fprintf(w, "blobs      %d in files (%s), %d in packs (%s)\n", st.Blobs, comp.FormatSize(st.BlobBytes),
				st.Packed, comp.FormatSize(st.PackBytes))
			fmt.Fprintf(w, "stages     %d records, of %d pipelines\n", st.Actions, st.Pipelines)
			for _, name := range sortedKeys(st.Items) {
				fmt.Fprintf(w, "items      %d of %s\n", st.Items[name], name)
			}
			fmt.Fprintf(w, "items use  %s\n", comp.FormatSize(st.ItemBytes))
			if st.TempBytes > 0 {
				fmt.Fprintf(w, "temporary  %s\n", comp.FormatSize(st.TempBytes))
			}
			if st.DamagedKept > 0 {
				fmt.Fprintf(w, "damaged    %d files were moved aside\n", st.DamagedKept)
			}
			fmt.Fprintf(w, "gc frees   %s\n", comp.FormatSize(st.Reclaimable))
			return nil
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// storeFlags are the flags of commands that use a store but no pipeline.
type storeFlags struct{ dir, pipeline string }

func (f *storeFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.dir, "store", os.Getenv("SMTPIPE_STORE"),
		"store (default: $SMTPIPE_STORE, or .smtpipe beside the pipeline)")
	flags.StringVarP(&f.pipeline, "pipeline", "p", "",
		"pipeline whose store to use: a .hcl file or a folder (default: this folder)")
}

// open opens an existing store.
func (f *storeFlags) open() (*cache.Store, error) {
	dir, err := f.path()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, exit.With(exit.Usage, exit.Plain(err, dir))
	}
	return cache.Open(dir, cache.Options{})
}

// path returns the store's folder.
func (f *storeFlags) path() (string, error) {
	if f.dir != "" {
		return f.dir, nil
	}
	pipeline := project.Options{Pipeline: f.pipeline}
	folder, err := pipeline.Folder()
	return filepath.Join(folder, ".smtpipe"), err
}
