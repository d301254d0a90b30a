package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/smtpipe/smtpipe/internal/audit/freeze"
	"github.com/smtpipe/smtpipe/internal/audit/signature"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// freezeFlags are the flags of freeze in addition to the project's.
type freezeFlags struct {
	projectFlags
	out     string
	records bool
	inputs  bool
	date    string
	source  string
	sign    string

	contacts bool
	machines []string
	about    freeze.About
	license  string
}

func newFreezeCommand() *cobra.Command {
	var flags freezeFlags
	cmd := &cobra.Command{
		Use:   "freeze [TARGET...]",
		Short: "Write a self-contained folder with the pipeline and its results",
		Long: `Writes the pipeline, the measurements and everything computed from them to a folder, or to an archive whose name ends in .zip
or .tar.zst. Anybody can check it on any machine without solvers, using "smtpipe verify", and reuse its measurements in another
pipeline with --evidence. It contains tables as Parquet and CSV (large ones compressed), the program, a lock, digests of all files,
metadata (RO-Crate, CITATION.cff, Zenodo), and bills of materials. Nothing is executed, so execute the pipeline first.

The runs' outputs are included, as are the scripts of runs that print models or cores, which are needed to judge them again.
--records omits both; --inputs adds benchmarks, all scripts, and the solvers' archives and programs.
The same results produce the same bytes. --sign KEY signs the lock as "ssh-keygen -Y sign" does. Targets are addresses as in "smtpipe plan"; only they and what they need are frozen.

` + exit.Help,
		RunE: func(cmd *cobra.Command, targets []string) error {
			if len(targets) == 1 && !filepath.IsLocal(targets[0]) {
				return exit.With(exit.Usage, fmt.Errorf("%q is not a stage; -o names the folder to write", targets[0]))
			}
			return flags.run(cmd, targets)
		},
	}
	flags.register(cmd.Flags())
	addressCompletion{most: manyTargets}.register(cmd, &flags.projectFlags)
	f := cmd.Flags()
	f.StringVarP(&flags.out, "out", "o", "frozen", "folder or archive to write; it must not exist")
	f.BoolVar(&flags.records, "records", false, "leave out what runs printed")
	f.BoolVar(&flags.inputs, "inputs", false, "add benchmarks, scripts, and archives and programs of solvers")
	f.BoolVar(&flags.contacts, "contacts", false, "publish the mail addresses in submission files; "+
		"without it, verify cannot compute again who entered")
	f.StringVar(&flags.date, "date", "", "date of the folder, such as 2026-07-01 "+
		"(default: the date of the last measurement)")
	f.StringVar(&flags.source, "source", "",
		"archive with the source of smtpipe (default: "+sourceName+" beside the program)")
	f.StringVar(&flags.sign, "sign", "",
		"sign the lock with the SSH key in this file; with a public key, the SSH agent signs")
	f.StringArrayVar(&flags.machines, "machine", nil,
		"output of \"smtpipe doctor --json\" on a machine that measured; may be repeated")
	f.StringVar(&flags.about.Title, "title", "", "title (default: the name of the competition)")
	f.StringArrayVar(&flags.about.Creators, "creator", nil, "who made the results; may be repeated")
	f.StringVar(&flags.license, "license", "", "licence of the folder, an SPDX expression such as CC-BY-4.0")
	return cmd
}

func (f *freezeFlags) check() error {
	if f.records && f.inputs {
		return exit.With(exit.Usage, errors.New("--records omits what --inputs needs; use only one of them"))
	}
	if _, err := time.Parse(time.DateOnly, f.date); f.date != "" && err != nil {
		return exit.With(exit.Usage, fmt.Errorf("--date %q is not a date such as 2026-07-01", f.date))
	}
	var err error
	if f.about.License, err = freeze.ParseLicense(f.license); err != nil {
		return exit.With(exit.Usage, fmt.Errorf("--license %w", err))
	}
	if f.Evidence != "" {
		return exit.With(exit.Usage, errors.New("what is frozen was executed here; leave --evidence out"))
	}
	return nil
}

func (f *freezeFlags) level() freeze.Level {
	switch {
	case f.records:
		return freeze.Records
	case f.inputs:
		return freeze.Inputs
	}
	return freeze.Outputs
}

