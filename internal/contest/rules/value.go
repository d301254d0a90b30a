package rules

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/smtpipe/smtpipe/internal/data/comp/language"
)

// Value returns competition.rules for pipelines, or null without rules. A value that depends on a single part changes
// only with that part.
func (r *Rules) Value() cty.Value {
	if r == nil {
		return cty.NullVal((&Rules{}).Value().Type())
	}
	return cty.ObjectVal(map[string]cty.Value{
		"title":    cty.StringVal(r.Title),
		"document": cty.StringVal(r.Document),
		"year":     cty.NumberIntVal(int64(r.Year)),
		"tracks":   TracksOf(r.Divisions),
		"kinds":    kindsValue(r.Kinds),
		"language": valueOf(r.Language, language.Type),

		"experimental": Experimental(r.Divisions),

		"seed":       object(r.Seed),
		"entrants":   object(r.Entrants),
		"questions":  valueOf(r.Entrants.Asked(), QuestionsType),
		"validation": object(r.Validation),
		"scoring":    r.scoringValue(),
	})
}

// object returns a struct with cty tags as an object value.
func object(v any) cty.Value { return valueOf(v, typeOf(v)) }

// valueOf returns a value of a type. A nil slice or pointer becomes null.
func valueOf(v any, t cty.Type) cty.Value {
	value, err := gocty.ToCtyValue(v, t)
	if err != nil {
		panic(fmt.Sprintf("rules: %T: %v", v, err)) // the types are constant
	}
	return value
}

// Figures returns the rules as texts by name, such as tracks/single_query/QF_Bitvec, for comparing years. A rule set is
// represented by its digest.
func (r *Rules) Figures() map[string]string {
	out := map[string]string{}
	parts := r.Value().AsValueMap()
	delete(parts, "scoring")
	for name, v := range parts {
		addFigures(out, name, v)
	}
	if rs, diags := r.Scoring(); !diags.HasErrors() {
		out["scoring/sha256"] = fmt.Sprintf("%x", rs.Digest())
	}
	for track, rd := range r.PublishedReadings() {
		out["scoring/published/"+track] = strings.Join(readingItems(rd), ", ")
	}
	return out
}

func addFigures(out map[string]string, name string, v cty.Value) {
	t := v.Type()
	switch {
	case v.IsNull():
	case t.IsObjectType() || t.IsMapType():
		for key, x := range v.AsValueMap() {
			addFigures(out, name+"/"+key, x)
		}
	case t.IsPrimitiveType():
		text, err := convert.Convert(v, cty.String)
		if err == nil { // every primitive value has a text
			out[name] = text.AsString()
		}
	default:
		var texts []string // plain elements, which are one figure
		for i, x := range v.AsValueSlice() {
			of := fmt.Sprintf("%s/%d", name, i+1)
			addFigures(out, of, x)
			if text, plain := out[of]; plain {
				delete(out, of)
				texts = append(texts, text)
			}
		}
		if len(texts) > 0 {
			out[name] = strings.Join(texts, ", ")
		}
	}
}
