package prove

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Name identifies a cell of a published table.
type Name struct {
	Table  string // a division, or a logic in a division
	Track  string
	View   string
	Solver string
	Column string // only for column cells
}

// columns maps the names that people use for figures to the figures that can be proven.
var columns = map[string]string{"e": "e", "n": "n", "points": "points", "w": "w", "c": "c", "aw": "aw", "ac": "ac",
	"error": "e", "correct": "n", "wall": "w", "cpu": "c", "actual_wall": "aw", "actual_cpu": "ac"}

// ParseName parses the name of a cell, such as "QF_BV single_query par cvc5.correct". A solver's name may contain
// spaces and dots.
func ParseName(text string) (Name, error) {
	fields := strings.SplitN(strings.TrimSpace(text), " ", 4)
	if len(fields) != 4 {
		return Name{}, fmt.Errorf("a cell must be named by division or logic, track, view, solver and column, such as "+
			"\"QF_BV single_query par cvc5.correct\", not %q", text)
	}
	dot := strings.LastIndexByte(fields[3], '.')
	name := Name{Table: fields[0], Track: fields[1], View: fields[2], Solver: fields[3][:max(dot, 0)]}
	column, ok := columns[fields[3][dot+1:]]
	if dot <= 0 || !ok {
		return Name{}, fmt.Errorf("%q is not a solver and column: after the last dot comes one of %s", fields[3],
			strings.Join(slices.Sorted(maps.Keys(columns)), ", "))
	}
	name.Column = column
	return name, nil
}
