package main

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

func newCacheGCCommand() *cobra.Command {
	var flags storeFlags
	var maxSize string
	var opt cache.GCOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove what no pipeline needs",
		Long: `Removes the stage records that no pipeline used in its last run, and the content that only they need. Finished runs and their
outputs are never removed. While other processes use the store, anything that they may need is kept.

` + exit.Help,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if maxSize != "" {
				if opt.MaxSize, err = comp.ParseSize(maxSize); err != nil {
					return exit.With(exit.Usage, fmt.Errorf("--max-size: %w", err))
				}
			}
			store, err := flags.open()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, store.Close()) }()
			opt.Refers, opt.ItemRefers = referencesOf(store), itemReferences
			got, err := store.GC(opt)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), got)
			}
			return writeCollected(cmd, got, opt.DryRun)
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().IntVar(&opt.KeepLast, "keep-last", 0, "also keep this many of the youngest records of every stage")
	cmd.Flags().StringVar(&maxSize, "max-size", "", "remove only the oldest, until the content takes at most this, "+
		"such as 20GB")
	cmd.Flags().BoolVar(&opt.DryRun, "dry-run", false, "show what would be removed, and remove nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func writeCollected(cmd *cobra.Command, got *cache.Collected, dryRun bool) error {
	verb := "Removed"
	if dryRun {
		verb = "Would remove"
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %d stage records, %d blobs and %d small blobs: %s. %d stage records "+
		"are kept.\n",
		verb, got.Actions, got.Blobs, got.Packed, comp.FormatSize(got.Bytes), got.KeptActions)
	if got.PacksSkipped {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: other processes have used the store since %s; what they may need and "+
			"all small blobs were kept.\n",
			got.OthersSince.Format("2006-01-02 15:04:05 MST"))
	}
	if got.Damaged > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: moved %s of runs and items to files *.damaged; the next run makes "+
			"them again.\n", words.Count(got.Damaged, "damaged record"))
	}
	return err
}

// referencesOf returns a function that lists the content that an artifact needs: the files of a tree, or the digests in
// the blob columns of a table.
func referencesOf(store *cache.Store) func(schema string, d cache.Digest) ([]cache.Digest, error) {
	return func(schema string, d cache.Digest) ([]cache.Digest, error) {
		if schema == "blob" {
			return nil, nil
		}
		content, err := store.ReadBytes(d)
		if err != nil {
			return nil, err
		}
		if schema != "tree" {
			return tableReferences(content)
		}
		m, err := cache.DecodeManifest(content)
		if err != nil {
			return nil, err
		}
		all := make([]cache.Digest, len(m.Files))
		for i := range m.Files {
			all[i] = m.Files[i].Digest
		}
		return all, nil
	}
}

func tableReferences(content []byte) ([]cache.Digest, error) {
	r, size := bytes.NewReader(content), int64(len(content))
	schema, _, err := results.SchemaIn(r, size)
	if err != nil {
		return nil, err
	}
	var columns []int
	for i, c := range schema.Columns {
		if c.Blob {
			columns = append(columns, i)
		}
	}
	if len(columns) == 0 {
		return nil, nil
	}
	seen := map[cache.Digest]bool{}
	var all []cache.Digest
	add := func(text string) {
		if d, err := cache.ParseDigest(text); err == nil && !seen[d] {
			seen[d] = true
			all = append(all, d)
		}
	}
	err = results.Each(r, size, func(row reflect.Value) error {
		for _, i := range columns {
			switch f := schema.Columns[i].Field(row); f.Kind() {
			case reflect.String:
				add(f.String())
			case reflect.Slice:
				for k := range f.Len() {
					add(f.Index(k).String())
				}
			}
		}
		return nil
	})
	return all, err
}

// recomputed lists the namespaces of items whose content is recomputed if it is lost.
var recomputed = []string{"scramble", "index", "models", "report"}

// itemReferences returns the content that a run's record needs: every digest that the record contains in hexadecimal,
// such as the output's.
func itemReferences(namespace string, record []byte) []cache.Digest {
	if slices.Contains(recomputed, namespace) {
		return nil
	}
	const digits = 2 * len(cache.Digest{})
	var all []cache.Digest
	for start, i := 0, 0; i < len(record); i++ {
		if c := record[i]; !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			start = i + 1
			continue
		}
		// A longer sequence of hexadecimal digits may start with a length, so every position in it is tried.
		if i+1-start >= digits {
			if d, err := cache.ParseDigest(string(record[i+1-digits : i+1])); err == nil {
				all = append(all, d)
			}
		}
	}
	return all
}
