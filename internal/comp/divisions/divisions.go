// Package divisions holds the tracks, divisions and logics of the competition's years: 2015, 2019, 2022, 2024, 2025 and
// 2026. Until 2019 a division is one logic.
//
// Divisions have the names of submissions and of the rules, as "QF_Equality+LinearArith". The data are in
// data/YEAR.txt, one line per division, with their source.
package divisions

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/comp"
)

//go:embed data/*.txt
var data embed.FS

// Division is a group of logics that are ranked together, sorted.
type Division struct {
	Name   comp.Division
	Logics []comp.Logic
}

// Table is the division of the logics of one year. Its slices must not be changed.
type Table struct {
	Year      int
	Source    string
	tracks    []string // in the order of the file
	divisions map[string][]Division
	of        map[string]map[comp.Logic]comp.Division
}

// Years lists the years with data, ascending.
func Years() []int {
	entries, err := fs.ReadDir(data, "data")
	if err != nil {
		panic(err) // it is embedded
	}
	var years []int
	for _, e := range entries { // sorted by name
		year, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ".txt"))
		if err != nil {
			panic(err)
		}
		years = append(years, year)
	}
	return years
}

var tables = struct {
	sync.Mutex
	byYear map[int]*Table
}{byYear: map[int]*Table{}}

// Year returns the table of a year. ok is false if there are no data of that year.
func Year(year int) (*Table, bool) {
	tables.Lock()
	defer tables.Unlock()
	if t, ok := tables.byYear[year]; ok {
		return t, true
	}
	text, err := data.ReadFile(fmt.Sprintf("data/%d.txt", year))
	if err != nil {
		return nil, false
	}
	t, err := parse(year, string(text))
	if err != nil {
		panic(fmt.Sprintf("divisions: data/%d.txt: %v", year, err)) // a test reads all of them
	}
	tables.byYear[year] = t
	return t, true
}

// Of returns the division of a logic in a track of a year. ok is false if there is none, or no data of the year.
func Of(year int, track string, logic comp.Logic) (division comp.Division, ok bool) {
	t, ok := Year(year)
	if !ok {
		return "", false
	}
	return t.Of(track, logic)
}

// Tracks lists the names of the tracks with divisions.
func (t *Table) Tracks() []string { return t.tracks }

// Divisions lists the divisions of a track by name; nil if there is no such track. Track names are those of comp, and
// for 2019 also challenge_incremental and challenge_non_incremental.
func (t *Table) Divisions(track string) []Division { return t.divisions[canonical(track)] }

// Of returns the division of a logic in a track.
func (t *Table) Of(track string, logic comp.Logic) (comp.Division, bool) {
	d, ok := t.of[canonical(track)][logic]
	return d, ok
}

// canonical accepts the older names of tracks.
func canonical(track string) string {
	if t, err := comp.ParseTrack(track); err == nil {
		return t.String()
	}
	return track
}
