package comp

import "github.com/smtpipe/smtpipe/internal/comp/track"

// Track is one of the competition's tracks. The zero Track is not valid.
type Track = track.Track

// The tracks of 2008 to 2026. Before 2019 the single-query track was called main and the incremental one application.
const (
	SingleQuery       = track.SingleQuery
	Incremental       = track.Incremental
	UnsatCore         = track.UnsatCore
	ModelValidation   = track.ModelValidation
	ProofExhibition   = track.ProofExhibition
	Parallel          = track.Parallel
	Cloud             = track.Cloud
	IndustryChallenge = track.IndustryChallenge
)

// Tracks lists all tracks in a fixed order.
func Tracks() []Track { return track.All() }

// ParseTrack reads a name given by String, an older name ("main", "application") or one of the organisers' files
// ("SingleQuery").
func ParseTrack(name string) (Track, error) { return track.Parse(name) }
