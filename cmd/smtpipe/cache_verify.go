package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/ui"
)

func newCacheVerifyCommand() *cobra.Command {
	var flags projectFlags
	var rerun, repair, asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check all content of a store",
		Long: `Reads everything in the store and checks blobs against their digests and records against their checksums. Damaged
content counts as missing; --repair moves it aside, and the next run recreates it. With --rerun, the pipeline's deterministic stages are executed again without
reusing anything, and their outputs are compared byte by byte with the records. Solver runs are not repeated, since no two
runs are alike.

` + exit.Help,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if rerun {
				return verifyRerun(cmd, &flags, asJSON)
			}
			return verifyStore(cmd, &storeFlags{flags.Store, flags.Pipeline}, repair, asJSON)
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().BoolVar(&rerun, "rerun", false, "execute the deterministic stages of the pipeline again and compare")
	cmd.Flags().BoolVar(&repair, "repair", false, "move damaged content aside, so that the next run makes it again")
	cmd.MarkFlagsMutuallyExclusive("rerun", "repair")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func verifyStore(cmd *cobra.Command, flags *storeFlags, repair, asJSON bool) (err error) {
	store, err := flags.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	check := store.Check
	if repair {
		check = store.Repair
	}
	v, err := check()
	if err != nil {
		return err
	}
	v.Problems = append(v.Problems, store.DamageReports()...)
	if asJSON {
		err = printJSON(cmd.OutOrStdout(), v)
	} else {
		for _, p := range v.Problems {
			fmt.Fprintln(cmd.OutOrStdout(), p)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d blobs (%s), %d records of items and %d of stages were read, and "+
			"%s found.\n",
			v.Blobs, comp.FormatSize(v.Bytes), v.Records, v.Actions, words.Count(len(v.Problems), "problem"))
	}
	switch {
	case err != nil || len(v.Problems) == 0:
	case repair:
		fmt.Fprintln(cmd.ErrOrStderr(), "Damaged content was moved to files *.damaged; the next run makes it again.")
	default:
		fmt.Fprintln(cmd.ErrOrStderr(), "Damaged content counts as absent, and the next run makes it again; "+
			"\"smtpipe cache verify --repair\" moves it aside.")
		err = exit.With(exit.Differs, nil)
	}
	return err
}

func verifyRerun(cmd *cobra.Command, flags *projectFlags, asJSON bool) (err error) {
	p, err := flags.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	observer, err := ui.New(ui.Auto, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	e, err := p.Engine(engine.Options{Observer: observer})
	if err != nil {
		observer.Close()
		return err
	}
	got, diags := e.Recheck(cmd.Context())
	observer.Close()
	if cmd.Context().Err() != nil {
		return exit.ErrInterrupted
	}
	for i := range got.Steps {
		if failed := got.Steps[i].Err; failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", got.Steps[i].Addr, failed))
		}
	}
	if err := errors.Join(err, p.Report(cmd.ErrOrStderr(), diags)); err != nil {
		return err
	}
	if asJSON {
		err = printJSON(cmd.OutOrStdout(), got)
	} else {
		for _, d := range got.Different {
			fmt.Fprintln(cmd.OutOrStdout(), d)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d stages gave the same bytes again, %d outputs differ; %d are "+
			"measured, %d are not in the store.\n",
			got.Same, len(got.Different), got.Measured, got.Unknown)
	}
	switch {
	case err != nil:
	case len(got.Different) > 0:
		err = exit.With(exit.Differs, nil)
	case got.Unknown > 0:
		err = exit.With(exit.CannotVerify, nil)
	}
	return err
}
