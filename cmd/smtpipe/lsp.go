package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/lsp"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

func newLSPCommand() *cobra.Command {
	var flags projectFlags
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: diagnostics, completion, references, rename, formatting",
		Long: `Speaks the Language Server Protocol on standard input and output; editors start it. It shows the errors of "smtpipe check" while you
edit a pipeline, completes names, explains the name under the cursor with its value in the store, finds declarations
and references, renames them in all files, and formats files as "smtpipe fmt" does. Nothing is executed, and no store is created.

Without -p, a file's pipeline is its folder, or only the file if several files of the folder have a competition block.

` + exit.Help,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.serveEditor(cmd) },
	}
	flags.register(cmd.Flags())
	cmd.Flags().Bool("stdio", true, "accepted because editors pass it; there is no other transport")
	return cmd
}

// serveEditor serves an editor until the editor disconnects.
func (f *projectFlags) serveEditor(cmd *cobra.Command) (err error) {
	sweepSpares(os.TempDir())
	// Pipelines without a store use this one.
	spare, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", sparePrefix, os.Getpid()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(spare)) }()
	opt := lsp.Options{Kinds: all.Kinds(), Version: version, ValueText: project.ValueText}
	if f.Pipeline != "" {
		if opt.Pipeline, _, err = f.Locate(); err != nil {
			return err
		}
	}
	opt.Load = func(path string, overlay map[string][]byte) (lsp.Project, error) {
		here := *f
		here.Pipeline, here.Overlay = path, overlay
		if here.Store == "" && !hasStore(path) {
			here.Store = spare
		}
		return here.loadForEditor(cmd)
	}
	return lsp.Serve(cmd.Context(), stdio{cmd.InOrStdin(), cmd.OutOrStdout()}, opt)
}

const sparePrefix = "smtpipe-lsp-"

// sweepSpares removes the folders of killed servers from dir. A folder's name contains its server's process ID.
func sweepSpares(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, sparePrefix+"*-*")) // the pattern is valid, so this cannot fail
	for _, path := range left {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), sparePrefix), "-")
		pid, err := strconv.Atoi(number)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			os.RemoveAll(path)
		}
	}
}

// loadForEditor reads a pipeline with the outputs in the store.
func (f *projectFlags) loadForEditor(cmd *cobra.Command) (_ lsp.Project, err error) {
	p, diags, err := f.load(cmd)
	if err != nil {
		return lsp.Project{}, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	loaded := lsp.Project{Pipeline: p.Pipeline, Diags: diags}
	if diags.HasErrors() {
		return loaded, nil
	}
	if e, err := p.Engine(engine.Options{}); err == nil {
		plan, _ := e.Plan() // the plan's errors remain unknown until a stage executes
		loaded.Known = plan.Known
	}
	return loaded, nil
}

// hasStore reports whether there is a store next to a pipeline.
func hasStore(path string) bool {
	if filepath.Ext(path) == ".hcl" {
		path = filepath.Dir(path)
	}
	info, err := os.Stat(filepath.Join(path, ".smtpipe"))
	return err == nil && info.IsDir()
}

// stdio is the connection to the parent process.
type stdio struct {
	io.Reader
	io.Writer
}

// Close closes the input if possible, so that no reader waits for it.
func (s stdio) Close() error {
	if c, ok := s.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
