package rules

import (
	"fmt"
	"maps"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// onOff are the words that turn a practice switch on or off.
var onOff = map[string]bool{"": true, "on": true, "yes": true, "true": true, "off": false, "no": false, "false": false}

// isSwitch reports whether an item in --reading turns practice switches on or off: one by its name, or all with a
// D-number.
func isSwitch(rs *score.RuleSet, key, value string) bool {
	_, turns := onOff[value]
	return strings.HasPrefix(key, "D-") || len(rs.Switches(key)) > 0 || turns && value != ""
}

// ParseReadings parses the values of --reading: KEY=VALUE, SWITCH=on, "rules" or "published". It skips a reading or
// switch that only other rule sets have, and adds a note about it.
func ParseReadings(rs *score.RuleSet, list []string, published func() (score.Readings, error)) (rd score.Readings,
	notes []string, err error) {
	rd = score.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
	for _, item := range list {
		key, value, _ := strings.Cut(item, "=")
		switch {
		case item == "rules", key == "reading" && value == "rules":
		case item == "published", (key == "reading" || key == "practice") && value == "published":
			p, err := published()
			if err != nil {
				return rd, notes, err
			}
			maps.Copy(rd.Values, p.Values)
			maps.Copy(rd.Practice, p.Practice)
		case isSwitch(rs, key, value):
			on, ok := onOff[value]
			if !ok {
				return rd, notes, fmt.Errorf("practice switch %s cannot be %q; it is on or off", key, value)
			}
			if why := ElsewhereOnly(rs, key); why != "" {
				notes = append(notes, why)
			} else if err := rs.Turn(&rd, key, on); err != nil {
				return rd, notes, err
			}
		case value == "":
			return rd, notes, fmt.Errorf("%q is not a reading; write KEY=VALUE, SWITCH=on or published", item)
		default:
			if why := ElsewhereOnly(rs, key); why != "" {
				notes = append(notes, why)
			} else {
				rd.Values[key] = value
			}
		}
	}
	return rd, notes, rs.CheckReadings(rd)
}

// PublishedReadingsOf returns the practice behind the tables published for a rule set of a year, in the runs' tracks.
func PublishedReadingsOf(rs *score.RuleSet, of *Rules, runs *score.Runs) (score.Readings, error) {
	rd := score.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
	for _, t := range runs.Tracks {
		var p score.Readings
		ok := false
		if of != nil {
			p, ok = of.Published.Scoring(t.Name)
		}
		if !ok {
			return rd, fmt.Errorf("rule set %s does not say what the published tables of %d followed", rs.Name, rs.Year)
		}
		maps.Copy(rd.Values, p.Values)
		maps.Copy(rd.Practice, p.Practice)
	}
	return rd, nil
}
