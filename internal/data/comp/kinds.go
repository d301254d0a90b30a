package comp

import (
	"maps"
	"slices"
	"strings"
)

// Kinds maps the tracks that a competition defines itself to their kinds, by name. A track is executed, judged and
// scored like its kind, which is a track that ParseTrack accepts. Such tracks are their own kinds and are not included.
type Kinds map[string]Track

// Parse parses the name of a track that the competition defines itself, or a name that ParseTrack accepts. It returns
// the name used in tables, and the kind.
func (k Kinds) Parse(name string) (string, Track, error) {
	if kind, ok := k[name]; ok {
		return name, kind, nil
	}
	t, err := ParseTrack(name)
	if err != nil {
		return "", 0, unknownTrack(name, k.Names())
	}
	return t.String(), t, nil
}

// Underscored converts a name from an organisers' file or a command line, which contains - instead of _, to the
// spelling in tables. Tracks that the competition defines itself have only one spelling.
func (k Kinds) Underscored(name string) string {
	if k[name] != 0 {
		return name
	}
	return strings.ReplaceAll(name, "-", "_")
}

// Of returns a track's kind by the track's name in tables, or zero if there is no such track.
func (k Kinds) Of(name string) Track {
	_, kind, _ := k.Parse(name)
	return kind
}

// Names lists the names of the known tracks, followed by the tracks that the competition defines itself.
func (k Kinds) Names() []string {
	return append(slices.Clone(trackNames[1:]), slices.Sorted(maps.Keys(k))...)
}
