// Package divisions defines which logics are ranked together in each track of a competition. Until 2019, every division
// of SMT-COMP was a single logic.
//
// Submissions and rules use the same names for divisions, such as "QF_Equality+LinearArith".
package divisions

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Table holds the divisions of each track, and the logics of each division. The zero value has no tracks.
type Table struct {
	tracks map[string]map[comp.Division][]comp.Logic
	trial  map[string][]comp.Division // experimental divisions by track; AllDivisions stands for all of them
}

// AllDivisions stands for every division of a track in lists of experimental divisions.
const AllDivisions comp.Division = "*"

// Division is a group of logics, sorted, that are ranked together.
type Division struct {
	Name   comp.Division
	Logics []comp.Logic
}

// Clone returns a table that can be changed without changing t.
func (t Table) Clone() Table {
	c := Table{tracks: map[string]map[comp.Division][]comp.Logic{}}
	for name, ds := range t.tracks {
		c.tracks[name] = maps.Clone(ds)
	}
	c.trial = maps.Clone(t.trial)
	return c
}

// Set sets the logics of a track's division. Without logics, it removes the division.
func (t *Table) Set(track string, name comp.Division, logics []comp.Logic) {
	if t.tracks == nil {
		t.tracks = map[string]map[comp.Division][]comp.Logic{}
	}
	if t.tracks[track] == nil {
		t.tracks[track] = map[comp.Division][]comp.Logic{}
	}
	if len(logics) == 0 {
		delete(t.tracks[track], name)
		return
	}
	t.tracks[track][name] = slices.Compact(slices.Sorted(slices.Values(logics)))
}

// SetExperimental sets a track's experimental divisions.
func (t *Table) SetExperimental(track string, names []comp.Division) {
	if t.trial == nil {
		t.trial = map[string][]comp.Division{}
	}
	t.trial[track] = slices.Clone(names)
}

// Experimental reports whether a track's division is experimental.
func (t Table) Experimental(track string, name comp.Division) bool {
	names, ok := t.trial[track]
	if known, err := comp.ParseTrack(track); !ok && err == nil {
		names = t.trial[known.String()]
	}
	return slices.Contains(names, name) || slices.Contains(names, AllDivisions)
}

// Remove removes a track from the table and reports whether the table contained it.
func (t *Table) Remove(track string) bool {
	_, ok := t.tracks[track]
	delete(t.tracks, track)
	return ok
}

// String lists the tracks with their divisions and logics, one division per line. Equal tables have equal texts.
func (t Table) String() string {
	var b strings.Builder
	for _, track := range t.Tracks() {
		for _, d := range t.Divisions(track) {
			fmt.Fprintf(&b, "%s %s: %v", track, d.Name, d.Logics)
			if t.Experimental(track, d.Name) {
				b.WriteString(" experimental")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Check returns an error if a track contains a logic in two divisions.
func (t Table) Check() error {
	for _, track := range t.Tracks() {
		of := map[comp.Logic]comp.Division{}
		for _, d := range t.Divisions(track) {
			for _, l := range d.Logics {
				if other, twice := of[l]; twice {
					return fmt.Errorf("logic %s is in the divisions %s and %s of track %s", l, other, d.Name, track)
				}
				of[l] = d.Name
			}
		}
	}
	return nil
}

// Tracks lists the tracks' names, sorted.
func (t Table) Tracks() []string { return slices.Sorted(maps.Keys(t.tracks)) }

// Divisions lists a track's divisions by name; empty if there is no such track.
func (t Table) Divisions(track string) []Division {
	ds := t.track(track)
	list := make([]Division, 0, len(ds))
	for _, name := range slices.Sorted(maps.Keys(ds)) {
		list = append(list, Division{name, ds[name]})
	}
	return list
}

// Of returns a logic's division in a track.
func (t Table) Of(track string, logic comp.Logic) (comp.Division, bool) {
	for name, logics := range t.track(track) {
		if slices.Contains(logics, logic) {
			return name, true
		}
	}
	return "", false
}

// track looks up a track by any of its names.
func (t Table) track(name string) map[comp.Division][]comp.Logic {
	if ds, ok := t.tracks[name]; ok {
		return ds
	}
	if known, err := comp.ParseTrack(name); err == nil {
		return t.tracks[known.String()]
	}
	return nil
}
