package comp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
)

// Track identifies a competition track. The zero Track is invalid.
type Track uint8

// The tracks from 2008 to 2026. Before 2019, the single-query track was called main, and the incremental track
// application.
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

// trackNames are the names that pipelines, tables and keys use, indexed by Track.
var trackNames = [...]string{
	SingleQuery:       "single_query",
	Incremental:       "incremental",
	UnsatCore:         "unsat_core",
	ModelValidation:   "model_validation",
	ProofExhibition:   "proof",
	Parallel:          "parallel",
	Cloud:             "cloud",
	IndustryChallenge: "industry_challenge",
}

// trackAliases are the names that older rules and the organisers' files use.
var trackAliases = map[string]Track{
	"main":              SingleQuery,
	"SingleQuery":       SingleQuery,
	"application":       Incremental,
	"Incremental":       Incremental,
	"UnsatCore":         UnsatCore,
	"ModelValidation":   ModelValidation,
	"proof_exhibition":  ProofExhibition,
	"ProofExhibition":   ProofExhibition,
	"Parallel":          Parallel,
	"Cloud":             Cloud,
	"IndustryChallenge": IndustryChallenge,
}

// Tracks lists all tracks in a fixed order.
func Tracks() []Track {
	all := make([]Track, 0, len(trackNames)-1)
	for t := SingleQuery; int(t) < len(trackNames); t++ {
		all = append(all, t)
	}
	return all
}

// String returns the name that pipelines, tables and keys use, such as "single_query".
func (t Track) String() string {
	if t == 0 || int(t) >= len(trackNames) {
		return fmt.Sprintf("track(%d)", uint8(t))
	}
	return trackNames[t]
}

// ParseTrack parses a name that String returns, an older name ("main", "application") or a name from the organisers'
// files ("SingleQuery").
func ParseTrack(name string) (Track, error) {
	if i := slices.Index(trackNames[1:], name); i >= 0 {
		return Track(i + 1), nil
	}
	if t, ok := trackAliases[name]; ok {
		return t, nil
	}
	return 0, unknownTrack(name, trackNames[1:])
}

func unknownTrack(name string, known []string) error {
	return fmt.Errorf("unknown track %q.%s The tracks are %s", name, nearest.Question(name, known),
		strings.Join(known, ", "))
}
