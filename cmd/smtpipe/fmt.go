package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	unified "github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/lang/config"
)

func newFmtCommand() *cobra.Command {
	var check, list, diff bool
	cmd := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "Lay out pipeline files canonically",
		Long: `Rewrites .hcl files, or those in folders, in the canonical layout and lists the changed ones. Files with syntax errors are left
unchanged.

` + exit.Help,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				paths = []string{"."}
			}
			files, err := hclFiles(paths)
			if err != nil {
				return exit.With(exit.Usage, err)
			}
			changed, broken := 0, false
			for _, f := range files {
				did, err := formatFile(cmd, f, !check && !list && !diff, diff)
				if errors.Is(err, exit.ErrReported) {
					broken = true
					continue
				}
				if err != nil {
					return err
				}
				if did {
					changed++
				}
				if did && !diff {
					fmt.Fprintln(cmd.OutOrStdout(), f)
				}
			}
			if broken {
				return exit.ErrReported
			}
			if check && changed > 0 {
				return exit.With(exit.Differs, fmt.Errorf("%d files are not in the canonical layout; \"smtpipe fmt\" "+
					"rewrites them", changed))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "change nothing, and exit with code 3 if a file would be changed")
	cmd.Flags().BoolVar(&list, "list", false, "change nothing, and name the files that would be changed")
	cmd.Flags().BoolVar(&diff, "diff", false, "change nothing, and show the changes as a unified diff")
	return cmd
}

func hclFiles(paths []string) ([]string, error) {
	var files []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, exit.Plain(err, p)
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		found, err := os.ReadDir(p)
		if err != nil {
			return nil, exit.Plain(err, p)
		}
		for _, e := range found {
			if !e.IsDir() && (config.IsSource(e.Name()) || strings.HasSuffix(e.Name(), rules.Suffix)) {
				files = append(files, filepath.Join(p, e.Name()))
			}
		}
	}
	return files, nil
}

// formatFile reports whether a file's layout is not canonical. With rewrite, it corrects the file; with diff, it prints
// the difference.
func formatFile(cmd *cobra.Command, path string, rewrite, diff bool) (bool, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	out, diags := config.FormatFile(path, src)
	if diags.HasErrors() {
		sources := map[string]*hcl.File{path: {Bytes: src}}
		if err := config.WriteDiagnostics(cmd.ErrOrStderr(), diags, sources, 80, false); err != nil {
			return false, err
		}
		return false, exit.ErrReported
	}
	if bytes.Equal(src, out) {
		return false, nil
	}
	if diff {
		if _, err := cmd.OutOrStdout().Write(unified.Diff(path, src, path, out)); err != nil {
			return false, err
		}
	}
	if !rewrite {
		return true, nil
	}
	info, err := os.Stat(path)
	mode := fs.FileMode(0o644)
	if err == nil {
		mode = info.Mode().Perm()
	}
	return true, outfile.Write(path, out, mode)
}
