package submission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Entry is a submission's participation in one track: what to execute, and on which logics.
type Entry struct {
	Submission    *Submission
	Participation int    // index of the participation in the file
	Track         string // track name in tables
	Archive       *Archive
	Command       *Command
	Experimental  bool
	Places        []Place // entered logics, sorted by division, then logic; empty if the track contains none of them
	// Trials are the divisions that the year's rules declare experimental. Experimental refers to the whole
	// participation.
	Trials []comp.Division
}

// sameConfiguration reports whether two entries execute the same solver in the same way.
func (e *Entry) sameConfiguration(o *Entry) bool {
	same := e.Command == o.Command || e.Command != nil && o.Command != nil &&
		e.Command.Binary == o.Command.Binary && e.Command.StarExec == o.Command.StarExec &&
		slices.Equal(e.Command.Arguments, o.Command.Arguments)
	return same && (e.Archive == o.Archive || e.Archive != nil && o.Archive != nil && *e.Archive == *o.Archive)
}

// Place is a logic in a track, with its division.
type Place struct {
	Division comp.Division
	Logic    comp.Logic
}

// Expand returns a submission's entries, in the order of its participations and their tracks. In each track, a
// participation enters all logics of the divisions that it lists, and the logics that it lists or whose full name
// matches its pattern. A name that the year does not define is an error, as is a division that a listed track lacks;
// Problems contains all errors. The organisers' track for checking cores has no divisions and produces no entry.
func (s *Submission) Expand(c *Catalog) ([]Entry, error) {
	entries, problems := s.expand(c)
	if len(problems) > 0 {
		return nil, problems
	}
	return entries, nil
}

// expand is like Expand but also returns entries for a submission with problems.
func (s *Submission) expand(c *Catalog) ([]Entry, Problems) {
	var entries []Entry
	var problems Problems
	for i, p := range s.Participations {
		x := expansion{submission: s, catalog: c, index: i, said: map[Problem]bool{}}
		logics := x.wantedLogics(p)
		for k, name := range p.Tracks {
			if name == "" || slices.Contains(p.Tracks[:k], name) {
				continue // Read reports empty names
			}
			if names := fileTracks(c.kinds); !slices.Contains(names, name) {
				x.report("tracks", k, "%s", unknown("track", name, names, "the tracks are "+strings.Join(names, ", ")))
				continue
			}
			track, kind, _ := c.kinds.Parse(name)
			places := x.places(p, name, track, logics)
			if name == challengeTrack && c.tracks[track] == nil {
				x.report("tracks", k, "the year has no industry challenge; its tracks are %v", c.Tracks())
			}
			if kind == 0 {
				continue // the internal track
			}
			entries = append(entries, Entry{
				Submission:    s,
				Participation: i,
				Track:         track,
				Archive:       cmp.Or(p.Archive, s.Archive),
				Command:       cmp.Or(p.Command, s.Command),
				Experimental:  p.Experimental,
				Places:        places,
				Trials:        c.trials(track, places),
			})
		}
		problems = append(problems, x.problems...)
	}
	return entries, problems
}

// Doubts returns warnings about the entries that Expand returned: details that are allowed but are probably mistakes.
func (s *Submission) Doubts(entries []Entry, c *Catalog) Problems {
	type part struct {
		track string
		logic comp.Logic
	}
	first, said := map[part]int{}, map[Problem]bool{}
	var doubts Problems
	warn := func(e Entry, format string, args ...any) {
		p := s.at(fmt.Sprintf("/participations/%d", e.Participation), fmt.Sprintf(format, args...))
		if !said[p] {
			said[p] = true
			doubts = append(doubts, p)
		}
	}
	for _, e := range entries {
		switch {
		case !slices.Contains(c.Tracks(), e.Track):
			warn(e, "the year has no track %s, so nothing is entered in it; its tracks are %v", e.Track, c.Tracks())
		case len(e.Places) == 0:
			warn(e, "the track %s has none of these logics and divisions, so nothing is entered in it", e.Track)
		}
		for _, p := range e.Places {
			other, twice := first[part{e.Track, p.Logic}]
			if !twice {
				first[part{e.Track, p.Logic}] = e.Participation
			} else if other != e.Participation {
				warn(e, "participation %d, the first being 0, enters logics of the track %s as well; they are "+
					"executed twice and count once", other, e.Track)
			}
		}
	}
	return doubts
}

// expansion is the expansion of one participation.
type expansion struct {
	submission *Submission
	catalog    *Catalog
	index      int
	problems   Problems
	said       map[Problem]bool
}

func (x *expansion) report(field string, element int, format string, args ...any) {
	pointer := fmt.Sprintf("/participations/%d/%s", x.index, field)
	if element >= 0 {
		pointer = fmt.Sprintf("%s/%d", pointer, element)
	}
	p := x.submission.at(pointer, fmt.Sprintf(format, args...))
	if !x.said[p] {
		x.said[p] = true
		x.problems = append(x.problems, p)
	}
}

// wantedLogics returns the logics that a participation lists or matches, even if no track contains them.
func (x *expansion) wantedLogics(p Participation) []comp.Logic {
	known := x.catalog.Logics()
	if p.Pattern == nil {
		for i, l := range p.Logics {
			if l != "" && !slices.Contains(known, l) {
				x.report("logics", i, "unknown logic %q%s", l, suggest(string(l), known))
			}
		}
		return p.Logics
	}
	var wanted []comp.Logic
	for _, l := range known {
		ok, err := p.Pattern.Match(string(l))
		if err != nil {
			x.report("logics", -1, "%v", err)
			return nil
		}
		if ok {
			wanted = append(wanted, l)
		}
	}
	return wanted
}

// places returns a participation's sorted, distinct places in one track.
func (x *expansion) places(p Participation, name, track string, logics []comp.Logic) []Place {
	var places []Place
	for i, d := range p.Divisions {
		of := x.catalog.LogicsOf(track, d)
		switch {
		case d == "": // Read reports it
		case !x.catalog.hasDivision(d):
			similar := suggest(string(d), x.allDivisions())
			if similar == "" {
				similar = fmt.Sprintf("; the divisions of the track %s are %v", name, x.catalog.Divisions(track))
			}
			x.report("divisions", i, "unknown division %q%s", d, similar)
		case of == nil && x.catalog.tracks[track] != nil:
			x.report("divisions", i, "track %s has no division %s; its divisions are %v", name, d,
				x.catalog.Divisions(track))
		}
		for _, l := range of {
			places = append(places, Place{Division: d, Logic: l})
		}
	}
	for _, l := range logics {
		if d, ok := x.catalog.DivisionOf(track, l); ok {
			places = append(places, Place{Division: d, Logic: l})
		}
	}
	slices.SortFunc(places, comparePlaces)
	return slices.Compact(places)
}

func (x *expansion) allDivisions() []comp.Division {
	var all []comp.Division
	for _, t := range x.catalog.Tracks() {
		all = append(all, x.catalog.Divisions(t)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.Division, b.Division), cmp.Compare(a.Logic, b.Logic))
}
