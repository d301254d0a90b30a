package scramble

import (
	"errors"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Annotations selects the annotated terms (! E ...) that keep their annotation.
type Annotations uint8

// Values of the official option -term_annot.
const (
	AllAnnotations    Annotations = iota // "true"
	PatternAnnotation                    // "pattern": only annotations whose single attribute is :pattern
	NoAnnotations                        // "false"
)

// ParseAnnotations parses "all", "pattern" or "none".
func ParseAnnotations(s string) (Annotations, error) {
	switch s {
	case "all":
		return AllAnnotations, nil
	case "pattern":
		return PatternAnnotation, nil
	case "none":
		return NoAnnotations, nil
	}
	return 0, errors.New("unknown choice of annotations " + strconv.Quote(s) + "; it must be all, pattern or none")
}

// MaxSeed is the largest seed that the official program accepts.
const MaxSeed = 1<<31 - 1

// Options are the official program's options. The zero value disables scrambling and prints all annotations.
type Options struct {
	Seed         int64 // 0 to MaxSeed; 0 disables shuffling and renaming
	Annotations  Annotations
	Incremental  bool // do not print (set-option :print-success false)
	UnsatCores   bool // name assertions; enable and request unsat cores
	Models       bool // enable and request models
	Proofs       bool // enable and request proofs
	NonSMTCOMP   bool // accept and keep reset and every set-option
	Z3           bool // accept z3 attributes such as :qid
	StatusHeader bool // start with the header of the incremental track: the declared statuses and a line of dashes
	Core         Core // keep only the assertions that the core names; nil keeps all

	// KeepOrder and KeepNames each disable half of a seed's effect. The official program applies both halves or
	// neither.
	KeepOrder, KeepNames bool
}

// ForTrack returns the options that the competition uses for a track. Tracks without specific options (parallel, cloud,
// industry challenge) use the single-query track's options.
//
// Source: the tracks' calls of the official scrambler, 2023 to 2026.
func ForTrack(t comp.Track, seed int64) Options {
	opt := Options{Seed: seed, Annotations: PatternAnnotation}
	switch t {
	case comp.Incremental:
		opt.Incremental, opt.StatusHeader = true, true
	case comp.UnsatCore:
		opt.UnsatCores = true
	case comp.ModelValidation:
		opt.Models = true
	case comp.ProofExhibition:
		opt.Proofs = true
	}
	return opt
}

// validate returns an error if the seed is out of range.
func (o *Options) validate() error {
	if o.Seed < 0 || o.Seed > MaxSeed {
		return errors.New("seed " + strconv.FormatInt(o.Seed, 10) + " is out of range; it must be between 0 and " +
			strconv.Itoa(MaxSeed))
	}
	return nil
}
