package comp

import (
	"maps"
	"slices"
	"strings"
)

// Kinds maps a competition's own tracks to their kinds, by name. A track is executed, judged and scored like its kind,
// which is a track that ParseTrack knows. Known tracks are their own kinds and are not included.
type Kinds map[string]Track

// Parse parses the name of one of the competition's own tracks, or a name that ParseTrack parses. It returns the name
// for tables, and the kind.
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

// Underscored returns a name from an organisers' file or a command line, which has - instead of _, as it is spelled in
// tables. The competition's own tracks have only one spelling.
func (k Kinds) Underscored(name string) string {
	if k[name] != 0 {
		return name
	}
	return strings.ReplaceAll(name, "-", "_")
}

// Of returns the kind of a track by its name in tables, or zero if there is no such track.
func (k Kinds) Of(name string) Track {
	_, kind, _ := k.Parse(name)
	return kind
}

// Names lists the names of the known tracks, followed by the competition's own.
func (k Kinds) Names() []string {
	return append(slices.Clone(trackNames[1:]), slices.Sorted(maps.Keys(k))...)
}
