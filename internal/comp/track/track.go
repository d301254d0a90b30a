// Package track names the competition's tracks. It stands apart from the rest of the vocabulary so that the scrambler, which
// is started once per benchmark, needs no more of the library than it says: see cmd/smtpipe/scrambling. Everyone else uses
// the same names from internal/comp.
package track

import (
	"errors"
	"strconv"
)

// Track is one of the competition's tracks. The zero Track is not valid.
type Track uint8

// The tracks of 2008 to 2026. Before 2019 the single-query track was called main and the incremental one application.
const (
	SingleQuery Track = iota + 1
	Incremental
	UnsatCore
	ModelValidation
	ProofExhibition
	Parallel
	Cloud
	IndustryChallenge
)

// names are the names used in pipelines, tables and keys, by Track.
var names = [...]string{
	SingleQuery:       "single_query",
	Incremental:       "incremental",
	UnsatCore:         "unsat_core",
	ModelValidation:   "model_validation",
	ProofExhibition:   "proof",
	Parallel:          "parallel",
	Cloud:             "cloud",
	IndustryChallenge: "industry_challenge",
}

// All lists all tracks in a fixed order.
func All() []Track {
	all := make([]Track, 0, len(names)-1)
	for t := SingleQuery; int(t) < len(names); t++ {
		all = append(all, t)
	}
	return all
}

// String gives the name used in pipelines, tables and keys, as "single_query".
func (t Track) String() string {
	if t == 0 || int(t) >= len(names) {
		return "track(" + strconv.Itoa(int(t)) + ")"
	}
	return names[t]
}

// Parse reads a name given by String, an older name ("main", "application") or one of the organisers' files
// ("SingleQuery").
func Parse(name string) (Track, error) {
	for t := SingleQuery; int(t) < len(names); t++ {
		if names[t] == name {
			return t, nil
		}
	}
	if t := alias(name); t != 0 {
		return t, nil
	}
	known := ""
	for _, t := range All() {
		known += " " + t.String()
	}
	return 0, errors.New("unknown track " + strconv.Quote(name) + "; the tracks are [" + known[1:] + "]")
}

// alias gives the track that older rules or the organisers' files call so, and 0 for no track.
func alias(name string) Track {
	switch name {
	case "main", "SingleQuery":
		return SingleQuery
	case "application", "Incremental":
		return Incremental
	case "UnsatCore":
		return UnsatCore
	case "ModelValidation":
		return ModelValidation
	case "proof_exhibition", "ProofExhibition":
		return ProofExhibition
	case "Parallel":
		return Parallel
	case "Cloud":
		return Cloud
	}
	return 0
}
