package functions

import (
	"fmt"
	"path"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// rulesFunc reads the rules of a built-in year, or of a folder in the pipeline, in the form of competition.rules.
func rulesFunc(env Env) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "name", Type: cty.String}},
		Type:   function.StaticReturnType((&rules.Rules{}).Value().Type()),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name := args[0].AsString()
			if !rules.IsBuiltin(name) {
				if err := CheckLinks(env.Folder, name); err != nil {
					return cty.NilVal, function.NewArgErrorf(0, "the folder %s", err)
				}
			}
			r, diags := rules.Load(name, env.Folder)
			if diags.HasErrors() {
				return cty.NilVal, function.NewArgErrorf(0, "%s", strings.TrimSuffix(diags[0].Detail, "."))
			}
			env.Note(r.FileNames())
			return r.Value(), nil
		},
	})
}

// tracksOf reads the first argument of the functions on divisions.
func tracksOf(v cty.Value) (cty.Value, error) {
	tracks, err := convert.Convert(v, rules.TracksType)
	if err != nil {
		return cty.NilVal, function.NewArgErrorf(0,
			"want a map from track to division to logics, as competition.tracks, or the tracks of rules(...)")
	}
	return tracks, nil
}

// trackOf returns the divisions of a track, which can be given by any of its names, or null if the track does not
// exist.
func trackOf(tracks cty.Value, name string) cty.Value {
	m := tracks.AsValueMap()
	if v, ok := m[name]; ok {
		return v
	}
	if t, err := comp.ParseTrack(name); err == nil {
		if v, ok := m[t.String()]; ok {
			return v
		}
	}
	return cty.NullVal(rules.TracksType.ElementType())
}

// divisionOf returns a logic's division; ok is false if it has none.
func divisionOf(track cty.Value, logic string) (name string, ok bool) {
	if track.IsNull() {
		return "", false
	}
	for it := track.ElementIterator(); it.Next(); { // iterates in name order
		division, logics := it.Element()
		if logics.IsNull() {
			continue
		}
		for each := logics.ElementIterator(); each.Next(); {
			if _, l := each.Element(); !l.IsNull() && l.AsString() == logic {
				return division.AsString(), true
			}
		}
	}
	return "", false
}

func onLogic(result cty.Type, impl func(division string, ok bool) cty.Value) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "tracks", Type: cty.DynamicPseudoType},
			{Name: "track", Type: cty.String},
			{Name: "logic", Type: cty.String},
		},
		Type: function.StaticReturnType(result),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if !args[0].IsWhollyKnown() {
				return cty.UnknownVal(result), nil
			}
			tracks, err := tracksOf(args[0])
			if err != nil {
				return cty.NilVal, err
			}
			return impl(divisionOf(trackOf(tracks, args[1].AsString()), args[2].AsString())), nil
		},
	})
}

// trackHasFunc reports whether any of a track's divisions contains a logic.
var trackHasFunc = onLogic(cty.Bool, func(_ string, ok bool) cty.Value { return cty.BoolVal(ok) })

// divisionFunc returns a logic's division in a track, or null if it has none.
var divisionFunc = onLogic(cty.String, func(division string, ok bool) cty.Value {
	if !ok {
		return cty.NullVal(cty.String)
	}
	return cty.StringVal(division)
})

// logicsFunc returns the logics in a track's division. An unknown division is an error.
var logicsFunc = function.New(&function.Spec{
	Params: []function.Parameter{
		{Name: "tracks", Type: cty.DynamicPseudoType},
		{Name: "track", Type: cty.String},
		{Name: "division", Type: cty.String},
	},
	Type: function.StaticReturnType(cty.List(cty.String)),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		if !args[0].IsWhollyKnown() {
			return cty.UnknownVal(cty.List(cty.String)), nil
		}
		tracks, err := tracksOf(args[0])
		if err != nil {
			return cty.NilVal, err
		}
		track := trackOf(tracks, args[1].AsString())
		if track.IsNull() {
			return cty.NilVal, function.NewArgErrorf(1, "there is no track %q", args[1].AsString())
		}
		logics, ok := track.AsValueMap()[args[2].AsString()]
		if !ok {
			return cty.NilVal, function.NewArgErrorf(2, "the track %s has no division %q", args[1].AsString(),
				args[2].AsString())
		}
		return logics, nil
	},
})

// globMatchFunc reports whether a string matches a pattern with * (any characters except a slash), ? (one character
// except a slash) and [a-z]. Between slashes, ** matches any number of folders.
var globMatchFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "pattern", Type: cty.String}, {Name: "text", Type: cty.String}},
	Type:   function.StaticReturnType(cty.Bool),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		ok, err := globMatch(args[0].AsString(), args[1].AsString())
		if err != nil {
			return cty.NilVal, function.NewArgErrorf(0, "%s", err)
		}
		return cty.BoolVal(ok), nil
	},
})

// checkGlob reports a pattern with a part that path.Match does not accept.
func checkGlob(pattern string) error {
	for part := range strings.SplitSeq(pattern, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("%q is not a pattern: brackets are not closed, or a backslash is last", part)
		}
	}
	return nil
}
