package comp

import (
	"maps"
	"slices"
	"strings"
)

// Kinds holds a competition's own tracks, by name. Each is executed, judged and scored like a track that ParseTrack
// knows, which is its kind. A known track is its own kind and is not included.
type Kinds map[string]Track

// Parse reads the name of a track of the competition's own, or one that ParseTrack reads. It returns the name for
// tables, and the kind.
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

// Underscored returns a name with - for _, as organisers' files and command lines have it, in the spelling of tables. A
// track of the competition's own has one spelling.
func (k Kinds) Underscored(name string) string {
	if k[name] != 0 {
		return name
	}
	return strings.ReplaceAll(name, "-", "_")
}

// Of returns the kind of a track by its name in a table, or zero if there is no such track.
func (k Kinds) Of(name string) Track {
	_, kind, _ := k.Parse(name)
	return kind
}

// Names lists the names of the known tracks, and then the competition's own.
func (k Kinds) Names() []string {
	return append(slices.Clone(trackNames[1:]), slices.Sorted(maps.Keys(k))...)
}