// signer opens the key of --sign before anything is written, because the user may have to type its passphrase.
func (f *freezeFlags) signer(cmd *cobra.Command) (sign func([]byte) ([]byte, error), done func() error, err error) {
	if f.sign == "" {
		return nil, func() error { return nil }, nil
	}
	key, err := signature.OpenKey(f.sign, func(question string) ([]byte, error) {
		return askSecret(cmd.ErrOrStderr(), question)
	})
	if err != nil {
		return nil, nil, exit.With(exit.Usage, fmt.Errorf("--sign: %w", err))
	}
	return func(lock []byte) ([]byte, error) { return signature.Sign(lock, key) }, key.Close, nil
}

// sourceName is the name of the source archive that "make build" puts next to the program.
const sourceName = "smtpipe-source.tar.gz"

// sourceOf returns the path of a program's source archive, if there is one. It warns about problems with a program that
// others will execute.
func (f *freezeFlags) sourceOf(binary string, w io.Writer) (string, error) {
	if loads, err := elf.Open(binary); err == nil {
		if libraries, err := loads.ImportedLibraries(); err == nil && len(libraries) > 0 {
			const text = "This smtpipe needs %s, and may not start elsewhere; \"make build\" builds one that needs nothing.\n"
			fmt.Fprintf(w, text, strings.Join(libraries, ", "))
		}
		loads.Close()
	}
	if f.source != "" {
		return f.source, nil
	}
	beside := filepath.Join(filepath.Dir(binary), sourceName)
	_, err := os.Stat(beside)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(w, "The source of smtpipe is not included: there is no %s beside the program, and no --source.\n",
			sourceName)
		return "", nil
	}
	return beside, err
}

// askSecret reads something on the terminal that must not be displayed.
func askSecret(w io.Writer, question string) ([]byte, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("it needs a passphrase, and there is no terminal to ask on; use the SSH agent: %w", err)
	}
	defer tty.Close()
	if _, err := fmt.Fprint(w, question); err != nil {
		return nil, err
	}
	defer fmt.Fprintln(w)
	return term.ReadPassword(int(tty.Fd()))
}

func (f *freezeFlags) run(cmd *cobra.Command, targets []string) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	p, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	snap, err := p.Snapshot(cmd.Context(), cmd.ErrOrStderr(), engine.SnapshotOptions{}, targets...)
	if err != nil {
		return err
	}
	known, versions, err := p.EvidenceOf(snap.Steps)
	if err != nil {
		return err
	}
	sign, done, err := f.signer(cmd)
	if err != nil {
		return err
	}
	defer done()
	stderr := cmd.ErrOrStderr()
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	source, err := f.sourceOf(binary, stderr)
	if err != nil {
		return err
	}
	observer, err := ui.New(ui.Auto, stderr)
	if err != nil {
		return err
	}
	in := &freeze.Input{
		Store: p.Store, Pipeline: p.Pipeline, Path: p.Path, Files: p.Named.Found(), Steps: snap.Steps,
		Version: version, Level: f.level(), Contacts: f.contacts, Date: f.date, Binary: binary, Source: source,
		Machines: f.machines, About: f.about, Sign: sign, Evidence: known, Solvers: versions,
		Announce: func(files int, bytes, packed int64) {
			more := ""
			if packed > 0 {
				more = fmt.Sprintf(", and %s to compress", words.Bytes(packed))
			}
			fmt.Fprintf(stderr, "Freezing %d stages into %s: %s files, about %s%s.\n", len(snap.Steps), f.out,
				words.Thousands(int64(files)), words.Bytes(bytes), more)
			observer.Observe(engine.ItemsStarted{Addr: "freeze", Total: int64(files), Unit: "files"})
		},
		Scripts: func(scripts int, bytes int64) {
			fmt.Fprintf(stderr, "With them, %s scripts of models and cores (%s before compression), so that others can judge these again; "+
				"--records leaves them out.\n", words.Thousands(int64(scripts)), words.Bytes(bytes))
		},
		Resume: func(files int) {
			fmt.Fprintf(stderr, "%s of them exist from a freeze that was stopped.\n", words.Thousands(int64(files)))
		},
		Progress: func(files int) { observer.Observe(engine.ItemsDone{Addr: "freeze", N: int64(files)}) },
	}
	err = freeze.Write(cmd.Context(), in, f.out)
	observer.Close()
	if err != nil && exit.WasInterrupted(cmd.Context(), err) {
		return exit.With(exit.Interrupted, errors.New("interrupted; the same command continues with what is written"))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stderr, "Wrote %s. \"smtpipe verify %s\" checks it.\n", f.out, f.out)
	return err
}
