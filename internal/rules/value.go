package rules

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"
)

// Value returns the value of competition.rules in pipelines, or null without rules. Anything that depends on one part
// of it changes only with that part.
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

		"experimental": Experimental(r.Divisions),

		"seed":       object(r.Seed),
		"entrants":   object(r.Entrants),
		"validation": object(r.Validation),
		"scoring":    r.scoringValue(),
	})
}

// object returns a struct with cty tags as an object.
func object(v any) cty.Value {
	value, err := gocty.ToCtyValue(v, typeOf(v))
	if err != nil {
		panic(fmt.Sprintf("rules: %T: %v", v, err)) // the types are ours
	}
	return value
}
