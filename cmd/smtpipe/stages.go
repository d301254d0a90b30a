package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

func newStagesCommand() *cobra.Command {
	var docs string
	cmd := &cobra.Command{
		Use:   "stages [KIND]",
		Short: "List the kinds of stages, or describe one",
		Args:  usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if docs != "" {
				return writeStagePages(docs, args)
			}
			if len(args) == 0 {
				return listKinds(cmd.OutOrStdout())
			}
			var names []string
			for _, k := range all.Kinds() {
				if k.Name == args[0] {
					return stages.WriteReference(cmd.OutOrStdout(), k)
				}
				names = append(names, k.Name)
			}
			return exit.With(exit.Usage, fmt.Errorf("there is no stage kind %q.%s \"smtpipe stages\" lists them",
				args[0],
				nearest.Question(args[0], names)))
		},
	}
	cmd.Flags().StringVar(&docs, "docs", "", "write the pages of all kinds into this folder, and a list of them")
	return cmd
}

// writeStagePages writes the reference pages of all kinds, generated from their declarations.
func writeStagePages(dir string, kinds []string) error {
	if len(kinds) > 0 {
		return exit.With(exit.Usage, errors.New("--docs writes the pages of all kinds; leave the kind out"))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range stagePages() {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// stagePages returns the reference pages by file name.
func stagePages() map[string][]byte {
	pages := map[string][]byte{}
	var list bytes.Buffer
	list.WriteString("# Kinds of stages\n\nThese pages are generated from the code: `smtpipe stages --docs " +
		"docs/stages`.\n\n| kind | |\n|---|---|\n")
	for _, k := range all.Kinds() {
		var b bytes.Buffer
		_ = stages.WriteReference(&b, k) // writing to a buffer cannot fail
		pages[k.Name+".md"] = b.Bytes()
		fmt.Fprintf(&list, "| [`%s`](%s.md) | %s |\n", k.Name, k.Name, k.Summary)
	}
	fmt.Fprintf(&list, "\nThe tables that they exchange: [tables.md](tables.md).\n")
	pages["README.md"] = list.Bytes()
	pages["tables.md"] = tablesPage()
	return pages
}

// tablesPage returns the page that explains every table's columns.
func tablesPage() []byte {
	var b bytes.Buffer
	b.WriteString("# Tables\n\nThis page is generated from the code: `smtpipe stages --docs docs/stages`. `smtpipe show` prints " +
		"a table, and writes it as CSV, JSON or Parquet. The number after the slash is the version of the table, " +
		"which changes when a column is removed or changes its meaning.\n\nColumns with names in `_s` " +
		"hold seconds, in `_bytes` bytes, in `_sha256` a SHA-256 in hexadecimal digits. Rows are sorted by the columns of " +
		"the key, which no two rows share. Nothing is null: an unknown value is empty, 0, false, or what the column's meaning " +
		"says.\n")
	for _, s := range results.Schemas() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| column | type | key | meaning |\n|---|---|---|---|\n", s.Name, sentence(s.Doc))
		for _, c := range s.Columns {
			key := ""
			if c.Key {
				key = "yes"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, c.Kind, key, strings.ReplaceAll(c.Doc, "|", "\\|"))
		}
	}
	return b.Bytes()
}

// sentence returns a text with a capital first letter and a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

func listKinds(w io.Writer) error {
	b := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, k := range all.Kinds() {
		fmt.Fprintf(b, "%s\t%s\n", k.Name, k.Summary)
	}
	return b.Flush()
}
