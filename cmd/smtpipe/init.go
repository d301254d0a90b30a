package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/examples/quickstart"
)

func newInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Write a complete small competition to begin with",
		Long: `Writes the quickstart into a new or empty folder (default: this one): a pipeline, competition.hcl, and a small release of
benchmarks. "smtpipe run" in that folder executes it with Debian's z3 and cvc5.

` + exitCodesHelp,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := "."
			if len(args) == 1 {
				folder = args[0]
			}
			if err := writeQuickstart(folder); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "Wrote competition.hcl and release/ into %s. Next: smtpipe plan "+
				"-p %s\n", folder, folder)
			return err
		},
	}
}

// writeQuickstart writes the example. Files that are there already are an error, and nothing is written then; what was
// written before another error is removed.
func writeQuickstart(folder string) error {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no folder; choose another name", folder)
	}
	var names []string
	err := fs.WalkDir(quickstart.Files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if _, err := os.Lstat(filepath.Join(folder, name)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists already; choose an empty folder", filepath.Join(folder, name))
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		return err
	}
	for i, name := range names {
		if err := writeExample(folder, name); err != nil {
			for _, written := range names[:i+1] {
				os.Remove(filepath.Join(folder, written))
			}
			return err
		}
	}
	return nil
}

func writeExample(folder, name string) error {
	data, err := quickstart.Files.ReadFile(name)
	if err != nil {
		return err
	}
	target := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return err
	}
	return os.WriteFile(target, data, 0o666)
}
