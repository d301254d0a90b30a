package submission

import (
	"fmt"
	"maps"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Catalog holds a year's tracks, their divisions, and each division's logics. It is immutable.
type Catalog struct {
	kinds  comp.Kinds
	tracks map[string]map[comp.Division][]comp.Logic
	of     map[string]map[comp.Logic]comp.Division
	trial  map[string]map[comp.Division]bool // experimental divisions
	logics []comp.Logic
}

// Part is a division of a track.
type Part struct {
	Track    string        // track name in tables
	Division comp.Division // division name in submissions, such as QF_Equality+LinearArith
	Logics   []comp.Logic

	Experimental bool
}

// NewCatalog returns a catalog. kinds holds the competition's own tracks. A division that occurs twice contains the
// logics of both occurrences; a logic in two divisions of a track is an error.
func NewCatalog(parts []Part, kinds comp.Kinds) (*Catalog, error) {
	c := &Catalog{
		kinds:  kinds,
		tracks: map[string]map[comp.Division][]comp.Logic{},
		of:     map[string]map[comp.Logic]comp.Division{},
		trial:  map[string]map[comp.Division]bool{},
	}
	for _, p := range parts {
		if c.tracks[p.Track] == nil {
			c.tracks[p.Track] = map[comp.Division][]comp.Logic{}
			c.of[p.Track] = map[comp.Logic]comp.Division{}
			c.trial[p.Track] = map[comp.Division]bool{}
		}
		for _, l := range p.Logics {
			if other, ok := c.of[p.Track][l]; ok && other != p.Division {
				return nil, fmt.Errorf("logic %s is in the divisions %s and %s of track %s", l, other, p.Division,
					p.Track)
			}
			c.of[p.Track][l] = p.Division
		}
		c.tracks[p.Track][p.Division] = sorted(append(c.tracks[p.Track][p.Division], p.Logics...))
		c.trial[p.Track][p.Division] = c.trial[p.Track][p.Division] || p.Experimental
		c.logics = append(c.logics, p.Logics...)
	}
	c.logics = sorted(c.logics)
	return c, nil
}

// Tracks returns the tracks in the order of package comp, followed by the competition's own.
func (c *Catalog) Tracks() []string {
	return slices.DeleteFunc(c.kinds.Names(), func(track string) bool { return c.tracks[track] == nil })
}

// Divisions returns a track's divisions, sorted by name.
func (c *Catalog) Divisions(t string) []comp.Division {
	return slices.Sorted(maps.Keys(c.tracks[t]))
}

// LogicsOf returns the logics of a track's division, sorted by name, or nil if the track lacks the division.
func (c *Catalog) LogicsOf(t string, d comp.Division) []comp.Logic { return c.tracks[t][d] }

// DivisionOf returns a logic's division in a track.
func (c *Catalog) DivisionOf(t string, l comp.Logic) (comp.Division, bool) {
	d, ok := c.of[t][l]
	return d, ok
}

// Logics returns all tracks' logics, sorted by name.
func (c *Catalog) Logics() []comp.Logic { return c.logics }

// trials returns the experimental divisions among a track's sorted places.
func (c *Catalog) trials(t string, places []Place) []comp.Division {
	var list []comp.Division
	for _, p := range places {
		if c.trial[t][p.Division] && !slices.Contains(list, p.Division) {
			list = append(list, p.Division)
		}
	}
	return list
}

// hasDivision reports whether any track contains the division.
func (c *Catalog) hasDivision(d comp.Division) bool {
	for _, divisions := range c.tracks {
		if _, ok := divisions[d]; ok {
			return true
		}
	}
	return false
}

func sorted(logics []comp.Logic) []comp.Logic {
	return slices.Compact(slices.Sorted(slices.Values(logics)))
}
