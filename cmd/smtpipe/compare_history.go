package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/lang/builds"
	"github.com/smtpipe/smtpipe/internal/publish/document"
)

// args accepts two builds, or none for printing a history.
func (f *compareFlags) args(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && f.history != "" {
		return nil
	}
	return cobra.ExactArgs(2)(cmd, args)
}

// tellHistory writes a solver's history from the store, without executing anything.
func (f *compareFlags) tellHistory(cmd *cobra.Command) (err error) {
	if f.benchmarks != "" {
		return exit.With(exit.Usage, errors.New("the history of all builds comes from the store; name two builds to execute "+
			"them on --benchmarks, or leave it out"))
	}
	f.benchmarks = "-" // nothing is executed
	if err := f.check(); err != nil {
		return exit.With(exit.Usage, err)
	}
	t := builds.Telling{Solver: f.history, Order: f.order, Wanted: f.wanted(cmd)}
	if f.order != "" && f.order != compare.ByVersion && f.order != compare.ByMeasured {
		names, err := os.ReadFile(f.order)
		if err != nil {
			return exit.With(exit.Usage, exit.Plain(err, f.order))
		}
		t.Order = string(names)
	}
	store, err := (&storeFlags{dir: cmp.Or(f.folder, ".smtpipe")}).open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	runs, err := store.Items("compare")
	if err != nil {
		return err
	}
	h, err := builds.OpenHistory(store, runs, t)
	if err != nil {
		return asked(cmd, err)
	}
	return f.write(cmd, h)
}

// wanted returns the conditions that the flags name.
func (f *compareFlags) wanted(cmd *cobra.Command) func(compare.Conditions) bool {
	named := cmd.Flags().Changed
	return func(c compare.Conditions) bool {
		return (!named("wall") || c.WallTime == f.limits.WallTime) &&
			(!named("memory") || c.MemoryBytes == f.limits.MemoryBytes) &&
			(!named("cores") || c.Cores == f.limits.Cores) &&
			(!named("seeds") || (c.Shuffle != "") == (f.seeds > 0)) &&
			(!named("shuffle") || c.Shuffle == f.shuffle)
	}
}

// finding is a report or a history.
type finding interface {
	Document(f compare.Form) *document.Document
}

// write writes a report or a history in all requested formats.
func (f *compareFlags) write(cmd *cobra.Command, d finding) error {
	asJSON := func(w io.Writer) error { return compare.WriteJSON(w, d) }
	for _, form := range []struct {
		file string
		fill func(io.Writer) error
	}{
		{f.html, d.Document(compare.OnPage).WritePage},
		{f.markdown, d.Document(compare.InComment).WriteMarkdown},
		{f.json, asJSON},
	} {
		if form.file == "" || form.file == "-" {
			continue
		}
		var b strings.Builder
		if err := form.fill(&b); err != nil {
			return err
		}
		if err := outfile.WriteText(form.file, b.String()); err != nil {
			return err
		}
	}
	print := d.Document(compare.OnTerminal).WriteText
	switch "-" {
	case f.json:
		print = asJSON
	case f.markdown:
		print = d.Document(compare.InComment).WriteMarkdown
	}
	return print(cmd.OutOrStdout())
}
