package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/frozen"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/signature"
	"github.com/smtpipe/smtpipe/internal/stages/all"
	"github.com/smtpipe/smtpipe/internal/ui"
	"github.com/smtpipe/smtpipe/internal/verify"
)

func newVerifyCommand() *cobra.Command {
	var vars []string
	var asJSON bool
	var rerun string
	var seed uint64
	var progress, key string
	cmd := &cobra.Command{
		Use:   "verify FOLDER | FILE.zip | FILE.tar.zst",
		Short: "Check a frozen folder",
		Long: `Checks what "smtpipe freeze" wrote, on any machine, without solvers and without network: the digest of every file, and that
everything follows that was computed from the measurements. Each stage is executed again in a place of its own, with nothing
reused, and compared bit by bit; what differs is named to the row and column. Of what was measured, the runs must be those
that the pipeline asks for, and what is recorded of each must fit together.

What the folder does not have the content for, such as benchmarks, cannot be computed again and is listed.

With --key the lock must be signed (freeze --sign, or "ssh-keygen -Y sign -n smtpipe") by a key of the file: public keys, one a line,
or allowed_signers of ssh-keygen(1). It must not come with the folder. Without --key nobody's signature is checked, which is said.

With --rerun a sample of the runs is made again on this machine, as many of each solver in each division as there are in proportion.
Their solvers must be here, and their scripts in the folder (freeze --inputs). Answers must be those of before, but for limits. CPU
times of a solver contradict those of before if, of at least 30 runs above 1 s, the 99 % bootstrap interval of the median ratio lies
outside of 0.8 to 1.25; on another machine, the median ratio of all runs is taken out before.

` + exitCodesHelp,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			given, err := parseVars(vars)
			if err != nil {
				return err
			}
			var sample *verify.Sample
			if rerun != "" {
				if sample, err = verify.ParseSample(rerun, seed); err != nil {
					return withExit(exitUsage, fmt.Errorf("--rerun: %w", err))
				}
			}
			signers, err := readSigners(key)
			if err != nil {
				return err
			}
			observer, err := ui.New(ui.Mode(progress), cmd.ErrOrStderr())
			if err != nil {
				return withExit(exitUsage, err)
			}
			report, err := verify.Run(cmd.Context(), verify.Options{
				Path: args[0], Vars: given, Kinds: all.Kinds(), Version: version, Observer: observer,
				Sample: sample, Signers: signers, Hardware: runner.Hardware().String(),
				Files: func(folder string, store *cache.Store) frozen.Finder {
					return &pipelineFiles{folder: folder, index: store.FileIndex(false)}
				},
			})
			observer.Close()
			if err != nil {
				return verifyError(cmd, err)
			}
			return writeVerified(cmd, report, asJSON)
		},
	}
	cmd.Flags().StringArrayVar(&vars, "var", nil, "value of a sensitive variable, which is not in the folder, as NAME=VALUE")
	cmd.Flags().StringVar(&key, "key", "", "file with the SSH public keys of those who must have signed the lock, or allowed_signers")
	cmd.Flags().StringVar(&rerun, "rerun", "", "make a sample of the runs again: a number as 200, or a share as 2%")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "seed of the sample")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	cmd.Flags().StringVar(&progress, "progress", "none", "how to show progress: auto, bars, lines, json or none")
	return cmd
}

// readSigners reads the keys of those who must have signed; nil: nobody has to.
func readSigners(path string) (signature.Signers, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, withExit(exitUsage, fmt.Errorf("--key: %w", err))
	}
	signers, err := signature.ParseSigners(text)
	if err != nil {
		return nil, withExit(exitUsage, fmt.Errorf("--key %s: %w", path, err))
	}
	return signers, nil
}

func verifyError(cmd *cobra.Command, err error) error {
	if cannot, ok := errors.AsType[*verify.CannotError](err); ok {
		return withExit(exitCannotVerify, cannot)
	}
	return stopped(cmd.Context(), err)
}

func writeVerified(cmd *cobra.Command, report *verify.Report, asJSON bool) error {
	var err error
	if asJSON {
		err = printJSON(cmd, report)
	} else {
		err = report.WriteText(cmd.OutOrStdout())
	}
	switch {
	case err != nil:
		return err
	case report.Differs():
		return withExit(exitDiffers, nil)
	case report.Measurement != nil && report.Measurement.Contradicts():
		return withExit(exitContradicts, nil)
	case report.Unsure || report.Measurement != nil && report.Measurement.Runs == 0:
		return withExit(exitCannotVerify, nil)
	}
	return nil
}
