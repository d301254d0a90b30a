package scoreio

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/diff"
)

// ReadFigures reads the figures of a result that ResultJSON wrote, by place: TRACK/DIVISION[/LOGIC]/VIEW/SOLVER/COLUMN
// for the columns of a ranking, .../VIEW/winners for winners, TRACK/RECOGNITION/... for recognitions. path is for
// messages.
func ReadFigures(in io.Reader, path string) (map[string]string, error) {
	raw, err := limits.Document.Read(in, path)
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
		return nil, fmt.Errorf("%s is not valid JSON: %w", path, err)
	}
	if doc.Tracks == nil {
		return nil, fmt.Errorf("%s is JSON, but not a result of \"smtpipe tool score -o\"; \"smtpipe table diff\" "+
			"compares lists of benchmarks and the organisers' results", path)
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

// CompareFigures returns the figures that differ by more than one part in 10^9.
func CompareFigures(from, to map[string]string) []diff.Difference {
	return diff.Figures(from, to, nearly)
}

func nearly(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
}
