package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/audit/signature"
	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/stages/all"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	vars       []string
	key        string
	rerun      string
	results    string
	seed       uint64
	json       bool
	html       string
	progress   string
	into       string
	sha256     string
	memory     string
	progressOn bool // the user requested progress
}

func newVerifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify FOLDER | FILE.zip | FILE.tar.zst | URL | DOI",
		Short: "Check a frozen folder",
		Long: `Checks what "smtpipe freeze" wrote, on any machine, without solvers or a network: the digest of every file, and that
everything computed from the measurements follows from them. Each stage is executed again on its own, without reusing
anything, and compared byte by byte; differences are reported down to the row and column. The measured runs must be those
that the pipeline asks for, and each record must be consistent.

A URL, a DOI or a Zenodo record is downloaded into the current folder (--into) and kept; interrupted downloads are
resumed. After that, no network is needed.

The folder may come from strangers, so a process with limited memory (--memory) checks it, without network access where the system
allows that; the report says so. Programs in the folder are executed with full isolation or not at all.

Stages whose content is not in the folder, such as benchmarks, cannot be recomputed and are listed.

With --key the lock must be signed (freeze --sign, or "ssh-keygen -Y sign -n smtpipe") by a key in the file: public keys, one per line,
or allowed_signers of ssh-keygen(1). The file must not come with the folder. Without --key the report says that nobody's signature was
checked.

With --rerun, a proportional sample of each solver's and division's runs is repeated on this machine.
This needs the solvers, and their scripts in the folder (freeze --inputs). Answers must be the same as before, except for limits.
CPU times of a solver contradict the earlier ones if, over at least 30 runs above 1 s, the 99 % bootstrap interval of the median ratio lies
outside 0.8 to 1.25; on another machine, all ratios are first divided by the median of all runs.

` + exit.Help,
		Args: func(cmd *cobra.Command, args []string) error {
			if _, err := verify.ParseSample(f.rerun, f.seed); f.rerun != "" && err != nil {
				return exit.With(exit.Usage, fmt.Errorf("--rerun: %w", err))
			}
			return usageArgs(cobra.ExactArgs(1))(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.progressOn = cmd.Flags().Changed("progress")
			return f.run(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.vars, "var", nil, "value of a sensitive variable, which is not in the folder, as NAME=VALUE")
	flags.StringVar(&f.key, "key", "", "file with the SSH public keys that may have signed the lock, or allowed_signers")
	flags.StringVar(&f.rerun, "rerun", "", "repeat a sample of the runs: a number such as 200, or a share such as 2%")
	flags.StringVar(&f.results, "results", "", "write the results of the repeated runs as CSV, which a stage "+
		"\"import\" reads")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the sample")
	flags.BoolVar(&f.json, "json", false, "print the report as JSON")
	flags.StringVar(&f.html, "html", "", "also write the report as a page")
	flags.StringVar(&f.into, "into", ".", "folder for downloads, which are kept")
	flags.StringVar(&f.sha256, "sha256", "", "digest that the download must have")
	flags.StringVar(&f.memory, "memory", "2GB", "memory that checking may use")
	flags.StringVar(&f.progress, "progress", "none", "how to show progress: auto, bars, lines, json or none (default of downloads: auto)")
	return cmd
}

func (f *verifyFlags) run(cmd *cobra.Command, name string) error {
	given, err := project.ParseVars(f.vars)
	if err != nil {
		return err
	}
	var sample *verify.Sample
	if f.rerun != "" {
		if sample, err = verify.ParseSample(f.rerun, f.seed); err != nil {
			return exit.With(exit.Usage, fmt.Errorf("--rerun: %w", err))
		}
	}
	if f.results != "" && sample == nil {
		return exit.With(exit.Usage, errors.New("--results writes the runs that --rerun repeats; give both"))
	}
	signers, err := readSigners(f.key)
	if err != nil {
		return err
	}
	memory, err := comp.ParseSize(f.memory)
	if err != nil {
		return exit.With(exit.Usage, fmt.Errorf("--memory: %w", err))
	}
	confined, temp, finished, err := confine()
	if err != nil {
		return err
	}
	if confined == nil {
		if verify.IsAddress(name) {
			if name, err = f.download(cmd, name); err != nil {
				return err
			}
		} else if f.sha256 != "" {
			return exit.With(exit.Usage, errors.New("--sha256 is only for downloads"))
		}
		return verifyInChild(cmd, f.command(cmd, name), memory)
	}
	defer finished()
	observer, err := ui.New(ui.Mode(f.progress), cmd.ErrOrStderr())
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	report, err := verify.Run(cmd.Context(), verify.Options{
		Path: name, Vars: given, Kinds: all.Kinds(), Version: version, Observer: observer,
		Sample: sample, Signers: signers, Confined: confined, Temp: temp, Hardware: runner.Hardware().String(),
		Files: func(folder string, store *cache.Store) frozen.Finder {
			return &project.Files{Folder: folder, Index: store.FileIndex(false).EndWith(cmd.Context())}
		},
	})
	observer.Close()
	if err != nil {
		return verifyError(cmd, err)
	}
	if f.html != "" {
		var page bytes.Buffer
		if err := report.WriteHTML(&page); err != nil {
			return err
		}
		if err := outfile.Write(f.html, page.Bytes(), 0o666); err != nil {
			return err
		}
	}
	if f.results != "" && report.Measurement != nil {
		var table bytes.Buffer
		if err := report.Measurement.WriteResults(&table); err != nil {
			return err
		}
		if err := outfile.Write(f.results, table.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return writeVerified(cmd, report, f.json)
}

// command returns the command line that verifies a folder or archive with the given flags.
func (f *verifyFlags) command(cmd *cobra.Command, name string) []string {
	args := []string{"verify"}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch values, many := flag.Value.(pflag.SliceValue); {
		case flag.Name == "into" || flag.Name == "sha256": // these flags belong to the download
		case many:
			for _, v := range values.GetSlice() {
				args = append(args, "--"+flag.Name+"="+v)
			}
		default:
			args = append(args, "--"+flag.Name+"="+flag.Value.String())
		}
	})
	return append(args, "--", name)
}

// download downloads the content at an address.
func (f *verifyFlags) download(cmd *cobra.Command, address string) (string, error) {
	mode := ui.Mode(f.progress)
	if !f.progressOn {
		mode = ui.Auto
	}
	observer, err := ui.New(mode, cmd.ErrOrStderr())
	if err != nil {
		return "", exit.With(exit.Usage, err)
	}
	name, err := verify.NewDownload(f.into, f.sha256, observer, cmd.ErrOrStderr()).Get(cmd.Context(), address)
	observer.Close()
	if err != nil && !exit.WasInterrupted(cmd.Context(), err) {
		return "", exit.With(exit.CannotVerify, err)
	}
	if err != nil {
		return "", exit.With(exit.Interrupted, errors.New("interrupted; the same command resumes the download"))
	}
	return name, nil
}

// readSigners reads the keys of the required signers. It returns nil if none are required.
func readSigners(path string) (signature.Signers, error) {
	if path == "" {
		return nil, nil
	}
	text, err := limits.Signers.ReadFile(path)
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("--key: %w", err))
	}
	signers, err := signature.ParseSigners(text)
	if err != nil {
		return nil, exit.With(exit.Usage, fmt.Errorf("--key %s: %w", path, err))
	}
	return signers, nil
}

func verifyError(cmd *cobra.Command, err error) error {
	if cannot, ok := errors.AsType[*verify.CannotError](err); ok {
		return exit.With(exit.CannotVerify, cannot)
	}
	return exit.Stopped(cmd.Context(), err)
}

func writeVerified(cmd *cobra.Command, report *verify.Report, asJSON bool) error {
	var err error
	if asJSON {
		err = printJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.WriteText(cmd.OutOrStdout())
	}
	switch {
	case err != nil:
		return err
	case report.Differs():
		return exit.With(exit.Differs, nil)
	case report.Measurement != nil && report.Measurement.Contradicts():
		return exit.With(exit.Contradicts, nil)
	case report.Unsure || report.Measurement != nil && report.Measurement.Runs == 0:
		return exit.With(exit.CannotVerify, nil)
	}
	return nil
}
