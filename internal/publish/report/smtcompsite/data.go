package smtcompsite

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Participant is a submitted solver.
type Participant struct {
	Name, Website, ArchiveURL, Description string
	Authors                                []string
	Competitive                            bool
	Seed                                   *int64              // nil if there is none
	Logics                                 map[string][]string // logics that the solver enters, by track
}

// Participants collects the solvers in a table, one for each submission file, in file order. Several files may have the
// same solver name. A solver without a file is sorted as if its file had its name in lower case. The archive is the one
// that most participations use, or the first of equally frequent ones.
func Participants(rows []results.SolverRow) []Participant {
	type place struct{ file, name string }
	byPlace, archives := map[place]*Participant{}, map[place][]string{}
	for i := range rows {
		r := &rows[i]
		at := place{strings.ToLower(cmp.Or(r.File, r.Solver+".json")), r.Solver}
		p := byPlace[at]
		if p == nil {
			p = &Participant{Name: r.Solver, Website: r.Website, Description: r.Description, Authors: r.Authors,
				Competitive: r.Competitive, Logics: map[string][]string{}}
			if r.Seed >= 0 {
				p.Seed = &r.Seed
			}
			byPlace[at] = p
		}
		p.Competitive = p.Competitive || r.Competitive
		p.Logics[r.Track] = append(p.Logics[r.Track], r.Logics...)
		archives[at] = append(archives[at], r.ArchiveURL)
	}
	places := slices.SortedFunc(maps.Keys(byPlace), func(a, b place) int {
		return cmp.Or(strings.Compare(a.file, b.file), strings.Compare(a.name, b.name))
	})
	all := make([]Participant, len(places))
	for i, at := range places {
		all[i] = *byPlace[at]
		all[i].ArchiveURL = mostFrequent(archives[at])
	}
	return all
}

func mostFrequent(texts []string) string {
	count := map[string]int{}
	best := ""
	for _, t := range texts {
		if count[t]++; count[t] > count[best] || best == "" {
			best = t
		}
	}
	return best
}

// participant is an entry of participants.json.
type participant struct {
	Name        string       `json:"name"`
	Authors     []string     `json:"authors"`
	Website     string       `json:"website"`
	ArchiveURL  string       `json:"archive_url"`
	Description string       `json:"system_description"`
	Competitive bool         `json:"competitive"`
	Tracks      orderedTable `json:"tracks"`
	Seed        *int64       `json:"seed"`
}

func (s *Site) participants() []participant {
	all := make([]participant, 0, len(s.Participants))
	for _, p := range s.Participants {
		authors := append([]string{}, p.Authors...) // encodes as a list even if empty
		all = append(all, participant{p.Name, authors, p.Website, p.ArchiveURL, p.Description, p.Competitive,
			s.entered(p), p.Seed})
	}
	return all
}

// entered lists the divisions and logics that a participant enters. The tracks are in the order of the organisers'
// tool.
func (s *Site) entered(p Participant) orderedTable {
	out := orderedTable{}
	for _, t := range tracks {
		logics := map[string][]string{} // logics by division
		for _, logic := range p.Logics[t.name] {
			d, ok := s.Divisions.Of(t.name, comp.Logic(logic))
			if ok && !slices.Contains(logics[string(d)], logic) {
				logics[string(d)] = append(logics[string(d)], logic)
			}
		}
		if len(logics) > 0 {
			for _, list := range logics {
				slices.Sort(list)
			}
			out = append(out, orderedEntry{t.word, logics})
		}
	}
	return out
}

// orderedTable is a JSON object that preserves the order of its keys.
type orderedTable []orderedEntry

type orderedEntry struct {
	key   string
	value any
}

// MarshalJSON implements json.Marshaler.
func (t orderedTable) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, e := range t {
		if i > 0 {
			out = append(out, ',')
		}
		for j, part := range []any{e.key, e.value} {
			b, err := pageJSON(part)
			if err != nil {
				return nil, err
			}
			if j > 0 {
				out = append(out, ':')
			}
			out = append(out, b...)
		}
	}
	return append(out, '}'), nil
}

// listed returns the year's tracks and the cloud track, which the organisers' tool lists every year with the
// single-query divisions.
func (s *Site) listed() []string {
	names := slices.Clone(s.Divisions.Tracks())
	if !slices.Contains(names, "cloud") {
		names = append(names, "cloud")
	}
	return names
}

// tracks lists the year's tracks, sorted by name.
func (s *Site) tracks() []string {
	words := []string{}
	for _, name := range s.listed() {
		if t, ok := trackNamed(name); ok {
			words = append(words, t.word)
		}
	}
	slices.Sort(words)
	return words
}

// divisionTracks lists the year's divisions by name, each with the tracks that contain it.
func (s *Site) divisionTracks() [][2]any {
	words := map[string][]string{}
	for _, name := range s.listed() {
		t, ok := trackNamed(name)
		if !ok {
			continue
		}
		of := name
		if !slices.Contains(s.Divisions.Tracks(), name) {
			of = "single_query"
		}
		for _, d := range s.Divisions.Divisions(of) {
			words[string(d.Name)] = append(words[string(d.Name)], t.word)
		}
	}
	out := make([][2]any, 0, len(words))
	for _, name := range sorted(words) {
		slices.Sort(words[name])
		out = append(out, [2]any{name, words[name]})
	}
	return out
}
