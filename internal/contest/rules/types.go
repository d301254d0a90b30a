package rules

import (
	"fmt"
	"iter"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
	"github.com/smtpipe/smtpipe/internal/smt/validate"
)

// The types of the parts of the rules that stages use.
var (
	EntrantsType   = typeOf(submission.Rules{})
	QuestionsType  = cty.List(typeOf(submission.Asked{}))
	ValidationType = typeOf(validate.Rules{})
	TracksType     = cty.Map(cty.Map(cty.List(cty.String))) // logics by division by track

	ExperimentalType = cty.Map(cty.List(cty.String)) // experimental divisions by track
)

func typeOf(v any) cty.Type {
	t, err := gocty.ImpliedType(v)
	if err != nil {
		panic(fmt.Sprintf("rules: %T: %v", v, err)) // the types are constant
	}
	return t
}

// Into decodes a value of EntrantsType, QuestionsType or ValidationType. A null or unknown value leaves target
// unchanged. A value with null parts is an error.
func Into(v cty.Value, target any) error {
	if !v.IsWhollyKnown() || v.IsNull() {
		return nil
	}
	return gocty.FromCtyValue(v, target)
}

// TableOf decodes a value of TracksType. It omits null and unknown parts.
func TableOf(tracks cty.Value) divisions.Table {
	var t divisions.Table
	for track, byName := range elements(tracks) {
		for name, list := range elements(byName) {
			var logics []comp.Logic
			for _, l := range elements(list) {
				logics = append(logics, comp.Logic(l.AsString()))
			}
			t.Set(trackName(track), comp.Division(name), logics)
		}
	}
	return t
}

// elements returns the known elements of a map or list, with their keys ("" in a list).
func elements(v cty.Value) iter.Seq2[string, cty.Value] {
	return func(yield func(string, cty.Value) bool) {
		if !v.IsKnown() || v.IsNull() {
			return
		}
		for it := v.ElementIterator(); it.Next(); {
			key, e := it.Element()
			name := ""
			if key.Type() == cty.String {
				name = key.AsString()
			}
			if e.IsKnown() && !e.IsNull() && !yield(name, e) {
				return
			}
		}
	}
}

// TracksOf returns a table as a value of TracksType, or null if it has no tracks.
func TracksOf(t divisions.Table) cty.Value {
	tracks := map[string]map[string][]comp.Logic{}
	for _, track := range t.Tracks() {
		for _, d := range t.Divisions(track) {
			if tracks[track] == nil {
				tracks[track] = map[string][]comp.Logic{}
			}
			tracks[track][string(d.Name)] = d.Logics
		}
	}
	return mapValue(tracks, TracksType)
}

// Experimental returns a table's experimental divisions as a value of ExperimentalType, or null if there are none.
func Experimental(t divisions.Table) cty.Value {
	byTrack := map[string][]comp.Division{}
	for _, track := range t.Tracks() {
		for _, d := range t.Divisions(track) {
			if t.Experimental(track, d.Name) {
				byTrack[track] = append(byTrack[track], d.Name)
			}
		}
	}
	return mapValue(byTrack, ExperimentalType)
}

// mapValue returns a map as a value of a type, or null if it is empty.
func mapValue[V any](m map[string]V, t cty.Type) cty.Value {
	if len(m) == 0 {
		return cty.NullVal(t)
	}
	return valueOf(m, t)
}

// MarkExperimental marks exactly the divisions in a value of ExperimentalType as experimental.
func MarkExperimental(t *divisions.Table, v cty.Value) {
	for track, list := range elements(v) {
		var names []comp.Division
		for _, d := range elements(list) {
			names = append(names, comp.Division(d.AsString()))
		}
		t.SetExperimental(trackName(track), names)
	}
}
