package divisions

import (
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// parse reads a data file. Lines: "# text", "track NAME...", then indented "DIVISION: LOGIC..." or, for a division that
// is one logic, its name.
func parse(year int, text string) (*Table, error) {
	t := &Table{
		Year:      year,
		divisions: map[string][]Division{},
		of:        map[string]map[comp.Logic]comp.Division{},
	}
	var current []string
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		var err error
		switch {
		case len(words) == 0:
		case words[0] == "#":
			if _, source, found := strings.Cut(line, "Source: "); found {
				t.Source = source
			}
		case words[0] == "track":
			current = words[1:]
			err = t.addTracks(current)
		case strings.HasPrefix(line, "  ") && current != nil:
			err = t.addDivision(current, words)
		default:
			err = fmt.Errorf("unexpected %q", line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return t, nil
}

func (t *Table) addTracks(names []string) error {
	for _, name := range names {
		if t.of[name] != nil {
			return fmt.Errorf("track %s is given twice", name)
		}
		t.tracks = append(t.tracks, name)
		t.of[name] = map[comp.Logic]comp.Division{}
	}
	return nil
}

func (t *Table) addDivision(tracks, words []string) error {
	name, named := strings.CutSuffix(words[0], ":")
	logics := words
	if named {
		logics = words[1:]
	}
	if len(logics) == 0 || !named && len(words) > 1 {
		return fmt.Errorf("a division is \"NAME: LOGIC...\" or \"LOGIC\"")
	}
	d := Division{Name: comp.Division(name)}
	for _, l := range logics {
		d.Logics = append(d.Logics, comp.Logic(l))
	}
	for _, track := range tracks {
		t.divisions[track] = append(t.divisions[track], d)
		for _, l := range d.Logics {
			if before, twice := t.of[track][l]; twice {
				return fmt.Errorf("logic %s is in %s and in %s", l, before, d.Name)
			}
			t.of[track][l] = d.Name
		}
	}
	return nil
}
