package scramble

import (
	"errors"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Annotations selects the annotated terms (! E ...) that keep their annotation.
type Annotations uint8

// The choices of the official option -term_annot.
const (
	AllAnnotations    Annotations = iota // "true"
	PatternAnnotation                    // "pattern": only those whose single attribute is :pattern
	NoAnnotations                        // "false"
)

// ParseAnnotations reads all, pattern or none.
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

// Options holds the official program's options. The zero value switches scrambling off and prints all annotations.
type Options struct {
	Seed         int64 // 0 to MaxSeed; 0 switches shuffling and renaming off
	Annotations  Annotations
	Incremental  bool // do not print (set-option :print-success false)
	UnsatCores   bool // name assertions, produce and get unsat cores
	Models       bool // produce and get models
	Proofs       bool // produce and get proofs
	NonSMTCOMP   bool // accept reset and every set-option, and keep them
	Z3           bool // accept attributes of z3 such as :qid
	StatusHeader bool // first write the header of the incremental track: the declared statuses and a line of dashes
	Core         Core // keep only the assertions that it names; nil keeps all

	// KeepOrder and KeepNames each switch off half of what a seed does. The official program does both halves or
	// neither.
	KeepOrder, KeepNames bool
}

// ForTrack returns the options that the competition uses for a track. The single-query options serve the tracks without
// options of their own (parallel, cloud, industry challenge).
//
// Source: how the tracks call the official scrambler, 2023 to 2026.
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

// validate reports a seed that is out of range.
func (o *Options) validate() error {
	if o.Seed < 0 || o.Seed > MaxSeed {
		return errors.New("seed " + strconv.FormatInt(o.Seed, 10) + " is out of range; it must be between 0 and " +
			strconv.Itoa(MaxSeed))
	}
	return nil
}
