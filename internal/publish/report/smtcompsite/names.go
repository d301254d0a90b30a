package smtcompsite

import (
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
)

// track is a competition track with pages on the site.
type track struct {
	name string // name that comp.Track prints
	page string // name in front matter; without track_ and with hyphens, also in file names
	word string // name in data files
}

// tracks are in the order of the organisers' tool.
var tracks = []track{
	{"unsat_core", "track_unsat_core", "UnsatCore"},
	{"single_query", "track_single_query", "SingleQuery"},
	{"model_validation", "track_model_validation", "ModelValidation"},
	{"incremental", "track_incremental", "Incremental"},
	{"cloud", "track_cloud", "Cloud"},
	{"parallel", "track_parallel", "Parallel"},
}

func trackNamed(name string) (track, bool) {
	i := slices.IndexFunc(tracks, func(t track) bool { return t.name == name })
	if i < 0 {
		return track{}, false
	}
	return tracks[i], true
}

// file returns the file name of a page about the track.
func (t track) file(name string) string {
	suffix := strings.ReplaceAll(strings.TrimPrefix(t.page, "track_"), "_", "-")
	return strings.ToLower(name) + "-" + suffix + ".md"
}

// identifier returns the name of a division or logic in pages, which replaces + with _.
func identifier(name string) string { return strings.ReplaceAll(name, "+", "_") }

// pageName matches names that may be part of a file name and of an address.
var pageName = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9_+.-]*$`)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
