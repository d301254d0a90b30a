// Package scrambling is what "smtpipe tool scramble" does with one benchmark, and the short way to it.
//
// Competitions start the scrambler once per benchmark, and most benchmarks take less time than the initialisation of the
// packages that the rest of smtpipe consists of. Go initialises packages in the order of their import paths as far as
// their imports allow. This package imports little, so it has its turn before those of databases, plots and networks, and
// does the work then if the command line is a plain one; see [Tried]. Therefore it must not import more: the test that
// counts what was initialised before it fails otherwise.
package scrambling

import (
	"errors"
	"os"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/comp/track"
	"github.com/smtpipe/smtpipe/internal/scramble"
)

// Flags are the flags of the command as given.
type Flags struct {
	Seed        int64
	Mode        string
	Annotations string
	Extensions  []string
	Core        string // a file, or "" for no core
	NoHeader    bool
}

// Default are the flags of a command line without any.
func Default() Flags {
	return Flags{Mode: track.SingleQuery.String(), Annotations: "pattern"}
}

// UsageError is a flag with a wrong value.
type UsageError struct {
	Flag string // with its dashes
	Err  error
}

func (e *UsageError) Error() string { return e.Flag + ": " + e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

// Options decodes the flags and reads the core. The error is a *UsageError, a *[scramble.Rejection] of the core, or says
// that the core cannot be read.
func (f *Flags) Options() (scramble.Options, error) {
	usage := func(flag string, err error) (scramble.Options, error) {
		return scramble.Options{}, &UsageError{Flag: flag, Err: err}
	}
	mode, err := track.Parse(f.Mode)
	if err != nil {
		return usage("--mode", err)
	}
	if f.Seed < 0 || f.Seed > scramble.MaxSeed {
		return usage("--seed", errors.New(strconv.FormatInt(f.Seed, 10)+" is out of range; it must be between 0 and "+strconv.Itoa(scramble.MaxSeed)))
	}
	opt := scramble.ForTrack(mode, f.Seed)
	opt.StatusHeader = opt.StatusHeader && !f.NoHeader
	if opt.Annotations, err = scramble.ParseAnnotations(f.Annotations); err != nil {
		return usage("--annotations", err)
	}
	for _, e := range f.Extensions {
		switch e {
		case "z3":
			opt.Z3 = true
		case "non_smtcomp":
			opt.NonSMTCOMP = true
		default:
			return usage("--extensions", errors.New("unknown extension "+strconv.Quote(e)+"; it must be z3 or non_smtcomp"))
		}
	}
	if f.Core != "" {
		text, err := os.ReadFile(f.Core)
		if err != nil {
			return opt, &readError{"the core", err}
		}
		opt.Core, err = scramble.ParseCore(text, f.Core)
		return opt, err
	}
	return opt, nil
}
