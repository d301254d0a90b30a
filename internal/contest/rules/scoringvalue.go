package rules

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// scoringPart is competition.rules.scoring.
type scoringPart struct {
	Name string `cty:"name"`
	File string `cty:"file"`
	Text string `cty:"text"`
	// Published is the practice behind each track's published tables, in the form SWITCH or READING=VALUE.
	Published map[string][]string `cty:"published"`
}

var scoringType = typeOf(scoringPart{})

// scoringValue returns the year's rule set as a pipeline value, or null if it has none.
func (r *Rules) scoringValue() cty.Value {
	src, file, err := r.ScoringSource()
	if err != nil {
		return cty.NullVal(scoringType)
	}
	part := scoringPart{r.Name, file, string(src), map[string][]string{}}
	for track, rd := range r.PublishedReadings() {
		part.Published[track] = readingItems(rd)
	}
	return object(part)
}

// readingItems returns the readings as a sorted list.
func readingItems(rd score.Readings) []string {
	items := []string{}
	for s, on := range rd.Practice {
		if on {
			items = append(items, s)
		}
	}
	for name, v := range rd.Values {
		items = append(items, name+"="+v)
	}
	slices.Sort(items)
	return items
}

// PublishedReadings returns the known practice behind each track's published tables.
func (r *Rules) PublishedReadings() map[string]score.Readings {
	all := map[string]score.Readings{}
	for _, t := range comp.Tracks() {
		if rd, ok := r.Published.Scoring(t.String()); ok {
			all[t.String()] = rd
		}
	}
	return all
}

// ScoringOf decodes a value with the type of competition.rules.scoring: the rule set, without divisions, and the
// practice behind each track's published tables. kinds holds the competition's own tracks. rs is nil if the value has
// another type.
func ScoringOf(v cty.Value, kinds comp.Kinds) (rs *score.RuleSet, published map[string]score.Readings,
	diags hcl.Diagnostics) {
	var part scoringPart
	if !v.Type().Equals(scoringType) || gocty.FromCtyValue(v, &part) != nil {
		return nil, nil, nil
	}
	parsed, diags := parseScoring(part.Text, part.File, kinds)
	own := *parsed
	own.Name = part.Name
	published = map[string]score.Readings{}
	for track, items := range part.Published {
		rd := score.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
		for _, item := range items {
			if name, value, isReading := strings.Cut(item, "="); isReading {
				rd.Values[name] = value
			} else {
				rd.Practice[name] = true
			}
		}
		published[track] = rd
	}
	return &own, published, diags
}
