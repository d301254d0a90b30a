package scoring

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// loadRules reads the rule set that the attribute "rules" names: part of the competition, a file, or a year.
func (in *Input) loadRules(a *stages.Args) error {
	v := a.Value("rules")
	years := strings.Join(rules.Names(), ", ")
	if v.IsNull() {
		return a.Invalid("rules", "Missing rule set", "The competition has no rules with a rule set. Write rules = "+
			"file(\"my.rules.hcl\"), or one of the years "+years+".")
	}
	kinds, err := a.Kinds()
	if err != nil {
		return err
	}
	rs, practice, diags := readRules(v, kinds)
	if rs == nil && diags == nil {
		return a.Invalid("rules", "Unknown rule set", fmt.Sprintf("There is no rule set %q. The rule sets are those "+
			"of the years %s; a file is named as file(\"my.rules.hcl\").", nameOf(v), years))
	}
	var errs []error
	at := a.RangeOf("rules")
	for _, d := range diags {
		own := *d
		if own.Subject == nil {
			own.Subject, own.Extra = &at, nil // report the pipeline's line, not the rule set's
		}
		if own.Severity == hcl.DiagWarning {
			a.Warn(&own)
			continue
		}
		errs = append(errs, &stages.InvalidError{Diagnostic: &own})
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	own := *rs // the rule set is shared, so change a copy
	in.Rules, in.practice = &own, practice
	return nil
}

// rehearse warns about views that rank a solver lower for a better result, and reports examples that do not hold. The
// years' rule sets have neither.
func (in *Input) rehearse(a *stages.Args) error {
	if rules.IsBuiltin(in.Rules.Name) {
		return nil
	}
	diags, err := in.Rules.Rehearse(in.readings)
	if err != nil {
		return a.Invalid("rules", "Rule set that cannot be used", err.Error()+".")
	}
	var errs []error
	for _, d := range diags {
		own := *d // the stages of a rule set share them
		if own.Severity == hcl.DiagWarning {
			a.Warn(&own)
		} else {
			errs = append(errs, &stages.InvalidError{Diagnostic: &own})
		}
	}
	return errors.Join(errs...)
}

// WarnOfLimits warns about views whose limit has no effect, given each track's largest wall time limit.
func (in *Input) WarnOfLimits(longest map[string]time.Duration) hcl.Diagnostics {
	return in.Rules.WarnOfLimits(longest)
}

// readRules reads the rule set that a value names, and the practice behind each track's published tables. It returns
// nothing if the value names no rule set.
func readRules(v cty.Value, kinds comp.Kinds) (*score.RuleSet, map[string]score.Readings, hcl.Diagnostics) {
	rs, practice, diags := rules.ScoringOf(v, kinds)
	if rs != nil {
		return rs, practice, diags
	}
	var of *rules.Rules
	if f, ok := stages.FileOf(v); ok {
		src, err := limits.HCL.ReadFile(f.Path)
		if err != nil {
			return nil, nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Rule set cannot be read",
				Detail: err.Error() + "."}}
		}
		rs, of, diags = rules.ParseScoring(src, f.Name, kinds)
	} else if name := nameOf(v); rules.IsBuiltin(name) {
		rs, of, diags = rules.FindScoring(name, "")
	}
	if of != nil {
		practice = of.PublishedReadings()
	}
	return rs, practice, diags
}

// nameOf returns a rule set's name, which may be written as a number; empty if the value is neither a text nor a
// number.
func nameOf(v cty.Value) string {
	switch v.Type() {
	case cty.String:
		return v.AsString()
	case cty.Number:
		return v.AsBigFloat().Text('f', -1)
	}
	return ""
}

// rulesKey returns the text that represents a rule set in keys. It depends on the rule set's meaning, not on its name
// or layout.
func rulesKey(v cty.Value) string {
	rs, _, _ := readRules(v, nil) // errors are reported where the rules are loaded
	if rs == nil {
		return v.GoString()
	}
	return digestText([]byte(rs.Canonical()))
}

// tracksKey returns the text that represents the divisions in keys: a digest, because there are many divisions.
func tracksKey(v cty.Value) string { return digestText([]byte(rules.TableOf(v).String())) }

func digestText(b []byte) string { return "sha256:" + cache.DigestOf(b).String() }

// ExtendKey implements stages.KeyExtender: a year's rule set may come with divisions and practice.
func (in *Input) ExtendKey(k *cache.KeyWriter) {
	if in.ofYear {
		k.String("divisions_of_year", digestText([]byte(in.Rules.Divisions.String())))
	}
	if in.published {
		k.String("practice_of_year", digestText(fmt.Append(nil, in.practice)))
	}
}
