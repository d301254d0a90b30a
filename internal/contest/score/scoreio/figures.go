package scoreio

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// ReadFigures reads the figures of a result that ResultJSON wrote, by place: TRACK/DIVISION[/LOGIC]/VIEW/SOLVER/COLUMN
// for the columns of a ranking, .../VIEW/winners for winners, TRACK/RECOGNITION/... for recognitions.
func ReadFigures(path string) (map[string]string, error) {
	raw, err := limits.Document.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Tracks map[string]struct {
			Divisions    map[string]json.RawMessage `json:"divisions"`
			Recognitions any                        `json:"recognitions"`
		} `json:"tracks"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if doc.Tracks == nil {
		return nil, fmt.Errorf(`%s is not a result of "smtpipe tool score"`, path)
	}
	out := figures{}
	for track, t := range doc.Tracks {
		for name, d := range t.Divisions {
			if err := out.division(track+"/"+name, d); err != nil {
				return nil, fmt.Errorf("%s: division %s: %w", path, name, err)
			}
		}
		out.add(track, t.Recognitions)
	}
	return out, nil
}

type figures map[string]string

// division adds the rankings of a division and its logics.
func (f figures) division(place string, raw json.RawMessage) error {
	var d struct {
		Views map[string]struct {
			Ranking []map[string]any `json:"ranking"`
			Winners []string         `json:"winners"`
		} `json:"views"`
		Logics map[string]json.RawMessage `json:"logics"`
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return err
	}
	for view, v := range d.Views {
		f[place+"/"+view+"/winners"] = strings.Join(v.Winners, ", ")
		for _, row := range v.Ranking {
			solver, _ := row["solver"].(string)
			delete(row, "solver")
			f.add(place+"/"+view+"/"+solver, row)
		}
	}
	for logic, l := range d.Logics {
		if err := f.division(place+"/"+logic, l); err != nil {
			return err
		}
	}
	return nil
}

// add adds the value at a place.
func (f figures) add(place string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, x := range v {
			f.add(place+"/"+key, x)
		}
	case []any:
		for i, x := range v {
			f.add(place+"/"+strconv.Itoa(i+1), x)
		}
	case float64:
		f[place] = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		f[place] = fmt.Sprint(v)
	}
}

// Figure is a figure that changed.
type Figure struct{ What, From, To string }

// CompareFigures returns the figures that differ by more than one part in 10^9.
func CompareFigures(from, to map[string]string) []Figure {
	var out []Figure
	all := maps.Clone(from)
	maps.Copy(all, to)
	for _, what := range slices.Sorted(maps.Keys(all)) {
		a, inFrom := from[what]
		b, inTo := to[what]
		if a == b || inFrom && inTo && nearly(a, b) {
			continue
		}
		out = append(out, Figure{what, cmp.Or(a, "nothing"), cmp.Or(b, "nothing")})
	}
	return out
}

func nearly(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
}
