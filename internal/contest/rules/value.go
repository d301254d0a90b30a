package rules

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
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
		"language": languageValue(r.Language),

		"experimental": Experimental(r.Divisions),

		"seed":       object(r.Seed),
		"entrants":   object(r.Entrants),
		"questions":  questionsValue(r.Entrants.Asked()),
		"validation": object(r.Validation),
		"scoring":    r.scoringValue(),
	})
}

// questionsValue returns a value of QuestionsType, or null if there are no questions.
func questionsValue(asked []submission.Asked) cty.Value {
	if len(asked) == 0 {
		return cty.NullVal(QuestionsType)
	}
	values := make([]cty.Value, len(asked))
	for i, q := range asked {
		values[i] = object(q)
	}
	return cty.ListVal(values)
}

// object returns a struct with cty tags as an object value.
func object(v any) cty.Value {
	value, err := gocty.ToCtyValue(v, typeOf(v))
	if err != nil {
		panic(fmt.Sprintf("rules: %T: %v", v, err)) // the types are constant
	}
	return value
}
